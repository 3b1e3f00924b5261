/** One party's memory during a product, and what it does with a chunk of digits. */
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { CHUNK_HASHES, ChunkPermutation } from './hash.ts';
import { type Kernels, makeKernels } from './kernels.ts';
import {
  type Chunk,
  COMBINATIONS,
  carriedBits,
  chunkBytes,
  DIGIT_BITS,
  ELEMENT_BYTES,
  firstColumn,
  leafBlocks,
  maskCount,
  type ProductSize,
  SUM_BYTES,
  thresholdCount,
} from './layout.ts';
import { DELTA_ADDRESS, DIGIT_TABLE_BYTES, FREE_ADDRESS } from './memory.ts';
import { decodeElement, decodeSum, encodeElements } from './ring.ts';

/** A digit takes at least 12 of a chunk's hashes. */
const MOST_DIGITS = Math.ceil(CHUNK_HASHES / 12);
const MOST_BLOCKS = CHUNK_HASHES;
/** What vector instructions may touch behind the end of what they are about. */
const SLACK_BYTES = 64;

export class Workspace {
  /** The next chunk's message: hash key, corrections, correlations. */
  readonly #message: number;
  readonly #rows: number;
  readonly #choices: number;
  readonly #table: number;
  readonly #nodes: number;
  readonly #first: number;
  readonly #second: number;
  readonly #leaves: number;
  readonly #images: number;
  readonly #masks: number;
  readonly #sums: number;
  readonly #elements: number;
  /** The correlator's, by its rows, thresholds and combinations. */
  readonly #checkMasks: number;
  /** Entries of a row of the sums: columns, then masks. */
  readonly #stride: number;
  readonly #size: ProductSize;
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array;
  readonly #kernels: Kernels;
  readonly #permutation: ChunkPermutation;

  constructor(size: ProductSize) {
    let free = FREE_ADDRESS;
    const place = (bytes: number) => {
      const address = free;
      free += Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES + SLACK_BYTES;
      return address;
    };
    this.#size = size;
    this.#stride = size.columns + maskCount(size);
    this.#message = place((1 + MOST_DIGITS + MOST_BLOCKS / 4) * BLOCK_BYTES);
    this.#rows = place(MOST_DIGITS * DIGIT_BITS * BLOCK_BYTES);
    this.#choices = place(MOST_DIGITS * DIGIT_BITS);
    this.#table = place(MOST_DIGITS * DIGIT_TABLE_BYTES);
    this.#nodes = place(MOST_DIGITS * 2 * BLOCK_BYTES);
    this.#first = place(MOST_DIGITS * 2 * BLOCK_BYTES);
    this.#second = place(MOST_DIGITS * 2 * BLOCK_BYTES);
    this.#leaves = place(MOST_DIGITS * 4 * BLOCK_BYTES);
    this.#images = place(MOST_DIGITS * 4 * BLOCK_BYTES);
    this.#masks = place(MOST_BLOCKS * BLOCK_BYTES);
    this.#sums = place(size.rows * this.#stride * SUM_BYTES);
    this.#elements = place(size.inner * size.columns * ELEMENT_BYTES);
    this.#checkMasks = place(maskBytes(size));
    const { memory, kernels } = makeKernels(free);
    this.#memory = memory;
    this.#words = new Uint32Array(memory.buffer);
    this.#kernels = kernels;
    this.#permutation = new ChunkPermutation(memory);
  }

