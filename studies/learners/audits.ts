/**
 * Attacks on every learner: neighbours, what is released of them, and an event that distinguishes them. Each has a broken twin, wrong in a way that is
 * easily written, whose claim the same kind of event refutes. What an attack proves is a bound from below; that the claim holds is for the proofs.
 */
import type { RandomSource } from '@eigenveil/privacy';
import { each, type Hits } from '@eigenveil/testbed/goodness/audit';
import { RealDraws } from '../privacy/random/real.ts';
import { OUTLIER } from './expanded.ts';
import { classificationForest, giniOf, regressionForest } from './forests.ts';
import { gridDbscan } from './grid-dbscan.ts';
import { logisticModel } from './models.ts';
import { ballNoise, minimum, objectivePerturbed, outputPerturbed } from './perturbed-regression.ts';
import { type ForestShape, growForest } from './private-tree.ts';
import { recursiveDbscan } from './recursive-dbscan.ts';
import { epsilonOfSteps, noiseOfSteps } from './renyi.ts';
import { sampleAndAggregate } from './sample-and-aggregate.ts';
import { privateDescent } from './sgd.ts';
import { privateMedian } from './smooth-median.ts';
import { quartic, SMOOTH_NOISES, type SmoothNoise } from './smooth-noise.ts';
import { thesisDbscan } from './thesis-dbscan.ts';

/** Every claim has this ε. */
export const AUDITED_EPSILON = 1;
/** Claims that have a δ share this one. */
const DELTA = 1e-3;

export interface Events {
  /** On the neighbour where the event is likelier, and on the other. */
  readonly left: Hits;
  readonly right: Hits;
}

export interface LearnerAudit {
  readonly name: string;
  readonly dpDelta: number;
  readonly runs: number;
  /** Undefined where the learner of the publication is the broken one. */
  readonly honest?: (source: RandomSource) => Events;
  readonly twin: string;
  readonly broken: (source: RandomSource) => Events;
}

type Rows = readonly (readonly number[])[];

const events = <Data>(left: Data, right: Data, event: (data: Data) => boolean): Events => ({
  left: each(() => event(left)),
  right: each(() => event(right)),
});

const STUMPS: ForestShape = {
  trees: 4,
  depth: 0,
  bins: 2,
  featuresPerNode: 1,
  splitShare: 0.5,
  dealing: 'shared',
};
const UNIT = { least: 0, largest: 1 };

/** The row is in every tree: each of its counts is at least 1. */
function countsOfTrees(source: RandomSource, epsilon: number): Events {
  const setting = { ...STUMPS, ranges: [UNIT], classes: 2, epsilon };
  return events<Rows>([[0.5]], [], (rows) => {
    const labels = rows.map(() => 1);
    const { forest } = classificationForest(source, rows, labels, setting);
    return forest.trees.every(({ leaves }) => leaves[0]![1]! >= 1);
  });
}

/** The first feature alone puts the row of another class apart. */
function splitOfTree(source: RandomSource, told: bigint): Events {
  const features = 20;
  const same = Array.from({ length: 20 }, () => new Array<number>(features).fill(0));
  const apart = [1, ...new Array<number>(features - 1).fill(0)];
  const setting = {
    ...{ ...STUMPS, trees: 1, depth: 1, featuresPerNode: features, splitShare: 0.999 },
    ranges: new Array(features).fill(UNIT),
    epsilon: AUDITED_EPSILON,
  };
  const gini = giniOf([...same.map(() => 0), 1], 2);
  const criterion = { ...gini, sensitivity: gini.sensitivity / told };
  return events<Rows>([...same, apart], same, (rows) => {
    const forest = growForest(source, rows, criterion, setting);
    return forest.trees[0]!.features[0] === 0;
  });
}

/** Every tree has counted the row, and on average they have its target, which is as large as can be: 2^10. */
function sumsOfTrees(source: RandomSource, epsilon: number): Events {
  const setting = { ...STUMPS, trees: 3, ranges: [UNIT], target: UNIT, epsilon };
  return events<Rows>([[0.5]], [], (rows) => {
    const targets = rows.map(() => 1);
    const { forest } = regressionForest(source, rows, targets, setting);
    const sum = forest.trees.reduce((total, { leaves }) => total + leaves[0]![1]!, 0);
    return sum >= forest.trees.length * 1024 && forest.trees.every(({ leaves }) => leaves[0]![0]! >= 1);
  });
}

const AROUND = { largest: 1, epsilon: AUDITED_EPSILON };
const LOW_MEDIAN = [0, 0, 0, 1, 1];
const ZEROS_AND_ONE = [0, 0, 0, 0, 1];
const HIGH_MEDIAN = [0, 0, 1, 1, 1];
const { factor: FACTOR } = SMOOTH_NOISES.derived.admits({ epsilon: AUDITED_EPSILON, dpDelta: 0 });
/** Where a density of 1/(1 + z⁴) falls fastest, in its units; and half of the way that the median goes, which is 1. */
const STEEP = 1.3 * FACTOR;

