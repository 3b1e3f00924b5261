/**
 * The chooser's end of a product, the CSP unless the product is reversed: its matrix's bits are the choices
 * of the transfers.
 */

import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
import { ROW_BYTES } from '../oblivious-transfer/extension.ts';
import type { Block, ExtensionReceiver } from '../oblivious-transfer/index.ts';
import { answerBytes, CHALLENGE_BYTES, passes } from './check.ts';
import {
  checkSize,
  chunksOfEach,
  type DigitBits,
  type Part,
  PRODUCT_MESSAGE,
  type ProductSize,
  wavesOf,
} from './layout.ts';
import { checkMatrix, choicesOf, sharesOf } from './ring.ts';
import { type Settled, Workspace } from './workspace.ts';

/**
 * Blocks of transfers, 0.8 megabytes each, that may be on the way before the correlator's answer. It never
 * waits for the next then, and products of up to 1.6 million transfers, those of 100 features, are one round
 * trip.
 */
const BLOCKS_AHEAD = 32;

type Matrix = readonly (readonly bigint[])[];

/** A matrix of the chooser that follows from its own shares of the products before. */
interface DerivedChoices {
  readonly rows: number;
  readonly inner: number;
  readonly from: (shares: readonly Matrix[]) => Matrix;
  /**
   * True if it belongs to the wave that the one before has begun, so that it follows from products before
   * that.
   */
  readonly joins?: boolean;
}

/** The chooser's part of a product: see multiplyChosen(). */
export interface ChosenProduct {
  /** Where it is derived and begins a wave, the correlator's product says `waits`. */
  readonly matrix: Matrix | DerivedChoices;
  readonly entryBits: number;
  readonly columns: number;
  readonly ringBits: number;
  readonly part?: Part;
  /** One for all products of a wave; left out: DIGIT_BITS. */
  readonly digitBits?: DigitBits;
}

/**
 * The chooser's additive shares, in [0, 2^ringBits), of P = A · C modulo 2^ringBits, where A (m × n) is
 * `matrix`, signed integers in [−2^(entryBits − 1), 2^(entryBits − 1)), entryBits at most ringBits, and C (n ×
 * `columns`, at most 256) the correlator's matrix. Many products a_i · s by one scalar are the case n =
 * columns = 1; ring elements a_i are given as signed integers of ringBits bits. With part 'upper' the result
 * is square and only entries on and above the diagonal are computed; the others are 0. All sizes are public
 * and must be the correlator's.
 * @throws RangeError, ERR_PRODUCT_CHECK when transfers were changed on the way or the correlator deviates,
 * ERR_CHANNEL_MESSAGE when messages have another form, ERR_OT_EXHAUSTED, and the errors of the stream
 */
export async function multiplyChosen(
  receiver: ExtensionReceiver,
  product: ChosenProduct,
): Promise<bigint[][]> {
  const [shares] = await multiplyEachChosen(receiver, [product]);
  return shares!;
}

/**
 * multiplyChosen() for several products in two round trips: choices and chunks, challenge and answer. A
 * matrix of the correlator may follow from its shares of products before. One of the chooser may, too; it
 * begins another wave, or joins the last, of choices and chunks, which is one more round trip. Only these
 * choices, which the transfers hide, depend on a result before the check, and all products pass or none.
 * @param onWork told of each block of transfers how many of the digitProducts() it was
 */
export async function multiplyEachChosen(
  receiver: ExtensionReceiver,
  products: readonly ChosenProduct[],
  onWork?: (digitProducts: number) => void,
): Promise<bigint[][][]> {
  for (const product of products) checkChoices(product);
  const done: Done[] = [];
  for (const wave of wavesOf(products, ({ matrix }) => 'from' in matrix && matrix.joins !== true)) {
    const before = done.map(({ settled, size }) => sharesOf(settled.sums(), size));
    const settled = await receiveChunks(
      receiver,
      wave.map((product) => choicesIn(product, before)),
      onWork,
    );
    done.push(...settled);
  }
  const sums = await checkRows(receiver, done);
  return done.map(({ size }, p) => sharesOf(sums[p]!, size));
}

/**
 * Draws a challenge and checks the correlator's answer. Returns the sums of all rows.
 * @throws ERR_PRODUCT_CHECK, and the errors of the stream
 */
