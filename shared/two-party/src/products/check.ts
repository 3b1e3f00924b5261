/**
 * The check that ends a product: the correlator has used one matrix C for all rows and all digits of the
 * chooser's matrix A.
 *
 * It is a random linear combination over a sacrificed mask, as in MASCOT (Keller, Orsini, Scholl, CCS 2016,
 * section 4), in a ring longer than the result's, as in SPDZ2k (Cramer, Damgård, Escudero, Scholl, Xing,
 * CRYPTO 2018). Here A is the chooser's, so the check looks at every row by itself.
 *
 * The steps. Behind the columns of C every digit carries masks: uniform elements of the ring Z of 2^L, L = l +
 * g, in which products are computed.
 * 1. When all chunks have come, the chooser draws a challenge. From it follow r combinations χ of the
 *    columns, 32 bits a
 *    coefficient. r ≥ 2 and r(g + 1) ≥ 42: see layout.ts. A single column has coefficients, too: were a combination known before, the error of a mask could cancel
 *    that of a column.
 * 2. The correlator answers with the slopes g = C·χ + mask and a digest of its shares of the rows, combined
 *    alike: w_i.
 * 3. The chooser, whose combined shares are v_i, compares with the digest of A_i·g − v_i. With part 'upper'
 *    row i has only the columns from i on. Thresholds 0, 1, 2, … have slopes and masks of their own, for the
 *    columns from there on. Row i is compared with the slopes of thresholds i and i + 1: what it shares with
 *    row i + 1 is so tied to the same C.
 *
 * Bounds. A correlator that deviates guesses n uniform bits with 2^−n, and learns no more than it had to
 * guess. Luck has probability 2^−41 at most. A chooser that deviates learns nothing. Anyone who fails learns
 * that it failed, and a guess that fails must be the last one: see closedByFaults() in rotated/closing.ts.
 * Why: docs/arguments.md, "Check of products", and docs/rotated.md for what it means for a rotation.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Integers } from '@eigenveil/platform';
import { decodeShares } from '../shares.ts';
import { carriedBits, firstColumn, maskCount, type ProductSize, thresholdCount } from './layout.ts';

export const CHALLENGE_BYTES = 16;

const DIGEST_BYTES = 32;
const COEFFICIENT_BYTES = 4;
const CHALLENGE_DOMAIN = 'eigenveil product challenge v1';
const DIGEST_DOMAIN = 'eigenveil product check v2';

type Rows = readonly (readonly bigint[])[];

/** Length of the correlator's answer for one product. */
export function answerBytes(size: ProductSize): number {
  return slopeCount(size) * Math.ceil(carriedBits(size) / 8) + DIGEST_BYTES;
}

/**
 * The correlator's answer for the product of this number in the exchange: its matrix, its shares with those
 * of the masks behind them, and the mask of each row of the matrix for each place, which is a threshold and a
 * combination.
 */
export function answerOf(
  size: ProductSize,
  { matrix, sums, mask }: { matrix: Rows; sums: Rows; mask: (row: number, place: number) => bigint },
  challenge: Uint8Array,
  product: number,
): Uint8Array {
  const bits = carriedBits(size);
  const coefficients = coefficientsOf(size, challenge, product);
  // Products with 0 are faster, and a matrix of zeros must not be told from others by the time to this
  // answer: a multiple of the ring makes all as long.
  const long = (row: readonly bigint[]) => row.map((entry) => entry + (1n << BigInt(bits)));
  const slopes = matrix.flatMap((row, k) =>
    combine(size, coefficients, long(row)).map((sum, place) => BigInt.asUintN(bits, sum + mask(k, place))),
  );
  return Buffer.concat([
    Integers.of(slopes, { length: slopes.length, bits }).bytes,
    digestOf(size, combineRows(size, coefficients, sums)),
  ]);
}

/**
 * Returns whether the correlator's answer fits the chooser's matrix, of entries that are not negative, and
 * shares.
 * @throws ERR_CHANNEL_MESSAGE when a slope is not in the ring
 */
export function passes(
  size: ProductSize,
  { matrix, sums }: { matrix: Rows; sums: Rows },
  challenge: Uint8Array,
  product: number,
  answer: Uint8Array,
): boolean {
  const bits = carriedBits(size);
  const end = answer.length - DIGEST_BYTES;
  const slopes = [...decodeShares({ length: slopeCount(size), bits }, answer.subarray(0, end))];
  const places = slopes.length / size.inner;
  const own = combineRows(size, coefficientsOf(size, challenge, product), sums);
  const theirs = own.map((row, i) =>
    row.map((sum, n) => {
      const place = firstPlace(size, i) + n;
      const product = matrix[i]!.reduce((total, entry, k) => total + entry * slopes[k * places + place]!, 0n);
      return product - sum;
    }),
  );
  return timingSafeEqual(digestOf(size, theirs), answer.subarray(end));
}

function slopeCount(size: ProductSize): number {
  return size.inner * thresholdCount(size) * size.combinations;
}

function firstPlace(size: ProductSize, row: number): number {
  return firstColumn(size, row) * size.combinations;
}

/** Draws the coefficients, by combination and column. */
function coefficientsOf(
  { columns, combinations }: ProductSize,
  challenge: Uint8Array,
  product: number,
): bigint[][] {
  const bytes = createHash('shake256', { outputLength: combinations * columns * COEFFICIENT_BYTES })
    .update(CHALLENGE_DOMAIN)
    .update(challenge)
    .update(Uint32Array.of(product))
    .digest();
  return Array.from({ length: combinations }, (_, b) =>
    Array.from({ length: columns }, (_, j) =>
      BigInt(bytes.readUInt32LE((b * columns + j) * COEFFICIENT_BYTES)),
    ),
  );
}

/** The combinations of a row's columns from each threshold on, by place. */
function combine(size: ProductSize, coefficients: Rows, row: readonly bigint[]): bigint[] {
  const thresholds = thresholdCount(size);
  const sums = new Array<bigint>(thresholds * coefficients.length).fill(0n);
  for (const [b, factors] of coefficients.entries()) {
    let sum = 0n;
    for (let j = size.columns - 1; j >= 0; j -= 1) {
      sum += factors[j]! * row[j]!;
      if (j < thresholds) sums[j * coefficients.length + b] = sum;
    }
  }
  return sums;
}

/** The combinations of each row of shares at the places that it has masks for, those added. */
function combineRows(size: ProductSize, coefficients: Rows, sums: Rows): bigint[][] {
  const masks = maskCount(size);
  return sums.map((row, i) => {
    const first = firstPlace(size, i);
    return combine(size, coefficients, row)
      .slice(first, first + masks)
      .map((sum, n) => sum + row[size.columns + n]!);
  });
}

function digestOf(size: ProductSize, rows: Rows): Uint8Array {
  const bits = carriedBits(size);
  const elements = rows.flatMap((row) => row.map((element) => BigInt.asUintN(bits, element)));
  return createHash('sha256')
    .update(DIGEST_DOMAIN)
    .update(Integers.of(elements, { length: elements.length, bits }).bytes)
    .digest();
}
