/**
 * Transfers of random and of chosen 16-byte messages, from correlated ones: no protocol asks for them, but they try the
 * extension, and `npm run bench:ot` measures them. Random: H(q_i, i) and H(q_i ⊕ Δ, i) against
 * H(t_i, i), with the row's place in the session as tweak and hash keys that the sender draws for each chunk. Chosen:
 * random transfers with random choices b, turned to the real ones by the corrections c ⊕ b (Beaver, CRYPTO 1995).
 */
import type { MessageStream } from '../../src/channel/message-stream.ts';
import { bitAt, OT_MESSAGE } from '../../src/oblivious-transfer/base.ts';
import {
  BLOCK_ROWS,
  type ExtensionReceiver,
  type ExtensionSender,
  ROW_BYTES,
} from '../../src/oblivious-transfer/extension.ts';
import { HASH_KEY_BYTES } from '../../src/oblivious-transfer/hash.ts';
import { CHUNK_BLOCKS, hashChunk } from './transfer-hash.ts';

const CHUNK_BYTES = CHUNK_BLOCKS * ROW_BYTES;

/**
 * Both random messages of `count` transfers, 16 bytes each.
 * @throws as ExtensionSender.extend
 */
export async function sendRandom(
  sender: ExtensionSender,
  count: number,
): Promise<{ zeros: Uint8Array; ones: Uint8Array }> {
  const zeros = new Uint8Array(count * ROW_BYTES);
  const ones = new Uint8Array(count * ROW_BYTES);
  const keys = sender.random(hashKeyBytes(count));
  if (count > 0) sender.stream.write(OT_MESSAGE.hashKeys, keys);
  await sender.stream.flush();
  let offset = 0;
  for await (const { first, rows } of sender.blocks(count)) {
    hashRows(keys, rows, first, offset, zeros);
    addDelta(rows, sender.delta);
    hashRows(keys, rows, first, offset, ones);
    offset += rows.length;
  }
  return { zeros, ones };
}

/**
 * The random message that each choice (0 or 1) selects.
 * @throws as ExtensionReceiver.extend
 */
export async function receiveRandom(receiver: ExtensionReceiver, choices: Uint8Array): Promise<Uint8Array> {
  const messages = new Uint8Array(choices.length * ROW_BYTES);
  if (choices.length === 0) return messages;
  const keys = await receiver.stream.read(OT_MESSAGE.hashKeys, hashKeyBytes(choices.length));
  let offset = 0;
  for await (const { first, rows } of receiver.blocks(choices)) {
    hashRows(keys, rows, first, offset, messages);
    offset += rows.length;
  }
  return messages;
}

/**
 * Transfers one of zeros[i] and ones[i], 16 bytes each.
 * @throws as sendRandom
 */
export async function sendChosen(
  sender: ExtensionSender,
  zeros: Uint8Array,
  ones: Uint8Array,
): Promise<void> {
  if (zeros.length !== ones.length || zeros.length % ROW_BYTES !== 0) {
    throw new RangeError(
      `"zeros" and "ones" expected as many blocks of ${ROW_BYTES} bytes, got ${zeros.length} and ${ones.length} bytes`,
    );
  }
  const { stream } = sender;
  for (const [from, to] of slices(zeros.length / ROW_BYTES)) {
    const count = to - from;
    const masks = await sendRandom(sender, count);
    const corrections = await stream.read(OT_MESSAGE.corrections, Math.ceil(count / 8));
    const masked = new Uint8Array(2 * count * ROW_BYTES);
    for (let i = 0; i < count; i += 1) {
      const swap = bitAt(corrections, i) === 1; // public
      const start = i * ROW_BYTES;
      for (let b = 0; b < ROW_BYTES; b += 1) {
        const [zero, one] = [masks.zeros[start + b]!, masks.ones[start + b]!];
        const source = from * ROW_BYTES + start + b;
        masked[2 * start + b] = zeros[source]! ^ (swap ? one : zero);
        masked[2 * start + ROW_BYTES + b] = ones[source]! ^ (swap ? zero : one);
      }
    }
    stream.write(OT_MESSAGE.maskedMessages, masked);
    await stream.flush();
  }
}

/**
 * The message that each choice (0 or 1) selects, 16 bytes each.
 * @throws as receiveRandom
 */
export async function receiveChosen(receiver: ExtensionReceiver, choices: Uint8Array): Promise<Uint8Array> {
  if (choices.some((choice) => choice > 1)) throw new RangeError('"choices" expected every entry 0 or 1');
  const messages = new Uint8Array(choices.length * ROW_BYTES);
  const { stream } = receiver;
  for (const [from, to] of slices(choices.length)) {
    const count = to - from;
    const drawn = receiver.random(count).map((byte) => byte & 1);
    const masks = await receiveRandom(receiver, drawn);
    const corrections = new Uint8Array(Math.ceil(count / 8));
    for (let i = 0; i < count; i += 1) {
      corrections[i >> 3] = corrections[i >> 3]! | ((drawn[i]! ^ choices[from + i]!) << (i & 7));
    }
    stream.write(OT_MESSAGE.corrections, corrections);
    const masked = await readMasked(stream, count);
    for (let i = 0; i < count; i += 1) {
      const select = -choices[from + i]!; // all ones or zero: which of the two is read shall not show in time
      const start = i * ROW_BYTES;
      for (let b = 0; b < ROW_BYTES; b += 1) {
        const [zero, one] = [masked[2 * start + b]!, masked[2 * start + ROW_BYTES + b]!];
        messages[from * ROW_BYTES + start + b] = zero ^ (select & (zero ^ one)) ^ masks[start + b]!;
      }
    }
  }
  return messages;
}

function readMasked(stream: MessageStream, count: number): Promise<Uint8Array> {
  return stream.read(OT_MESSAGE.maskedMessages, 2 * count * ROW_BYTES);
}

/** Consecutive ranges that cover `count` transfers, each of one extension block at most. */
function* slices(count: number): Generator<[number, number]> {
  for (let from = 0; from < count; from += BLOCK_ROWS) yield [from, Math.min(from + BLOCK_ROWS, count)];
}

function hashKeyBytes(count: number): number {
  return Math.ceil(count / CHUNK_BLOCKS) * HASH_KEY_BYTES;
}

/** Hashes a block's rows, which begin `offset` bytes into the call, into `target`. Chunks never straddle blocks. */
function hashRows(
  keys: Uint8Array,
  rows: Uint8Array,
  first: number,
  offset: number,
  target: Uint8Array,
): void {
  for (let start = 0; start < rows.length; start += CHUNK_BYTES) {
    const chunk = (offset + start) / CHUNK_BYTES;
    const key = keys.subarray(chunk * HASH_KEY_BYTES, (chunk + 1) * HASH_KEY_BYTES);
    const hashed = hashChunk(key, rows.subarray(start, start + CHUNK_BYTES), first + start / ROW_BYTES);
    target.set(hashed, offset + start);
  }
}

/** Adds Δ to every row in place. */
function addDelta(rows: Uint8Array, delta: Uint8Array): void {
  const words = new Uint32Array(rows.buffer, rows.byteOffset, rows.length / 4);
  const [d0, d1, d2, d3] = new Uint32Array(Uint8Array.from(delta).buffer) as unknown as [
    number,
    number,
    number,
    number,
  ];
  for (let w = 0; w < words.length; w += 4) {
    words[w] = words[w]! ^ d0;
    words[w + 1] = words[w + 1]! ^ d1;
    words[w + 2] = words[w + 2]! ^ d2;
    words[w + 3] = words[w + 3]! ^ d3;
  }
}
