/**
 * The correlator's end of a product, the data user unless the product is reversed: its ring vectors are what
 * every transfer of the chooser's digits carries.
 */

import { ROW_BYTES } from '../oblivious-transfer/extension.ts';
import { BLOCK_BYTES } from '../oblivious-transfer/hash.ts';
import type { Block, ExtensionSender } from '../oblivious-transfer/index.ts';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { answerOf, CHALLENGE_BYTES } from './check.ts';
import {
  cellsOf,
  checkSize,
  chunksOfEach,
  type DigitBits,
  type Part,
  PRODUCT_MESSAGE,
  type ProductSize,
  transferCount,
  wavesOf,
} from './layout.ts';
import { checkMatrix, encodeElements, sharesOf } from './ring.ts';
import { type Settled, Workspace } from './workspace.ts';

type Matrix = readonly (readonly bigint[])[];

/**
 * A matrix of the correlator that follows from its own shares of the products before, which it has before the
 * chooser has read them.
 */
export interface DerivedMatrix {
  readonly inner: number;
  readonly columns: number;
  readonly from: (shares: readonly Matrix[]) => Matrix;
}

/** The correlator's part of a product: see multiplyCorrelated(). */
export interface CorrelatedProduct {
  readonly matrix: Matrix | DerivedMatrix;
  readonly rows: number;
  readonly entryBits: number;
  readonly ringBits: number;
  readonly part?: Part;
  /** One for all products of a wave; left out: DIGIT_BITS. */
  readonly digitBits?: DigitBits;
  /**
   * True if the chooser's matrix follows from its shares of the products before, so that its choices come
   * later.
   */
  readonly waits?: true;
}

const KEYS_PER_CALL = 64;

/**
 * Blocks that are received before the first of them is answered, at most: where what was received is kept
 * before it is answered (Transcript), that is once for each group. They fit into what the chooser sends
 * ahead. The first groups are small, so that answers begin at once: they are larger than blocks, so that the
 * next group is there when they are written.
 */
const LARGEST_GROUP = 8;

/**
 * The correlator's additive shares, in [0, 2^ringBits), of P = A · C modulo 2^ringBits, where A (`rows` × n,
 * signed integers of `entryBits` bits) is the chooser's matrix and C (n × c, in [0, 2^ringBits), c at most
 * 256) is `matrix`. With part 'upper' the result is square and only entries on and above the diagonal are
 * computed; the others are 0. All sizes are public and must be the chooser's, which checks the product and
 * closes when it was changed.
 * @throws RangeError, ERR_CHANNEL_MESSAGE, and as ExtensionSender.blocks
 */
export async function multiplyCorrelated(
  sender: ExtensionSender,
  product: CorrelatedProduct,
): Promise<bigint[][]> {
  const [shares] = await multiplyEachCorrelated(sender, [product]);
  return shares!;
}

/**
 * multiplyCorrelated() for several products, one after the other but with one check.
 * @param onWork told of each block of transfers how many of the digitProducts() it was
 */
export async function multiplyEachCorrelated(
  sender: ExtensionSender,
  products: readonly CorrelatedProduct[],
  onWork?: (digitProducts: number) => void,
): Promise<bigint[][][]> {
  fixMatrices(sender, products);
  const done: Done[] = [];
  const shares: bigint[][][] = [];
  const nextKey = keySource(sender.random);
  for (const wave of wavesOf(products, ({ waits }) => waits === true)) {
    await sendChunks(sender, wave, { done, shares, nextKey }, onWork);
  }
  await answerChallenge(sender, done);
  return shares;
}

/** Holds this run of an answer to the matrices of the first: those that are known now. */
function fixMatrices({ stream }: ExtensionSender, products: readonly CorrelatedProduct[]): void {
  for (const product of products) {
    const size = sizeOf(product);
    if ('from' in product.matrix) continue;
    // A chunk is compared with that of a run before only where it is the first of its group; the matrix is
    // compared as a whole.
    const { elementBytes } = cellsOf(size);
    const elements = new Uint8Array(size.inner * size.columns * elementBytes);
    encodeElements(checked(product.matrix, size), elements, elementBytes, size.columns);
    stream.fix(elements);
    elements.buffer.transfer(0); // its memory goes now, not with the next collection
  }
}

interface Progress {
  readonly done: Done[];
  /** The shares of the products that are done. */
  readonly shares: bigint[][][];
  readonly nextKey: () => Uint8Array;
}

