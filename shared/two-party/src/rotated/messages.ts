/**
 * The protocol's own messages in a MessageStream; types 0x40 to 0x4f belong to this room. All are ring
 * elements of fixed length.
 */
import { Integers } from '@eigenveil/platform';
import type { MessageStream } from '../channel/message-stream.ts';
import { decodeShares } from '../shares.ts';

export const ROTATED_MESSAGE = {
  /** From the data user: its share of the number of owners. */
  owners: 0x40,
  /**
   * From the CSP: its shares of Q, for a pencil of the numbers of rows by class, and, where the mean is
   * declared, of V.
   */
  declared: 0x41,
} as const;

export function writeRing(
  stream: MessageStream,
  type: number,
  elements: readonly bigint[],
  ringBits: number,
): void {
  stream.write(type, Integers.of(elements, { length: elements.length, bits: ringBits }).bytes);
}

/** The same, and nothing waits in a buffer. */
export async function sendRing(
  stream: MessageStream,
  type: number,
  elements: readonly bigint[],
  ringBits: number,
): Promise<void> {
  writeRing(stream, type, elements, ringBits);
  await stream.flush();
}

/** The data user's share of the number of owners. */
export function sendOwners(stream: MessageStream, share: bigint, ringBits: number): Promise<void> {
  return sendRing(stream, ROTATED_MESSAGE.owners, [share], ringBits);
}

/** The CSP's shares of what the task declares and the data user needs to go on. */
export function declare(stream: MessageStream, shares: readonly bigint[], ringBits: number): Promise<void> {
  return sendRing(stream, ROTATED_MESSAGE.declared, shares, ringBits);
}

/** Adds the shares of both servers up, to signed integers. */
export function opened(own: readonly bigint[], theirs: readonly bigint[], ringBits: number): bigint[] {
  return own.map((share, i) => BigInt.asIntN(ringBits, share + theirs[i]!));
}

/**
 * `count` elements.
 * @throws ERR_CHANNEL_MESSAGE when the message has another form, and the errors of the stream
 */
export async function readRing(
  stream: MessageStream,
  type: number,
  count: number,
  ringBits: number,
): Promise<bigint[]> {
  const widths = { length: count, bits: ringBits };
  // Not a view: the stream uses the memory of a message again.
  return [...decodeShares(widths, await stream.read(type, Integers.lengthOf(widths)))];
}
