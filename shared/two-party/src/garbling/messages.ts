/** The messages of a garbling session, in a MessageStream; types 0x20 to 0x2f belong to this room. */
import { CodedError } from '@eigenveil/platform';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';

/** Raised whenever a message or the order of hashes changes. */
export const PROTOCOL_VERSION = 3;

export const GARBLING_MESSAGE = {
  /** Garbler: protocol version. */
  hello: 0x20,
  /** Garbler: one active label of 16 bytes per bit of its input. */
  inputLabels: 0x21,
  /**
   * Garbler: bytes of the next block of a step, and the number of the next gate if that block is the last,
   * otherwise 0.
   */
  blockHeader: 0x22,
  /** Garbler: hash keys and tables, as many bytes as the header says. */
  block: 0x23,
  /** Garbler: see outputs.ts. */
  decode: 0x24,
} as const;

const NUMBER_BYTES = 8;

/** Writes numbers below 2^53, eight bytes each, little endian. */
export function writeNumbers(stream: MessageStream, type: number, numbers: readonly number[]): void {
  const bytes = new Uint8Array(numbers.length * NUMBER_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [i, number] of numbers.entries()) view.setBigUint64(i * NUMBER_BYTES, BigInt(number), true);
  stream.write(type, bytes);
}

export async function readNumbers(stream: MessageStream, type: number, count: number): Promise<number[]> {
  const bytes = await stream.read(type, count * NUMBER_BYTES);
  const view = new DataView(bytes.buffer);
  return Array.from({ length: count }, (_, i) => Number(view.getBigUint64(i * NUMBER_BYTES, true)));
}

export function malformed(title: string, expected: string, got: string): CodedError {
  return new CodedError(TWO_PARTY_CODES.ERR_GARBLING_MESSAGE, `"${title}" expected ${expected}, got ${got}`);
}
