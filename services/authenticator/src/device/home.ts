/** What a device keeps in a folder that nobody else can read: its key, the secret of its frame, and the projection with all that was signed about it. */
import { PrivateFolder } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { SignedProjection } from '@eigenveil/projection';
import {
  CODES,
  Digest,
  digestBytes,
  generatePrivateJwk,
  importSigningKey,
  PrivateJwk,
  ServiceUrl,
  type SigningKey,
  Thumbprint,
} from '@eigenveil/wire';
import { z } from 'zod';
import { UserId } from '../messages.ts';

/** 32 secret bytes, of which a frame is made. */
const FrameSeed = z.base64url().length(43);

/** What an enrolment or a renewal leaves behind. */
export const DeviceEnrolment = z.strictObject({
  userId: UserId,
  service: z.strictObject({ url: ServiceUrl, ca: z.string().optional() }),
  /** Of the CSP's key, learnt over a channel that is trusted. */
  csp: Thumbprint,
  /** Checked against that thumbprint each time it is used. */
  evidence: SignedProjection,
  frameSeed: FrameSeed,
  /** Of the invitation's token. */
  invitation: Digest,
});
export type DeviceEnrolment = z.infer<typeof DeviceEnrolment>;

/** There while an enrolment is sent, and after it until one is answered. */
const PENDING = 'enrolment-pending.json';

export class DeviceHome {
  readonly #folder: PrivateFolder;

  /** `folder` is created when something is first written to it. All methods throw ERR_DEVICE_HOME when it cannot be used. */
  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder, 'ERR_DEVICE_HOME');
  }

  /** The device's key, made on first use. */
  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#folder.madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  /**
   * The enrolment to send windows with.
   * @throws ERR_AUTH_REQUIRED when there is none; ERR_RENEWAL_REQUIRED while nobody knows whether the service has taken another one in its
   *   place: windows in the old frame would lock the user then
   */
  async currentEnrolment(): Promise<DeviceEnrolment> {
    const enrolment = await this.enrolment();
    if ((await this.#folder.read(PENDING, z.strictObject({}))) === undefined) return enrolment;
    throw new CodedError(
      CODES.ERR_RENEWAL_REQUIRED,
      'a renewal was begun and its answer never came: repeat it with the same token, or ask for another invitation to renew',
    );
  }

  /** The last one that was answered. @throws ERR_AUTH_REQUIRED when there is none */
  async enrolment(): Promise<DeviceEnrolment> {
    const enrolment = await this.#folder.read('enrolment.json', DeviceEnrolment);
    if (enrolment !== undefined) return enrolment;
    throw new CodedError(
      CODES.ERR_AUTH_REQUIRED,
      'this device is not enrolled yet: run "eigenveil-authenticator device enrol" first',
    );
  }

  /**
   * The secret of the frame for the enrolment with this token: made by `make` the first time, and kept before anything leaves the device in that
   * frame. So an enrolment that is repeated, since its answer was lost or by mistake, has the very frame of the template that the service keeps.
   * `isKept` says that this device's enrolment came of this token already.
   */
  async frameSeed(token: string, make: () => string): Promise<{ frameSeed: string; isKept: boolean }> {
    const invitation = digestOf(token);
    const enrolment = await this.#folder.read('enrolment.json', DeviceEnrolment);
    if (enrolment?.invitation === invitation) return { frameSeed: enrolment.frameSeed, isKept: true };
    const frameSeed = await this.#folder.madeOnce(frameFile(invitation), FrameSeed, make);
    return { frameSeed, isKept: false };
  }

  /** Notes that an enrolment is sent; returns false when an earlier one was not answered. */
  beginEnrolment(): Promise<boolean> {
    return this.#folder.writeFirst(PENDING, {});
  }

  /** The service has refused it, and no earlier one is open: the one of before holds. */
  async abandonEnrolment(): Promise<void> {
    await this.#folder.remove(PENDING);
  }

  /** In the place of the one before, whose frame is forgotten. */
  async saveEnrolment(token: string, enrolment: Omit<DeviceEnrolment, 'invitation'>): Promise<void> {
    const invitation = digestOf(token);
    await this.#folder.write('enrolment.json', { ...enrolment, invitation });
    await this.#folder.remove(frameFile(invitation));
    await this.#folder.remove(PENDING);
  }
}

const digestOf = (token: string) => digestBytes('invitation', Buffer.from(token));
const frameFile = (invitation: Digest) => `frame-${invitation}.json`;
