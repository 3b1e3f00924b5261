/** Tasks with made-up rows, and their additive shares. */

import { type Feature, type MethodParameters, methodOf } from '@eigenveil/methods';
import {
  type ClassSums,
  flatten,
  type Statistics,
  unflatten,
  unflattenComputed,
} from '@eigenveil/statistics';
import {
  computedBitsOf,
  computedValues,
  floorDeviations,
  type Program,
  programOf,
  type StatisticsTask,
} from '@eigenveil/task';
import { generator, normal } from '@eigenveil/testbed/random';
import { combine } from '../../src/shares.ts';
import { toRing } from '../support/to-ring.ts';

export interface Setting {
  readonly task: StatisticsTask;
  readonly program: Program;
  readonly statistics: Statistics;
  readonly garbler: { readonly shares: bigint[]; readonly verifiedOwners: number };
  readonly evaluator: { readonly shares: bigint[] };
}

const OWNERS = 3;

/** A task of any method over rows of values in [-1, 1], with a class per row for each labelling. */
export interface Given {
  readonly rows: readonly (readonly number[])[];
  readonly components: number;
  /** Features, where there are no rows to tell. */
  readonly d?: number;
  readonly method?: MethodParameters;
  /** Per labelling: how many classes there are, and each row's. */
  readonly labellings?: readonly { readonly classes: number; readonly labels: readonly number[] }[];
  readonly maximumOwners?: number;
  readonly maximumSamplesPerOwner?: number;
  readonly fractionBits?: number;
  readonly differentialPrivacy?: StatisticsTask['differentialPrivacy'];
  /** Added to the flat statistics of the rows. */
  readonly noise?: readonly bigint[];
  /** Each feature's, in [−1, 1]; 0 of one that does not vary: the task has a floor then, of both servers' noise. */
  readonly grains?: readonly (number | 'cell')[];
  readonly releases?: number;
  /** Times its deviation. */
  readonly floorSize?: number;
}

/** Rows of values in [-1, 1]. */
export function setting(
  rows: readonly (readonly number[])[],
  components: number,
  d = rows[0]!.length,
): Setting {
  return settingOf({ rows, components, d });
}

function featureOf(i: number, grain?: number | 'cell'): Feature {
  const name = `f${i}`;
  return grain === 0
    ? { name, min: 0, max: 0 }
    : { name, min: -1, max: 1, twoValued: false, ...(grain && { grain }) };
}

export function settingOf({
  rows,
  components,
  d = rows[0]!.length,
  method = { kind: 'pca' },
  labellings = [],
  maximumOwners = 10,
  maximumSamplesPerOwner = 200,
  fractionBits = 14,
  differentialPrivacy = null,
  noise,
  grains,
  releases = 2,
  floorSize = 1,
}: Given): Setting {
  const cells = rows.map((row) => row.map((value) => BigInt(Math.round(value * 2 ** fractionBits))));
  const sum = (term: (row: readonly bigint[]) => bigint): bigint =>
    cells.reduce((total, row) => total + term(row), 0n);
  const R: bigint[] = [];
  if (methodOf({ method }).sums({ features: [], labellings: [] }).R) {
    for (let i = 0; i < d; i += 1) for (let j = i; j < d; j += 1) R.push(sum((row) => row[i]! * row[j]!));
  }
  const classSums = (own: readonly (readonly bigint[])[]): ClassSums => ({
    V: Array.from({ length: d }, (_, i) => own.reduce((total, row) => total + row[i]!, 0n)),
    M: BigInt(own.length),
  });
  const exact: Statistics = {
    R,
    labellings:
      labellings.length === 0
        ? [[classSums(cells)]]
        : labellings.map(({ classes, labels }) =>
            Array.from({ length: classes }, (_, k) => classSums(cells.filter((_, row) => labels[row] === k))),
          ),
    owners: BigInt(OWNERS),
  };
  const task: StatisticsTask = {
    method,
    features: Array.from({ length: d }, (_, i) => featureOf(i, grains?.[i])),
    labellings: labellings.map(({ classes }, l) => ({
      column: `class${l}`,
      classes: Array.from({ length: classes }, (_, k) => `${k}`),
    })),
    fractionBits,
    maximumOwners,
    maximumSamplesPerOwner,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    differentialPrivacy,
    ...(grains && { exact: false, releases }),
  };
  const plain = noise
    ? unflatten(
        task,
        flatten(task, exact).map((value, i) => value + noise[i]!),
      )
    : exact;
  const program = programOf({
    ...task,
    components,
    outputs: [],
    minimumOwners: 2,
    allowFullRank: true,
  });
  const valueBits = computedBitsOf(task);
  const next = generator(17);
  const drawn = floorDeviations(task).map((deviation) =>
    BigInt(Math.round(Math.SQRT2 * floorSize * deviation * normal(next))),
  );
  const values = computedValues(task, flatten(task, plain)).map((value, i) => value + (drawn[i] ?? 0n));
  const statistics = unflattenComputed(task, values);
  // V takes no noise, and shares are shifted as values are.
  const unit = computedValues(
    task,
    flatten(task, plain).map(() => 1n),
  );
  const blinding = valueBits.map((bits, i) =>
    BigInt.asUintN(bits, (BigInt(Math.floor(next() * 2 ** 52)) << 7n) * unit[i]!),
  );
  const right = toRing(
    valueBits,
    blinding.map((value) => -value),
  );
  const left = toRing(
    valueBits,
    values.map((value, i) => value + blinding[i]!),
  );
  if (!combine(valueBits, left, right).every((value, i) => value === values[i]))
    throw new Error('shares do not add up');
  return {
    task,
    program,
    statistics,
    garbler: { shares: left, verifiedOwners: OWNERS },
    evaluator: { shares: right },
  };
}
