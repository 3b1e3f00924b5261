/** One party's memory during a product, and what it does with a chunk of digits. */
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { CHUNK_HASHES, ChunkPermutation } from './hash.ts';
import { type Kernels, returnScratch, type Scratch, takeScratch } from './kernels.ts';
import {
  type Chunk,
  carriedBits,
  cellsOf,
  chunkBytes,
  correctionBytes,
  correlationBytes,
  elementWidth,
  firstColumn,
  isNarrow,
  leafBlocks,
  leavesOf,
  maskCount,
  type ProductSize,
  rowsOf,
  thresholdCount,
  treeHashes,
} from './layout.ts';
import { decodeElement, decodeSum, encodeElements } from './ring.ts';
import { DELTA_ADDRESS, DIGIT_TABLE_BYTES, FREE_ADDRESS } from './ring-kernels.ts';

/** Masks of this number of blocks are made at once, 256 KiB, or of one digit. */
const BATCH_BLOCKS = 2 ** 14;
/** The bytes that vector instructions may touch behind the end of their data. */
const SLACK_BYTES = 64;

interface Batch {
  /** Its first one, among those of the chunk. */
  readonly digit: number;
  readonly digits: number;
  /** Blocks of all leaves of one kind together, with the first one of each, which only the next needs. */
  readonly blocks: number;
  readonly tweak: number;
  /** The distance of its correlations from the chunk's first. */
  readonly offset: number;
}

/**
 * The rest of a product after its last chunk. It holds nothing of the memory that the product was computed
 * in.
 */
export interface Settled {
  /** The shares, before what exceeds the result's ring is cut off; 0 where the part leaves an entry out. */
  readonly sums: () => bigint[][];
  /**
   * The correlator's mask of a row of its matrix, modulo the ring that is computed in; places are those of
   * check.ts.
   */
  readonly mask: (row: number, place: number) => bigint;
}

