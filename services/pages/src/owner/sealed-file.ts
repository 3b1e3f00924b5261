/**
 * Files that only a passphrase opens: PBKDF2 with HMAC-SHA-256, which is the best that WebCrypto has for
 * passphrases, then AES-256-GCM. Everything except the content is in clear in the file, and the passphrase
 * proves it, too.
 */
import {
  CodedError,
  fromBase64url,
  randomBytes,
  sha256,
  textOf,
  toBase64url,
  utf8,
} from '@eigenveil/platform';
import { parseJson } from '@eigenveil/wire/errors';
import { z } from 'zod';
import { DEVICE_CODES } from './codes.ts';

/** `backup` holds the owner's key, `transfer` everything else. */
export type SealedKind = 'backup' | 'transfer';

/**
 * Each guess costs half a second to a second of a desktop's core. The number belongs to version 1: a file
 * does not choose what opening it costs.
 */
const ITERATIONS = 1_000_000;
/** The longest file; a transfer file has a few megabytes for each task without a receipt. */
export const LONGEST_FILE = 256 * 1024 * 1024;

const Header = z.strictObject({
  format: z.enum(['eigenveil-owner-backup', 'eigenveil-owner-transfer']),
  version: z.literal(1),
  derivation: z.literal('PBKDF2-HMAC-SHA-256'),
  iterations: z.literal(ITERATIONS),
  salt: z.base64url().length(43),
  cipher: z.literal('AES-256-GCM'),
  iv: z.base64url().length(16),
});
type Header = z.infer<typeof Header>;

const SealedFile = Header.extend({
  content: z.base64url(),
  /**
   * SHA-256 over all bytes before. It distinguishes a damaged file from a wrong passphrase, and proves
   * nothing.
   */
  checksum: z.base64url().length(43),
});

/**
 * Returns the file's text. Salt and nonce are new each time, so each key seals one file.
 * @param value JSON
 * @throws ERR_PASSPHRASE_WEAK
 */
export async function seal(kind: SealedKind, value: unknown, passphrase: string): Promise<string> {
  const problem = passphraseProblem(passphrase);
  if (problem !== null) throw new CodedError(DEVICE_CODES.ERR_PASSPHRASE_WEAK, problem);
  const [salt, iv] = [randomBytes(32), randomBytes(12)];
  const header: Header = {
    format: `eigenveil-owner-${kind}`,
    version: 1,
    derivation: 'PBKDF2-HMAC-SHA-256',
    iterations: ITERATIONS,
    salt: toBase64url(salt),
    cipher: 'AES-256-GCM',
    iv: toBase64url(iv),
  };
  const key = await keyOf(passphrase, salt, 'encrypt');
  const content = await crypto.subtle.encrypt(by(header, iv), key, utf8(JSON.stringify(value)));
  const sealed = { ...header, content: toBase64url(new Uint8Array(content)) };
  return `${JSON.stringify({ ...sealed, checksum: checksumOf(sealed) }, null, 2)}\n`;
}

/**
 * Returns the value that was sealed.
 * @param schema of the value
 * @throws ERR_BACKUP_INVALID for another file or a damaged one, ERR_PASSPHRASE for a wrong passphrase, or a
 *   file that somebody altered with care
 */
export async function unseal<Schema extends z.ZodType>(
  kind: SealedKind,
  text: string,
  passphrase: string,
  schema: Schema,
): Promise<z.output<Schema>> {
  const { content, checksum, ...header } = parsed(kind, text);
  if (checksumOf({ ...header, content }) !== checksum) throw invalid(kind, CHANGED);
  const [salt, iv, sealed] = [header.salt, header.iv, content].map((it) => bytesIn(kind, it));
  const key = await keyOf(passphrase, salt!, 'decrypt');
  const opened = await crypto.subtle.decrypt(by(header, iv!), key, sealed!).catch((cause: unknown) => {
    throw new CodedError(
      DEVICE_CODES.ERR_PASSPHRASE,
      `the passphrase does not open the ${kind} file: type it again, or take another copy of the file, which somebody may have altered`,
      { cause },
    );
  });
  const value = schema.safeParse(parseJson(textOf(new Uint8Array(opened))));
  if (!value.success) throw invalid(kind, 'holds something else than it should');
  return value.data;
}