  /** For the correlator, before the first chunk. Its masks must be drawn for this product alone. */
  place(correlations: readonly (readonly bigint[])[], delta: Uint8Array, random: RandomSource): void {
    encodeElements(correlations, this.#memory.subarray(this.#elements));
    this.#memory.set(random(maskBytes(this.#size)), this.#checkMasks);
    this.#memory.set(delta, DELTA_ADDRESS);
  }

  /** The correlator's mask of a row of its matrix, modulo the ring that is computed in; places are those of check.ts. */
  mask(row: number, place: number): bigint {
    const element = row * thresholdCount(this.#size) * COMBINATIONS + place;
    return decodeElement(this.#memory.subarray(this.#checkMasks), element, carriedBits(this.#size));
  }

  /** The bytes of a chunk's message: filled in by correlate(), to be filled before choose(). */
  message(chunk: Chunk): Uint8Array {
    return this.#memory.subarray(this.#message, this.#message + chunkBytes(chunk));
  }

  /** The correlator's part of a chunk, from 32 bytes of rows per digit; makes its message. */
  correlate(chunk: Chunk, rows: Uint8Array, key: Uint8Array): void {
    const { count } = chunk;
    const kernels = this.#kernels;
    this.#memory.set(key, this.#message);
    this.#begin(chunk, rows);
    kernels.bothNodes(this.#nodes, this.#rows, count);
    this.#permutation.apply(this.#nodes, 2 * count * BLOCK_BYTES, this.#first);
    kernels.tweakBoth(this.#second, this.#first, count);
    this.#permutation.apply(this.#second, 2 * count * BLOCK_BYTES, this.#second);
    kernels.growAll(
      this.#leaves,
      this.#corrections,
      this.#nodes,
      this.#first,
      this.#second,
      this.#rows,
      count,
    );
    this.#permutation.apply(this.#leaves, 4 * count * BLOCK_BYTES, this.#images);
    kernels.spreadAll(this.#masks, this.#table, this.#images, count, count);
    this.#permutation.apply(this.#masks, 4 * chunk.blocks * BLOCK_BYTES, this.#masks);
    kernels.feedAll(this.#masks, this.#table, this.#images, count);
    const add = kernels.correlate[pairsOf(chunk) - 1]!;
    add(this.#table, this.#masks, this.#correlations(chunk), chunk.width, count);
    this.#end(chunk);
  }

  /** The chooser's part of a chunk, whose message is in place; two choices per digit. */
  choose(chunk: Chunk, rows: Uint8Array, choices: Uint8Array): void {
    const { count } = chunk;
    const kernels = this.#kernels;
    this.#memory.set(choices, this.#choices);
    this.#begin(chunk, rows);
    kernels.knownNodes(this.#nodes, this.#rows, count);
    this.#permutation.apply(this.#nodes, count * BLOCK_BYTES, this.#first);
    kernels.tweakKnown(this.#second, this.#first, count);
    this.#permutation.apply(this.#second, count * BLOCK_BYTES, this.#second);
    kernels.growKnown(
      this.#leaves,
      this.#corrections,
      this.#nodes,
      this.#first,
      this.#second,
      this.#rows,
      this.#choices,
      count,
    );
    this.#permutation.apply(this.#leaves, 3 * count * BLOCK_BYTES, this.#images);
    kernels.spreadKnown(this.#masks, this.#table, this.#images, count, count);
    this.#permutation.apply(this.#masks, 3 * chunk.blocks * BLOCK_BYTES, this.#masks);
    kernels.feedKnown(this.#masks, this.#table, this.#images, count);
    const add = kernels.choose[pairsOf(chunk) - 1]!;
    add(this.#table, this.#masks, this.#correlations(chunk), chunk.width, this.#choices, count);
    this.#end(chunk);
  }

  /** The shares, after the last chunk, before what exceeds the result's ring is cut off; 0 where the part leaves an entry out. */
  sums(): bigint[][] {
    const { rows } = this.#size;
    const sums = this.#words.subarray(this.#sums / 4);
    const bits = carriedBits(this.#size);
    return Array.from({ length: rows }, (_, i) =>
      Array.from({ length: this.#stride }, (_, j) => decodeSum(sums, i * this.#stride + j, bits)),
    );
  }

  get #corrections(): number {
    return this.#message + BLOCK_BYTES;
  }

  #correlations({ count }: Chunk): number {
    return this.#corrections + count * BLOCK_BYTES;
  }

  #begin(chunk: Chunk, rows: Uint8Array): void {
    this.#permutation.setKey(this.#memory.subarray(this.#message, this.#message + BLOCK_BYTES));
    this.#memory.set(rows, this.#rows);
    const size = this.#size;
    const masks = COMBINATIONS * ELEMENT_BYTES;
    for (let d = 0, at = this.#table / 4; d < chunk.count; d += 1, at += DIGIT_TABLE_BYTES / 4) {
      const row = Math.floor((chunk.first + d) / size.inner);
      const summand = (chunk.first + d) % size.inner;
      const column = firstColumn(size, row);
      this.#words[at] = this.#sums + (row * this.#stride + column) * SUM_BYTES;
      this.#words[at + 1] = this.#elements + (summand * size.columns + column) * ELEMENT_BYTES;
      this.#words[at + 2] = size.columns - column;
      this.#words[at + 3] = leafBlocks(size, row, chunk.width);
      this.#words[at + 4] = this.#checkMasks + (summand * thresholdCount(size) + column) * masks;
      this.#words[at + 5] = maskCount(size);
    }
  }

  /** Between passes the sums grow by the ratio of their weights (Horner). */
  #end(chunk: Chunk): void {
    if (!chunk.ends) return;
    this.#kernels.settle(this.#sums, this.#size.rows * this.#stride, chunk.t === 0 ? 0 : DIGIT_BITS);
  }
}

function maskBytes(size: ProductSize): number {
  return size.inner * thresholdCount(size) * COMBINATIONS * ELEMENT_BYTES;
}

/** Pairs of 32-bit lanes that a ring element takes in the chunk's pass. */
function pairsOf({ width }: Chunk): number {
  return Math.ceil(width / 8);
}
