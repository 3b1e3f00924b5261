/**
 * Histogram tasks: which bins there are, where their counts stand, how much noise the sums of counts take, and what such a task must keep to. docs/histograms.md has
 * the protocol and the argument.
 *
 * Every row is in exactly one bin per feature, or, where its cell is no number, in that feature's count of such cells. The strategy A is applied to the bins, and
 * the count of unreadable cells takes noise as it is. What one row changes, for one histogram of one feature, m the height of the root of A:
 * - add-remove: a column of A, or 1 in the other count. The column is the larger: L1 = L2² = m + 1 (flat: 1), against 1.
 * - replace: two columns that are subtracted (shared/release, sensitivity.ts), or a column and the other count: L1 = L2² = m + 2 (flat: 2) for the latter. With
 *   m >= 2 that is at most 2m, the least that two columns of `tree` and `privelet` come to. So trees have at least two levels here, and bins are at least four.
 * So the other count needs no noise beyond that of A alone.
 *
 * Features of one histogram: a row adds g columns, of g features. By the triangle inequality their sum changes by at most g Δ₁ in L1 and g Δ₂ in L2, which is reached
 * when all cells are alike. Histograms stand apart: L1 = Δ₁ Σ g, the number of features, and L2² = Δ₂² Σ g².
 */
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
import { signedBits } from './bits.ts';
import { TaskError } from './errors.ts';
import { LIMITS, type TaskProposal } from './schema.ts';
import type { HistogramMethod, StatisticsTask } from './statistics-task.ts';

/**
 * Shares of sums of counts are in the integers modulo 2^54: sums of fewer than 2^53 cells, and noise, of which a double holds every value. A sum with noise that
 * leaves the ring comes in again at the other end: that is post-processing, and refusing it would tell something of the rows.
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

/** Values of a task that are counts: of each histogram its 2^h bins and then its cells that are no number. 0 for other tasks. */
export function binsOf({ method, features }: Shape): number {
  return method.kind === 'histogram' ? histogramsOf({ features }).length * (2 ** method.height + 1) : 0;
}

/**
 * The 2^h + 1 edges of a histogram's bins, ascending: bin i has the values from edge i up to and without edge i + 1, the last one its upper edge, too.
 * Logarithmic ones are 2^(h−1) on each side of 0, the innermost of which end at `logarithmic`.
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

/** How many sums a task releases: of each histogram the rows of A, and its cells that are no number. 0 for other tasks. */
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

/** Per value of the flat statistics its bits: counts of at most as many cells as all owners may have, and the number of owners. */
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
  checkStrategy(method, bins);
  for (const { name, min, max, logarithmic } of features) {
    const title = `features[${JSON.stringify(name)}]`;
    expect(min < max, title, 'min < max for a histogram', `[${min}, ${max}]`);
    if (logarithmic === undefined) continue;
    expect(
      min === -max && logarithmic <= max / 2 && logarithmic / max >= 2 ** -1000,
      `${title}.logarithmic`,
      'min = −max, and at most half of max',
      `${logarithmic} with [${min}, ${max}]`,
    );
  }
  const histograms = histogramsOf(task);
  expect(
    histograms.length * bins <= LIMITS.bins,
    'method.height',
    `at most ${LIMITS.bins} bins of all histograms together`,
    histograms.length * bins,
  );
  for (const { name, features: indices, ...domain } of histograms) {
    const alike = indices.map((i) => features[i]!);
    expect(
      alike.every((it) => isSameDomain(it, domain)),
      'features[].histogram',
      'features of the same min, max and logarithmic to share one',
      JSON.stringify(name),
    );
    expect(
      alike.every((it) => it.histogram === name) || alike.length === 1,
      'features[].histogram',
      "a name that is no other feature's",
      JSON.stringify(name),
    );
  }
  const rows = task.maximumOwners * task.maximumSamplesPerOwner;
  const largest = Math.max(...histograms.map((it) => it.features.length));
  expect(
    rows * largest < 2 ** (LINEAR_RING_BITS - 1),
    'maximumSamplesPerOwner',
    'fewer than 2^53 cells in each histogram',
    rows * largest,
  );
}

