/**
 * A device: it holds one user's behaviour, reduces it by a projection that it has verified, and shows the
 * authenticator only windows in its own secret frame. It never learns a decision or a score.
 */
import { randomBytes } from 'node:crypto';
import { FRAME_SEED_BYTES, Frame } from '@eigenveil/authentication';
import { CodedError } from '@eigenveil/platform';
import { openProjection, Projector, type SignedProjection } from '@eigenveil/projection';
import {
  CODES,
  clientClassOf,
  type Digest,
  errorCodeOf,
  isTransient,
  type ServiceAddress,
  type Thumbprint,
} from '@eigenveil/wire';
import {
  type SessionId,
  type UserId,
  WINDOWS_PER_BATCH,
  WINDOWS_PER_ENROLMENT,
  type WindowsRequest,
} from '../messages.ts';
import { DEVICE_ROUTES } from '../table.ts';
import type { DeviceEnrolment, DeviceHome } from './home.ts';

/**
 * One finite number per feature, in the order and the units of the projection's task:
 * `Projector.featureNames`.
 */
export type Rows = readonly ArrayLike<number>[];

export interface EnrolOptions {
  readonly service: ServiceAddress;
  /** The relying application's one-time invitation. */
  readonly token: string;
  /**
   * The projection with all signed statements about it, as "eigenveil-owner project --evidence" writes it.
   */
  readonly evidence: SignedProjection;
  /**
   * The thumbprint of the CSP's key, learnt over a trusted channel, and not from the source of the
   * projection.
   */
  readonly csp: Thumbprint;
}

export interface EnrolledDevice {
  readonly userId: UserId;
  /** For each feature, the number of cells that lay outside its range and were clipped. */
  readonly clippedCells: readonly number[];
  /**
   * True if this invitation had enrolled this device already: the template stays as it was, and these rows
   * have no part in it.
   */
  readonly isRepeat: boolean;
}

export interface DeviceClientOptions {
  readonly home: DeviceHome;
  /** The time for which requests are repeated while the service cannot be reached, in milliseconds. */
  readonly patienceMilliseconds?: number;
}

/**
 * The most rows that wait while the service cannot be reached. More would not help it: a session that is
 * silent for so long has ended.
 */
const MOST_WAITING = 1000;

const Service = clientClassOf(DEVICE_ROUTES);
type Service = InstanceType<typeof Service>;

/** The parts of an enrolment that are in use. */
interface Enrolled {
  readonly enrolment: DeviceEnrolment;
  readonly client: Service;
  readonly reducer: Reducer;
}

interface Session {
  readonly id: SessionId;
  /** The number of the next window. */
  next: number;
}

/**
 * @example
 * import { DeviceClient, DeviceHome } from '@eigenveil/authenticator/device';
 *
 * const device = new DeviceClient({ home: new DeviceHome('/var/lib/eigenveil-device'), patienceMilliseconds: 30_000 });
 * // enrolled before
 * for (const row of rows) await device.observe([row]);
 * await device.close();
 */
export class DeviceClient {
  readonly #home: DeviceHome;
  readonly #patience: number;
  #enrolled: Promise<Enrolled> | undefined;
  #session: Session | undefined;
  /** The batch that was sent, perhaps several times, and is not answered yet. */
  #pending: WindowsRequest | undefined;
  #waiting: number[][] = [];
  #sending: Promise<void> = Promise.resolve();

  constructor({ home, patienceMilliseconds = 0 }: DeviceClientOptions) {
    this.#home = home;
    this.#patience = patienceMilliseconds;
  }

  /**
   * Verifies the projection, draws a frame, and enrols with rows of this user's behaviour in it. Rows go to
   * the service only in that frame. After a lost answer, repeat the call with the same token and rows: it
   * ends as if the answer had arrived. Rows of an earlier call to observe go first, and those of a later one
   * go in the new frame.
   * @throws ERR_CSP_IDENTITY and as openCentred, before a row is reduced; RangeError on too many rows; as
   *   Projector.transform; and the service's refusals
   */
  enrol(options: EnrolOptions, rows: Rows): Promise<EnrolledDevice> {
    return this.#inTurn(() => this.#enrol(options, rows));
  }

