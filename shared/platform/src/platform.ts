/**
 * The one interface of `node.ts` and `browser.ts`, by which code asks the system that it runs on; and what
 * both do with bytes in the same way.
 */

/** Bytes in memory of their own, which may be handed to a worker. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A hash or a MAC over what comes in pieces. A text stands for its UTF-8. */
export interface Hasher {
  update(data: Uint8Array | string): Hasher;
  /** Returns 32 bytes. It is called once, at the end. */
  digest(): Bytes;
}

export interface Platform {
  sha256(data: Uint8Array | string): Bytes;
  sha256Hasher(): Hasher;
  hmacSha256Hasher(key: Uint8Array): Hasher;

  /** Returns any number of bytes from the system's CSPRNG. */
  randomBytes(length: number): Bytes;

  /** Writes lower case. */
  toHex(bytes: Uint8Array): string;
  /** @throws SyntaxError unless it is pairs of hexadecimal digits, of either case */
  fromHex(text: string): Bytes;
  /** Writes no padding. */
  toBase64url(bytes: Uint8Array): string;
  /** @throws SyntaxError unless it is what `toBase64url` gives for some bytes */
  fromBase64url(text: string): Bytes;

  /** Lets others have their turn: events, timers, answers from the network. */
  nextTurn(): Promise<void>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string): Bytes => encoder.encode(text);

/**
 * Returns the text of bytes in UTF-8; what is none becomes U+FFFD. A byte order mark is a character like
 * others.
 */
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