/** Sends what the choices of a wave carry. */
async function sendChunks(
  sender: ExtensionSender,
  wave: readonly CorrelatedProduct[],
  { done, shares, nextKey }: Progress,
  onWork?: (digitProducts: number) => void,
): Promise<void> {
  const { stream } = sender;
  const start = (product: CorrelatedProduct): Started => {
    const { matrix: given } = product;
    const size = sizeOf(product);
    const matrix = checked('from' in given ? given.from(shares) : given, size);
    const workspace = new Workspace(size);
    workspace.place(matrix, sender.delta, sender.random);
    return { workspace, matrix, size };
  };
  const sizes = wave.map(sizeOf);
  // One at a time: a product's memory goes with its last chunk.
  let started: Started | undefined;
  const plan = chunksOfEach(sizes);
  const transfers = sizes.reduce((sum, size) => sum + transferCount(size), 0);
  for await (const block of inGroups(sender.blocks(transfers))) {
    let work = 0;
    for (let at = 0; at < block.rows.length; ) {
      const next = plan.next().value;
      if (next === undefined) throw new TypeError('"chunks" expected a chunk for every transfer');
      const { chunk, product } = next;
      started ??= start(wave[product]!);
      const { workspace, matrix, size } = started;
      const end = at + chunk.count * size.digitBits * ROW_BYTES;
      work += chunk.correlationBytes / chunk.width;
      workspace.correlate(chunk, block.rows.subarray(at, end), nextKey());
      if (!stream.write(PRODUCT_MESSAGE.chunk, workspace.message(chunk))) await stream.flush();
      at = end;
      if (chunk.t === 0 && chunk.ends) {
        const settled = workspace.settled();
        shares.push(withoutOffsets(sharesOf(settled.sums(), size), matrix, wave[product]!));
        done.push({ settled, matrix, size });
        started = undefined;
      }
    }
    block.rows.buffer.transfer(0); // its memory is the next block's, now and not with the next collection
    onWork?.(work);
  }
}

/** The slopes and the digest of each product's rows, combined as the challenge says. */
async function answerChallenge({ stream }: ExtensionSender, done: readonly Done[]): Promise<void> {
  const challenge = await stream.read(PRODUCT_MESSAGE.challenge, CHALLENGE_BYTES);
  for (const [p, { settled, matrix, size }] of done.entries()) {
    const { sums, mask } = settled;
    stream.write(PRODUCT_MESSAGE.check, answerOf(size, { matrix, sums: sums(), mask }, challenge, p));
  }
  await stream.flush();
}

interface Started {
  readonly workspace: Workspace;
  readonly matrix: Matrix;
  readonly size: ProductSize;
}

type Done = Omit<Started, 'workspace'> & { readonly settled: Settled };

function checked(matrix: Matrix, { inner, columns, ringBits }: ProductSize): Matrix {
  checkMatrix(matrix, [inner, columns], [0n, 1n << BigInt(ringBits)]);
  return matrix;
}

function sizeOf({ matrix, part = 'whole', waits: _, ...sizes }: CorrelatedProduct): ProductSize {
  const { inner, columns } =
    'from' in matrix ? matrix : { inner: matrix.length, columns: matrix[0]?.length ?? 0 };
  return checkSize({ ...sizes, inner, columns, part });
}

/** The chooser's digits are those of its entries plus 2^(entryBits − 1). */
function withoutOffsets(
  shares: Matrix,
  matrix: Matrix,
  { entryBits, ringBits, part }: CorrelatedProduct,
): bigint[][] {
  const offsets = matrix[0]!.map(
    (_, j) => matrix.reduce((sum, row) => sum + row[j]!, 0n) << BigInt(entryBits - 1),
  );
  return shares.map((row, i) =>
    row.map((share, j) => (part === 'upper' && j < i ? 0n : BigInt.asUintN(ringBits, share - offsets[j]!))),
  );
}

/** Hash keys; a call of the system's generator costs as much as a thousand bytes of its output. */
function keySource(random: RandomSource): () => Uint8Array {
  let keys = new Uint8Array(0);
  return () => {
    if (keys.length === 0) keys = Uint8Array.from(random(KEYS_PER_CALL * BLOCK_BYTES));
    const key = keys.subarray(0, BLOCK_BYTES);
    keys = keys.subarray(BLOCK_BYTES);
    return key;
  };
}

/** The same, received one, two, four, … at a time. */
async function* inGroups(blocks: AsyncGenerator<Block>): AsyncGenerator<Block> {
  let group: Block[] = [];
  let size = 1;
  for await (const block of blocks) {
    group.push(block);
    if (group.length < size) continue;
    yield* group;
    group = [];
    size = Math.min(2 * size, LARGEST_GROUP);
  }
  yield* group;
}
