/** What Node.js gives: OpenSSL's hashes and random bytes. */
import { createHash, createHmac, hash, randomFillSync } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Bytes, Hasher, Platform } from './platform.ts';

export { concatBytes, utf8 } from './bytes.ts';
export type { Bytes, Hasher } from './platform.ts';
export { sleep } from './sleep.ts';

export const sha256: Platform['sha256'] = (data) => plain(hash('sha256', data, 'buffer'));

export const sha256Hasher: Platform['sha256Hasher'] = () => hasher(createHash('sha256'));

export const hmacSha256Hasher: Platform['hmacSha256Hasher'] = (key) => hasher(createHmac('sha256', key));

export const randomBytes: Platform['randomBytes'] = (length) => randomFillSync(new Uint8Array(length));

export const toHex: Platform['toHex'] = (bytes) => view(bytes).toString('hex');

export const fromHex: Platform['fromHex'] = (text) => {
  // Buffer stops without a word at what is no digit.
  if (text.length % 2 !== 0 || /[^\da-f]/i.test(text)) throw new SyntaxError('expected hexadecimal digits');
  return new Uint8Array(Buffer.from(text, 'hex'));
};

export const toBase64url: Platform['toBase64url'] = (bytes) => view(bytes).toString('base64url');

export const fromBase64url: Platform['fromBase64url'] = (text) => {
  const bytes = Buffer.from(text, 'base64url');
  // Buffer also takes other alphabets, padding, spaces and bits that stand for nothing.
  if (bytes.toString('base64url') !== text) throw new SyntaxError('expected base64url without padding');
  return new Uint8Array(bytes);
};

export const nextTurn: Platform['nextTurn'] = () => setImmediate();

function hasher(stream: {
  update(data: Uint8Array | string): unknown;
  digest(): Buffer<ArrayBuffer>;
}): Hasher {
  const it: Hasher = {
    update(data) {
      stream.update(data);
      return it;
    },
    digest: () => plain(stream.digest()),
  };
  return it;
}

const view = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** A Buffer's `slice` and text differ from those of other bytes, so none leaves this file. */
const plain = ({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>): Bytes =>
  new Uint8Array(buffer, byteOffset, byteLength);
