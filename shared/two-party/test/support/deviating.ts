/**
 * A correlator that lies: it follows the protocol, but the digits that it likes carry other correlations, and
 * it answers as it likes.
 *
 * A receiver of the extension that puts other choice bits into some columns than into others, and answers the
 * challenge as well as it can.
 */

import { type Cipheriv, createCipheriv } from 'node:crypto';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { type BaseTransfers, OT_MESSAGE, sendBaseKeys } from '../../src/oblivious-transfer/base.ts';
import { CHECK_ROWS, challengeOf, respond } from '../../src/oblivious-transfer/consistency.ts';
import { ExtensionSender, ROW_BYTES } from '../../src/oblivious-transfer/extension.ts';
import { BLOCK_BYTES } from '../../src/oblivious-transfer/hash.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { answerOf, CHALLENGE_BYTES } from '../../src/products/check.ts';
import {
  carriedBits,
  chunks,
  correctionBytes,
  firstColumn,
  maskCount,
  PRODUCT_MESSAGE,
  type ProductSize,
  thresholdCount,
  transferCount,
} from '../../src/products/layout.ts';
import { sharesOf } from '../../src/products/ring.ts';
import { Workspace } from '../../src/products/workspace.ts';
import type { Matrix } from '../../src/rotated/matrices.ts';
import { recorded } from './garbled-run.ts';
import { memoryChannelPair } from './memory-channel.ts';

/** Digit t, from the lowest, of the chooser's entry (row, inner). */
export interface Digit {
  readonly row: number;
  readonly inner: number;
  readonly t: number;
}

export interface Lie {
  /**
   * The amount by which a digit's correlation is off in a column; the columns of the masks stand behind the
   * others.
   */
  readonly deviation: (digit: Digit, column: number) => bigint;
  /** The amount that it believes its lie has added to an entry of the result, or to a mask's. */
  readonly guess?: (row: number, column: number) => bigint;
  /** The matrix that it takes the slopes of a threshold from, if not its own. */
  readonly slopesOf?: (threshold: number) => Matrix;
}

/**
 * Its shares, of a product with entries that are not negative: whoever needs signed ones subtracts offsets.
 */
export async function multiplyLying(
  sender: ExtensionSender,
  size: ProductSize,
  matrix: Matrix,
  { deviation, guess = () => 0n, slopesOf = () => matrix }: Lie,
): Promise<bigint[][]> {
  const { stream, random } = sender;
  const workspace = new Workspace(size);
  workspace.place(matrix, sender.delta, random);
  const plan = chunks(size);
  for await (const { rows } of sender.blocks(transferCount(size))) {
    for (let at = 0; at < rows.length; ) {
      const chunk = plan.next().value!;
      const end = at + chunk.count * size.digitBits * ROW_BYTES;
      workspace.correlate(chunk, rows.subarray(at, end), random(BLOCK_BYTES));
      at = end;
      const message = workspace.message(chunk);
      let place = BLOCK_BYTES + correctionBytes(size.digitBits) * chunk.count;
      for (let d = chunk.first; d < chunk.first + chunk.count; d += 1) {
        const digit = { row: Math.floor(d / size.inner), inner: d % size.inner, t: chunk.t };
        for (
          let column = firstColumn(size, digit.row);
          column < size.columns + maskCount(size);
          column += 1
        ) {
          addTo(message.subarray(place, place + chunk.width), deviation(digit, column));
          place += chunk.width;
        }
      }
      stream.write(PRODUCT_MESSAGE.chunk, message);
    }
  }
  const challenge = await stream.read(PRODUCT_MESSAGE.challenge, CHALLENGE_BYTES);
  const { sums: ownSums, mask } = workspace.settled();
  const own = ownSums();
  const sums = own.map((row, i) => row.map((sum, j) => sum - guess(i, j)));
  const answers = Array.from({ length: thresholdCount(size) }, (_, threshold) =>
    answerOf(size, { matrix: slopesOf(threshold), sums, mask }, challenge, 0),
  );
  const answer = Buffer.from(answers[0]!);
  const width = Math.ceil(carriedBits(size) / 8) * size.combinations;
  for (const [threshold, other] of answers.entries()) {
    for (let k = 0; k < size.inner; k += 1) {
      const place = (k * answers.length + threshold) * width;
      answer.set(other.subarray(place, place + width), place);
    }
  }
  stream.write(PRODUCT_MESSAGE.check, answer);
  await stream.flush();
  return sharesOf(own, size);
}

