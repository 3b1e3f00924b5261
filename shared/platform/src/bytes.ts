/** What is done with bytes everywhere in the same way. */
import type { Bytes } from './platform.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string): Bytes => encoder.encode(text);

/** Of bytes in UTF-8; what is none becomes U+FFFD. A byte order mark is a character like others. */
export const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);

/**
 * @example
 * import { concatBytes, sha256, toHex, utf8 } from '@eigenveil/platform';
 *
 * toHex(sha256(concatBytes(utf8('ab'), utf8('c')))).slice(0, 8); // → 'ba7816bf'
 */
export function concatBytes(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