  async #enrol({ service, token, evidence, csp }: EnrolOptions, rows: Rows): Promise<EnrolledDevice> {
    const verified = await openCentred(evidence, csp);
    if (rows.length > WINDOWS_PER_ENROLMENT)
      throw new RangeError(`"rows" expected at most ${WINDOWS_PER_ENROLMENT} of them, got ${rows.length}`);
    const { frameSeed, isKept } = await this.#home.frameSeed(token, newFrameSeed);
    const reducer = new Reducer(verified, frameSeed);
    const windows = reducer.reduce(rows);
    const client = await this.#connect(service, token);
    const isFirst = await this.#home.beginEnrolment();
    try {
      const { userId } = await client.enrol({ body: { projection: reducer.digest, windows } });
      await this.#home.saveEnrolment(token, { userId, service, csp, evidence, frameSeed });
      await this.#forget();
      return { userId, clippedCells: reducer.projector.clippedCells, isRepeat: isKept };
    } catch (error) {
      // Without a refusal the service may have taken the enrolment, and then its template is no longer in the
      // frame that is in use here.
      if (isFirst && error instanceof CodedError && (error.status ?? 500) < 500)
        await this.#home.abandonEnrolment();
      else await this.#forget();
      throw error;
    } finally {
      await client.close();
    }
  }

  /**
   * Enrols again, with a `renew` invitation: another frame and another template replace the old ones, which
   * become worthless. The projection stays the same unless another is given.
   * @throws ERR_AUTH_REQUIRED, and as enrol
   */
  async renew(
    token: string,
    rows: Rows,
    projection?: Pick<EnrolOptions, 'evidence' | 'csp'>,
  ): Promise<EnrolledDevice> {
    const { service, evidence, csp } = await this.#home.enrolment();
    return this.enrol({ service, token, evidence, csp, ...projection }, rows);
  }

  /**
   * Returns the projector that reduces rows: it names the features, and counts the cells that were clipped.
   */
  async projector(): Promise<Projector> {
    return (await this.#ready()).reducer.projector;
  }

  /**
   * Sends rows of the user's present behaviour, in order and each once. Opens a session first if there is
   * none, and another one, once, if the service has forgotten it. Rows that could not be sent stay here and
   * go first the next time; a batch whose answer was lost is sent again unchanged. Rows of concurrent calls
   * go in the order of the calls.
   * @throws ERR_BUSY when too many rows wait already, and none of these is kept; ERR_AUTH_REQUIRED; as
   *   Projector.transform; and the service's refusals: ERR_DEVICE_REVOKED is for good, ERR_RENEWAL_REQUIRED
   *   asks for renew, also where a renewal was not answered
   */
  observe(rows: Rows): Promise<void> {
    return this.#inTurn(async () => {
      const enrolled = await this.#ready();
      if (this.#waiting.length >= MOST_WAITING) {
        await this.#drain(enrolled).catch((cause: unknown) => {
          if (!isTransient(cause)) throw cause;
          throw new CodedError(
            CODES.ERR_BUSY,
            `${this.#waiting.length} rows wait: the service cannot be reached`,
            { cause },
          );
        });
      }
      this.#waiting.push(...enrolled.reducer.reduce(rows));
      await this.#drain(enrolled);
    });
  }

  /** Ends the session at the service, if there is one, and drops rows that wait. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#forget();
  }

  /** Runs one piece of work after the other, in the order of the calls. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#sending.then(work);
    this.#sending = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  async #drain({ client }: Enrolled): Promise<void> {
    let mayReopen = true;
    while (this.#pending !== undefined || this.#waiting.length > 0) {
      if (this.#session === undefined) {
        const { sessionId } = await client.openSession();
        this.#session = { id: sessionId, next: 0 };
        // The new session has not seen earlier windows, so its numbers begin at 0.
        if (this.#pending !== undefined) this.#pending = { ...this.#pending, first: 0 };
      }
      const session = this.#session;
      this.#pending ??= { first: session.next, windows: this.#waiting.splice(0, WINDOWS_PER_BATCH) };
      try {
        await client.sendWindows({ sessionId: session.id, body: this.#pending });
      } catch (error) {
        if (errorCodeOf(error) !== 'ERR_SESSION_UNKNOWN') throw error;
        this.#session = undefined;
        if (!mayReopen) throw error;
        mayReopen = false;
        continue;
      }
      session.next += this.#pending.windows.length;
      this.#pending = undefined;
    }
  }

  async #forget(): Promise<void> {
    const [enrolled, session] = [this.#enrolled, this.#session];
    this.#enrolled = undefined;
    this.#session = undefined;
    this.#pending = undefined;
    this.#waiting = [];
    const client = (await enrolled?.catch(() => undefined))?.client;
    if (client === undefined) return;
    // A session that the device does not end is ended by the service after a while.
    if (session !== undefined) await client.endSession({ sessionId: session.id }).catch(() => {});
    await client.close();
  }

  #ready(): Promise<Enrolled> {
    this.#enrolled ??= this.#open().catch((error: unknown) => {
      this.#enrolled = undefined;
      throw error;
    });
    return this.#enrolled;
  }

  async #open(): Promise<Enrolled> {
    const enrolment = await this.#home.currentEnrolment();
    const { evidence, csp, frameSeed, service } = enrolment;
    const reducer = new Reducer(await openCentred(evidence, csp), frameSeed);
    return { enrolment, reducer, client: await this.#connect(service) };
  }

  async #connect({ url, ca }: ServiceAddress, token?: string): Promise<Service> {
    const key = await this.#home.signingKey();
    return new Service({
      url,
      ca,
      credentials: { kind: 'key', key, token },
      patienceMilliseconds: this.#patience,
    });
  }
}

/** Reduces rows to windows, which are centred, in the device's frame. */
class Reducer {
  readonly projector: Projector;
  /**
   * The digest of the projection as the CSP has countersigned it; by it the service distinguishes
   * projections.
   */
  readonly digest: Digest;
  readonly #frame: Frame;

  constructor(
    { task, projection, basis, provenance }: Awaited<ReturnType<typeof openCentred>>,
    frameSeed: string,
  ) {
    this.projector = new Projector(task, projection, basis);
    this.digest = provenance.projectionDigest;
    this.#frame = Frame.fromSeed(Buffer.from(frameSeed, 'base64url'), projection.vectors.length);
  }

  reduce(rows: Rows): number[][] {
    return this.projector.transform(rows).map((row) => [...this.#frame.apply(Float64Array.from(row))]);
  }
}

const newFrameSeed = () => randomBytes(FRAME_SEED_BYTES).toString('base64url');

/**
 * Verifies a projection. The Projector subtracts the mean that both servers have signed, so that no other
 * party chooses the origin.
 * @throws ERR_PROJECTION_INVALID for a projection without the mean, and as openProjection
 */
export async function openCentred(
  evidence: SignedProjection,
  csp: Thumbprint,
): ReturnType<typeof openProjection> {
  const verified = await openProjection(evidence, csp);
  if (verified.projection.mean === undefined)
    throw new CodedError(
      CODES.ERR_PROJECTION_INVALID,
      '"projection.mean" expected the mean of all rows, by which windows are centred: take a projection of a task with "mean" among its "outputs"',
    );
  return verified;
}
