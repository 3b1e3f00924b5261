/**
 * The owner's state in a folder. Files are written whole or not at all, readable by the owner alone, and not read when anybody else could.
 */
import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@eigenveil/command';
import type { TaskId } from '@eigenveil/task';
import { generatePrivateJwk, importSigningKey, PrivateJwk, type SigningKey } from '@eigenveil/wire';
import { z } from 'zod';
import { digestOfData, Enrolment, newDataKey, type OwnerState, type PendingContribution } from './state.ts';

/** A pending contribution as a file has it. */
const StoredContribution = z.strictObject({
  record: z.string(),
  bytes: z.base64(),
  /** Absent in a folder of the first release. */
  dataDigest: z.string().optional(),
  sourceDigest: z.string().optional(),
});

/** What is wrong with the folder is its owner's to mend. Messages never hold what is in a file. */
export class HomeError extends Error {
  override readonly name = 'HomeError';
  readonly code = 'ERR_OWNER_HOME';
}

const OTHERS = 0o077;

export class OwnerHome implements OwnerState {
  readonly isDurable = true;
  readonly #folder: string;

  /** `folder` is created when something is first written to it. All methods throw ERR_OWNER_HOME when it cannot be used. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async signingKey(): Promise<SigningKey> {
    return importSigningKey(await this.#madeOnce('signing-key.json', PrivateJwk, generatePrivateJwk));
  }

  enrolment(): Promise<Enrolment | undefined> {
    return this.#read('enrolment.json', Enrolment);
  }

  async saveEnrolment(enrolment: Enrolment): Promise<void> {
    await this.#write('enrolment.json', enrolment);
  }

  async pending(taskId: TaskId): Promise<PendingContribution | undefined> {
    const stored = await this.#read(pendingFile(taskId), StoredContribution);
    return stored && { ...stored, bytes: Buffer.from(stored.bytes, 'base64') };
  }

  async keepPending(taskId: TaskId, fresh: PendingContribution): Promise<PendingContribution> {
    const bytes = Buffer.from(fresh.bytes).toString('base64');
    const isFirst = await this.#write(pendingFile(taskId), { ...fresh, bytes }, link);
    return isFirst ? fresh : ((await this.pending(taskId)) ?? fresh);
  }

  async discardPending(taskId: TaskId): Promise<void> {
    await rm(join(this.#folder, pendingFile(taskId)), { force: true });
  }

  async digestOfData(taskId: TaskId, values: readonly bigint[]): Promise<string> {
    const key = await this.#madeOnce('data-key.json', z.base64url().length(43), () =>
      Buffer.from(newDataKey()).toString('base64url'),
    );
    return digestOfData(Buffer.from(key, 'base64url'), taskId, values);
  }

  async hasWithdrawn(taskId: TaskId): Promise<boolean> {
    return (await this.#read(withdrawalFile(taskId), z.literal('withdrawn'))) !== undefined;
  }

  async beginWithdrawal(taskId: TaskId): Promise<void> {
    await this.#write(withdrawalFile(taskId), 'withdrawn');
  }

  async endWithdrawal(taskId: TaskId): Promise<void> {
    await rm(join(this.#folder, withdrawalFile(taskId)), { force: true });
  }

  receipt(taskId: TaskId): Promise<string | undefined> {
    return this.#read(receiptFile(taskId), z.string());
  }

  async saveReceipt(taskId: TaskId, receipt: string): Promise<void> {
    await this.#write(receiptFile(taskId), receipt);
    await this.discardPending(taskId);
  }

  /** What the file holds, made on first use; of several processes that make it at once all get the same. */
  async #madeOnce<Schema extends z.ZodType>(
    file: string,
    schema: Schema,
    make: () => z.output<Schema> | Promise<z.output<Schema>>,
  ): Promise<z.output<Schema>> {
    const stored = await this.#read(file, schema);
    if (stored !== undefined) return stored;
    const fresh = await make();
    return (await this.#write(file, fresh, link)) ? fresh : this.#madeOnce(file, schema, make);
  }

  async #read<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema> | undefined> {
    const path = join(this.#folder, file);
    let text: string;
    try {
      this.#requireClosed(this.#folder, (await stat(this.#folder)).mode);
      const handle = await open(path);
      try {
        // Of the open file, not of the path, so that nobody can swap it between check and use.
        this.#requireClosed(path, (await handle.stat()).mode);
        text = await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw homeError(path, error);
    }
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      // Without the cause, whose message repeats what the file holds.
      throw new HomeError(`"${path}" expected what was once written there: put back the copy that you keep`);
    }
  }

  /** Windows has no such modes; there the folder's access list has to do. */
  #requireClosed(path: string, mode: number): void {
    if (process.platform === 'win32' || (mode & OTHERS) === 0) return;
    throw new HomeError(
      `"${path}" expected to be out of reach of others, who may have read the owner's key, got mode 0${(mode & 0o777).toString(8)}: chmod -R go= '${this.#folder}'`,
    );
  }

  /** Writes a file whole; with `link` as the last step only if there is none yet. Returns whether it did. */
  async #write(
    file: string,
    value: unknown,
    publish: typeof rename | typeof link = rename,
  ): Promise<boolean> {
    const path = join(this.#folder, file);
    const temporary = join(this.#folder, `.${file}.${randomBytes(6).toString('hex')}`);
    await makeFolder(this.#folder);
    try {
      this.#requireClosed(this.#folder, (await stat(this.#folder)).mode);
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(JSON.stringify(value));
        await handle.sync();
      } finally {
        await handle.close();
      }
      const isPublished = await publish(temporary, path)
        .then(
          () => true,
          (error: NodeJS.ErrnoException) => {
            if (error.code === 'EEXIST') return false;
            throw error;
          },
        )
        .finally(() => rm(temporary, { force: true }));
      await this.#sync();
      return isPublished;
    } catch (error) {
      throw homeError(path, error);
    }
  }

  /** Or names of files might be lost with the power, and noise that has left the machine be drawn again. */
  async #sync(): Promise<void> {
    if (process.platform === 'win32') return; // folders cannot be opened there
    const folder = await open(this.#folder);
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

function homeError(path: string, error: unknown): HomeError {
  if (error instanceof HomeError) return error;
  const reason = error instanceof Error && 'code' in error ? error.code : 'unknown reason';
  return new HomeError(`"${path}" cannot be used (${reason})`, { cause: error });
}

const pendingFile = (taskId: TaskId) => `contribution-${taskId}.json`;
const receiptFile = (taskId: TaskId) => `receipt-${taskId}.json`;
const withdrawalFile = (taskId: TaskId) => `withdrawal-${taskId}.json`;