async function checkRows(
  receiver: ExtensionReceiver,
  done: readonly Done[],
): Promise<ReturnType<Settled['sums']>[]> {
  const { stream } = receiver;
  const challenge = receiver.random(CHALLENGE_BYTES);
  stream.write(PRODUCT_MESSAGE.challenge, challenge);
  const answers: Uint8Array[] = [];
  for (const { size } of done) answers.push(await stream.read(PRODUCT_MESSAGE.check, answerBytes(size)));
  await stream.beforeCheck('products');
  const sums = done.map(({ settled }) => settled.sums());
  const passed = done.map(({ size, entries }, p) =>
    passes(size, { matrix: entries, sums: sums[p]! }, challenge, p, answers[p]!),
  );
  if (passed.includes(false)) {
    throw new CodedError(
      TWO_PARTY_CODES.ERR_PRODUCT_CHECK,
      'the rows of the product do not belong to one matrix',
    );
  }
  return sums;
}

interface Choices {
  readonly size: ProductSize;
  /** The matrix whose digits it takes: the input plus 2^(entryBits − 1). */
  readonly entries: Matrix;
}

type Done = Choices & { readonly settled: Settled };

function choicesIn(product: ChosenProduct, before: readonly Matrix[]): Choices {
  const { matrix: given } = product;
  const matrix = 'from' in given ? given.from(before) : given;
  checkChoices({ ...product, matrix });
  const offset = 1n << BigInt(product.entryBits - 1);
  return { size: sizeOf(product), entries: matrix.map((row) => row.map((entry) => entry + offset)) };
}

/** The choices of a wave, and what they carry. */
async function receiveChunks(
  receiver: ExtensionReceiver,
  wave: readonly Choices[],
  onWork?: (digitProducts: number) => void,
): Promise<Done[]> {
  const choices = Buffer.concat(wave.map(({ entries, size }) => choicesOf(entries, size)));
  const plan = chunksOfEach(wave.map(({ size }) => size));
  const done: Done[] = [];
  // One at a time: a product's memory goes with its last chunk.
  let workspace: Workspace | undefined;
  let chosen = 0;
  for await (const { rows } of ahead(receiver.blocks(choices))) {
    let work = 0;
    for (let at = 0; at < rows.length; ) {
      const next = plan.next().value;
      if (next === undefined) throw new TypeError('"chunks" expected a chunk for every transfer');
      const { chunk, product } = next;
      const { size } = wave[product]!;
      workspace ??= new Workspace(size);
      work += chunk.correlationBytes / chunk.width;
      const message = workspace.message(chunk);
      await receiver.stream.readInto(PRODUCT_MESSAGE.chunk, message);
      const after = chosen + chunk.count * size.digitBits;
      const end = at + (after - chosen) * ROW_BYTES;
      workspace.choose(chunk, rows.subarray(at, end), choices.subarray(chosen, after));
      at = end;
      chosen = after;
      if (chunk.t > 0 || !chunk.ends) continue;
      done.push({ ...wave[product]!, settled: workspace.settled() });
      workspace = undefined;
    }
    rows.buffer.transfer(0); // its memory is the next block's, now and not with the next collection
    onWork?.(work);
  }
  return done;
}

/** Sizes, and entries as far as they are known. */
function checkChoices(product: ChosenProduct): void {
  const { rows, inner } = sizeOf(product);
  const limit = 1n << BigInt(product.entryBits - 1);
  if (!('from' in product.matrix)) checkMatrix(product.matrix, [rows, inner], [-limit, limit]);
}

function sizeOf({ matrix, part = 'whole', ...sizes }: ChosenProduct): ProductSize {
  const { rows, inner } = 'from' in matrix ? matrix : { rows: matrix.length, inner: matrix[0]?.length ?? 0 };
  return checkSize({ ...sizes, rows, inner, part });
}

/** The same blocks, but those after the one that is handed out are asked for meanwhile. */
async function* ahead(blocks: AsyncGenerator<Block>): AsyncGenerator<Block> {
  const ask = () => {
    const next = blocks.next();
    next.catch(() => undefined); // whoever takes it from the queue sees the error
    return next;
  };
  const asked = Array.from({ length: 1 + BLOCKS_AHEAD }, ask);
  for (;;) {
    const next = await asked.shift()!;
    if (next.done) return;
    yield next.value;
    asked.push(ask());
  }
}
