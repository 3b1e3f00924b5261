/**
 * Histogram tasks: which bins there are, where their counts stand, how much noise the sums of counts take,
 * and what such a task must keep to. docs/histograms.md has the protocol and the argument.
 *
 * Every row is in exactly one bin per feature, or, where its cell is no number, in that feature's count of
 * such cells. The strategy A is applied to the bins, and the count of unreadable cells takes noise as it is.
 * What one row changes, for one histogram of one feature, m the height of the root of A:
 * - add-remove: a column of A, or 1 in the other count. The column is the larger: L1 = L2² = m + 1 (flat: 1),
 *   against 1.
 * - replace: two columns that are subtracted (shared/release, noise.ts), or a column and the other count: L1 =
 *   L2² = m + 2 (flat: 2) for the latter. With m >= 2 that is at most 2m, the least that two columns of
 *   `tree` and `privelet` come to. So trees have at least two levels here, and bins are at least four. So the
 *   other count needs no noise beyond that of A alone.
 *
 * Features of one histogram: a row adds g columns, of g features. By the triangle inequality their sum
 * changes by at most g Δ₁ in L1 and g Δ₂ in L2, which is reached when all cells are alike. Histograms stand
 * apart: L1 = Δ₁ Σ g, the number of features, and L2² = Δ₂² Σ g².
 */
import { checkAll } from '@eigenveil/platform';
import { invalid as invalidParameter } from '@eigenveil/privacy/parts';
import {
  type CoefficientNoise,
  calibrateRelease,
  coefficientCount,
  flat,
  privelet,
  type Strategy,
  tree,
} from '@eigenveil/release';
import { invalid, rule } from './codes.ts';
import { LIMITS, type TaskProposal } from './schema.ts';
import { type HistogramMethod, type StatisticsTask, signedBits } from './values/statistics-task.ts';

/**
 * Shares of sums of counts are in the integers modulo 2^54: sums of fewer than 2^53 cells, and noise, of
 * which a double holds every value. A sum with noise that leaves the ring comes in again at the other end:
 * that is post-processing, and refusing it would tell something about the rows.
 */
export const LINEAR_RING_BITS = 54;

/** Noise below this would have a scale beyond the ring. */
const LEAST_EPSILON = 1e-6;

/** One or more features that are counted together. */
export interface Histogram {
  /** The feature's, or what features that share it name. */
  readonly name: string;
  /** Indices of its features, ascending. */
  readonly features: readonly number[];
  readonly min: number;
  readonly max: number;
  /** Bins are logarithmic on both sides of 0 down to this magnitude; undefined: equally wide. */
  readonly logarithmic: number | undefined;
}

type Shape = Pick<StatisticsTask, 'method' | 'features'>;

/** The histograms of a task in the order of their first features. */
export function histogramsOf({ features }: Pick<StatisticsTask, 'features'>): Histogram[] {
  const found = new Map<string, Histogram & { readonly features: number[] }>();
  for (const [i, { name: own, histogram, min, max, logarithmic }] of features.entries()) {
    const name = histogram ?? own;
    const known = found.get(name);
    if (known === undefined) found.set(name, { name, features: [i], min, max, logarithmic });
    else known.features.push(i);
  }
  return [...found.values()];
}

/**
 * Values of a task that are counts: of each histogram its 2^h bins and then its cells that are no number. 0
 * for other tasks.
 */
export function binsOf({ method, features }: Shape): number {
  return method.kind === 'histogram' ? histogramsOf({ features }).length * (2 ** method.height + 1) : 0;
}

/**
 * The 2^h + 1 edges of a histogram's bins, ascending: bin i has the values from edge i up to and without edge
 * i + 1, the last one its upper edge, too. Logarithmic ones are 2^(h−1) on each side of 0, the innermost of
 * which end at `logarithmic`.
 */
export function edgesOf(
  { height }: Pick<HistogramMethod, 'height'>,
  { min, max, logarithmic }: Histogram,
): number[] {
  const bins = 2 ** height;
  if (logarithmic === undefined)
    return Array.from({ length: bins + 1 }, (_, i) => (i === bins ? max : min + ((max - min) / bins) * i));
  const side = bins / 2;
  const magnitudes = Array.from({ length: side }, (_, i) =>
    i === side - 1 ? max : logarithmic * Math.exp((Math.log(max / logarithmic) * i) / (side - 1)),
  );
  return [...magnitudes.toReversed().map((value) => -value), 0, ...magnitudes];
}

