/**
 * Trees that are grown and released under differential privacy: what forests of classes and of numbers share.
 *
 * Promise: (ε, 0) for a row, with its label, that is added or removed. Whoever has the released trees has the splits and the noisy
 * statistics of the leaves; nothing else of the rows.
 *
 * Proof note. The shape is public: depth, bins of public ranges, the features that a node may ask (drawn without a look at rows).
 * - *A level.* Given the splits above it, the nodes of a level have disjoint rows, so that a row is in one of them: the level costs what
 *   one split does (McSherry, "Privacy integrated queries", 2009, theorem 4). A split is drawn by the exponential mechanism. The
 *   impurity of a node is monotone: an added row raises it for every candidate by at least 0 and at most Δ (see the two criteria). All
 *   utilities then move the same way, so that either the weight of a candidate or the sum of weights moves, not both against each other:
 *   weights exp(εu/Δ), twice as steep as in general, are (ε, 0)-private. With u′ᵢ ∈ [uᵢ − Δ, uᵢ] the probability wᵢ/Σw changes by a factor
 *   between exp(−ε), where only wᵢ falls, and exp(ε), where only the others do. The ordinary weights exp(εu/(2Δ)) need no such argument.
 * - *Leaves* have disjoint rows, too: noise for one row in one leaf.
 * - *A tree* costs its levels and its leaves (basic composition; each level is chosen after those above it).
 * - *A forest.* Rows that are dealt out, each to one tree at random and on its own, are disjoint: the forest costs what its dearest tree does.
 *   Where trees share all rows, each may cost ε divided by their number. Rows drawn with replacement would cost as often as a row was drawn.
 *
 * Utilities are whole numbers, computed without a rounding that depends on order, so that the exact sampler draws exactly what is proved.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { checkCount, checkEpsilon, invalid, RandomBits } from '@eigenveil/privacy/parts';
import { exponentialMechanism } from '../privacy/mechanisms/choices.ts';

/** Public, of one feature: what lies beyond counts as the nearer end. */
export interface FeatureRange {
  readonly least: number;
  readonly largest: number;
}

export interface ForestShape {
  readonly trees: number;
  /** Levels of splits; 2^depth leaves. */
  readonly depth: number;
  /** Equal parts of each range, from 2 to 256; thresholds lie between them. */
  readonly bins: number;
  /** The number of features, drawn afresh, that a node may ask. */
  readonly featuresPerNode: number;
  /** The share of a tree's ε, in (0, 1), that splits take in equal parts a level; leaves take the rest, and without levels all. */
  readonly splitShare: number;
  /** `disjoint`: each row goes to one tree. `shared`: all trees have all rows. */
  readonly dealing: 'disjoint' | 'shared';
  /** The exponent of the exponential mechanism: εu/Δ, which monotone utilities allow, or the ordinary εu/(2Δ) of Friedman and Schuster, which wastes half. */
  readonly exponent?: 'monotone' | 'ordinary';
}

export interface ForestSetting extends ForestShape {
  /** The number of features of a row. */
  readonly ranges: readonly FeatureRange[];
  /** The whole forest's; Infinity gives the plain algorithm. */
  readonly epsilon: number;
}

/** The way a tree looks at rows: sums of a few whole numbers of each, how impure such sums are, and how a leaf releases them. */
export interface Criterion {
  /** The number of numbers that are summed. */
  readonly width: number;
  /** Adds row `row` to the sums that begin at `at`. */
  add(sums: Float64Array, at: number, row: number): void;
  /** A whole number >= 0 that a row more raises by at most `sensitivity`, and never lowers. */
  impurity(sums: Float64Array): number;
  readonly sensitivity: bigint;
  /** Gives what is published of a leaf, at this ε. */
  release(source: RandomSource, sums: Float64Array, epsilon: number): number[];
}

interface Tree {
  /** Node i has the children 2i + 1 and 2i + 2: here are the feature that it asks, and the largest bin that goes left. */
  readonly features: Int32Array;
  readonly thresholds: Int32Array;
  readonly leaves: readonly (readonly number[])[];
}

export interface Forest {
  readonly trees: readonly Tree[];
  readonly depth: number;
  readonly ranges: readonly FeatureRange[];
  readonly bins: number;
}

/** @throws ERR_DP_PARAMETER for a shape or an ε out of range, or rows with other numbers of features */
export function growForest(
  source: RandomSource,
  rows: readonly (readonly number[])[],
  criterion: Criterion,
  setting: ForestSetting,
): Forest {
  const { epsilon, ranges, trees, dealing, depth, bins } = setting;
  checkEpsilon(epsilon);
  checkShape(setting);
  if (!rows.every((row) => row.length === ranges.length)) {
    throw invalid('rows', `${ranges.length} features, as ranges have`, 'other rows');
  }
  const binned = rows.map((row) => binsOf(row, ranges, bins));
  const random = new RandomBits(source);
  const all = [...rows.keys()];
  const parts = Array.from({ length: trees }, (): number[] => (dealing === 'shared' ? all : []));
  if (dealing === 'disjoint') for (const row of all) parts[Number(random.below(BigInt(trees)))]!.push(row);
  const each = dealing === 'shared' ? epsilon / trees : epsilon;
  const growing = { source, random, binned, criterion, setting };
  return { trees: parts.map((part) => growTree(growing, part, each)), depth, ranges, bins };
}

