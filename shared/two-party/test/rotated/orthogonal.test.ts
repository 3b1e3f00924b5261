/** The rotation: how orthogonal it is, and that it is Haar-distributed down to its last bits. */
import { describe, expect, it } from 'vitest';
import { innerProduct } from '../../src/rotated/matrices.ts';
import { haarOrthogonal } from '../../src/rotated/orthogonal.ts';
import { KS_LIMIT, kolmogorov, seededBits, uniformity } from './statistics.ts';

const BITS = 80;

function draw(d: number, count: number, seed: string): number[][][] {
  const random = seededBits(seed);
  return Array.from({ length: count }, () =>
    haarOrthogonal(d, BITS, random).map((row) => row.map((entry) => Number(entry) / 2 ** BITS)),
  );
}

describe('haarOrthogonal', () => {
  // With errors E of at most (1 + 2^−17)/2 units, R Rᵀ − 4^f I = 2^f (P Eᵀ + E Pᵀ) + E Eᵀ. An entry of P of 1, cut by a unit, counts twice.
  it.each([1, 2, 3, 8, 50])('is orthogonal to within its rounding for %i features', (d) => {
    const rows = haarOrthogonal(d, BITS, seededBits(`orthogonal ${d}`));
    const unit = d <= 2 ? 2 : 1;
    const limit = BigInt(Math.ceil(unit * Math.sqrt(d) * 2 ** 20 * (1 + 2 ** -16))) << BigInt(BITS - 20);
    const slack = BigInt(d);
    for (const [i, row] of rows.entries()) {
      for (const [j, other] of rows.entries()) {
        const error = innerProduct(row, other) - (i === j ? 1n << BigInt(2 * BITS) : 0n);
        expect((error < 0n ? -error : error) <= limit + slack).toBe(true);
      }
    }
  });

  it('has no errors but those of rounding its entries', () => {
    const d = 50;
    const rows = haarOrthogonal(d, BITS, seededBits('rounding'));
    const errors = rows.flatMap((row, i) =>
      rows.slice(0, i).map((other) => Number(innerProduct(row, other)) / 2 ** BITS),
    );
    // P Eᵀ + E Pᵀ with E uniform in a unit has variance 2/12 off the diagonal.
    const variance = errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length;
    expect(variance * 6).toBeGreaterThan(0.8);
    expect(variance * 6).toBeLessThan(1.25);
  });

  it('has entries of one bit more than its fraction, sign included', () => {
    const limit = 1n << BigInt(BITS);
    for (const d of [1, 2, 3, 9]) {
      for (const entry of haarOrthogonal(d, BITS, seededBits(`range ${d}`)).flat()) {
        expect(entry >= -limit && entry < limit).toBe(true);
      }
    }
  });

  it('has columns and rows that are uniform on the sphere', () => {
    const matrices = draw(3, 4000, 'sphere');
    // Archimedes: each coordinate of a uniform point of the sphere in R³ is uniform in [−1, 1].
    for (const [i, j] of [
      [0, 0],
      [0, 2],
      [1, 1],
      [2, 0],
      [2, 2],
    ] as const) {
      const entries = matrices.map((matrix) => matrix[i]![j]!);
      expect(kolmogorov(entries, (x) => (x + 1) / 2)).toBeLessThan(KS_LIMIT);
    }
  });

  it('has the angles of the plane and both orientations', () => {
    const matrices = draw(2, 4000, 'plane');
    const angles = matrices.map((matrix) => Math.atan2(matrix[1]![0]!, matrix[0]![0]!));
    expect(kolmogorov(angles, (x) => (x + Math.PI) / (2 * Math.PI))).toBeLessThan(KS_LIMIT);
    const proper = matrices.filter((m) => m[0]![0]! * m[1]![1]! - m[0]![1]! * m[1]![0]! > 0).length;
    expect(Math.abs(proper - 2000)).toBeLessThan(5 * Math.sqrt(1000));
  });

  it('has the moments of the trace of Haar matrices', () => {
    // Diaconis and Shahshahani, 1994: E t = 0, E t² = 1, E t⁴ = 3 in O(d) for d >= 4. Uncorrected signs would shift the first.
    const traces = draw(5, 4000, 'trace').map((matrix) => matrix.reduce((sum, row, i) => sum + row[i]!, 0));
    const moment = (power: number) => traces.reduce((sum, t) => sum + t ** power, 0) / traces.length;
    expect(Math.abs(moment(1))).toBeLessThan(0.08);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.12);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.9);
  });

  it('has two columns that are as independent as orthogonality allows', () => {
    // Given the first column, an entry of the second is of one sign or the other alike.
    const signs = draw(4, 3000, 'pairs').map((m) => (m[0]![0]! > 0 ? 1 : 0) + (m[0]![1]! > 0 ? 2 : 0));
    expect(uniformity(signs, 4)).toBeLessThan(6);
  });

  it('has uniform low bits, which no number in double precision has', () => {
    const random = seededBits('low');
    const low = Array.from({ length: 300 }, () => haarOrthogonal(4, BITS, random))
      .flat(2)
      .map((entry) => Number(BigInt.asUintN(4, entry)));
    expect(uniformity(low, 16)).toBeLessThan(6);
  });
});
