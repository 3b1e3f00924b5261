/**
 * The layout that both parties of a product derive from its public sizes: digits, their order, the length of
 * every message and where everything lies in memory.
 *
 * An entry of e bits plus 2^(e−1), so that it is never negative, has ⌈e/b⌉ digits of b bits. Digits come in
 * passes, one per weight 2^(bt), highest first; within a pass by row of the result and then by summand. A
 * digit of weight 2^(bt) concerns only the low l − bt bits of a ring element, so its correlations take ⌈(l −
 * bt)/8⌉ bytes per element.
 *
 * For the check (check.ts) l is some bits more than what the result keeps, and behind the columns of C a
 * digit carries masks: those of its row's threshold, and with part 'upper' those of the next one, too. More
 * masks, one for each combination of columns, need fewer bits: a product has as many as make its messages
 * shortest.
 */
import { BLOCK_ROWS } from '../oblivious-transfer/extension.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import { CHUNK_HASHES } from './hash.ts';
import { MAXIMUM_COLUMNS, MAXIMUM_RING_BITS, MAXIMUM_SIDE } from './ring-bits.ts';

/** The messages of products in a MessageStream; types 0x30 to 0x3f belong to this room. */
export const PRODUCT_MESSAGE = {
  /** Chooser, when it has all chunks: what the combinations of columns are drawn from, 16 bytes. */
  challenge: 0x30,
  /** Correlator: hash key, tree corrections and masked correlations of one chunk; see layout.ts for the length. */
  chunk: 0x31,
  /** Correlator: for each product the masked combinations of its matrix, ring elements, and a digest of 32 bytes; see check.ts. */
  check: 0x32,
} as const;

/** The entries of the result that are wanted: all, or those on and above the diagonal. */
export type Part = 'whole' | 'upper';

/**
 * A digit's correlations are sent once for all of its bits, and hashed once for each of its values. Digits of
 * three bits take a third more bytes and a fifth less processor time, which a line of more than 1.5 Gbit/s
 * makes up for; of two bits up to 1.9 times the bytes. See docs/benchmarks.md.
 */
export type DigitBits = 3 | 4;
/** The default. */
export const DIGIT_BITS: DigitBits = 4;

export interface ProductSize {
  /** Rows of the chooser's matrix and of the result. */
  readonly rows: number;
  /** Columns of the chooser's matrix, rows of the correlator's. */
  readonly inner: number;
  /** Columns of the correlator's matrix and of the result. */
  readonly columns: number;
  /** Bits of an entry of the chooser's matrix, two's complement. */
  readonly entryBits: number;
  /** Result and correlator's matrix are integers modulo 2^ringBits. */
  readonly ringBits: number;
  readonly part: Part;
  readonly digitBits: DigitBits;
  /** Combinations of columns that the check compares, and so masks for each threshold. */
  readonly combinations: number;
}

/** All combinations miss an error in the highest bit of the result by luck with 2^−42: see check.ts. */
const LUCK_BITS = 42;
const COMBINATIONS = [2, 3, 4, 5, 6, 7] as const;
/** Bytes of a ring element in memory: its most bits, rounded up to what the kernels load at once. */
export const ELEMENT_BYTES = 8 * Math.ceil((MAXIMUM_RING_BITS + guardBits(COMBINATIONS[0])) / 64);
/** An entry of the result while it is summed up: a 64-bit lane for every 32 bits. */
export const SUM_BYTES = 2 * ELEMENT_BYTES;
/** The bytes of an element and of an entry in rings that are not wider: see narrow-kernels.ts. */
export const NARROW_BYTES = 8;
/** Columns, and masks, then fill up groups of this number in memory. */
export const NARROW_GROUP = 4;

/** Leaves of a digit's tree, one for each value of the digit. */
export function leavesOf(digitBits: DigitBits): number {
  return 2 ** digitBits;
}

/**
 * Hashes for a digit beside its expansion: both permutations of the nodes of each level, and the first of the
 * leaves.
 */
export function treeHashes(digitBits: DigitBits): number {
  return 3 * leavesOf(digitBits) - 4;
}

/** Returns the bytes that the chooser gets of a digit's tree: a block for each level after the first. */
export function correctionBytes(digitBits: DigitBits): number {
  return (digitBits - 1) * BLOCK_BYTES;
}

