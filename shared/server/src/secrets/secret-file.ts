/** Files that hold one secret each: made once with mode 0600, refused when anybody else could read them. */
import { randomBytes } from 'node:crypto';
import { constants, type FileHandle, link, open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CodedError, fileReason } from '@eigenveil/platform';
import { SERVER_CODES } from '../codes.ts';

const OTHERS = 0o077;
/** The largest size of such a file; its proper content is far smaller. */
const LARGEST_SECRET_BYTES = 64 * 1024;

/**
 * Returns the text of a secret file, without surrounding white space; when there is no such file, it is made
 * from `create`. The file appears whole or not at all, and if several processes make it at once, all return
 * the same text.
 * @throws ERR_KEY_FILE
 */
export async function loadOrCreateSecretFile(
  path: string,
  create: () => string | Promise<string>,
): Promise<string> {
  const existing = await readSecretFile(path);
  if (existing !== undefined) return existing;
  await writeSecret(path, await create());
  const created = await readSecretFile(path);
  if (created === undefined)
    throw new CodedError(SERVER_CODES.ERR_KEY_FILE, `"${path}" vanished after it was made`);
  return created;
}

/**
 * Returns the text of a secret file without surrounding white space, undefined when there is none.
 * @throws ERR_KEY_FILE
 */
export async function readSecretFile(path: string): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY);
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new CodedError(SERVER_CODES.ERR_KEY_FILE, `"${path}" cannot be opened (${fileReason(cause)})`, {
      cause,
    });
  }
  try {
    // The status is read from the open file, not from the path, so that nobody can swap the file between
    // check and use.
    const status = await file.stat();
    if (!status.isFile())
      throw new CodedError(SERVER_CODES.ERR_KEY_FILE, `"${path}" expected a regular file`);
    const mode = status.mode & 0o777;
    // Windows has no such modes; there the access list of the directory must protect the file.
    if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
      throw new CodedError(
        SERVER_CODES.ERR_KEY_FILE,
        `"${path}" expected mode 0600, got 0${mode.toString(8)}: others can reach the secret`,
      );
    }
    if (status.size > LARGEST_SECRET_BYTES) {
      throw new CodedError(
        SERVER_CODES.ERR_KEY_FILE,
        `"${path}" expected at most ${LARGEST_SECRET_BYTES} bytes`,
      );
    }
    return (await file.readFile('utf8')).trim();
  } finally {
    await file.close();
  }
}

/**
 * Writes a draft beside the path and links the finished file there: linking fails when somebody else was
 * first.
 */
async function writeSecret(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      try {
        await file.writeFile(`${text}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await link(draft, path).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    } finally {
      await unlink(draft);
    }
    await syncDirectory(dirname(path));
  } catch (cause) {
    throw new CodedError(SERVER_CODES.ERR_KEY_FILE, `"${path}" cannot be made (${fileReason(cause)})`, {
      cause,
    });
  }
}

/**
 * Replaces the text of a secret file durably: after a crash the file holds the old text or the new one,
 * whole. Only one writer may run at a time; a draft that an earlier one left behind is overwritten.
 * @throws ERR_KEY_FILE
 */
export async function replaceSecretFile(path: string, text: string): Promise<void> {
  try {
    const target = await realpath(path); // a link stays, and the draft lies on the volume of the file
    const { uid, gid } = await stat(target);
    const draft = `${target}.new`;
    const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600);
    try {
      await file.chmod(0o600);
      // The service must be able to read what root has replaced.
      if (process.getuid?.() === 0) await file.chown(uid, gid);
      await file.writeFile(`${text}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
    await syncDirectory(dirname(target));
  } catch (cause) {
    throw new CodedError(SERVER_CODES.ERR_KEY_FILE, `"${path}" cannot be replaced (${fileReason(cause)})`, {
      cause,
    });
  }
}

/**
 * Syncs a directory; without this the file's name may be lost with the power even though its content is safe.
 */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return; // directories cannot be opened there
  const directory = await open(path, constants.O_RDONLY);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