/** Noise of the local sensitivity, which is 0 on one of two neighbours. */
function localMedian(source: RandomSource, values: readonly number[]): number {
  const x = values.toSorted((a, b) => a - b);
  const m = (x.length - 1) / 2;
  const local = Math.max(x[m + 1]! - x[m]!, x[m]! - x[m - 1]!);
  return x[m]! + FACTOR * local * quartic(new RealDraws(source));
}

/** Noise of another form than the usual one, and how far beyond the median it goes. */
function farMedian(
  source: RandomSource,
  noise: SmoothNoise,
  { likelier, other, beyond }: Readonly<Record<'likelier' | 'other', readonly number[]> & { beyond: number }>,
): Events {
  const setting = { ...AROUND, dpDelta: DELTA, noise };
  return events(likelier, other, (values) => privateMedian(source, values, setting) > beyond);
}
/** The median moves. */
const MOVED = { likelier: HIGH_MEDIAN, other: LOW_MEDIAN, beyond: 1 };
/** The median stays, and its smooth sensitivity moves. */
const STRETCHED = { likelier: LOW_MEDIAN, other: ZEROS_AND_ONE, beyond: 1.5 };

const average = (_source: RandomSource, _rows: Rows, targets: readonly number[]) => {
  const mean = targets.reduce((sum, y) => sum + y, 0) / targets.length;
  return () => mean;
};

function aggregated(source: RandomSource): Events {
  const rows = LOW_MEDIAN.map(() => [0]);
  // Answers beyond the range are moved to its ends, so that the event is one of them.
  return events(LOW_MEDIAN, HIGH_MEDIAN, (targets) => {
    const setting = { learner: average, parts: 5, target: UNIT, epsilon: AUDITED_EPSILON };
    return sampleAndAggregate(source, rows, targets, [[0]], setting)[0]! === 0;
  });
}

/** Every part has all rows: one of them turns all answers. */
function overlapping(source: RandomSource): Events {
  const parts = 61;
  return events([1, 0, 0], [0, 0, 0], (targets) => {
    const answers = Array.from({ length: parts }, () => Math.max(...targets));
    return privateMedian(source, answers, AROUND) > 0.5;
  });
}

const PLACE = { ranges: [UNIT, UNIT], cells: 3, atLeast: 2, epsilon: AUDITED_EPSILON };

function countOfCell(source: RandomSource, empty: 'noisy' | 'bare'): Events {
  return events<Rows>([[0.5, 0.5]], [], (rows) => {
    const { counts } = gridDbscan(source, rows, PLACE);
    // The twin leaves cells without rows as they are.
    if (empty === 'bare') return rows.length > 0 && counts[4] !== 0;
    return counts[4]! >= 1;
  });
}

/** One row among others in one place, or at the other end of the range: far from all of them it is in no cluster. */
function farFromAll(source: RandomSource): Events {
  const others = Array.from({ length: 20 }, () => [0]);
  return events<Rows>([...others, [1]], [...others, [0]], (rows) => {
    const setting = { radius: 0.9, neighbours: 12, diameter: 1, epsilon: AUDITED_EPSILON };
    return thesisDbscan(source, rows, setting).at(-1) === OUTLIER;
  });
}

/** Points on the corners of a simplex, all far from each other but those of a corner; one more in the middle of them, or on a corner. */
function middleOfSimplex(source: RandomSource): Events {
  const [corners, points, neighbours] = [16, 160, 58];
  const corner = (i: number) =>
    Array.from({ length: corners }, (_, j) => (i % corners === j ? Math.SQRT1_2 : 0));
  const others = Array.from({ length: points }, (_, i) => corner(i));
  const middle = new Array<number>(corners).fill(Math.SQRT1_2 / corners);
  return events<Rows>([...others, middle], [...others, corner(0)], (rows) => {
    const setting = { radius: 0.5, neighbours, diameter: 1, epsilon: AUDITED_EPSILON };
    return recursiveDbscan(source, rows, setting).at(-1) !== OUTLIER;
  });
}

const STEPS = { steps: 10, rate: 0.1 };

/** One long row, and what the parameters come to along its gradient. */
function descended(source: RandomSource, sampled: boolean): Events {
  const noise = noiseOfSteps(STEPS, { epsilon: AUDITED_EPSILON, dpDelta: DELTA });
  const whole = { ...STEPS, rate: 1, noise };
  const setting = {
    ...STEPS,
    ...(sampled ? { epsilon: AUDITED_EPSILON } : { rate: 1, epsilon: epsilonOfSteps(whole, DELTA) }),
    dpDelta: DELTA,
    lot: 1,
    clippingNorm: 1,
    learningRate: 1e-6,
  };
  const model = logisticModel(1, 2);
  // In units of a clipped gradient, by what one row of each step would add up to.
  const from = sampled ? 2.5 * noise : 5;
  return events<Rows>([[100]], [], (rows) => {
    const labels = rows.map(() => 0);
    const { last } = privateDescent(source, rows, labels, model, setting);
    return (last[0]! - last[2]!) / Math.SQRT2 / 1e-6 > from;
  });
}

