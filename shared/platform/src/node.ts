/** The platform of Node.js: OpenSSL's hashes and random bytes. */
import { createHash, createHmac, type Hash, type Hmac, hash, randomFillSync } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Bytes, Hasher, Platform } from './platform.ts';

export {
  type Code,
  CodedError,
  type CodeInfo,
  checkAll,
  codes,
  type Fault,
  faulty,
  isOf,
} from './coded-error.ts';
export { PLATFORM_CODES } from './codes.ts';
export { fileReason, knownFileReason } from './file-reason.ts';
export { bitLength, type IntegerList, Integers, type Widths } from './integers.ts';
export { concatBytes, textOf, utf8 } from './platform.ts';
export { sleep } from './sleep.ts';
export { hyphenated, joined, option, term, type Vocabulary, Words, words } from './words.ts';

export const sha256: Platform['sha256'] = (data) => ofLatin1(hash('sha256', data, 'latin1'));

export const sha256Hasher: Platform['sha256Hasher'] = () => hasher(createHash('sha256'));

export const hmacSha256Hasher: Platform['hmacSha256Hasher'] = (key) => hasher(createHmac('sha256', key));

export const randomBytes: Platform['randomBytes'] = (length) => randomFillSync(new Uint8Array(length));

export const toHex: Platform['toHex'] = ({ buffer, byteOffset, byteLength }) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex');

export const fromHex: Platform['fromHex'] = (text) => {
  // Buffer stops without a word at a character that is not a digit.
  if (text.length % 2 !== 0 || /[^\da-f]/i.test(text)) throw new SyntaxError('expected hexadecimal digits');
  return new Uint8Array(Buffer.from(text, 'hex'));
};

// Digests are what it is mostly given: to copy these is quicker than to look at them in place, for which they
// have to leave the small heap.
export const toBase64url: Platform['toBase64url'] = (bytes) => Buffer.from(bytes).toString('base64url');

export const fromBase64url: Platform['fromBase64url'] = (text) => {
  const bytes = Buffer.from(text, 'base64url');
  // Buffer also takes other alphabets, padding, spaces and bits that stand for nothing.
  if (bytes.toString('base64url') !== text) throw new SyntaxError('expected base64url without padding');
  return new Uint8Array(bytes);
};

export const nextTurn: Platform['nextTurn'] = () => setImmediate();

function hasher(stream: Hash | Hmac): Hasher {
  const it: Hasher = {
    update(data) {
      stream.update(data);
      return it;
    },
    digest: () => ofLatin1(stream.digest('latin1')),
  };
  return it;
}

/**
 * Hashes come as text with a byte in each character: in half the time that a Buffer takes, which is no plain
 * array of bytes either.
 */
function ofLatin1(text: string): Bytes {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes;
}
