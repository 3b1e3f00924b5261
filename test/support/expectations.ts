/** What must hold of a task that went through the services: exact sums, and the decomposition of the clear reference. */
import type { FlatResult } from '@eigenveil/methods';
import { principalAngles } from '@eigenveil/projection';
import { layout } from '@eigenveil/statistics';
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import { expect } from 'vitest';
import { definedEigenPairs, plainSums } from './definitions.ts';
import { type Pools, unblindingOf } from './recording-pool.ts';
import type { FinishedTask } from './run-task.ts';
import { type LabelledRows, reference } from './tasks.ts';

/**
 * How far a result may be from the reference: principal angles in radians, eigenvalues in units of λ₁, other outputs in units of
 * the largest. The garbled circuits compute with 24 fraction bits or more; the noise of `rotated` is 2^-36 of the trace.
 */
const TOLERANCES = {
  simulated: { angle: 1e-7, eigenvalue: 1e-9, output: 0 },
  garbled: { angle: 1e-4, eigenvalue: 1e-5, output: 1e-5 },
  rotated: { angle: 1e-7, eigenvalue: 1e-9, output: 1e-9 },
  linear: { angle: 0, eigenvalue: 0, output: 0 },
} as const;

type Tolerance = (typeof TOLERANCES)[keyof typeof TOLERANCES];

/** Of λ₁: between eigenvalues that are further apart, a vector is compared on its own. */
const CLEAR_GAP = 1e-3;
/** Of λ₁: where eigenvalues are closer, rounding alone may turn the space of the first k vectors. */
const LEAST_GAP = 1e-6;

/**
 * What the CSP decrypted less what the data user had added is, to the integer, what the rows of all owners sum to: R, V
 * and Q (or per class V_k and M_k), and the number of owners.
 */
export function expectExactSums(
  { task, n }: FinishedTask,
  parts: readonly LabelledRows[],
  pools: Pools,
): void {
  const { slots, blinding } = unblindingOf(n, layout(task), pools);
  expect(slots.map((slot, i) => slot - blinding[i]!)).toEqual(plainSums(task, parts));
}

/** The projection is the clear reference's, every vector, eigenvalue and declared output of it, and holds nothing else. */
export function expectReference(projection: Projection, task: Task, parts: readonly LabelledRows[]): void {
  const { decomposition } = reference(task, parts);
  const tolerance = TOLERANCES[task.twoParty];
  expect(projection.vectors).toHaveLength(decomposition.vectors.length);
  expectAngles(tolerance, projection.vectors, decomposition.vectors);
  decomposition.vectors.forEach((vector, i) => {
    expectAngles(tolerance, [projection.vectors[i]!], [vector]);
    expect(inner(projection.vectors[i]!, vector)).toBeGreaterThan(0); // the same sign, too
  });
  expectEigenvalues(tolerance, projection.eigenvalues, decomposition.eigenvalues);
  expectOutputs(tolerance, projection, decomposition);
}

/** The same against the eigenproblem by its definition, as far as its eigenvalues set vectors apart. */
export function expectDefinition(projection: Projection, task: Task, parts: readonly LabelledRows[]): void {
  const { values, vectors } = definedEigenPairs(task, parts);
  const tolerance = TOLERANCES[task.twoParty];
  const count = projection.vectors.length;
  expectEigenvalues(tolerance, projection.eigenvalues, values.slice(0, count));
  const gapAfter = (i: number) => (values[i - 1]! - values[i]!) / Math.abs(values[0]!);
  const isSetApart = (i: number, gap: number) => i === 0 || i === values.length || gapAfter(i) > gap;
  let compared = 0;
  if (isSetApart(count, LEAST_GAP)) {
    expectAngles(tolerance, projection.vectors, vectors.slice(0, count));
    compared += 1;
  }
  for (let i = 0; i < count; i++) {
    if (!isSetApart(i, CLEAR_GAP) || !isSetApart(i + 1, CLEAR_GAP)) continue;
    expectAngles(tolerance, [projection.vectors[i]!], [vectors[i]!]);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(0);
}

function expectAngles(
  { angle }: Tolerance,
  actual: readonly number[][],
  expected: readonly number[][],
): void {
  expect(Math.max(...principalAngles(actual, expected))).toBeLessThan(angle);
}

function expectEigenvalues(
  { eigenvalue }: Tolerance,
  actual: readonly number[],
  expected: readonly number[],
): void {
  expect(actual).toHaveLength(expected.length);
  const errors = actual.map((value, i) => Math.abs(value - expected[i]!));
  expect(Math.max(...errors)).toBeLessThanOrEqual(eigenvalue * Math.abs(expected[0]!));
}

/** What was declared is there and right, and nothing else is there. */
function expectOutputs({ output }: Tolerance, actual: Projection, expected: FlatResult): void {
  expect(actual.sampleCount).toBe(expected.sampleCount);
  expect(actual.classCounts).toEqual(expected.classCounts);
  for (const name of ['mean', 'trace', 'spectrum'] as const) {
    const [got, wanted] = [actual[name], expected[name]].map((value) =>
      value === undefined ? undefined : [value].flat(),
    );
    expect(got?.length).toBe(wanted?.length);
    const largest = Math.max(...(wanted ?? []).map(Math.abs));
    for (const [i, value] of (wanted ?? []).entries())
      expect(Math.abs(got![i]! - value)).toBeLessThanOrEqual(output * largest);
  }
}

function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
}