const strategies = new WeakMap<HistogramMethod, Strategy>();

/** The same object for the same method, so that what follows from it can be kept with it. */
export function strategyOf(method: HistogramMethod): Strategy {
  const known = strategies.get(method);
  if (known !== undefined) return known;
  const { strategy: kind, height, fanouts } = method;
  const made =
    kind === 'flat' ? flat(2 ** height) : kind === 'privelet' ? privelet(height) : tree(fanouts ?? []);
  strategies.set(method, made);
  return made;
}

/**
 * Returns how many sums a task releases: for each histogram the rows of A, and its cells that are not a
 * number. It is 0 for other tasks.
 */
export function sumsOf({ method, features }: Shape): number {
  return method.kind === 'histogram'
    ? histogramsOf({ features }).length * (coefficientCount(strategyOf(method)) + 1)
    : 0;
}

/**
 * The noise that each server adds to every sum, for the joint sensitivity of all histograms.
 * @throws ERR_DP_PARAMETER
 */
export function releaseNoiseOf({
  method,
  features,
  differentialPrivacy: setting,
}: Shape & Pick<StatisticsTask, 'differentialPrivacy'>): CoefficientNoise {
  if (method.kind !== 'histogram' || setting === undefined || setting === null)
    throw invalidParameter('task', 'a histogram with differential privacy', method.kind);
  const { epsilon, delta, neighbours } = setting;
  const shared = histogramsOf({ features }).map((histogram) => histogram.features.length);
  const sum = (of: (g: number) => number) => shared.reduce((total, g) => total + of(g), 0);
  const budget = delta === 0 ? { epsilon } : { epsilon, dpDelta: delta };
  return calibrateRelease(strategyOf(method), {
    features: delta === 0 ? sum((g) => g) : sum((g) => g ** 2),
    neighbours,
    budget,
  });
}

/**
 * Per value of the flat statistics its bits: counts of at most as many cells as all owners may have, and the
 * number of owners.
 */
export function histogramBits(
  task: Shape & Pick<StatisticsTask, 'maximumOwners' | 'maximumSamplesPerOwner'>,
): number[] {
  const { method, maximumOwners, maximumSamplesPerOwner } = task;
  if (method.kind !== 'histogram') return [];
  const rows = BigInt(maximumOwners) * BigInt(maximumSamplesPerOwner);
  const bits = histogramsOf(task).flatMap(({ features }) =>
    new Array<number>(2 ** method.height + 1).fill(signedBits(rows * BigInt(features.length))),
  );
  return [...bits, signedBits(BigInt(maximumOwners))];
}

/**
 * Checks what counts and their slots rest on, of a histogram; other tasks pass.
 * @throws ERR_TASK_INVALID
 */
export function checkOfHistogram(
  task: Shape & Pick<StatisticsTask, 'maximumOwners' | 'maximumSamplesPerOwner'>,
): void {
  const { method, features } = task;
  if (method.kind !== 'histogram') return;
  const bins = 2 ** method.height;
  const histograms = histogramsOf(task);
  const rows = task.maximumOwners * task.maximumSamplesPerOwner;
  const largest = Math.max(...histograms.map((it) => it.features.length));
  checkAll(
    strategyRule(method, bins),
    ...features.map(({ name, min, max, logarithmic = 0 }) => {
      const isMirrored = min === -max && logarithmic <= max / 2 && logarithmic / max >= 2 ** -1000;
      return rule(
        min < max && (logarithmic === 0 || isMirrored),
        name,
        'min < max, and logarithmic at most half of max with min = −max',
        min,
      );
    }),
    rule(
      histograms.length * bins <= LIMITS.bins,
      'method.height',
      `at most ${LIMITS.bins} bins in all`,
      bins,
    ),
    ...histograms.map(({ name, features: indices, min, max, logarithmic }) =>
      rule(
        indices.every((i) => {
          const it = features[i]!;
          const isNamed = it.histogram === name || indices.length === 1;
          return isNamed && it.min === min && it.max === max && it.logarithmic === logarithmic;
        }),
        name,
        'features of one range, and no other name',
        indices.length,
      ),
    ),
    rule(
      rows * largest < 2 ** (LINEAR_RING_BITS - 1),
      'maximumSamplesPerOwner',
      'fewer than 2^53 cells',
      rows * largest,
    ),
  );
}