/** A row in one dimension whose label turns, among others whose labels cancel. */
const TURNED = { lambda: 0.1, rows: [[1], [1], [1]], left: [1, 1, 0], right: [0, 1, 0] };

/** The weight is above that of the likelier of the two without noise. */
function regressed(learn: (labels: readonly number[]) => readonly number[]): Events {
  const [above] = minimum(TURNED.rows, TURNED.left, TURNED);
  return events(TURNED.left, TURNED.right, (labels) => learn(labels)[0]! > above!);
}

function outputNoise(source: RandomSource, forgets: boolean): Events {
  const { lambda, rows } = TURNED;
  // The twin has noise for rows that count once, as without regularisation.
  const beta = (rows.length * AUDITED_EPSILON) / 2;
  return regressed((labels) =>
    forgets
      ? [minimum(rows, labels, { lambda })[0]! + ballNoise(source, 1, beta)[0]!]
      : outputPerturbed(source, rows, labels, { lambda, epsilon: AUDITED_EPSILON }),
  );
}

function objectiveNoise(source: RandomSource, twice: boolean): Events {
  const { lambda, rows } = TURNED;
  return regressed((labels) => {
    if (!twice) return objectivePerturbed(source, rows, labels, { lambda, epsilon: AUDITED_EPSILON });
    const [b] = ballNoise(source, 1, AUDITED_EPSILON / 2);
    return minimum(rows, labels, { lambda, tilt: [b! / rows.length ** 2] });
  });
}

/** Claims without δ, and how often they are attacked. */
const PURELY = { dpDelta: 0, runs: 8000 };

export const LEARNER_AUDITS: readonly LearnerAudit[] = [
  {
    name: 'classification forest, leaves',
    ...PURELY,
    honest: (source) => countsOfTrees(source, AUDITED_EPSILON),
    twin: 'four trees on the same rows, each with the whole ε',
    broken: (source) => countsOfTrees(source, 4 * AUDITED_EPSILON),
  },
  {
    name: 'classification forest, splits',
    ...PURELY,
    honest: (source) => splitOfTree(source, 1n),
    twin: 'the Gini index taken to move by 1, not 2',
    broken: (source) => splitOfTree(source, 2n),
  },
  {
    name: 'regression forest',
    ...PURELY,
    honest: (source) => sumsOfTrees(source, AUDITED_EPSILON),
    twin: 'three trees on the same rows, each with the whole ε',
    broken: (source) => sumsOfTrees(source, 3 * AUDITED_EPSILON),
  },
  {
    name: 'smooth median',
    ...PURELY,
    honest: (source) =>
      events(HIGH_MEDIAN, LOW_MEDIAN, (values) => privateMedian(source, values, AROUND) > STEEP),
    twin: 'noise of the local sensitivity',
    broken: (source) => events(ZEROS_AND_ONE, LOW_MEDIAN, (values) => localMedian(source, values) === 0),
  },
  {
    name: 'smooth median, Laplace noise',
    ...{ ...PURELY, dpDelta: DELTA },
    honest: (source) => farMedian(source, SMOOTH_NOISES.printedLaplace, MOVED),
    twin: 'S/ε with β = ε, as the thesis has it',
    broken: (source) => farMedian(source, SMOOTH_NOISES.thesisLaplace, STRETCHED),
  },
  {
    name: 'sample and aggregate',
    ...PURELY,
    honest: aggregated,
    twin: 'parts that overlap',
    broken: overlapping,
  },
  {
    name: 'DBSCAN on a grid',
    ...PURELY,
    honest: (source) => countOfCell(source, 'noisy'),
    twin: 'empty cells without noise',
    broken: (source) => countOfCell(source, 'bare'),
  },
  {
    name: 'DBSCAN of the thesis',
    ...{ ...PURELY, runs: 3000 },
    twin: 'as printed',
    broken: farFromAll,
  },
  {
    name: 'DBSCAN of the thesis, with recursion',
    ...{ ...PURELY, runs: 300 },
    twin: 'as read',
    broken: middleOfSimplex,
  },
  {
    name: 'regression, noise on the output',
    ...PURELY,
    honest: (source) => outputNoise(source, false),
    twin: 'noise without a look at Λ',
    broken: (source) => outputNoise(source, true),
  },
  {
    name: 'regression, noise in the objective',
    ...PURELY,
    honest: (source) => objectiveNoise(source, false),
    twin: 'noise divided by n twice',
    broken: (source) => objectiveNoise(source, true),
  },
  {
    name: 'SGD',
    ...{ ...PURELY, dpDelta: DELTA },
    honest: (source) => descended(source, true),
    twin: 'every row in every step, accounted for as if sampled',
    broken: (source) => descended(source, false),
  },
];
