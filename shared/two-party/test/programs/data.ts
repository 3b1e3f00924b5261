/** PCA tasks with made-up rows, and their additive shares. */
import type { Program } from '@eigenveil/projection';
import { flatten, layout, type Statistics, type StatisticsTask } from '@eigenveil/statistics';
import { combine, toRing } from '../../src/shares.ts';

export interface Setting {
  readonly task: StatisticsTask;
  readonly program: Program;
  readonly statistics: Statistics;
  readonly garbler: { readonly shares: bigint[]; readonly verifiedOwners: number };
  readonly evaluator: { readonly shares: bigint[] };
}

const OWNERS = 3;

/** A generator of numbers from 0 to 1 (Park and Miller, 1988). */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Rows of values in [-1, 1]. */
export function setting(
  rows: readonly (readonly number[])[],
  components: number,
  d = rows[0]!.length,
): Setting {
  const fractionBits = 14;
  const cells = rows.map((row) => row.map((value) => BigInt(Math.round(value * 2 ** fractionBits))));
  const sum = (term: (row: readonly bigint[]) => bigint): bigint =>
    cells.reduce((total, row) => total + term(row), 0n);
  const R: bigint[] = [];
  for (let i = 0; i < d; i += 1) for (let j = i; j < d; j += 1) R.push(sum((row) => row[i]! * row[j]!));
  const V = Array.from({ length: d }, (_, i) => sum((row) => row[i]!));
  const statistics: Statistics = {
    R,
    labellings: [[{ V, M: BigInt(rows.length) }]],
    owners: BigInt(OWNERS),
  };
  const task: StatisticsTask = {
    method: { kind: 'pca' },
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: [],
    fractionBits,
    maximumOwners: 10,
    maximumSamplesPerOwner: 200,
    keyBits: 2048,
    statisticalSecurityBits: 40,
  };
  const program = {
    method: task.method,
    featureCount: d,
    classCounts: [],
    components,
    fractionBits,
    outputs: [],
    minimumOwners: 2,
    allowFullRank: true,
  };
  const { valueBits } = layout(task);
  const next = numbers(17);
  const blinding = valueBits.map((bits) => BigInt.asUintN(bits, BigInt(Math.floor(next() * 2 ** 52)) << 7n));
  const right = toRing(
    valueBits,
    blinding.map((value) => -value),
  );
  const left = toRing(
    valueBits,
    flatten(task, statistics).map((value, i) => value + blinding[i]!),
  );
  if (combine(valueBits, left, right).at(-1) !== statistics.owners) throw new Error('shares do not add up');
  return {
    task,
    program,
    statistics,
    garbler: { shares: left, verifiedOwners: OWNERS },
    evaluator: { shares: right },
  };
}