/** Adds up what all leaves have released that the row falls into. */
export function leavesOf({ trees, ranges, bins, depth }: Forest, row: readonly number[]): number[] {
  const binned = binsOf(row, ranges, bins);
  const inner = 2 ** depth - 1;
  const sums: number[] = [];
  for (const { features, thresholds, leaves } of trees) {
    let node = 0;
    while (node < inner) node = 2 * node + (binned[features[node]!]! <= thresholds[node]! ? 1 : 2);
    leaves[node - inner]!.forEach((value, i) => {
      sums[i] = (sums[i] ?? 0) + value;
    });
  }
  return sums;
}

function checkShape({ trees, depth, bins, featuresPerNode, splitShare, ranges }: ForestSetting): void {
  checkCount('trees', trees, 1);
  checkCount('depth', depth, 0);
  checkCount('featuresPerNode', featuresPerNode, 1);
  if (depth > 16) throw invalid('depth', 'at most 16', depth);
  if (!(Number.isInteger(bins) && bins >= 2 && bins <= 256)) throw invalid('bins', '2 to 256', bins);
  if (!(splitShare > 0 && splitShare < 1)) throw invalid('splitShare', 'a number in (0, 1)', splitShare);
  if (featuresPerNode > ranges.length) {
    throw invalid('featuresPerNode', `at most ${ranges.length}`, featuresPerNode);
  }
  if (!ranges.every(({ least, largest }) => least < largest && Number.isFinite(largest - least))) {
    throw invalid('ranges', 'finite, least < largest', 'another range');
  }
}

function binsOf(row: readonly number[], ranges: readonly FeatureRange[], bins: number): Uint8Array {
  return Uint8Array.from(ranges, ({ least, largest }, i) => {
    const share = (row[i]! - least) / (largest - least);
    return Math.min(bins - 1, Math.max(0, Math.floor(share * bins)));
  });
}

/** All trees of a forest grow on these. */
interface Growing {
  readonly source: RandomSource;
  readonly random: RandomBits;
  readonly binned: readonly Uint8Array[];
  readonly criterion: Criterion;
  readonly setting: ForestSetting;
}

function growTree(growing: Growing, part: readonly number[], epsilon: number): Tree {
  const { source, random, binned, criterion, setting } = growing;
  const { depth, bins, splitShare, featuresPerNode, exponent = 'monotone' } = setting;
  const inner = 2 ** depth - 1;
  const features = new Int32Array(inner);
  const thresholds = new Int32Array(inner);
  const perLevel = depth === 0 ? 0 : (epsilon * splitShare) / depth;
  // Monotone utilities: weights twice as steep cost ε, not 2ε.
  const steepness = exponent === 'monotone' ? 2 : 1;
  const perLeaf = depth === 0 ? epsilon : epsilon * (1 - splitShare);
  const nodes: (readonly number[])[] = [part];
  for (let node = 0; node < inner; node += 1) {
    const rows = nodes[node]!;
    const asked = chooseFeatures(random, setting.ranges.length, featuresPerNode);
    const utilities = asked.flatMap((feature) => utilitiesOf(growing, rows, feature));
    const { sensitivity } = criterion;
    const chosen = exponentialMechanism(source, utilities, { sensitivity, epsilon: steepness * perLevel });
    const feature = asked[Math.floor(chosen / (bins - 1))]!;
    const threshold = chosen % (bins - 1);
    features[node] = feature;
    thresholds[node] = threshold;
    const sides = Map.groupBy(rows, (row) => binned[row]![feature]! <= threshold);
    nodes.push(sides.get(true) ?? [], sides.get(false) ?? []);
  }
  const leaves = nodes.slice(inner).map((rows) => {
    const sums = new Float64Array(criterion.width);
    for (const row of rows) criterion.add(sums, 0, row);
    return criterion.release(source, sums, perLeaf);
  });
  return { features, thresholds, leaves };
}

/** The draws are without replacement. */
function chooseFeatures(random: RandomBits, features: number, count: number): number[] {
  const left = Array.from({ length: features }, (_, i) => i);
  return Array.from({ length: count }, () => left.splice(Number(random.below(BigInt(left.length))), 1)[0]!);
}

/** Utilities of the thresholds of a feature, one after the other: less the impurity of both sides. */
function utilitiesOf(
  { binned, criterion, setting: { bins } }: Growing,
  rows: readonly number[],
  feature: number,
): bigint[] {
  const { width } = criterion;
  const sums = new Float64Array(bins * width);
  for (const row of rows) criterion.add(sums, binned[row]![feature]! * width, row);
  const right = new Float64Array(width);
  for (let i = 0; i < sums.length; i += 1) right[i % width]! += sums[i]!;
  const left = new Float64Array(width);
  const utilities: bigint[] = [];
  for (let bin = 0; bin < bins - 1; bin += 1) {
    for (let i = 0; i < width; i += 1) {
      left[i]! += sums[bin * width + i]!;
      right[i]! -= sums[bin * width + i]!;
    }
    utilities.push(-BigInt(criterion.impurity(left) + criterion.impurity(right)));
  }
  return utilities;
}