/** Consecutive digits of one pass and one block of transfers, hashed under one key. */
export interface Chunk {
  /** The pass, and so the weight. */
  readonly t: number;
  /** Its first digit among the digits of the pass, and how many. */
  readonly first: number;
  readonly count: number;
  /** Bytes of one ring element in this pass. */
  readonly width: number;
  /** Output blocks of all leaves of one kind together. */
  readonly blocks: number;
  /** Bytes of correlations and masks. */
  readonly correlationBytes: number;
  /** The last of its pass. */
  readonly ends: boolean;
}

/**
 * The sizes with limits applied, of digits the default, and as many combinations as make the messages
 * shortest, in a ring of 64 bits where that is possible.
 * @throws RangeError
 */
export function checkSize(
  given: Omit<ProductSize, 'digitBits' | 'combinations'> & { readonly digitBits?: DigitBits },
): ProductSize {
  const size = { digitBits: DIGIT_BITS, ...given };
  const inRange = (name: string, value: number, largest: number) => {
    if (!Number.isInteger(value) || value < 1 || value > largest) {
      throw new RangeError(`"${name}" expected an integer in [1, ${largest}], got ${value}`);
    }
  };
  inRange('rows', size.rows, MAXIMUM_SIDE);
  inRange('inner', size.inner, MAXIMUM_SIDE);
  inRange('columns', size.columns, MAXIMUM_COLUMNS);
  inRange('ringBits', size.ringBits, MAXIMUM_RING_BITS);
  inRange('entryBits', size.entryBits, size.ringBits);
  if (size.part === 'upper' && size.rows !== size.columns) {
    throw new RangeError(`"part" expected a square result, got ${size.rows} × ${size.columns}`);
  }
  const choices = COMBINATIONS.map((combinations) => ({ ...size, combinations }));
  const narrow = choices.filter(isNarrow);
  return (narrow.length > 0 ? narrow : choices).reduce((best, choice) =>
    carriedBytes(choice) < carriedBytes(best) ? choice : best,
  );
}

/** Returns whether ring elements fit into 64 bits while they are multiplied. */
export function isNarrow(size: ProductSize): boolean {
  return size.part === 'whole' && carriedBits(size) <= 8 * NARROW_BYTES;
}

/**
 * Returns how a product's numbers lie in memory: bytes of a ring element and of an entry while it is summed
 * up, and what a row's columns and its masks take.
 */
export function cellsOf(size: ProductSize): {
  readonly elementBytes: number;
  readonly sumBytes: number;
  readonly columns: number;
  readonly masks: number;
} {
  const { columns } = size;
  const masks = maskCount(size);
  if (!isNarrow(size)) return { elementBytes: ELEMENT_BYTES, sumBytes: SUM_BYTES, columns, masks };
  const filled = (count: number) => NARROW_GROUP * Math.ceil(count / NARROW_GROUP);
  const bytes = { elementBytes: NARROW_BYTES, sumBytes: NARROW_BYTES };
  return { ...bytes, columns: filled(columns), masks: filled(masks) };
}

export function digitsPerEntry({ entryBits, digitBits }: ProductSize): number {
  return Math.ceil(entryBits / digitBits);
}

function digitsPerPass({ rows, inner }: ProductSize): number {
  return rows * inner;
}

export function transferCount(size: ProductSize): number {
  return size.digitBits * digitsPerEntry(size) * digitsPerPass(size);
}

/** Returns the work of a product: of each digit with each ring element that it carries. */
export function digitProducts(size: ProductSize): number {
  const { rows, inner, columns } = size;
  let perPass = 0;
  for (let row = 0; row < rows; row += 1)
    perPass += inner * (columns - firstColumn(size, row) + maskCount(size));
  return digitsPerEntry(size) * perPass;
}

/** Returns how many bits longer ring elements are while they are multiplied than in the result. */
function guardBits(combinations: number): number {
  return Math.ceil(LUCK_BITS / combinations) - 1;
}

/** Bits of the ring that products are computed in. */
export function carriedBits({ ringBits, combinations }: ProductSize): number {
  return ringBits + guardBits(combinations);
}

/** Returns the bytes that all digits carry: columns and masks. */
function carriedBytes(size: ProductSize): number {
  let bytes = 0;
  for (let t = 0; t < digitsPerEntry(size); t += 1) bytes += elementWidth(size, t);
  return (digitProducts(size) / digitsPerEntry(size)) * bytes;
}

