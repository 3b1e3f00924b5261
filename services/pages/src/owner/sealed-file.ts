/**
 * Files that only a passphrase opens, in the format of age (https://age-encryption.org/v1): scrypt, then
 * ChaCha20-Poly1305. `age --decrypt` opens them, too; inside is JSON.
 */

import { type Code, CodedError } from '@eigenveil/platform';
import { parseJson } from '@eigenveil/wire/errors';
import type { z } from 'zod';
import { ageLibrary } from '#age';
import { DEVICE_CODES } from './codes.ts';
import { normalPassphrase, passphraseProblem } from './passphrase.ts';

/** `backup` holds the owner's key, `transfer` everything else. */
export type SealedKind = 'backup' | 'transfer';

/** The name under which a file is saved. */
export const FILE_NAMES: Readonly<Record<SealedKind, string>> = {
  backup: 'eigenveil-owner-backup.age',
  transfer: 'eigenveil-owner-transfer.age',
};
/** The media type with which it is saved: a browser adds no ending to the name. */
export const SEALED_TYPE = 'application/octet-stream';

/**
 * The base-2 logarithm of scrypt's cost, as age has it by default: each guess takes about a second of a
 * desktop's core and 256 MB.
 */
const WORK_FACTOR = 18;
/**
 * The header of a file under a passphrase alone, and the least content, which is a nonce and a tag. The work
 * factor is at most ours: a file does not choose what opening it costs.
 */
const HEADER =
  /^age-encryption\.org\/v1\n-> scrypt [\w+/]{22} (?:[1-9]|1[0-8])\n[\w+/]{43}\n--- [\w+/]{43}\n.{32}/s;
/** The bytes at the beginning that have all of this. */
const HEADER_BYTES = 256;
/** The longest file; a transfer file has a few megabytes for each task without a receipt. */
export const LONGEST_FILE = 256 * 1024 * 1024;

/**
 * Returns the file's text, in ASCII armour. Its key is new each time.
 * @param value JSON
 * @throws ERR_PASSPHRASE_WEAK
 * @throws Error when the library cannot be loaded
 */
export async function seal(value: unknown, passphrase: string): Promise<string> {
  const problem = passphraseProblem(passphrase);
  if (problem !== null) throw new CodedError(DEVICE_CODES.ERR_PASSPHRASE_WEAK, problem);
  const { armor, Encrypter } = await ageLibrary();
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  encrypter.setPassphrase(normalPassphrase(passphrase));
  return armor.encode(await encrypter.encrypt(JSON.stringify(value)));
}

/**
 * Returns the value that was sealed.
 * @param schema of the value
 * @throws ERR_BACKUP_INVALID for another file or a damaged one, ERR_PASSPHRASE for a wrong passphrase, or a
 *   file whose header was altered
 * @throws Error when the library cannot be loaded
 */
export async function unseal<Schema extends z.ZodType>(
  kind: SealedKind,
  text: string,
  passphrase: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { armor, Decrypter } = await ageLibrary();
  let file: Uint8Array;
  try {
    file = armor.decode(text);
  } catch (cause) {
    throw invalid(
      kind,
      `is none, or not all of it: choose the one that was saved as ${FILE_NAMES[kind]}`,
      cause,
    );
  }
  if (!HEADER.test(new TextDecoder('latin1').decode(file.subarray(0, HEADER_BYTES))))
    throw invalid(kind, `was not made here: choose the one that was saved as ${FILE_NAMES[kind]}`);
  const decrypter = new Decrypter();
  decrypter.addPassphrase(normalPassphrase(passphrase));
  // The library checks the header of a stream first, which the passphrase opens, and then the content.
  const content = await decrypter.decrypt(streamOf(file)).catch((cause: unknown) => {
    throw faultAt(
      'passphrase',
      DEVICE_CODES.ERR_PASSPHRASE,
      `the passphrase does not open the ${kind} file: type it again, or take another copy of the file, which may have changed since it was saved`,
      cause,
    );
  });
  const opened = await new Response(content).text().catch((cause: unknown) => {
    throw invalid(kind, 'has changed since it was saved: take another copy of it', cause);
  });
  const value = schema.safeParse(parseJson(opened));
  if (!value.success)
    throw invalid(kind, `holds something else: choose the one that was saved as ${FILE_NAMES[kind]}`);
  return value.data;
}

const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

const invalid = (kind: SealedKind, why: string, cause?: unknown) =>
  faultAt(kind, DEVICE_CODES.ERR_BACKUP_INVALID, `the ${kind} file ${why}`, cause);

/** Makes an error that says in which of the things that somebody gives the fault is. */
export const faultAt = (at: SealedKind | 'passphrase', code: Code, words: string, cause?: unknown) =>
  new CodedError(code, words, { cause, faults: [{ path: [at], words }] });
