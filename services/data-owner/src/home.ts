/**
 * The owner's folder: its signing key, its enrolment, contributions that have no receipt yet, and receipts. Files are
 * written whole or not at all, readable by the owner alone.
 */
import { randomBytes } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@eigenveil/command';
import {
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  PrivateJwk,
  PublicJwk,
  type SigningKey,
  type TaskId,
} from '@eigenveil/wire';
import { z } from 'zod';

/** What enrolment leaves behind. */
export const Enrolment = z.strictObject({
  ownerId: OwnerId,
  ownerToken: z.string(),
  /** The CSP's identity key, checked against the pinned thumbprint at enrolment. */
  cspKey: PublicJwk,
});
export type Enrolment = z.infer<typeof Enrolment>;

/** An encrypted contribution and its signed record, ready to be sent as often as it takes. */
const PendingContribution = z.strictObject({ record: z.string(), bytes: z.base64() });
export interface PendingContribution {
  readonly record: string;
  readonly bytes: Uint8Array;
}

export class OwnerHome {
  readonly #folder: string;

  /** `folder` is created when something is first written to it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The owner's signing key, made on first use. */
  async signingKey(): Promise<SigningKey> {
    const stored = await this.#read('signing-key.json', PrivateJwk);
    if (stored !== undefined) return importSigningKey(stored);
    const fresh = await generatePrivateJwk();
    const isFirst = await this.#write('signing-key.json', fresh, link);
    return isFirst ? importSigningKey(fresh) : this.signingKey();
  }

  enrolment(): Promise<Enrolment | undefined> {
    return this.#read('enrolment.json', Enrolment);
  }

  async saveEnrolment(enrolment: Enrolment): Promise<void> {
    await this.#write('enrolment.json', enrolment);
  }

  async pending(taskId: TaskId): Promise<PendingContribution | undefined> {
    const stored = await this.#read(pendingFile(taskId), PendingContribution);
    return stored && { record: stored.record, bytes: Buffer.from(stored.bytes, 'base64') };
  }

  /**
   * Keeps a contribution and returns the one to send: this one, or the one that another process has kept meanwhile, since
   * only one can be taken.
   */
  async keepPending(taskId: TaskId, fresh: PendingContribution): Promise<PendingContribution> {
    const { record, bytes } = fresh;
    const file = pendingFile(taskId);
    const isFirst = await this.#write(file, { record, bytes: Buffer.from(bytes).toString('base64') }, link);
    return isFirst ? fresh : ((await this.pending(taskId)) ?? fresh);
  }

  /** Forgets what was prepared or sent for a task. */
  async forget(taskId: TaskId): Promise<void> {
    await rm(join(this.#folder, pendingFile(taskId)), { force: true });
    await rm(join(this.#folder, receiptFile(taskId)), { force: true });
  }

  receipt(taskId: TaskId): Promise<string | undefined> {
    return this.#read(receiptFile(taskId), z.string());
  }

  /** Keeps the receipt; the contribution need not be sent again. */
  async saveReceipt(taskId: TaskId, receipt: string): Promise<void> {
    await this.#write(receiptFile(taskId), receipt);
    await rm(join(this.#folder, pendingFile(taskId)), { force: true });
  }

  async #read<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema> | undefined> {
    let text: string;
    try {
      text = await readFile(join(this.#folder, file), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    return schema.parse(JSON.parse(text));
  }

  /** Writes a file whole; with `link` as the last step only if there is none yet. Returns whether it did. */
  async #write(
    file: string,
    value: unknown,
    publish: typeof rename | typeof link = rename,
  ): Promise<boolean> {
    await makeFolder(this.#folder);
    const temporary = join(this.#folder, `.${file}.${randomBytes(6).toString('hex')}`);
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(JSON.stringify(value));
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      await publish(temporary, join(this.#folder, file));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

const pendingFile = (taskId: TaskId) => `contribution-${taskId}.json`;
const receiptFile = (taskId: TaskId) => `receipt-${taskId}.json`;
