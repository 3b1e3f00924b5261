/**
 * Public entries of the diagonal: all of a correlation matrix, or the variances of two-valued features whose mean is declared. Each is an equation for the angles
 * that spectrum and vectors leave: where there are as many, the matrix follows, and the task is refused.
 */
import { methodOf } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { times, transposed } from '@eigenveil/two-party/insides';
import { expect, it } from 'vitest';
import { distancesOfCandidates } from './unknown-angles.ts';

/** Of made-up rows. */
function correlationMatrix(d: number): number[][] {
  const next = generator(61);
  const rows = Array.from({ length: 3 * d }, () => Array.from({ length: d }, () => next() - 0.5));
  const product = times(transposed(rows), rows);
  return product.map((row, i) => row.map((x, j) => x / Math.sqrt(product[i]![i]! * product[j]![j]!)));
}

function distances(d: number, k: number): number[] {
  const matrix = correlationMatrix(d);
  const { values, vectors } = symmetricEigen(matrix);
  const told = { matrix, values, known: vectors.slice(0, k) };
  return distancesOfCandidates(told, (guess) => guess.map((row, i) => row[i]! - 1));
}

const allowed = (d: number, components: number) =>
  methodOf({ method: { kind: 'pca', scale: 'correlation' } }).leastRank({
    ...{ featureCount: d, components, outputs: ['spectrum'], twoValued: 0 },
  }) <= d;

const givenAway = '%i features and %i components give a correlation matrix away: refused';
it.each([[5, 2]])(givenAway, isGivenAway); // three angles, five entries
it.each([[8, 4]])(givenAway, { tags: ['long'] }, isGivenAway); // six, eight

function isGivenAway(d: number, k: number): void {
  expect(allowed(d, k)).toBe(false);
  const found = distances(d, k);
  expect(found.filter((x) => x < 1e-6).length).toBeGreaterThan(0);
}

it.each([[6, 1]])('%i features and %i components do not', isKept); // ten angles, six entries
it.each([[8, 3]])('%i features and %i components do not', { tags: ['long'] }, isKept); // ten, eight

function isKept(d: number, k: number): void {
  expect(allowed(d, k)).toBe(true);
  const found = distances(d, k);
  expect(found.length).toBeGreaterThan(10);
  expect(Math.min(...found)).toBeGreaterThan(1e-3);
}
