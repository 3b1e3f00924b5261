/**
 * A malicious owner's legal rows make a released result show rows of the others' scatter matrix: how near,
 * by how many rows it may add (docs/security/owners.md).
 *
 * @claims S-701
 */
import type { Statistics } from '@eigenveil/statistics';
import { expect, test } from 'vitest';
import { decompose, totalScatter } from '../src/index.ts';
import { METHODS, prepare } from './samples.ts';

const CHOSEN = [0, 3, 5];
const PARTS = [0.5, 0.3, 0.2];

/** How far what it reads of k rows of S̄ is off, as a part of their length, if it adds so many rows at both ends of k features. */
function errorWith(name: 'pima' | 'ionosphere' | 'breast_cancer', room: number): number {
  const { program, statistics } = prepare(name, METHODS.pca);
  const d = program.featureCount;
  const added = PARTS.map((part) => 2 * Math.floor((room * part) / 2));
  const unit = 4n ** BigInt(program.fractionBits);
  const R = [...statistics.R];
  for (const [c, i] of CHOSEN.entries()) R[i * d - (i * (i - 1)) / 2]! += BigInt(added[c]!) * unit;
  const [own] = statistics.labellings[0]!;
  const M = own!.M + added.reduce((sum, count) => sum + BigInt(count), 0n);
  const all: Statistics = { ...statistics, R, labellings: [[{ ...own!, M }]] };
  const { vectors, eigenvalues } = decompose({ ...program, components: CHOSEN.length, outputs: [] }, all);
  // (S̄ − D) v = λ v − D v, D being its own part: nearly the chosen rows of S̄ − D, as v is nearly along one of the features.
  const seen = vectors.map((v, a) =>
    v.map((x, i) => (eigenvalues[a]! - (added[CHOSEN.indexOf(i)] ?? 0)) * x),
  );
  const weights = vectors.map((v) => CHOSEN.map((i) => v[i]!));
  const read = solved(weights, seen);
  const truth = totalScatter(all, program.fractionBits);
  let [error, length] = [0, 0];
  for (const [c, i] of CHOSEN.entries())
    for (const [j, x] of truth[i]!.entries()) {
      const rest = i === j ? x - added[c]! : x;
      error += (read[c]![j]! - rest) ** 2;
      length += rest ** 2;
    }
  return Math.sqrt(error / length);
}

/** Rows x with Σ_c weights[a][c] x_c = right[a], by elimination; the weights are nearly those of the identity. */
function solved(weights: readonly number[][], right: readonly number[][]): number[][] {
  const rows = weights.map((row, a) => [...row, ...right[a]!]);
  for (const [p, pivot] of rows.entries())
    for (const [q, row] of rows.entries())
      if (q !== p) {
        const factor = row[p]! / pivot[p]!;
        for (const [j, x] of pivot.entries()) row[j]! -= factor * x;
      }
  return rows.map((row, p) => row.slice(weights.length).map((x) => x / row[p]!));
}

test('rows of the others’ scatter come out to 0.3 % where it may add a million, and not where it may add a thousand', () => {
  expect(errorWith('ionosphere', 1e6)).toBeCloseTo(0.0033, 3);
  expect(errorWith('pima', 1e6)).toBeCloseTo(0.0032, 3);
  expect(errorWith('breast_cancer', 1e6)).toBeCloseTo(0.0085, 3);
  expect(errorWith('ionosphere', 1e5)).toBeCloseTo(0.034, 2);
  for (const name of ['ionosphere', 'pima', 'breast_cancer'] as const) {
    expect(errorWith(name, 1e4)).toBeGreaterThan(0.3);
    expect(errorWith(name, 1e3)).toBeGreaterThan(1);
  }
});
