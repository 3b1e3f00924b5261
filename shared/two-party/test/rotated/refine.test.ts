/** Eigenvectors beyond doubles: residuals in whole numbers. */
import { symmetricEigen } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { refineVectors, rehearsedMatrix } from '../../src/rotated/decomposition.ts';
import { innerProduct, type Matrix } from '../../src/rotated/matrices.ts';

const BITS = 82;

/** ‖Y a − ρ a‖/‖Y‖ of a vector in units of 2^−bits, as a power of two. */
function residualExponent(matrix: Matrix, vector: readonly bigint[]): number {
  const fine = vector.map((entry) => entry << 60n);
  const image = matrix.map((row) => innerProduct(row, fine));
  const rayleigh = innerProduct(fine, image);
  const square = innerProduct(fine, fine);
  const rest = image.map((entry, i) => Number(entry - (rayleigh * fine[i]!) / square));
  const size = Math.hypot(...matrix.flat().map(Number)) * 2 ** (BITS + 60);
  return Math.log2(Math.hypot(...rest) / size);
}

function symmetric(d: number, seed: number, entry: (i: number, j: number, random: () => number) => number) {
  const random = generator(seed);
  const upper = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d }, (_, j) => (j < i ? 0 : entry(i, j, random))),
  );
  // Entries of 200 bits, as M has.
  return upper.map((row, i) =>
    row.map(
      (_, j) => (BigInt(Math.round((j < i ? upper[j]![i]! : upper[i]![j]!) * 2 ** 52)) << 148n) + 12_345n,
    ),
  );
}

describe('refineVectors', () => {
  it.each([
    ['well separated', symmetric(12, 5, (i, j, random) => (i === j ? 12 - i : 0) + (random() - 0.5) / 4)],
    [
      'noise on a multiple of the identity',
      symmetric(10, 6, (i, j, random) => (i === j ? 1 : 0) + (random() - 0.5) * 2 ** -34),
    ],
    [
      'a large eigenvalue and small ones',
      symmetric(8, 7, (i, j, random) => 1 + (random() - 0.5) * 2 ** -20 * (i + j)),
    ],
    ['a rehearsal', rehearsedMatrix(200, 200)],
  ])('has the residual of its rounding: %s', (_, matrix) => {
    const pairs = symmetricEigen(matrix.map((row) => row.map(Number)));
    const vectors = refineVectors(matrix, pairs, 4, BITS);
    for (let k = 0; k < 4; k += 1) {
      const column = vectors.map((row) => row[k]!);
      expect(residualExponent(matrix, column)).toBeLessThan(-BITS + 2);
      const length = innerProduct(column, column) - (1n << BigInt(2 * BITS));
      expect(Math.abs(Number(length))).toBeLessThan(8 * 2 ** BITS);
    }
  });

  it('leaves vectors of equal eigenvalues as they are', () => {
    const identity = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 5 }, (_, j) => (i === j ? 1n << 200n : 0n)),
    );
    const pairs = symmetricEigen(identity.map((row) => row.map(Number)));
    const vectors = refineVectors(identity, pairs, 2, BITS);
    expect(vectors.map((row) => row.map((entry) => Number(entry) / 2 ** BITS))).toEqual(
      identity.map((_, i) => [pairs.vectors[0]![i], pairs.vectors[1]![i]]),
    );
  });
});
