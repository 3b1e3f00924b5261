/**
 * A receiver of the extension that puts other choice bits into some columns than into others, and answers the
 * challenge as well as it can.
 */

import { type Cipheriv, createCipheriv } from 'node:crypto';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { type BaseTransfers, OT_MESSAGE, sendBaseKeys } from '../../src/oblivious-transfer/base.ts';
import { CHECK_ROWS, challengeOf, respond } from '../../src/oblivious-transfer/consistency.ts';
import { ExtensionSender } from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { recorded } from './garbled-run.ts';
import { memoryChannelPair } from './memory-channel.ts';

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