function parsed(kind: SealedKind, text: string): z.infer<typeof SealedFile> {
  const json = parseJson(text.trim());
  const begun = z.object({ format: z.string(), version: z.int() }).safeParse(json);
  const format = `eigenveil-owner-${kind}`;
  if (!begun.success || begun.data.format !== format)
    throw invalid(kind, `is none, or not all of it: choose the one that was saved as ${format}….json`);
  if (begun.data.version !== 1)
    throw invalid(
      kind,
      `is of version ${begun.data.version}, which this page does not know: take a newer page`,
    );
  const file = SealedFile.safeParse(json);
  if (!file.success) throw invalid(kind, CHANGED);
  return file.data;
}

function bytesIn(kind: SealedKind, text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64url(text);
  } catch {
    throw invalid(kind, CHANGED);
  }
}

const CHANGED = 'has changed since it was saved: take another copy of it';

const invalid = (kind: SealedKind, why: string) =>
  new CodedError(DEVICE_CODES.ERR_BACKUP_INVALID, `the ${kind} file ${why}`);

const by = (header: Header, iv: Uint8Array<ArrayBuffer>): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: utf8(JSON.stringify(headerOf(header))),
});

/** Returns the header's members in one order, whatever order a file has them in. */
const headerOf = ({ format, version, derivation, iterations, salt, cipher, iv }: Header): Header => ({
  format,
  version,
  derivation,
  iterations,
  salt,
  cipher,
  iv,
});

const checksumOf = ({ content, ...header }: Header & { readonly content: string }): string =>
  toBase64url(sha256(`${JSON.stringify(headerOf(header))}\n${content}`));

async function keyOf(
  passphrase: string,
  salt: Uint8Array<ArrayBuffer>,
  usage: 'encrypt' | 'decrypt',
): Promise<CryptoKey> {
  const raw = await crypto.subtle.importKey('raw', utf8(normal(passphrase)), 'PBKDF2', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ITERATIONS },
    raw,
    { name: 'AES-GCM', length: 256 },
    false,
    [usage],
  );
}

/** Keyboards write the same letter in several ways, and copying adds blanks at the ends. */
const normal = (passphrase: string): string => passphrase.normalize('NFC').trim();

const [LEAST, LEAST_COUNTED, LEAST_DIFFERENT] = [16, 12, 8];

/** The rule for passphrases, in words. */
export const PASSPHRASE_RULE = `At least ${LEAST} characters. Where a character only continues a run (aa, abc, 321), it does not count: ${LEAST_COUNTED} that count are needed, ${LEAST_DIFFERENT} of them different.`;

/** Returns the rule that a passphrase breaks, or null. */
export function passphraseProblem(passphrase: string): string | null {
  const characters = [...normal(passphrase)];
  const counted = characters.filter((it, i) => {
    const step = i === 0 ? 2 : it.codePointAt(0)! - characters[i - 1]!.codePointAt(0)!;
    return Math.abs(step) > 1;
  });
  if (characters.length < LEAST) return `the passphrase is too short: at least ${LEAST} characters`;
  if (counted.length < LEAST_COUNTED || new Set(counted).size < LEAST_DIFFERENT)
    return 'the passphrase is too easy to guess: too few different characters, or too many in runs such as aaa, abc or 321';
  return null;
}

/** Letters and digits that people do not confuse: 32 of them, so that each has 5 random bits. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/**
 * Returns a passphrase that nobody can guess: 125 random bits, in five groups. One that the rule refuses by
 * accident is drawn again.
 */
export function drawPassphrase(): string {
  const letters = [...randomBytes(25)].map((byte) => ALPHABET[byte % ALPHABET.length]!);
  const groups = Array.from({ length: 5 }, (_, i) => letters.slice(5 * i, 5 * i + 5).join(''));
  const passphrase = groups.join('-');
  return passphraseProblem(passphrase) === null ? passphrase : drawPassphrase();
}
