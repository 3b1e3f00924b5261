/**
 * A device: holds one user's behaviour, reduces it by a projection that it has verified, and shows the authenticator nothing but windows in its
 * own secret frame. It is never told a decision or a score.
 */
import { randomBytes } from 'node:crypto';
import { FRAME_SEED_BYTES, Frame } from '@eigenveil/authentication';
import { CodedError } from '@eigenveil/platform';
import { Projector, type SignedProjection } from '@eigenveil/projection';
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
import { openCentred } from './centred.ts';
import type { DeviceEnrolment, DeviceHome } from './home.ts';

/** One finite number per feature, in the order and the units of the projection's task: `Projector.featureNames`. */
export type Rows = readonly ArrayLike<number>[];

export interface EnrolOptions {
  readonly service: ServiceAddress;
  /** The relying application's one-time invitation. */
  readonly token: string;
  /** The projection with all that was signed about it, as "eigenveil-owner project --evidence" writes it. */
  readonly evidence: SignedProjection;
  /** Thumbprint of the CSP's key, learnt over a channel that is trusted, and not from where the projection comes from. */
  readonly csp: Thumbprint;
}

export interface EnrolledDevice {
  readonly userId: UserId;
  /** Per feature, how many cells of the rows lay outside its range and were clipped. */
  readonly clippedCells: readonly number[];
  /** This invitation had enrolled this device already: its template stays as it was, and these rows have no part in it. */
  readonly isRepeat: boolean;
}

export interface DeviceClientOptions {
  readonly home: DeviceHome;
  /** How long to go on trying while the service cannot be reached, in milliseconds. */
  readonly patienceMilliseconds?: number;
}

/** Rows that may wait while the service cannot be reached. They would tell it little later: a session that was silent has ended by then. */
const MOST_WAITING = 1000;

const Service = clientClassOf(DEVICE_ROUTES);
type Service = InstanceType<typeof Service>;

/** What of an enrolment is in use. */
interface Enrolled {
  readonly enrolment: DeviceEnrolment;
  readonly client: Service;
  readonly reducer: Reducer;
}

interface Session {
  readonly id: SessionId;
  /** Number of the next window. */
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
  /** Was sent, perhaps several times, and is not answered yet. */
  #pending: WindowsRequest | undefined;
  #waiting: number[][] = [];
  #sending: Promise<void> = Promise.resolve();

  constructor({ home, patienceMilliseconds = 0 }: DeviceClientOptions) {
    this.#home = home;
    this.#patience = patienceMilliseconds;
  }

  /**
   * Verifies the projection, draws a frame, and enrols with rows of this user's behaviour in it. Rows go to the service in that frame alone.
   * Repeated with the same token and rows after a lost answer, it ends as if it had not been lost. Rows of a call to observe before it go first,
   * and those of a later one in the new frame.
   * @throws ERR_CSP_IDENTITY and as openCentred, before a row is reduced; RangeError on too many rows; as Projector.transform; and what the
   *   service refuses
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
      // Else the service may have taken it, and the frame that is in use here is not the template's any more.
      if (isFirst && error instanceof CodedError && (error.status ?? 500) < 500)
        await this.#home.abandonEnrolment();
      else await this.#forget();
      throw error;
    } finally {
      await client.close();
    }
  }

  /**
   * Enrols anew, with a `renew` invitation: another frame, another template, and the old ones are worth nothing. With the projection at hand unless
   * another is given.
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

  /** What rows are reduced by: it names the features, and counts what was clipped. */
  async projector(): Promise<Projector> {
    return (await this.#ready()).reducer.projector;
  }

  /**
   * Sends rows of what the user does now, in order and each once. Opens a session first if there is none, and another one, once, if the service has
   * forgotten it. What could not be sent stays here and goes first the next time; a batch whose answer was lost goes again as it was.
   * Rows of concurrent calls go in the order of the calls.
   * @throws ERR_BUSY when too many rows wait already, and none of these is kept; ERR_AUTH_REQUIRED; as Projector.transform; what the
   *   service refuses: ERR_DEVICE_REVOKED is for good, ERR_RENEWAL_REQUIRED asks for renew, also where a renewal was not answered
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

  /** Ends the session at the service, if there is one, and forgets what waits. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#forget();
  }

  /** One after the other, in the order of the calls. */
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
        // In a session that never saw them, windows have other numbers.
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
    // A session that nobody ends ends by itself.
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

/** From rows to windows, which are centred, in the device's frame. */
class Reducer {
  readonly projector: Projector;
  /** Of the projection as the CSP has countersigned it; by this the service tells projections apart. */
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
