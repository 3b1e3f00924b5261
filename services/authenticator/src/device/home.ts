/**
 * The private folder of a device: its key, the secret of its frame, and the projection with all signed
 * statements about it.
 */
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

/** 32 secret bytes, from which a frame is made. */
const FrameSeed = z.base64url().length(43);

/** The data that an enrolment or a renewal leaves behind. */
export const DeviceEnrolment = z.strictObject({
  userId: UserId,
  service: z.strictObject({ url: ServiceUrl, ca: z.string().optional() }),
  /** The thumbprint of the CSP's key, learnt over a trusted channel. */
  csp: Thumbprint,
  /** The projection with its signatures, checked against that thumbprint each time it is used. */
  evidence: SignedProjection,
  frameSeed: FrameSeed,
  /** The digest of the invitation's token. */
  invitation: Digest,
});
export type DeviceEnrolment = z.infer<typeof DeviceEnrolment>;

/** This file exists while an enrolment is sent, and after it until one is answered. */
const PENDING = 'enrolment-pending.json';

export class DeviceHome {
  readonly #folder: PrivateFolder;

  /**
   * Takes the path of the folder, which is created when something is first written to it. All methods throw
   * ERR_DEVICE_HOME when it cannot be used.
   */
  constructor(folder: string) {
    this.#folder = new PrivateFolder(folder, 'ERR_DEVICE_HOME');
  }

  /** Returns the device's key, made on first use. */
  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#folder.madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  /**
   * Returns the enrolment to send windows with.
   * @throws ERR_AUTH_REQUIRED when there is none; ERR_RENEWAL_REQUIRED while nobody knows whether the
   *   service has replaced it by another one: windows in the old frame would lock the user then
   */
  async currentEnrolment(): Promise<DeviceEnrolment> {
    const enrolment = await this.enrolment();
    if ((await this.#folder.read(PENDING, z.strictObject({}))) === undefined) return enrolment;
    throw new CodedError(
      CODES.ERR_RENEWAL_REQUIRED,
      'a renewal was begun and its answer never came: repeat it with the same token, or ask for another invitation to renew',
    );
  }

  /**
   * Returns the last enrolment that was answered.
   * @throws ERR_AUTH_REQUIRED when there is none
   */
  async enrolment(): Promise<DeviceEnrolment> {
    const enrolment = await this.#folder.read('enrolment.json', DeviceEnrolment);
    if (enrolment !== undefined) return enrolment;
    throw new CodedError(
      CODES.ERR_AUTH_REQUIRED,
      'this device is not enrolled yet: run "eigenveil-authenticator device enrol" first',
    );
  }

  /**
   * Returns the secret of the frame for the enrolment with this token: made by `make` the first time, and
   * kept before anything leaves the device in that frame. So an enrolment that is repeated, since its answer
   * was lost or by mistake, has the very frame of the template that the service keeps. `isKept` says that
   * this device was already enrolled with this token.
   */
  async frameSeed(token: string, make: () => string): Promise<{ frameSeed: string; isKept: boolean }> {
    const invitation = digestOf(token);
    const enrolment = await this.#folder.read('enrolment.json', DeviceEnrolment);
    if (enrolment?.invitation === invitation) return { frameSeed: enrolment.frameSeed, isKept: true };
    const frameSeed = await this.#folder.madeOnce(frameFile(invitation), FrameSeed, make);
    return { frameSeed, isKept: false };
  }

  /** Notes that an enrolment is sent. Returns false when an earlier one was not answered. */
  beginEnrolment(): Promise<boolean> {
    return this.#folder.writeFirst(PENDING, {});
  }

  /**
   * Notes that the service has refused the enrolment; the one before stays valid. Call it only if no earlier
   * enrolment is unanswered.
   */
  async abandonEnrolment(): Promise<void> {
    await this.#folder.remove(PENDING);
  }

  /** Replaces the enrolment before, whose frame is forgotten. */
  async saveEnrolment(token: string, enrolment: Omit<DeviceEnrolment, 'invitation'>): Promise<void> {
    const invitation = digestOf(token);
    await this.#folder.write('enrolment.json', { ...enrolment, invitation });
    await this.#folder.remove(frameFile(invitation));
    await this.#folder.remove(PENDING);
  }
}

const digestOf = (token: string) => digestBytes('invitation', Buffer.from(token));
const frameFile = (invitation: Digest) => `frame-${invitation}.json`;
