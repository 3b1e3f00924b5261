/**
 * Extends 128 base transfers to any number of correlated ones: Ishai, Kilian, Nissim, Petrank (CRYPTO 2003,
 * section 3), with the check of consistency.ts against a receiver that deviates. Names: column j of the
 * receiver is t_j = G(k_j⁰), it sends u_j = G(k_j⁰) ⊕ G(k_j¹) ⊕ c, the sender computes q_j = G(k_j^(Δ_j)) ⊕
 * Δ_j·u_j. Row i is t_i = q_i ⊕ c_i·Δ: the label of its bit, where q_i is the label of 0.
 *
 * The base transfers run the other way round, with the bits of Δ as choices. Rows serve as labels without
 * hashing; Δ has 127 bits that the receiver does not know, since the lowest is 1.
 *
 * Assumption: G, AES-128 in counter mode with one stream per key for the life of the session, is
 * pseudorandom. For 2^32 rows, after which the session is exhausted, that costs at most 2^−71 plus the
 * advantage against AES. Why: docs/arguments/primitives.md, "Extension of transfers".
 */
import { type Cipheriv, createCipheriv } from 'node:crypto';
import { endianness } from 'node:os';
import { CodedError } from '@eigenveil/platform';
import type { MessageStream } from '../channel/message-stream.ts';
import { TWO_PARTY_CODES } from '../codes.ts';
import { cipherInto } from '../garbling/hash.ts';
import {
  BASE_KEY_BYTES,
  type BaseTransfers,
  bitAt,
  OT_MESSAGE,
  receiveBaseKeys,
  sendBaseKeys,
} from './base.ts';
import { CHECK_ROWS, challengeOf, checkResponse, RESPONSE_BYTES, respond } from './consistency.ts';
import type { RandomSource } from './randomness.ts';
import { COLUMNS, ROW_WORDS, transpose, WORD_BITS } from './transposition.ts';

/** Bytes of Δ and of every row. */
export const ROW_BYTES = 16;
/**
 * Rows per message: columns long enough for fast AES calls, matrices small enough for the processor's cache.
 * Digits of three and of four bits fill it.
 */
export const BLOCK_ROWS = 3 * 2 ** 14;
const MAXIMUM_ROWS = 2 ** 32;

const WORD_BYTES = 4;
const EXTENSION_HEADER_BYTES = 8;
const CHECK_WORDS = CHECK_ROWS / WORD_BITS;
const BLOCK_STRIDE = CHECK_WORDS + BLOCK_ROWS / WORD_BITS;

/**
 * Consecutive rows of 16 bytes each, counted from the start of the session; `first` differs for any two rows.
 */
export interface Block {
  readonly first: number;
  /** Nobody else's memory. */
  readonly rows: Uint8Array<ArrayBuffer>;
}

/** The state of both ends: the row counter, the buffers of one block, and the source of its challenge. */
class Extension {
  protected readonly zeros = new Uint8Array(BLOCK_STRIDE * WORD_BYTES);
  protected readonly columns = new Uint32Array(COLUMNS * BLOCK_STRIDE);
  protected readonly corrections = new Uint32Array(COLUMNS * BLOCK_STRIDE);
  readonly #transcript: Uint8Array;
  readonly #maximumRows: number;
  #next = 0;
  #busy = false;

  constructor(transcript: Uint8Array, maximumRows = MAXIMUM_ROWS) {
    if (endianness() !== 'LE') throw new TypeError('"endianness" expected LE: rows are built from words');
    this.#transcript = transcript;
    this.#maximumRows = maximumRows;
  }

