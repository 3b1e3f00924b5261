/** PCA tasks over made-up and bundled rows, with shares as unblinding leaves them. */
import { randomBytes } from 'node:crypto';
import { drawNoise, flatten, layout, type Statistics } from '@eigenveil/statistics';
import {
  computedValues,
  floorDeviations,
  floorOf,
  type Program,
  programOf,
  type StatisticsTask,
} from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { RandomBits, standardNormal } from '../../src/rotated/random.ts';
import { rotated } from '../../src/rotated.ts';
import { toRing } from '../support/to-ring.ts';

export interface Setting {
  readonly task: StatisticsTask;
  readonly program: Program;
  readonly statistics: Statistics;
  readonly garbler: { readonly shares: bigint[]; readonly verifiedOwners: number };
  readonly evaluator: { readonly shares: bigint[] };
  readonly noise?: readonly bigint[];
}

export interface Given {
  /** Values in [−1, 1]. */
  readonly rows: readonly (readonly number[])[];
  readonly components: number;
  readonly owners?: number;
  readonly program?: Partial<Program>;
  readonly task?: Partial<StatisticsTask>;
  /** Features, where there are no rows to tell. */
  readonly features?: number;
  /** Added to the diagonal of R, in units of a row's square. */
  readonly shift?: number;
}

const FRACTION_BITS = 14;

export function settingOf({
  rows,
  components,
  owners = 3,
  program = {},
  task: changes = {},
  features = rows[0]!.length,
  shift = 0,
}: Given): Setting {
  const cells = rows.map((row) => row.map((value) => BigInt(Math.round(value * 2 ** FRACTION_BITS))));
  const sum = (term: (row: readonly bigint[]) => bigint) =>
    cells.reduce((total, row) => total + term(row), 0n);
  const R: bigint[] = [];
  for (let i = 0; i < features; i += 1) {
    for (let j = i; j < features; j += 1) {
      const more = i === j ? BigInt(Math.round(shift * 4 ** FRACTION_BITS)) : 0n;
      R.push(sum((row) => row[i]! * row[j]!) + more);
    }
  }
  const V = Array.from({ length: features }, (_, i) => sum((row) => row[i]!));
  const statistics = { R, labellings: [[{ V, M: BigInt(rows.length) }]], owners: BigInt(owners) };
  const task: StatisticsTask = {
    method: { kind: 'pca' },
    features: Array.from({ length: features }, (_, i) => ({
      name: `f${i}`,
      min: -1,
      max: 1,
      twoValued: false,
    })),
    labellings: [],
    fractionBits: FRACTION_BITS,
    maximumOwners: 16,
    maximumSamplesPerOwner: 1024,
    keyBits: 2048,
    statisticalSecurityBits: 40,
    ...changes,
  };
  return {
    task,
    program: {
      ...programOf({
        ...task,
        components,
        outputs: ['sampleCount', 'spectrum'],
        minimumOwners: 2,
        allowFullRank: false,
      }),
      ...program,
    },
    statistics,
    ...share(task, statistics, owners),
  };
}

/**
 * Both servers' shares, blinded as in the packing, and with a floor what they compute with; `noise` is the sum of both servers' on it.
 * @param signs of a sketch
 */
export function share(
  task: StatisticsTask,
  statistics: Statistics,
  verifiedOwners: number,
  random = new RandomBits((length) => randomBytes(length)),
  signs?: Int32Array,
) {
  const draw = () =>
    task.sketch
      ? drawNoise(task, 'csp', randomBytes, signs)
      : floorDeviations(task).map((deviation) =>
          BigInt(Math.round((Number(standardNormal(random, 53)) / 2 ** 53) * deviation)),
        );
  const noises = [draw(), draw()] as const;
  const noised = (values: readonly bigint[], noise: readonly bigint[]) =>
    floorOf(task) ? computedValues(task, values).map((value, v) => value + noise[v]!) : [...values];
  const { valueBits, blindingBits } = layout(task);
  const offsets = valueBits.map((bits, v) => (1n << BigInt(bits - 1)) + random.integer(blindingBits[v]!));
  const ring = rotated.shareBits(task);
  const blinded = flatten(task, statistics).map((value, v) => value + offsets[v]!);
  return {
    garbler: { shares: toRing(ring, noised(blinded, noises[0])), verifiedOwners },
    evaluator: {
      shares: toRing(
        ring,
        noised(
          offsets.map((offset) => -offset),
          noises[1],
        ),
      ),
    },
    noise: noises[0].map((value, v) => value + noises[1][v]!),
  };
}

/** Rows of d features whose spread falls from one to the next. */
export function spread(rows: number, d: number, seed: number): number[][] {
  const next = generator(seed);
  return Array.from({ length: rows }, () => {
    const parts = Array.from({ length: d }, (_, j) => (next() - 0.5) / 1.5 ** Math.min(j, 8));
    return parts.map((_, i) => parts.reduce((sum, part, j) => sum + (part * Math.cos(i * j + 1)) / d, 0));
  });
}
