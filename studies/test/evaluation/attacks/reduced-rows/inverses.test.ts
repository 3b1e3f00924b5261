/** Ways back from reduced rows, where what comes back is known. */

import { project } from '@eigenveil/projection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blindGuess,
  densest,
  learnedInverse,
  linearInverse,
  type Projection,
  pseudoInverse,
  type Row,
} from '../../../../evaluation/attacks/reduced-rows/inverses.ts';
import type { Draws } from '../../../../evaluation/draws.ts';
import { orthonormal } from '../../../../privacy/methods/matrix.ts';
import { drawn } from './made-up.ts';

const TOLERANCE = 0.1;
const tolerances = [TOLERANCE, TOLERANCE, TOLERANCE];

function people(projection: Projection, rows: readonly Row[]) {
  const inputs = project(projection, rows);
  return rows.map((output, i) => [{ input: inputs[i]!, output }]);
}

/** Share of entries within the tolerance. */
function right(said: readonly Row[], rows: readonly Row[], feature?: number): number {
  const hits = rows.flatMap((row, i) =>
    row.flatMap((value, f) =>
      feature === undefined || f === feature ? [Math.abs(said[i]![f]! - value) <= TOLERANCE] : [],
    ),
  );
  return hits.filter(Boolean).length / hits.length;
}

const worst = (said: readonly Row[], rows: readonly Row[]): number =>
  Math.max(...rows.flatMap((row, i) => row.map((value, f) => Math.abs(value - said[i]![f]!))));

describe('as many components as features', () => {
  const row = (draws: Draws) => [draws.normal(), draws.normal(), draws.normal()];
  const rows = drawn(30, 'whole', row);
  const projection = { vectors: orthonormal(rows.slice(0, 3)), mean: [0.3, -0.2, 0.1] };

  it.each([
    ['pseudo-inverse', pseudoInverse(projection)],
    ['linear', linearInverse(projection, people(projection, rows))],
    ['learned', learnedInverse(projection, people(projection, rows), tolerances)],
  ] as const)('are the rows to the %s', (_name, inverse) => {
    const others = drawn(20, 'others', row);
    expect(worst(inverse(project(projection, others)), others)).toBeLessThan(1e-9);
  });
});

it('the pseudo-inverse reduces to the same numbers, whatever the vectors, with a mean and without', () => {
  const entry = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(entry, entry), { minLength: 1, maxLength: 5 }),
      fc.tuple(entry, entry, entry),
      fc.option(fc.tuple(entry, entry, entry), { nil: undefined }),
      (reduced, [a, b, c], mean) => {
        const vectors = [
          [1, a, b],
          [0, 1, c],
        ];
        const projection = { vectors, ...(mean && { mean: [...mean] }) };
        const again = project(projection, pseudoInverse(projection)(reduced) as number[][]);
        expect(worst(again, reduced)).toBeLessThan(1e-9);
      },
    ),
  );
});

it('the linear inverse finds what depends on what is seen, where the pseudo-inverse does not', () => {
  const row = (draws: Draws) => {
    const x = draws.normal() / 3;
    return [x, 3 * x - 0.5];
  };
  const projection = { vectors: [[1, 0]] };
  const rows = drawn(20, 'members', row);
  const reduced = project(projection, rows);
  const linear = linearInverse(projection, people(projection, drawn(30, 'public', row)));
  expect(worst(linear(reduced), rows)).toBeLessThan(1e-4);
  expect(worst(pseudoInverse(projection)(reduced), rows)).toBeGreaterThan(0.5);
});

describe('the learned inverse', () => {
  const projection = { vectors: [[1, 0, 0]] };
  /** The second feature is a parabola of the first, the third a matter of chance, mostly 0.5. */
  const row = (draws: Draws) => {
    const x = 2 * draws.uniform() - 1;
    return [x, x * x, draws.uniform() < 0.7 ? 0.5 : -draws.uniform()];
  };
  const [sample, rows] = [drawn(240, 'public', row), drawn(100, 'members', row)];
  const reduced = project(projection, rows);
  const learned = learnedInverse(projection, people(projection, sample), tolerances)(reduced);

  it('finds what is no linear function of what is seen', () => {
    const linear = linearInverse(projection, people(projection, sample))(reduced);
    expect(right(learned, rows, 1)).toBeGreaterThan(0.9);
    expect(right(linear, rows, 1)).toBeLessThan(0.5);
  });

  it('guesses as the blind do where there is nothing to see', () => {
    const blind = new Array<Row>(rows.length).fill(blindGuess(sample, tolerances));
    const guess = right(blind, rows, 2);
    expect(guess).toBeGreaterThan(0.6);
    expect(Math.abs(right(learned, rows, 2) - guess)).toBeLessThan(0.03);
  });
});

it('takes the densest interval, and of several the one nearest to the median', () => {
  expect(densest([5, 0, 0.1, 0.2, 9], 0.1)).toBeCloseTo(0.1, 12);
  expect(densest([0, 1, 2], 0.1)).toBe(1);
  expect(densest([7], 0)).toBe(7);
});