function strategyRule({ strategy, fanouts }: HistogramMethod, bins: number) {
  const product = fanouts?.reduce((size, fanout) => size * fanout, 1);
  // Two levels at least: see above.
  const isTree =
    product === bins && fanouts!.length >= 2 && fanouts!.every((it) => Number.isInteger(it) && it >= 2);
  return rule(
    strategy === 'tree' ? isTree : fanouts === undefined,
    'method.fanouts',
    `of tree alone, two or more whose product is ${bins}`,
    `${fanouts}`,
  );
}

/**
 * Checks what a histogram task has and has not beyond its counts.
 * @throws ERR_TASK_INVALID
 */
export function checkHistogram(task: TaskProposal): void {
  const { differentialPrivacy: setting, ...other } = task;
  const rules: Record<string, boolean> = {
    'components 0': other.components === 0,
    'twoParty linear': other.twoParty === 'linear',
    'no outputs': other.outputs.length === 0,
    'no sketch': other.sketch === undefined,
    'no basis': other.basis === undefined,
    'allowFullRank false': !other.allowFullRank,
    'noise of servers': setting?.noise === 'servers',
    'clippingNorm null': setting?.clippingNorm === null,
    [`epsilon from ${LEAST_EPSILON}`]: setting !== null && setting.epsilon >= LEAST_EPSILON,
  };
  checkAll(...Object.entries(rules).map(([expected, holds]) => rule(holds, 'method', expected, 'histogram')));
}

/**
 * Checks that the bins of a histogram task differ and that its noise can be drawn. They rest on
 * `checkHistogram` and `checkOfHistogram`.
 * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER
 */
export function checkBins(task: TaskProposal): void {
  const { method } = task;
  if (method.kind !== 'histogram') return;
  const ascends = (histogram: Histogram) =>
    edgesOf(method, histogram).every((edge, i, edges) => i === 0 || edge > edges[i - 1]!);
  checkAll(rule(histogramsOf(task).every(ascends), 'method.height', 'bins that differ', method.height), () =>
    releaseNoiseOf(task),
  );
}

/**
 * Checks that the ranges of a task can follow from the result of this one: from its histograms of the same
 * features, within what they count. Whether they do follow from it is for those who see that result.
 * @throws ERR_TASK_INVALID
 */
export function checkRanges(
  { features }: Pick<TaskProposal, 'features'>,
  counted: Pick<TaskProposal, 'method' | 'features'>,
): void {
  const bounds = new Map(counted.features.map((feature) => [feature.name, feature]));
  const { kind } = counted.method;
  checkAll(
    rule(kind === 'histogram', 'rangesFrom', 'the result of a histogram', kind),
    ...features.map(({ name, min, max }) => {
      const outer = bounds.get(name);
      return outer === undefined
        ? rule(false, 'rangesFrom', 'a histogram of every feature', `none of ${name}`)
        : rule(
            outer.min <= min && max <= outer.max,
            'features',
            `${name} from ${outer.min} to ${outer.max} at most, as the histogram has it,`,
            `${min} to ${max}`,
          );
    }),
  );
}

/**
 * Checks that a projection has nothing that is of histograms alone.
 * @throws ERR_TASK_INVALID
 */
export function checkNoHistogram(task: TaskProposal): void {
  const { differentialPrivacy: setting, twoParty, features, method } = task;
  const holds =
    twoParty !== 'linear' &&
    features.every(({ logarithmic, histogram }) => (logarithmic ?? histogram) === undefined) &&
    (setting === null || (setting.delta > 0 && setting.clippingNorm !== null));
  if (holds) return;
  const expected = 'histogram for linear, logarithmic or shared features, delta 0 or clippingNorm null';
  throw invalid('method', expected, method.kind);
}
