/**
 * A folder of keys and of what a program must not forget. Its files are written whole or not at all, only
 * their holder can read them, and they are not read when anybody else could.
 */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError, fileReason } from '@eigenveil/platform';
import type { z } from 'zod';
import { COMMAND_CODES } from './codes.ts';
import { makeFolder } from './files.ts';

/** The codes for the folders of an owner, of a device, and of a relying application. */
type HomeCode = 'ERR_OWNER_HOME' | 'ERR_DEVICE_HOME' | 'ERR_RELYING_HOME';

const OTHERS = 0o077;

export class PrivateFolder {
  readonly #folder: string;
  readonly #code: HomeCode;

  /**
   * `folder` is created when something is first written to it. All methods throw `code` when it cannot be
   * used.
   */
  constructor(folder: string, code: HomeCode) {
    this.#folder = folder;
    this.#code = code;
  }

  /**
   * Returns what the file holds, made on first use; if several processes make it at once, all get the same.
   */
  async madeOnce<Schema extends z.ZodType>(
    file: string,
    schema: Schema,
    make: () => z.output<Schema> | Promise<z.output<Schema>>,
  ): Promise<z.output<Schema>> {
    const stored = await this.read(file, schema);
    if (stored !== undefined) return stored;
    const fresh = await make();
    return (await this.writeFirst(file, fresh)) ? fresh : this.madeOnce(file, schema, make);
  }

  /** Returns what the file holds; undefined if there is none. */
  async read<Schema extends z.ZodType>(file: string, schema: Schema): Promise<z.output<Schema> | undefined> {
    const path = join(this.#folder, file);
    let text: string;
    try {
      this.#requireClosed(this.#folder, (await stat(this.#folder)).mode);
      await using handle = await open(path);
      // The mode is that of the open file, not of the path, so that nobody can swap the file between check
      // and use.
      this.#requireClosed(path, (await handle.stat()).mode);
      text = await handle.readFile('utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#error(path, error);
    }
    try {
      return schema.parse(JSON.parse(text));
    } catch {
      // The error has no cause, since its message repeats what the file holds.
      throw new CodedError(
        COMMAND_CODES[this.#code],
        `"${path}" expected what was once written there: put back the copy that you keep`,
      );
    }
  }

  /** Writes a file whole, over one that may be there. */
  async write(file: string, value: unknown): Promise<void> {
    await this.#publish(file, value, rename);
  }

  /** Writes a file as `write` does, but only if there is none yet. Returns whether it did. */
  writeFirst(file: string, value: unknown): Promise<boolean> {
    return this.#publish(file, value, link);
  }

  /** Writes bytes that come part by part into a file of a new name. Nothing of it stays if the parts fail. */
  async writeParts(file: string, parts: AsyncIterable<Uint8Array>): Promise<void> {
    const path = join(this.#folder, file);
    await makeFolder(this.#folder);
    try {
      this.#requireClosed(this.#folder, (await stat(this.#folder)).mode);
      await using handle = await open(path, 'wx', 0o600);
      try {
        for await (const part of parts) await handle.appendFile(part);
        await handle.sync();
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
      await this.#sync();
    } catch (error) {
      if (error instanceof Error && 'syscall' in error) throw this.#error(path, error);
      throw error; // of whoever makes the parts
    }
  }

  /** Returns the bytes of such a file, which are read when they are asked for; undefined if there is none. */
  async bytes(file: string): Promise<Blob | undefined> {
    const path = join(this.#folder, file);
    try {
      this.#requireClosed(path, (await stat(path)).mode);
      return await openAsBlob(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.#error(path, error);
    }
  }

  /** Removes all files whose names begin with the prefix. */
  async removeAll(prefix: string): Promise<void> {
    const files = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw this.#error(this.#folder, error);
    });
    for (const file of files) if (file.startsWith(prefix)) await this.remove(file);
  }

  async remove(file: string): Promise<void> {
    await rm(join(this.#folder, file), { force: true });
  }

  /** Windows has no such modes; there the access list of the folder must protect the files. */
  #requireClosed(path: string, mode: number): void {
    if (process.platform === 'win32' || (mode & OTHERS) === 0) return;
    throw new CodedError(
      COMMAND_CODES[this.#code],
      `"${path}" expected to be out of reach of others, who may have read its keys, got mode 0${(mode & 0o777).toString(8)}: chmod -R go= '${this.#folder}'`,
    );
  }

  async #publish(file: string, value: unknown, publish: typeof rename | typeof link): Promise<boolean> {
    const path = join(this.#folder, file);
    const temporary = join(this.#folder, `.${file}.${randomBytes(6).toString('hex')}`);
    await makeFolder(this.#folder);
    try {
      this.#requireClosed(this.#folder, (await stat(this.#folder)).mode);
      {
        await using handle = await open(temporary, 'wx', 0o600);
        await handle.writeFile(JSON.stringify(value));
        await handle.sync();
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
      throw this.#error(path, error);
    }
  }

  /**
   * Syncs the folder: otherwise names of files might be lost with the power, and randomness behind data that
   * was sent might be drawn again.
   */
  async #sync(): Promise<void> {
    if (process.platform === 'win32') return; // folders cannot be opened there
    await using folder = await open(this.#folder);
    await folder.sync();
  }

  #error(path: string, error: unknown): CodedError {
    if (error instanceof CodedError) return error;
    const reason = fileReason(error);
    return new CodedError(COMMAND_CODES[this.#code], `"${path}" cannot be used (${reason})`, {
      cause: error,
    });
  }
}
