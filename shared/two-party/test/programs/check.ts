/** What must hold of decompositions: by a discriminant program against the reference in the clear, garbled against the clear program. */
import { type Components, ofKind, type ResultKind, type ResultOf } from '@eigenveil/methods';
import { decompose, pencil } from '@eigenveil/projection';
import { generator } from '@eigenveil/testbed/random';
import { expect, it } from 'vitest';
import { ClearSession } from '../../src/garbling/index.ts';
import { resolutionOf, runProgram } from '../../src/programs/index.ts';
import { runGarbled } from '../support/garbled-run.ts';
import { type Given, type Setting, settingOf } from './data.ts';

/** A test of each case; of the second list a long one. */
export function each<Case extends readonly unknown[] = readonly number[]>(
  some: readonly Case[],
  more: readonly Case[],
): (name: string, test: (...of: Case) => Promise<void>) => void {
  return (name, test) => {
    it.each([...some])(name, async (...of) => test(...(of as unknown as Case)));
    it.each([...more])(name, { tags: ['long'] }, async (...of) => test(...(of as unknown as Case)));
  };
}

type Run = Pick<Setting, 'task' | 'program' | 'garbler' | 'evaluator'>;

export async function run(setting: Run): Promise<Components> {
  return runTo('components', setting);
}

export async function runTo<Kind extends ResultKind>(
  kind: Kind,
  { task, program, garbler, evaluator }: Run,
): Promise<ResultOf<Kind>> {
  return ofKind(kind, (await runProgram(new ClearSession(), task, program, { garbler, evaluator }))!);
}

/** Garbled, the evaluator gets what the clear program gives, and the garbler nothing. */
export async function checkGarbled(given: Setting): Promise<void> {
  const { task, program, garbler, evaluator } = given;
  const results: unknown[] = [];
  const none = new Uint8Array(0);
  await runGarbled(
    async (session, bits) => {
      results.push(await runProgram(session, task, program, bits ? { garbler } : { evaluator }));
      return undefined;
    },
    none,
    none,
  );
  expect(results).toHaveLength(2);
  expect(results).toContainEqual(await runProgram(new ClearSession(), task, program, { garbler, evaluator }));
  expect(results).toContain(undefined);
}

/** Rows around a mean per class, which they take in turns. */
export function around(rows: number, d: number, classes: number, seed = 5): number[][] {
  const next = generator(seed);
  const vector = (size: number): number[] => Array.from({ length: d }, () => size * (next() - 0.5));
  const means = Array.from({ length: classes }, () => vector(0.5));
  const mixed = Array.from({ length: d }, () => vector(0.8));
  return Array.from({ length: rows }, (_, i) => {
    const parts = vector(1);
    return means[i % classes]!.map(
      (mean, j) => mean + mixed[j]!.reduce((sum, weight, l) => sum + weight * parts[l]!, 0) / Math.sqrt(d),
    );
  });
}

/** Labels in turns. */
export function turns(rows: number, classes: number, label = (i: number): number => i % classes) {
  return { classes, labels: Array.from({ length: rows }, (_, i) => label(i)) };
}

export interface Tolerance {
  /** Of eigenvalues, relative to the largest. */
  readonly values?: number;
  /** Of ‖A w − λ B w‖, relative to λ_1 ‖B w‖. */
  readonly residual?: number;
}

export async function check(
  given: Given,
  { values: tolerance = 2 ** -17, residual = 2 ** -14 }: Tolerance = {},
): Promise<{ result: Components; expected: Components }> {
  const whole = settingOf(given);
  const result = await run(whole);
  const expected = decompose(whole.program, whole.statistics);
  const count = expected.vectors.length;
  expect(result.vectors).toHaveLength(count);
  expect(result.converged).toEqual(new Array(count).fill(true));
  const { A, B } = pencil(whole.program, whole.statistics);
  const largest = Math.max(...expected.eigenvalues.map(Math.abs));
  // Where μ / (1 − μ) or 1 / (1 − μ) is the eigenvalue, an error of μ counts (1 − μ)^-2 times.
  const { method } = whole.program;
  const inverted = method.kind === 'lda' || (method.kind === 'dca' && method.form === 'book');
  const unit = tolerance * (inverted ? (1 + largest) ** 2 : largest + 2 ** -8);
  for (const [i, vector] of result.vectors.entries()) {
    const value = result.eigenvalues[i]!;
    expect(Math.hypot(...vector)).toBeCloseTo(1, 12);
    expect(Math.max(...vector)).toBe(Math.max(...vector.map(Math.abs)));
    expect(Math.abs(value - expected.eigenvalues[i]!)).toBeLessThanOrEqual(unit);
    // And as exact as is said to whoever gets the result.
    const { error } = resolutionOf('garbled', whole.program, { largest, trace: 0 });
    expect(Math.abs(value - expected.eigenvalues[i]!)).toBeLessThanOrEqual(error(value));
    const [signal, noise] = [times(A, vector), times(B!, vector)];
    const rest = Math.hypot(...signal.map((entry, j) => entry - value * noise[j]!));
    expect(rest).toBeLessThanOrEqual(residual * (largest + 2 ** -8) * Math.hypot(...noise));
    for (const other of result.vectors.slice(0, i)) {
      const size = Math.sqrt(Math.abs(inner(vector, noise) * inner(other, times(B!, other))));
      expect(Math.abs(inner(other, noise))).toBeLessThan(2 ** -10 * size);
    }
    if (gap(expected.eigenvalues, i, largest) > 0.05) {
      expect(Math.abs(inner(vector, expected.vectors[i]!))).toBeGreaterThan(0.9999);
    }
  }
  return { result, expected };
}

function gap(values: readonly number[], i: number, largest: number): number {
  const own = values[i]!;
  if (Math.abs(own) < 1e-6) return 0;
  // The one after the last is not known: 0 at least where there is no ridge, so it is left out.
  const neighbours = [values[i - 1], values[i + 1]].filter((value) => value !== undefined);
  if (values.length > 1 && i === values.length - 1) return 0;
  return Math.min(1, ...neighbours.map((value) => Math.abs(own - value) / largest));
}

function times(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  return matrix.map((row) => inner(row, vector));
}

function inner(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
}