  /**
   * Runs `extend`, which throws unless the block is consistent, for every block of `count` rows. Rows are
   * drawn in multiples of 32, the surplus thrown away.
   */
  protected async *each(count: number, extend: (spot: Spot) => Promise<void>): AsyncGenerator<Block> {
    if (!Number.isInteger(count) || count < 0) {
      throw new RangeError(`"count" expected a non-negative integer, got ${count}`);
    }
    if (this.#busy) throw new TypeError('"extend" expected the previous call to have ended');
    const drawn = paddedRows(count) + CHECK_ROWS * Math.ceil(count / BLOCK_ROWS);
    if (this.#next + drawn > this.#maximumRows) {
      throw new CodedError(
        TWO_PARTY_CODES.ERR_OT_EXHAUSTED,
        `the session has given ${this.#next} transfers already`,
      );
    }
    this.#busy = true;
    try {
      for (let done = 0; done < count; done += BLOCK_ROWS) {
        const rows = Math.min(BLOCK_ROWS, count - done);
        const padded = paddedRows(rows);
        const spot = { first: this.#next, offset: done, rows, stride: CHECK_WORDS + padded / WORD_BITS };
        this.#next += CHECK_ROWS + padded;
        await extend(spot);
        const words = new Uint32Array(padded * ROW_WORDS);
        transpose(this.columns.subarray(CHECK_WORDS), spot.stride, words, padded);
        yield { first: spot.first + CHECK_ROWS, rows: new Uint8Array(words.buffer, 0, rows * ROW_BYTES) };
      }
    } finally {
      this.#busy = false;
    }
  }

  /** The block's place, as its header names it. */
  protected headerOf({ first, rows }: Spot): Uint8Array {
    return bytesOf(Uint32Array.of(first, rows));
  }

  protected challengeOf(spot: Spot): Uint8Array {
    return challengeOf(this.#transcript, this.headerOf(spot), bytesOfColumns(this.corrections, spot));
  }

  /** Draws the next bytes of column j's stream into `target`, xored with `input`. */
  protected draw(
    stream: Cipheriv,
    input: Uint8Array,
    target: Uint32Array,
    { stride }: Spot,
    j: number,
  ): void {
    const bytes = stride * WORD_BYTES;
    cipherInto(stream, input.subarray(0, bytes), bytesOf(target), j * bytes);
  }
}

/**
 * One block of an extension: its first row in the session, those of the check included; in the call; its
 * rows, without them; and words per column.
 */
interface Spot {
  readonly first: number;
  readonly offset: number;
  readonly rows: number;
  readonly stride: number;
}

/** The end that knows both messages of every transfer: q_i and q_i ⊕ Δ. */
export class ExtensionSender extends Extension {
  readonly stream: MessageStream;
  readonly random: RandomSource;
  readonly delta: Uint8Array;
  readonly #streams: readonly Cipheriv[];

  constructor(
    { stream, random }: Party,
    delta: Uint8Array,
    { keys, transcript }: BaseTransfers<Uint8Array>,
    maximumRows?: number,
  ) {
    super(transcript, maximumRows);
    this.stream = stream;
    this.random = random;
    this.delta = Uint8Array.from(delta);
    this.#streams = keys.map(generator);
  }

  static async setUp(party: Party, delta: Uint8Array, maximumRows?: number): Promise<ExtensionSender> {
    if (delta.length !== ROW_BYTES) {
      throw new RangeError(`"delta" expected ${ROW_BYTES} bytes, got ${delta.length}`);
    }
    if (bitAt(delta, 0) !== 1) throw new RangeError('"delta" expected lowest bit 1');
    const base = await receiveBaseKeys(party.stream, delta, party.random);
    return new ExtensionSender(party, delta, base, maximumRows);
  }

  /**
   * The next `count` transfers, 16 bytes each: q_i. After ERR_OT_CHECK the session must end: the peer may
   * have guessed bits of Δ.
   * @throws ERR_CHANNEL_MESSAGE when the receiver's messages have another form or place, ERR_OT_CHECK when
   * they contradict each other, ERR_OT_EXHAUSTED, and the errors of the stream
   */
  async extend(count: number): Promise<Uint8Array> {
    return collect(count, this.blocks(count));
  }

  /** The same block by block, so that memory does not grow with the count. It must be read to the end. */
  async *blocks(count: number): AsyncGenerator<Block> {
    yield* this.each(count, async (spot) => {
      const header = await this.stream.read(OT_MESSAGE.extensionHeader, EXTENSION_HEADER_BYTES);
      const [first, rows] = new Uint32Array(header.buffer);
      if (first !== spot.first || rows !== spot.rows) {
        throw new CodedError(
          TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
          `"extension" expected ${spot.rows} rows from ${spot.first}, got ${rows} from ${first}`,
        );
      }
      const { columns, corrections } = this;
      const { stride } = spot;
      await this.stream.readInto(OT_MESSAGE.extension, bytesOfColumns(corrections, spot));
      const response = await this.stream.read(OT_MESSAGE.extensionCheck, RESPONSE_BYTES);
      for (const [j, stream] of this.#streams.entries()) {
        this.draw(stream, this.zeros, columns, spot, j);
        const mask = -bitAt(this.delta, j);
        for (let w = j * stride; w < (j + 1) * stride; w += 1)
          columns[w] = columns[w]! ^ (corrections[w]! & mask);
      }
      await this.stream.beforeCheck();
      checkResponse(this.challengeOf(spot), response, bytesOfColumns(columns, spot), this.delta);
    });
  }
}

/** The end that chooses: it gets t_i = q_i ⊕ c_i·Δ. */
export class ExtensionReceiver extends Extension {
  readonly stream: MessageStream;
  readonly random: RandomSource;
  readonly #streams: readonly (readonly [Cipheriv, Cipheriv])[];
  readonly #choiceBits = new Uint8Array(BLOCK_STRIDE * WORD_BYTES);

  constructor(
    { stream, random }: Party,
    { keys, transcript }: BaseTransfers<[Uint8Array, Uint8Array]>,
    maximumRows?: number,
  ) {
    super(transcript, maximumRows);
    this.stream = stream;
    this.random = random;
    this.#streams = keys.map(([zero, one]) => [generator(zero), generator(one)]);
  }

  static async setUp(party: Party, maximumRows?: number): Promise<ExtensionReceiver> {
    return new ExtensionReceiver(party, await sendBaseKeys(party.stream, party.random), maximumRows);
  }

  /**
   * One transfer per choice (0 or 1), 16 bytes each: t_i.
   * @throws ERR_OT_EXHAUSTED and the errors of the stream
   */
  async extend(choices: Uint8Array): Promise<Uint8Array> {
    return collect(choices.length, this.blocks(choices));
  }

  /** The same block by block, so that memory does not grow with the count. It must be read to the end. */
  async *blocks(choices: Uint8Array): AsyncGenerator<Block> {
    if (choices.some((choice) => choice > 1)) throw new RangeError('"choices" expected every entry 0 or 1');
    const write = this.stream.ahead(); // blocks depend on the choices and the base transfers alone
    yield* this.each(choices.length, async (spot) => {
      const { columns, corrections } = this;
      const { stride } = spot;
      const bits = this.#packBits(choices.subarray(spot.offset, spot.offset + spot.rows));
      for (const [j, [zero, one]] of this.#streams.entries()) {
        this.draw(zero, this.zeros, columns, spot, j);
        this.draw(one, bits, corrections, spot, j);
        for (let w = j * stride; w < (j + 1) * stride; w += 1) corrections[w] = corrections[w]! ^ columns[w]!;
      }
      const chosen = bits.subarray(0, stride * WORD_BYTES);
      const response = respond(this.challengeOf(spot), chosen, bytesOfColumns(columns, spot));
      write(OT_MESSAGE.extensionHeader, this.headerOf(spot));
      write(OT_MESSAGE.extension, bytesOfColumns(corrections, spot));
      write(OT_MESSAGE.extensionCheck, response);
      await this.stream.flush();
    });
  }

  /** The random choices of the check, then those that are asked for. */
  #packBits(choices: Uint8Array): Uint8Array {
    const bits = this.#choiceBits.fill(0);
    const from = CHECK_ROWS / 8;
    bits.set(this.random(from));
    for (let i = 0; i < choices.length; i += 1) {
      const at = from + (i >> 3);
      bits[at] = bits[at]! | (choices[i]! << (i & 7));
    }
    return bits;
  }
}

/** The line and the randomness of a party in this room. */
export interface Party {
  readonly stream: MessageStream;
  readonly random: RandomSource;
}

function generator(key: Uint8Array): Cipheriv {
  return createCipheriv('aes-128-ctr', key.subarray(0, BASE_KEY_BYTES), new Uint8Array(16));
}

function paddedRows(rows: number): number {
  return Math.ceil(rows / WORD_BITS) * WORD_BITS;
}

async function collect(count: number, blocks: AsyncIterable<Block>): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  for await (const { rows } of blocks) collected.push(rows);
  if (collected.length === 1) return collected[0]!;
  const all = new Uint8Array(count * ROW_BYTES);
  for (const [b, rows] of collected.entries()) all.set(rows, b * BLOCK_ROWS * ROW_BYTES);
  return all;
}

/** All columns of a block. */
function bytesOfColumns(columns: Uint32Array, { stride }: Spot): Uint8Array {
  return bytesOf(columns.subarray(0, COLUMNS * stride));
}

function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