function isSameDomain(
  one: { readonly min: number; readonly max: number; readonly logarithmic?: number | undefined },
  other: Pick<Histogram, 'min' | 'max' | 'logarithmic'>,
): boolean {
  return one.min === other.min && one.max === other.max && one.logarithmic === other.logarithmic;
}

function checkStrategy({ strategy, fanouts }: HistogramMethod, bins: number): void {
  expect(
    (strategy === 'tree') === (fanouts !== undefined),
    'method.fanouts',
    'with the strategy tree, and with no other',
    fanouts === undefined ? 'none' : `[${fanouts}]`,
  );
  if (fanouts === undefined) return;
  const product = fanouts.reduce((size, fanout) => size * fanout, 1);
  expect(
    product === bins && fanouts.length >= 2 && fanouts.every((it) => Number.isInteger(it) && it >= 2),
    'method.fanouts',
    `two or more powers of two whose product is ${bins}`,
    `[${fanouts}]`,
  );
}

/**
 * Checks what a histogram task has and has not beyond its counts.
 * @throws ERR_TASK_INVALID, ERR_DP_PARAMETER
 */
export function checkHistogram(task: TaskProposal): void {
  const { differentialPrivacy: setting, components, twoParty, outputs, sketch, basis, allowFullRank } = task;
  expect(components === 0, 'components', '0 for a histogram', components);
  expect(twoParty === 'linear', 'twoParty', 'linear for a histogram', twoParty);
  expect(outputs.length === 0, 'outputs', 'none for a histogram', `[${outputs}]`);
  expect(sketch === undefined, 'sketch', 'none for a histogram', 'one');
  expect(basis === undefined, 'basis', 'none for a histogram', `${basis}`);
  expect(!allowFullRank, 'allowFullRank', 'false for a histogram', 'true');
  if (setting === null) throw invalid('differentialPrivacy', 'a guarantee for a histogram', 'null');
  const { noise, clippingNorm, epsilon } = setting;
  expect(noise === 'servers', 'differentialPrivacy.noise', 'servers for a histogram', noise);
  expect(
    clippingNorm === null,
    'differentialPrivacy.clippingNorm',
    'null for a histogram',
    `${clippingNorm}`,
  );
  expect(
    epsilon >= LEAST_EPSILON,
    'differentialPrivacy.epsilon',
    `at least ${LEAST_EPSILON} for a histogram`,
    epsilon,
  );
  checkOfHistogram(task);
  const { method } = task;
  if (method.kind !== 'histogram') return;
  for (const histogram of histogramsOf(task)) {
    const edges = edgesOf(method, histogram);
    expect(
      edges.every((edge, i) => i === 0 || edge > edges[i - 1]!),
      'method.height',
      'bins that differ in doubles',
      `${method.height} for ${JSON.stringify(histogram.name)}`,
    );
  }
  releaseNoiseOf(task);
}

/**
 * Checks that a projection has nothing that is of histograms alone.
 * @throws ERR_TASK_INVALID
 */
export function checkNoHistogram(task: TaskProposal): void {
  const { differentialPrivacy: setting, twoParty, features, method } = task;
  expect(twoParty !== 'linear', 'twoParty', `a protocol that decomposes for ${method.kind}`, twoParty);
  for (const { name, logarithmic, histogram } of features)
    expect(
      logarithmic === undefined && histogram === undefined,
      `features[${JSON.stringify(name)}]`,
      `no "logarithmic" and no "histogram" for ${method.kind}`,
      'one',
    );
  if (setting === null) return;
  expect(setting.delta > 0, 'differentialPrivacy.delta', `more than 0 for ${method.kind}`, setting.delta);
  expect(
    setting.clippingNorm !== null,
    'differentialPrivacy.clippingNorm',
    `a number for ${method.kind}`,
    'null',
  );
}

function expect(holds: boolean, title: string, expected: string, got: string | number): void {
  if (!holds) throw invalid(title, expected, got);
}

function invalid(title: string, expected: string, got: string | number): TaskError {
  return new TaskError('ERR_TASK_INVALID', `"${title}" expected ${expected}, got ${got}`);
}