export class Workspace {
  /** The next chunk's message: hash key, corrections, correlations. */
  readonly #message: number;
  readonly #rows: number;
  readonly #choices: number;
  readonly #table: number;
  /** A level of the trees and the next one, in turn. */
  readonly #trees: readonly [number, number];
  /** The addresses of what the permutation makes of a level in its first pass and in its second. */
  readonly #hashed: readonly [number, number];
  readonly #masks: number;
  readonly #sums: number;
  readonly #elements: number;
  /** The correlator's, by its rows, thresholds and combinations. */
  readonly #checkMasks: number;
  readonly #cells: ReturnType<typeof cellsOf>;
  readonly #narrow: boolean;
  readonly #size: ProductSize;
  readonly #leaves: number;
  readonly #bytes: number;
  #scratch: Scratch | undefined;
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
    const { digitBits } = size;
    const leaves = leavesOf(digitBits);
    // A chunk has no more digits than a pass, or than fit where every leaf is expanded to one block: memory
    // of small products, of which there are hundreds, is small.
    const inPass = size.rows * size.inner;
    const mostDigits = Math.min(Math.ceil(CHUNK_HASHES / (treeHashes(digitBits) + leaves)), inPass);
    const mostBlocks = Math.min(CHUNK_HASHES / leaves, inPass * leafBlocks(size, 0, elementWidth(size, 0)));
    this.#size = size;
    this.#leaves = leaves;
    this.#cells = cellsOf(size);
    this.#narrow = isNarrow(size);
    this.#message = place(BLOCK_BYTES * (1 + mostBlocks) + mostDigits * correctionBytes(digitBits));
    this.#rows = place(mostDigits * digitBits * BLOCK_BYTES);
    this.#choices = place(mostDigits * digitBits);
    this.#table = place(mostDigits * DIGIT_TABLE_BYTES);
    const level = () => place(mostDigits * leaves * BLOCK_BYTES);
    this.#trees = [level(), level()];
    this.#hashed = [level(), level()];
    this.#masks = place(Math.min(BATCH_BLOCKS, leaves * (mostBlocks + mostDigits)) * BLOCK_BYTES);
    this.#sums = place(size.rows * this.#rowBytes);
    this.#elements = place(size.inner * this.#cells.columns * this.#cells.elementBytes);
    this.#checkMasks = place(maskBytes(size));
    this.#bytes = free;
    this.#scratch = takeScratch(free, digitBits);
    const { memory, kernels } = this.#scratch;
    this.#memory = memory;
    this.#words = new Uint32Array(memory.buffer);
    this.#kernels = kernels;
    this.#permutation = new ChunkPermutation(memory);
  }

  /** For the correlator, before the first chunk. Its masks must be drawn for this product alone. */
  place(correlations: readonly (readonly bigint[])[], delta: Uint8Array, random: RandomSource): void {
    const { elementBytes, columns } = this.#cells;
    encodeElements(correlations, this.#memory.subarray(this.#elements), elementBytes, columns);
    this.#memory.set(random(maskBytes(this.#size)), this.#checkMasks);
    this.#memory.set(delta, DELTA_ADDRESS);
  }

  /** The bytes of a chunk's message: filled in by correlate(), to be filled before choose(). */
  message(chunk: Chunk): Uint8Array {
    return this.#memory.subarray(this.#message, this.#message + chunkBytes(this.#size, chunk));
  }

  /** The correlator's part of a chunk, from as many rows per digit as it has bits; makes its message. */
  correlate(chunk: Chunk, rows: Uint8Array, key: Uint8Array): void {
    const { count } = chunk;
    const kernels = this.#kernels;
    this.#memory.set(key, this.#message);
    this.#begin(chunk, rows);
    const [first, second] = this.#hashed;
    let [nodes, children] = this.#trees;
    kernels.bothNodes(nodes, this.#rows, count);
    for (let level = 1; level < this.#size.digitBits; level += 1) {
      const [corrections, others] = this.#levelOf(level);
      const each = 2 ** level;
      this.#hashNodes(nodes, each, level, count);
      kernels.growAll(children, corrections, nodes, first, second, others, count, each);
      [nodes, children] = [children, nodes];
    }
    this.#permutation.apply(nodes, this.#leaves * count * BLOCK_BYTES, first);
    const add = this.#narrow
      ? kernels.correlateNarrow[chunk.width - 1]!
      : kernels.correlate[pairsOf(chunk) - 1]!;
    for (const { digit, digits, blocks, tweak, offset } of this.#batches(chunk)) {
      const table = this.#table + digit * DIGIT_TABLE_BYTES;
      const images = first + digit * this.#leaves * BLOCK_BYTES;
      kernels.spreadAll(this.#masks, table, images, digits, tweak);
      this.#permutation.chain(this.#masks, this.#leaves * blocks * BLOCK_BYTES);
      add(table, this.#masks, this.#correlations(chunk) + offset, chunk.width, digits);
    }
    this.#end(chunk);
  }

  /** The chooser's part of a chunk, whose message is in place; as many choices per digit. */
  choose(chunk: Chunk, rows: Uint8Array, choices: Uint8Array): void {
    const { count } = chunk;
    const kernels = this.#kernels;
    this.#memory.set(choices, this.#choices);
    this.#begin(chunk, rows);
    const [first, second] = this.#hashed;
    let [nodes, children] = this.#trees;
    kernels.knownNodes(nodes, this.#rows, count);
    for (let level = 1; level < this.#size.digitBits; level += 1) {
      const [corrections, others] = this.#levelOf(level);
      const known = 2 ** level - 1;
      this.#hashNodes(nodes, known, level, count);
      const choice = this.#choices + level;
      kernels.growKnown(children, corrections, nodes, first, second, others, choice, count, known);
      [nodes, children] = [children, nodes];
    }
    this.#permutation.apply(nodes, (this.#leaves - 1) * count * BLOCK_BYTES, first);
    const add = this.#narrow ? kernels.chooseNarrow[chunk.width - 1]! : kernels.choose[pairsOf(chunk) - 1]!;
    for (const { digit, digits, blocks, tweak, offset } of this.#batches(chunk)) {
      const table = this.#table + digit * DIGIT_TABLE_BYTES;
      const images = first + digit * (this.#leaves - 1) * BLOCK_BYTES;
      const own = this.#choices + digit * this.#size.digitBits;
      kernels.spreadKnown(this.#masks, table, images, digits, tweak);
      this.#permutation.chain(this.#masks, (this.#leaves - 1) * blocks * BLOCK_BYTES);
      add(table, this.#masks, this.#correlations(chunk) + offset, chunk.width, own, digits);
    }
    this.#end(chunk);
  }

  /** After the last chunk, once: the memory is the next product's then. */
  settled(): Settled {
    if (this.#scratch === undefined) throw new TypeError('"settled" expected to be called once');
    const size = this.#size;
    const cells = this.#cells;
    const bits = carriedBits(size);
    const row = this.#rowBytes;
    const kept = (from: number, bytes: number) => new DataView(this.#memory.slice(from, from + bytes).buffer);
    const sums = kept(this.#sums, size.rows * row);
    const masks = kept(this.#checkMasks, maskBytes(size));
    returnScratch(this.#scratch, this.#bytes);
    this.#scratch = undefined;
    const { columns } = size;
    const cell = (j: number) => (j < columns ? j : cells.columns + j - columns) * cells.sumBytes;
    const places = maskBytes(size) / size.inner;
    return {
      sums: () =>
        Array.from({ length: size.rows }, (_, i) =>
          Array.from({ length: columns + maskCount(size) }, (__, j) =>
            decodeSum(sums, i * row + cell(j), cells.sumBytes, bits),
          ),
        ),
      mask: (k, place) =>
        decodeElement(masks, k * places + place * cells.elementBytes, cells.elementBytes, bits),
    };
  }

  /** A row of the sums: columns, then masks. */
  get #rowBytes(): number {
    const { columns, masks, sumBytes } = this.#cells;
    return (columns + masks) * sumBytes;
  }

  get #corrections(): number {
    return this.#message + BLOCK_BYTES;
  }

  #correlations({ count }: Chunk): number {
    return this.#corrections + count * correctionBytes(this.#size.digitBits);
  }

  /** Where the first digit's correction of a level is, and the row that goes with it. */
  #levelOf(level: number): [corrections: number, rows: number] {
    return [this.#corrections + (level - 1) * BLOCK_BYTES, this.#rows + level * BLOCK_BYTES];
  }

  /**
   * Both passes of the permutation for the nodes of a level, `each` per digit. No tweak returns in the chunk.
   */
  #hashNodes(nodes: number, each: number, level: number, count: number): void {
    const bytes = each * count * BLOCK_BYTES;
    const [first, second] = this.#hashed;
    this.#permutation.apply(nodes, bytes, first);
    this.#kernels.tweak(second, first, count, each, (level - 1) * count);
    this.#permutation.apply(second, bytes, second);
  }

  /** A chunk's digits in runs whose masks fit the cache. */
  *#batches({ first, count, width }: Chunk): Generator<Batch> {
    const size = this.#size;
    let next = { digit: 0, digits: 0, blocks: 0, tweak: (size.digitBits - 1) * count, offset: 0 };
    let bytes = 0;
    for (const { row, digits } of rowsOf(size, first, count)) {
      const blocks = 1 + leafBlocks(size, row, width);
      const each = correlationBytes(size, row, width);
      for (let left = digits; left > 0; ) {
        const fit = Math.floor((BATCH_BLOCKS / this.#leaves - next.blocks) / blocks);
        const more = Math.min(left, Math.max(fit, next.digits > 0 ? 0 : 1));
        next.digits += more;
        next.blocks += more * blocks;
        bytes += more * each;
        left -= more;
        if (left === 0) break;
        yield next;
        const [digit, tweak] = [next.digit + next.digits, next.tweak + next.blocks];
        next = { digit, digits: 0, blocks: 0, tweak, offset: bytes };
      }
    }
    yield next;
  }

  #begin(chunk: Chunk, rows: Uint8Array): void {
    this.#permutation.setKey(this.#memory.subarray(this.#message, this.#message + BLOCK_BYTES));
    this.#memory.set(rows, this.#rows);
    const size = this.#size;
    const cells = this.#cells;
    const places = maskBytes(size) / size.inner;
    const masks = size.combinations * cells.elementBytes;
    const across = cells.columns * cells.elementBytes;
    const count = maskCount(size);
    const words = this.#words;
    let at = this.#table / 4;
    for (const { row, summand, digits } of rowsOf(size, chunk.first, chunk.count)) {
      const column = firstColumn(size, row);
      const sums = this.#sums + row * this.#rowBytes + column * cells.sumBytes;
      const columns = size.columns - column;
      const blocks = 1 + leafBlocks(size, row, chunk.width);
      let elements = this.#elements + summand * across + column * cells.elementBytes;
      let checkMasks = this.#checkMasks + summand * places + column * masks;
      for (let d = 0; d < digits; d += 1, at += DIGIT_TABLE_BYTES / 4) {
        words[at] = sums;
        words[at + 1] = elements;
        words[at + 2] = columns;
        words[at + 3] = blocks;
        words[at + 4] = checkMasks;
        words[at + 5] = count;
        elements += across;
        checkMasks += places;
      }
    }
  }

  /** Between passes, the sums grow by the ratio of their weights (Horner). */
  #end(chunk: Chunk): void {
    if (!chunk.ends) return;
    const settle = this.#narrow ? this.#kernels.settleNarrow : this.#kernels.settle;
    const { columns, masks } = this.#cells;
    settle(this.#sums, this.#size.rows * (columns + masks), chunk.t === 0 ? 0 : this.#size.digitBits);
  }
}

function maskBytes(size: ProductSize): number {
  const { elementBytes, masks } = cellsOf(size);
  const places = isNarrow(size) ? masks : thresholdCount(size) * size.combinations;
  return size.inner * places * elementBytes;
}

/** Pairs of 32-bit lanes that a ring element takes in the chunk's pass. */
function pairsOf({ width }: Chunk): number {
  return Math.ceil(width / 8);
}