/** Bytes of a ring element in the pass of weight 2^(bt). */
export function elementWidth(size: ProductSize, t: number): number {
  return Math.ceil((carriedBits(size) - size.digitBits * t) / 8);
}

/**
 * Thresholds of columns: combinations are of the columns from a threshold on, and have masks of their own.
 */
export function thresholdCount({ rows, part }: ProductSize): number {
  return part === 'upper' ? rows + 1 : 1;
}

/** Masks that every digit carries. */
export function maskCount({ part, combinations }: ProductSize): number {
  return combinations * (part === 'upper' ? 2 : 1);
}

/** The first wanted column of a row of the result, and its first threshold. */
export function firstColumn({ part }: ProductSize, row: number): number {
  return part === 'upper' ? row : 0;
}

/** Blocks of 16 bytes that a leaf of a digit in the given row is expanded to. */
export function leafBlocks(size: ProductSize, row: number, width: number): number {
  return Math.ceil(correlationBytes(size, row, width) / BLOCK_BYTES);
}

/** Bytes that a chunk's message takes: hash key, corrections of the trees, correlations. */
export function chunkBytes({ digitBits }: ProductSize, { count, correlationBytes }: Chunk): number {
  return BLOCK_BYTES + count * correctionBytes(digitBits) + correlationBytes;
}

/** All chunks in order, of a product whose digits follow `before` others in the same blocks of transfers. */
export function* chunks(size: ProductSize, before = 0): Generator<Chunk> {
  const perPass = digitsPerPass(size);
  const { digitBits } = size;
  const leaves = leavesOf(digitBits);
  const perTree = treeHashes(digitBits);
  const perBlock = BLOCK_ROWS / digitBits;
  let left = perBlock - (before % perBlock);
  for (let t = digitsPerEntry(size) - 1; t >= 0; t -= 1) {
    const width = elementWidth(size, t);
    for (let first = 0; first < perPass; ) {
      let count = 0;
      let blocks = 0;
      let bytes = 0;
      for (const { row, digits } of rowsOf(size, first, left)) {
        const each = leafBlocks(size, row, width);
        const hashes = CHUNK_HASHES - leaves * blocks - perTree * count;
        const more = Math.min(digits, Math.floor(hashes / (leaves * each + perTree)));
        count += more;
        blocks += more * each;
        bytes += more * correlationBytes(size, row, width);
        if (more < digits) break;
      }
      const ends = first + count === perPass;
      yield { t, first, count, width, blocks, correlationBytes: bytes, ends };
      first += count;
      left = left === count ? perBlock : left - count;
    }
  }
}

/** Consecutive digits of one row of the result: which row, the first one's summand, and how many. */
interface RowDigits {
  readonly row: number;
  readonly summand: number;
  readonly digits: number;
}

/** Row by row what `count` digits of a pass from one on are, or those that are left of it. */
export function rowsOf({ rows, inner }: ProductSize, first: number, count: number): RowDigits[] {
  const end = Math.min(rows * inner, first + count);
  const parts: RowDigits[] = [];
  for (let digit = first; digit < end; ) {
    const row = Math.floor(digit / inner);
    const digits = Math.min(end, (row + 1) * inner) - digit;
    parts.push({ row, summand: digit - row * inner, digits });
    digit += digits;
  }
  return parts;
}

/**
 * The chunks of several products with digits of one length, one after the other in the same blocks of
 * transfers.
 */
export function* chunksOfEach(sizes: readonly ProductSize[]): Generator<{ chunk: Chunk; product: number }> {
  let before = 0;
  for (const [product, size] of sizes.entries()) {
    for (const chunk of chunks(size, before)) yield { chunk, product };
    before += digitsPerEntry(size) * digitsPerPass(size);
  }
}

/**
 * Groups products into waves that are multiplied without waiting for choices: a product that begins a wave is
 * the first of the next one.
 */
export function wavesOf<Product>(
  products: readonly Product[],
  begins: (product: Product) => boolean,
): (readonly Product[])[] {
  const starts = products.flatMap((product, p) => (p === 0 || begins(product) ? [p] : []));
  return starts.map((start, w) => products.slice(start, starts[w + 1]));
}

/** Bytes of a digit's correlations and masks. */
export function correlationBytes(size: ProductSize, row: number, width: number): number {
  return (size.columns - firstColumn(size, row) + maskCount(size)) * width;
}
