/** Eigenpairs of matrices that are hard for bisection or for deflation, against the reference. */

import { residual, symmetricEigen } from '@eigenveil/projection';
import { describe, expect } from 'vitest';
import { bitsOf, numberFrom, valuesOf } from '../../src/circuits/index.ts';
import { Fixed } from '../../src/fixed-point/index.ts';
import { ClearSession } from '../../src/garbling/index.ts';
import { leadingEigenpairs } from '../../src/programs/eigen.ts';
import { FRACTION, WORD } from '../../src/programs/precision.ts';
import { each } from './check.ts';

/** Of a matrix scaled to a trace of 3/4; it must have no negative eigenvalue. */
async function run(matrix: readonly (readonly number[])[], count: number) {
  const d = matrix.length;
  const trace = matrix.reduce((sum, row, i) => sum + row[i]!, 0);
  const scaled = matrix.map((row) =>
    row.map((entry) => Math.round((entry / trace) * 0.75 * 2 ** FRACTION) / 2 ** FRACTION),
  );
  const triangle = scaled.flatMap((row, i) => row.slice(i).map((entry) => BigInt(entry * 2 ** FRACTION)));
  const session = new ClearSession();
  const bits = bitsOf(triangle, WORD);
  const wires = await session.garblerInput(bits.length, bits);
  const input = await session.step((gates) => new Fixed(gates, numberFrom(gates, wires, WORD), FRACTION));
  const { values, vectors } = await leadingEigenpairs(session, input, d, count);
  const read = async ({ number, fraction }: Fixed): Promise<number[]> =>
    valuesOf(await session.reveal(number)).map((value) => Number(value) / 2 ** fraction);
  const entries = await read(vectors);
  return {
    scaled,
    values: await read(values),
    vectors: Array.from({ length: count }, (_, j) =>
      Array.from({ length: d }, (_, i) => entries[i * count + j]!),
    ),
  };
}

function tridiagonal(diagonal: readonly number[], beside: number): number[][] {
  return diagonal.map((a, i) => diagonal.map((_, j) => (i === j ? a : Math.abs(i - j) === 1 ? beside : 0)));
}

/** Pairs of its eigenvalues agree to many digits, with vectors at both ends. */
const wilkinson = (order: number) =>
  tridiagonal(
    Array.from({ length: order }, (_, i) => Math.abs(i - (order - 1) / 2) + 2),
    1,
  );
const ofRankOne = (order: number) =>
  Array.from({ length: order }, (_, i) => Array.from({ length: order }, (_, j) => (i + 1) * (j + 1)));

describe('leadingEigenpairs', () => {
  each<[string, number[][]]>(
    [['a matrix of rank 1', ofRankOne(4)]],
    [
      ["Wilkinson's matrix of order 11", wilkinson(11)],
      ["Wilkinson's matrix of order 21", wilkinson(21)],
      ['a matrix that is tridiagonal with one diagonal', tridiagonal(new Array<number>(16).fill(2), 1)],
      ['a diagonal matrix with equal entries', tridiagonal([1, 3, 3, 3, 2, 2, 1, 3], 0)],
      ['a larger matrix of rank 1', ofRankOne(12)],
      [
        'one of falling entries',
        Array.from({ length: 10 }, (_, i) =>
          Array.from({ length: 10 }, (_, j) => (i === j ? 4 ** -i : 4 ** -Math.max(i, j) / 8)),
        ),
      ],
      [
        'one of rising entries',
        Array.from({ length: 10 }, (_, i) =>
          Array.from({ length: 10 }, (_, j) => (i === j ? 4 ** (i - 9) : 4 ** (Math.min(i, j) - 9) / 8)),
        ),
      ],
    ],
  )('finds those of %s', async (_, matrix) => {
    const count = Math.min(matrix.length > 12 ? 8 : 4, matrix.length);
    const { scaled, values, vectors } = await run(matrix, count);
    const expected = symmetricEigen(scaled.map((row) => [...row]));
    for (const [i, vector] of vectors.entries()) {
      expect(Math.abs(values[i]! - expected.values[i]!)).toBeLessThan(2 ** -16);
      expect(residual(scaled, values[i]!, vector)).toBeLessThan(2 ** -15);
      expect(Math.abs(Math.hypot(...vector) - 1)).toBeLessThan(2 ** -17);
      for (const other of vectors.slice(0, i)) {
        expect(Math.abs(other.reduce((sum, entry, j) => sum + entry * vector[j]!, 0))).toBeLessThan(2 ** -17);
      }
    }
  });
});
