/** The scaled Manhattan distance by its definition, and in the user's own unit. */
import { expect, it } from 'vitest';
import { scaledManhattan } from '../src/recognition/manhattan.ts';

const ROWS = [
  [0, 0.5],
  [0.2, 0.5],
];

it('differences count in units of mean absolute deviations, the least of which is 0.01', () => {
  const { unit, score } = scaledManhattan(ROWS);
  // Deviations are 0.1 and 0, and 0.01 more; the user's own rows are 0.1 from the mean, as if there were one more of them.
  expect(unit).toBeCloseTo(((0.1 / 0.11 + 0) / 2) * (3 / 2), 12);
  expect(score([0.1, 0.5])).toBe(0);
  expect(score([0.32, 0.6]) * unit).toBeCloseTo((0.22 / 0.11 + 0.1 / 0.01) / 2, 12);
});

it('another deviation may stand for the own one', () => {
  const { unit, score } = scaledManhattan(ROWS, (own, feature) => (feature === 1 ? 0.09 : own));
  expect(score([0.1, 0.6]) * unit).toBeCloseTo(0.1 / 0.1 / 2, 12);
});
