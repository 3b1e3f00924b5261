/**
 * The platform of browsers: WebCrypto's random bytes. Its hashes are asynchronous, so these come from
 * @noble/hashes.
 */
/// <reference lib="esnext.typedarrays" />
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { type Bytes, type Hasher, type Platform, utf8 } from './platform.ts';

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

/** The most bytes that `getRandomValues` gives at once. */
const RANDOM_BYTES_AT_ONCE = 65_536;

export const sha256: Platform['sha256'] = (data) => nobleSha256(bytesOf(data));

export const sha256Hasher: Platform['sha256Hasher'] = () => hasher(nobleSha256.create());

export const hmacSha256Hasher: Platform['hmacSha256Hasher'] = (key) => hasher(hmac.create(nobleSha256, key));

export const randomBytes: Platform['randomBytes'] = (length) => {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += RANDOM_BYTES_AT_ONCE)
    crypto.getRandomValues(bytes.subarray(start, start + RANDOM_BYTES_AT_ONCE));
  return bytes;
};

export const toHex: Platform['toHex'] = (bytes) => bytes.toHex();

export const fromHex: Platform['fromHex'] = (text) => Uint8Array.fromHex(text);

export const toBase64url: Platform['toBase64url'] = (bytes) =>
  bytes.toBase64({ alphabet: 'base64url', omitPadding: true });

export const fromBase64url: Platform['fromBase64url'] = (text) => {
  // It would skip spaces and take padding.
  if (/[^\w-]/.test(text)) throw new SyntaxError('expected base64url without padding');
  const padded = text.padEnd(4 * Math.ceil(text.length / 4), '=');
  return Uint8Array.fromBase64(padded, { alphabet: 'base64url', lastChunkHandling: 'strict' });
};

export const nextTurn: Platform['nextTurn'] = () =>
  // A timer would wait for four milliseconds at least.
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });

const bytesOf = (data: Uint8Array | string): Uint8Array => (typeof data === 'string' ? utf8(data) : data);

function hasher(stream: { update(data: Uint8Array): unknown; digest(): Bytes }): Hasher {
  const it: Hasher = {
    update(data) {
      stream.update(bytesOf(data));
      return it;
    },
    digest: () => stream.digest(),
  };
  return it;
}
