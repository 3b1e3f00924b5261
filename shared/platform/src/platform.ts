/** What the code that runs in Node.js and in browsers asks of its system: the one interface of `node.ts` and `browser.ts`. */

/** Bytes in memory of their own, which may be handed to a worker. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A hash or a MAC over what comes in pieces. A text stands for its UTF-8. */
export interface Hasher {
  update(data: Uint8Array | string): Hasher;
  /** Once, at the end. 32 bytes. */
  digest(): Bytes;
}

export interface Platform {
  sha256(data: Uint8Array | string): Bytes;
  sha256Hasher(): Hasher;
  hmacSha256Hasher(key: Uint8Array): Hasher;

  /** Of the system's CSPRNG, any number of them. */
  randomBytes(length: number): Bytes;

  /** Lower case. */
  toHex(bytes: Uint8Array): string;
  /** @throws SyntaxError unless it is pairs of hexadecimal digits, of either case */
  fromHex(text: string): Bytes;
  /** Without padding. */
  toBase64url(bytes: Uint8Array): string;
  /** @throws SyntaxError unless it is what `toBase64url` gives for some bytes */
  fromBase64url(text: string): Bytes;

  /** So that others have their turn: events, timers, answers from the network. */
  nextTurn(): Promise<void>;
}
