/** The pseudo-inverse of a projection's vectors beside that of a library, by its singular values. */
import { Matrix, pseudoInverse } from 'ml-matrix';
import { expect, it } from 'vitest';
import { inverseOf } from '../src/projector/project.ts';
import { difference } from './linear-algebra.ts';

function library(vectors: number[][]): number[][] {
  return pseudoInverse(new Matrix(vectors)).to2DArray();
}

/** Vectors of length 1, the first k unit vectors turned a little, each so far from the one before. */
function close(d: number, k: number, distance: number): number[][] {
  const first = Array.from({ length: d }, (_, i) => Math.cos(i + 1));
  return Array.from({ length: k }, (_, j) => {
    const own = first.map((entry, i) => entry + distance * Math.sin((j + 1) * (i + 2)) * Number(j > 0));
    const length = Math.hypot(...own);
    return own.map((entry) => entry / length);
  });
}

it.each([
  [6, 1, 1],
  [6, 3, 1],
  [34, 15, 1],
  [34, 3, 1e-2],
  [34, 3, 1e-4],
])('of %i features and %i vectors %f apart is the library’s', (d, k, distance) => {
  const vectors = close(d, k, distance);
  const expected = library(vectors);
  const largest = Math.max(...expected.flat().map(Math.abs));
  expect(difference(inverseOf(vectors), expected)).toBeLessThan(1e-9 * largest);
});

it('of a vector that is there twice is the library’s', () => {
  const [a, b] = close(8, 2, 0.5) as [number[], number[]];
  expect(difference(inverseOf([a, b, a]), library([a, b, a]))).toBeLessThan(1e-12);
});

it('of as many vectors as features leads back', () => {
  const vectors = close(7, 7, 1);
  const inverse = inverseOf(vectors);
  const row = Array.from({ length: 7 }, (_, i) => i - 3);
  const coordinates = vectors.map((v) => v.reduce((sum, entry, i) => sum + entry * row[i]!, 0));
  const back = inverse.map((line) => line.reduce((sum, entry, j) => sum + entry * coordinates[j]!, 0));
  expect(difference([back], [row])).toBeLessThan(1e-6);
});