/** Little endian. */
function addTo(bytes: Uint8Array, more: bigint): void {
  if (more === 0n) return;
  const value = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const sum = BigInt.asUintN(8 * bytes.length, value + more);
  bytes.set(Buffer.from(sum.toString(16).padStart(2 * bytes.length, '0'), 'hex').reverse());
}

export interface Deviation {
  /**
   * The flips of the choice bits of some columns: places of bits in the column, those of the check included.
   */
  readonly flips?: ReadonlyMap<number, readonly number[]>;
  /** The receiver's guess of Δ in columns where the bits disagree with x̄; otherwise 0. */
  readonly guesses?: ReadonlyMap<number, 0 | 1>;
  /** Places of bits by which the bits behind x̄ differ from the choice bits. */
  readonly answered?: readonly number[];
  /** Changes the response before it is sent. */
  readonly respond?: (response: Uint8Array) => Uint8Array;
}

class DeviatingReceiver {
  readonly #stream: MessageStream;
  readonly #transcript: Uint8Array;
  readonly #generators: readonly (readonly [Cipheriv, Cipheriv])[];
  #next = 0;

  constructor(stream: MessageStream, { keys, transcript }: BaseTransfers<[Uint8Array, Uint8Array]>) {
    this.#stream = stream;
    this.#transcript = transcript;
    const generator = (key: Uint8Array) => createCipheriv('aes-128-ctr', key, new Uint8Array(16));
    this.#generators = keys.map(([zero, one]) => [generator(zero), generator(one)]);
  }

  /** One block of `rows` transfers, a multiple of 32, with random choices. */
  async extend(
    rows: number,
    { flips, guesses, answered = [], respond: change = (r) => r }: Deviation,
  ): Promise<void> {
    const length = (CHECK_ROWS + rows) / 8;
    const choices = systemRandomness(length);
    const columns: Buffer[] = [];
    const corrections: Buffer[] = [];
    for (const [j, [zero, one]] of this.#generators.entries()) {
      const column = zero.update(new Uint8Array(length));
      const bits = xor(choices, bitsAt(flips?.get(j) ?? [], length));
      columns.push(column);
      corrections.push(xor(xor(column, one.update(new Uint8Array(length))), bits));
    }
    const header = new Uint8Array(Uint32Array.of(this.#next, rows).buffer);
    this.#next += CHECK_ROWS + rows;
    const challenge = challengeOf(this.#transcript, header, Buffer.concat(corrections));
    // Where Δ has 1, the sender's column is this one with its bits added, and x̄ is added to its hash: see
    // consistency.ts.
    const claimed = columns.map((column, j) => {
      if (guesses?.get(j) !== 1) return column;
      return xor(xor(column, bitsAt(flips?.get(j) ?? [], length)), bitsAt(answered, length));
    });
    const behind = xor(choices, bitsAt(answered, length));
    const response = respond(challenge, behind, Buffer.concat(claimed));
    this.#stream.write(OT_MESSAGE.extensionHeader, header);
    this.#stream.write(OT_MESSAGE.extension, Buffer.concat(corrections));
    this.#stream.write(OT_MESSAGE.extensionCheck, change(response));
    await this.#stream.flush();
  }
}

function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]!));
}

function bitsAt(places: readonly number[], length: number): Buffer {
  const bits = Buffer.alloc(length);
  for (const place of places) bits[place >> 3]! ^= 1 << (place & 7);
  return bits;
}

/** An honest sender, what it sends, and a receiver that deviates. */
export async function deviatingSession(delta: Uint8Array = drawDelta()) {
  const [left, right] = memoryChannelPair();
  const sent: Uint8Array[] = [];
  const recording = recorded(left, sent, (frame) => frame);
  const stream = new MessageStream(right);
  const [sender, base] = await Promise.all([
    ExtensionSender.setUp({ stream: new MessageStream(recording), random: systemRandomness }, delta),
    sendBaseKeys(stream, systemRandomness),
  ]);
  return { sender, receiver: new DeviatingReceiver(stream, base), delta, fromSender: sent };
}
