/** The public shift of tasks with differential privacy: it is enough where rows leave no room for noise, and is taken out again. */

import { type ClassSums, drawNoise, flatten, type Statistics, unflatten } from '@eigenveil/statistics';
import {
  noisePlanOf,
  planShift,
  programOf,
  type StatisticsTask,
  shiftOf,
  shiftRidge,
  withoutShift,
} from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { decompose, symmetricEigen, totalScatter } from '../src/index.ts';
import { withinClassScatter } from '../src/reference/scatter.ts';

const D = 6;
const DRAWS = 40;

function taskOf(method: StatisticsTask['method'], classes: number): StatisticsTask {
  return {
    method,
    features: Array.from({ length: D }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings:
      classes > 1 ? [{ column: 'k', classes: Array.from({ length: classes }, (_, k) => `${k}`) }] : [],
    fractionBits: 8,
    maximumOwners: 2,
    maximumSamplesPerOwner: 100_000,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: 1,
      noise: 'servers',
      honestOwners: null,
      dataIndependentRanges: true,
    },
  };
}

/** Rows that are all one entry of the clipping norm, a feature per class: their scatter within classes is zero. */
function narrowest(task: StatisticsTask, classes: number): Statistics {
  const rows = planShift(task, noisePlanOf(task)!).fewestRows;
  const unit = 1n << BigInt(task.fractionBits);
  const sums = Array.from(
    { length: classes },
    (_, k): ClassSums => ({
      V: Array.from({ length: D }, (_, i) => (i === k ? rows * unit : 0n)),
      M: rows,
    }),
  );
  const R: bigint[] = [];
  for (let i = 0; i < D; i += 1)
    for (let j = i; j < D; j += 1) R.push(i === j && i < classes ? rows * unit * unit : 0n);
  return { R, labellings: [sums], owners: 2n };
}

function withNoise(task: StatisticsTask, exact: Statistics, seed: string, shift = shiftOf(task)): Statistics {
  const source = predictableRandomness(seed);
  const noise = [drawNoise(task, 'csp', source), drawNoise(task, 'dataUser', source), shift];
  return unflatten(
    task,
    flatten(task, exact).map((value, i) => noise.reduce((sum, draw) => sum + draw[i]!, value)),
  );
}

describe.each([
  ['pca', { kind: 'pca' }, 1],
  ['lda', { kind: 'lda', ridge: 0 }, 3],
] as const)('rows without any scatter: %s', (_, method, classes) => {
  const task = taskOf(method, classes);
  const exact = narrowest(task, classes);
  const least = (shift?: bigint[]): number[] =>
    Array.from({ length: DRAWS }, (_, n) => {
      const noisy = withNoise(task, exact, `${n}`, shift);
      const scatter = classes === 1 ? totalScatter : withinClassScatter;
      return symmetricEigen(scatter(noisy, task.fractionBits)).values.at(-1)!;
    });

  it('noise never makes an eigenvalue negative', () => {
    expect(Math.min(...least())).toBeGreaterThan(0);
  });

  it('which it does without the shift', () => {
    expect(Math.max(...least(shiftOf(task).map(() => 0n)))).toBeLessThan(0);
  });
});

it('a PCA without its shift is that of the noisy statistics', () => {
  const task = taskOf({ kind: 'pca' }, 1);
  const program = programOf({
    ...task,
    components: 3,
    outputs: ['trace', 'spectrum', 'mean', 'sampleCount'],
    minimumOwners: 2,
    allowFullRank: true,
  });
  const exact = narrowest(task, 1);
  const expected = decompose(
    program,
    withNoise(
      task,
      exact,
      'pca',
      shiftOf(task).map(() => 0n),
    ),
  );
  const result = withoutShift(task, decompose(program, withNoise(task, exact, 'pca')));
  const scale = Math.max(shiftRidge(task), expected.eigenvalues[0]!);
  const near = (got: readonly number[], wanted: readonly number[]) => {
    for (const [i, value] of wanted.entries())
      expect(Math.abs(got[i]! - value)).toBeLessThan(1e-12 * scale * D);
  };
  near(result.eigenvalues, expected.eigenvalues);
  near(result.spectrum!, expected.spectrum!);
  near([result.trace!], [expected.trace!]);
  expect(result.mean).toEqual(expected.mean);
  expect(Math.min(...result.spectrum!)).toBeLessThan(0);
});

it('of DCA and LDA only the trace is without the shift, which stays a ridge', () => {
  const task = taskOf({ kind: 'lda', ridge: 0 }, 3);
  const result = { vectors: [[1, 0, 0, 0, 0, 0]], eigenvalues: [0.5], trace: 10_000 };
  expect(withoutShift(task, result)).toEqual({ ...result, trace: 10_000 - D * shiftRidge(task) });
  expect(shiftRidge(task)).toBeGreaterThan(0);
});

it('nothing is taken out of a result without differential privacy', () => {
  const task = { ...taskOf({ kind: 'pca' }, 1), differentialPrivacy: null };
  const result = { vectors: [[1, 0, 0, 0, 0, 0]], eigenvalues: [0.5] };
  expect(withoutShift(task, result)).toBe(result);
});
