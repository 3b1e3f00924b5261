/** Rows and settings for tests of published methods. */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { PCA_METHODS } from '../../../privacy/methods/index.ts';
import { boundedRow } from '../../../privacy/methods/matrix.ts';
import type { PcaSetting, Row } from '../../../privacy/methods/method.ts';
import { RealDraws } from '../../../privacy/random/real.ts';

export const SETTING: PcaSetting = { components: 2, epsilon: 1, dpDelta: 1e-5, clippingNorm: 1 };
export const source = (seed = 'test') => predictableRandomness(seed);
export const named = (name: string) => PCA_METHODS.find((method) => method.name === name)!;
export const copies = (count: number, row: Row) => new Array<Row>(count).fill(row);

/** Within the unit ball, longer in the first directions than in the last. */
export function exampleRows(count: number, dimension: number, seed: string): Row[] {
  const draws = new RealDraws(predictableRandomness(seed));
  return Array.from({ length: count }, () =>
    boundedRow(
      Array.from({ length: dimension }, (_, i) => 0.1 + (0.4 * draws.normal()) / (i + 1)),
      1,
      1,
    ),
  );
}

/** Multiples of 2^-8 whose mean is zero: all that is summed over them is exact in doubles. */
export function exactRows(count: number, dimension: number, seed: string): Row[] {
  const half = exampleRows(count / 2, dimension, seed).map((row) =>
    row.map((x) => Math.trunc((x / Math.sqrt(2)) * 256) / 256),
  );
  return half.flatMap((row) => [row, row.map((x) => -x)]);
}

/** One after the other, so that pairs of rows end up on different sites. */
export function dealt(rows: readonly Row[], sites: number): Row[][] {
  return Array.from({ length: sites }, (_, s) => rows.filter((_row, i) => i % sites === s));
}
