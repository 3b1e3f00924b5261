/**
 * The messages of a garbling session, in a MessageStream; types 0x20 to 0x2f belong to this room.
 *
 * The means that reveal outputs: hashes by which the evaluator recognises its labels and their meaning.
 *
 * Half-gates are made for parties that follow the protocol: an evaluator with a changed table computes some
 * label that means nothing, and a bare decode bit would turn it into a bit all the same, as would a changed
 * decode bit. So in place of decode bits the garbler sends, per output, 64 bits of the hash of the zero label
 * (its first half) and 64 of the one label's (the other half, so that the two cannot be exchanged). A label
 * that is neither is noticed except with probability 2^-63. That catches changes on the way and faults; not a
 * garbler that deviates, since it could as well garble another circuit. Per chunk of outputs the message has
 * a hash key (16 bytes) and 16 bytes per output.
 */
import { CodedError } from '@eigenveil/platform';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import { HASH_KEY_BYTES } from '../oblivious-transfer/hash.ts';
import { BATCH_GATES } from './label-gates.ts';

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
  /** Garbler: see encodeOutputs. */
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

/** Outputs that are hashed under one key. */
export const OUTPUT_CHUNK = BATCH_GATES;

const WORDS = 4;

/** The length of the message about this number of outputs. */
export function decodeBytes(outputs: number): number {
  return HASH_KEY_BYTES + outputs * WORDS * 4;
}

/** `hashes`: four words for the zero label and four for the one label of each output in turn. */
export function encodeOutputs(key: Uint8Array, hashes: Uint32Array): Uint8Array {
  const outputs = hashes.length / (2 * WORDS);
  const encoded = new Uint8Array(decodeBytes(outputs));
  encoded.set(key);
  const words = new DataView(encoded.buffer, HASH_KEY_BYTES);
  for (let i = 0; i < outputs; i += 1) {
    for (let k = 0; k < WORDS; k += 1) {
      const label = k < WORDS / 2 ? 0 : 1;
      words.setUint32(4 * (i * WORDS + k), hashes[(2 * i + label) * WORDS + k]!, true);
    }
  }
  return encoded;
}

/**
 * The outputs, given four words of each active label's hash.
 * @throws ERR_GARBLING_CHECK when a label means nothing
 */
export function decodeOutputs(encoded: Uint8Array, hashes: Uint32Array): Uint8Array {
  const words = new DataView(encoded.buffer, encoded.byteOffset + HASH_KEY_BYTES);
  return Uint8Array.from({ length: hashes.length / WORDS }, (_, i) => {
    const difference = (k: number) => words.getUint32(4 * (i * WORDS + k), true) ^ hashes[i * WORDS + k]!;
    // All words, whatever the first says, so that the time does not tell the bit.
    const zero = (difference(0) | difference(1)) === 0;
    const one = (difference(2) | difference(3)) === 0;
    if (zero === one) {
      throw new CodedError(
        TWO_PARTY_CODES.ERR_GARBLING_CHECK,
        'a label of the result is none that the garbler announced: something was changed on the way',
      );
    }
    return Number(one);
  });
}
