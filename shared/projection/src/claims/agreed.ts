/**
 * Checks that a projection that somebody else has computed is one of the agreed task: with its features, its
 * number of components and its outputs, and with numbers that such a task can have. It is no proof that they
 * are right.
 */
import {
  type Immutable,
  LINEAR_RING_BITS,
  methodOf,
  Output,
  type SignedResult,
  sumsOf,
} from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import {
  cappedComponents,
  FLOOR_REACH,
  floorOf,
  ownNoiseBounds,
  type Program,
  programOf,
  type StatisticsTask,
  statisticsBounds,
  summedClasses,
} from '@eigenveil/task';
import { isSameJson } from '@eigenveil/wire';
import { PROJECTION_CODES } from '../codes.ts';
import { releaseOf } from '../reference/histograms.ts';

/** The members of a task that describe its result. */
export type AgreedTask = StatisticsTask &
  Pick<Program, 'components' | 'outputs' | 'minimumOwners' | 'allowFullRank'> & {
    readonly twoParty: string;
    readonly basis?: string | undefined;
  };

/** A projection as it comes over the wire. */
export interface ClaimedProjection
  extends Immutable<SignedResult>,
    Pick<
      AgreedTask,
      | 'method'
      | 'twoParty'
      | 'features'
      | 'fractionBits'
      | 'sketch'
      | 'outputs'
      | 'differentialPrivacy'
      | 'basis'
    > {}

const AGREED = [
  'method',
  'twoParty',
  'features',
  'fractionBits',
  'sketch',
  'outputs',
  'differentialPrivacy',
  'basis',
] as const;

/** Vectors are made to length 1 in doubles, and where there is a floor their entries are cut afterwards. */
const LENGTH_ERROR = 1e-9;
const CUT_LENGTH_ERROR = 2 ** -18;
/**
 * Far above what the two-party protocols leave between their vectors of a PCA, far below what a repeated or a
 * made-up one has.
 */
const PRODUCT_ERROR = 2 ** -8;
/**
 * The tolerance of eigenvalues, as a part of the largest, and of bounds: it is above the rounding of all
 * two-party protocols.
 */
const PROTOCOL_ROUNDING = 2 ** -12;

/**
 * Checks that `projection` is one of `task`, field by field, before a row is reduced by it.
 * @throws ERR_PROJECTION_INVALID
 */
export function checkAgreed(task: AgreedTask, projection: ClaimedProjection): void {
  for (const field of AGREED) expect(isSame(projection[field], task[field]), field, 'what the task says');
  for (const output of Output.options) {
    const isDeclared = task.outputs.includes(output);
    expect((projection[output] !== undefined) === isDeclared, output, 'the outputs that the task declares');
  }
  const components = cappedComponents(programOf(task));
  const { vectors, eigenvalues, converged } = projection;
  expect(vectors.length === components, 'vectors', `${components} of them`);
  expect(eigenvalues.length === components, 'eigenvalues', `${components} of them`);
  expect(converged === undefined || converged.length === components, 'converged', `${components} of them`);
  expect(
    (projection.regression !== undefined) === (task.method.kind === 'ridge'),
    'regression',
    'one of ridge, and none of other methods',
  );
  if (task.method.kind === 'histogram') {
    checkRelease(task, projection);
    return;
  }
  for (const field of ['histograms', 'privateRows'] as const)
    expect(projection[field] === undefined, field, 'none of a projection');
  checkRegression(task, projection);
  checkVectors(task, vectors);
  checkEigenvalues(task, projection);
  checkOutputs(task, projection);
}

/** Numbers that JSON cannot say, such as ∞, which 1e999 is read as, are the same as nothing. */
function isSame(claimed: unknown, agreed: unknown): boolean {
  try {
    return isSameJson(claimed, agreed);
  } catch {
    return false;
  }
}

/**
 * ρ‖w‖² is at most what w = 0 leaves, the rows' Σ (y − ȳ)² <= Q_max; and the line goes through the mean,
 * which is in [−1, 1].
 */
function checkRegression(task: AgreedTask, { regression }: ClaimedProjection): void {
  const { method, features } = task;
  if (method.kind !== 'ridge' || regression === undefined) return;
  const { weights, intercept } = regression;
  const noise = floorReach(task);
  const mostOfTarget = Number(statisticsBounds(task).M) + noise.scatter;
  expect(weights.length === features.length - 1, 'regression', 'one weight for each feature but the last');
  const most = Math.min(Number.MAX_VALUE, Math.sqrt(mostOfTarget / method.ridge));
  checkNumbers('regression', weights, [-most, most]);
  const reach = weights.reduce((sum, w) => sum + Math.abs(w), 1) * (1 + noise.sum);
  checkNumbers('regression', [intercept], [-reach, reach]);
}

/** Checks that a ring can hold the sums; everything else follows from them. */
function checkRelease(task: AgreedTask, { histograms, privateRows }: ClaimedProjection): void {
  const most = 2 ** (LINEAR_RING_BITS - 1);
  const sums = (histograms ?? []).flatMap(({ coefficients, unreadable }) => [...coefficients, unreadable]);
  expect(
    sums.every((value) => Number.isInteger(value) && value >= -most && value < most),
    'histograms',
    'integers',
  );
  expect(sums.length === sumsOf(task), 'histograms', 'all sums of the task');
  const follows = releaseOf(task, sums.map(BigInt));
  expect(isSame(histograms, follows.histograms), 'histograms', 'what follows from their coefficients');
  expect(isSame(privateRows, follows.privateRows), 'privateRows', 'what follows from the coefficients');
}

/**
 * Checks that vectors have a length that the task can have and a largest entry that is positive, and that
 * they are orthogonal where the method's are.
 */
function checkVectors(task: AgreedTask, vectors: ClaimedProjection['vectors']): void {
  const { method, features } = task;
  const [least, most] = lengthBounds(task);
  const isOne = (vector: readonly number[]) => {
    const length = Math.hypot(...vector);
    return (
      vector.length === features.length &&
      length >= least && // false for what is not finite
      length <= most &&
      Math.max(...vector) >= (1 - PROTOCOL_ROUNDING) * Math.max(...vector.map(Math.abs))
    );
  };
  expect(
    vectors.every(isOne),
    'vectors',
    `ones of ${methodOf({ method }).decomposes === 'correlation' ? 'a length that the task allows' : 'length 1'} whose largest entry is positive`,
  );
  if (method.kind !== 'pca' || methodOf({ method }).decomposes === 'correlation') return;
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
  const areOrthogonal = vectors.every((a, j) =>
    vectors.slice(0, j).every((b) => Math.abs(product(a, b)) <= PRODUCT_ERROR),
  );
  expect(areOrthogonal, 'vectors', 'orthogonal ones');
}

/**
 * Entries of a correlation matrix's vectors are over standard deviations, which are at most 1, and at least
 * 2^-fractionBits/Q. Where a vector of the null space is consented to, it may consist of features without
 * variance, whose entries are 0; and a floor makes variances larger.
 */
function lengthBounds(task: AgreedTask): [number, number] {
  if (!(methodOf(task).decomposes === 'correlation')) {
    const error = floorOf(task) === undefined ? LENGTH_ERROR : CUT_LENGTH_ERROR;
    return [1 - error, 1 + error];
  }
  const most = Number(statisticsBounds(task).M) * 2 ** task.fractionBits;
  return [task.allowFullRank || floorOf(task) ? 0 : 1 - PROTOCOL_ROUNDING, most * (1 + PROTOCOL_ROUNDING)];
}

/**
 * Checks eigenvalues; those of components that the computation says it has not found only have to be finite.
 */
function checkEigenvalues(task: AgreedTask, { eigenvalues, converged }: ClaimedProjection): void {
  const found = eigenvalues.filter((_, j) => converged?.[j] !== false);
  checkNumbers('eigenvalues', eigenvalues, [-Number.MAX_VALUE, Number.MAX_VALUE]);
  checkNumbers('eigenvalues', found, eigenvalueBounds(task));
  checkDescending('eigenvalues', found);
}

function checkOutputs(task: AgreedTask, projection: ClaimedProjection): void {
  const { eigenvalues, mean, trace, sampleCount, spectrum, variances } = projection;
  const bounds = statisticsBounds(task);
  const d = task.features.length;
  const noisy = Boolean(task.differentialPrivacy);
  const scatter = scatterBounds(task);
  if (mean !== undefined) {
    expect(mean.length === d, 'mean', 'one number per feature');
    const most = (noisy ? Number(bounds.V) * 2 ** -task.fractionBits : 1) + floorReach(task).sum;
    checkNumbers('mean', mean, [-most, most]);
  }
  if (variances !== undefined) {
    expect(variances.length === d, 'variances', 'one number per feature');
    checkNumbers('variances', variances, [0, 1 + floorReach(task).scatter]);
  }
  if (trace !== undefined) checkNumbers('trace', [trace], scatter);
  if (sampleCount !== undefined)
    expect(
      Number.isInteger(sampleCount) && sampleCount >= 1 && sampleCount <= Number(bounds.M),
      'sampleCount',
      'a number of rows that the task allows',
    );
  checkClassCounts(task, projection);
  if (spectrum === undefined) return;
  expect(spectrum.length === d, 'spectrum', 'one number per feature');
  // The sum of MDR's two between-class scatters, each of which is at most the total one.
  const parts = task.method.kind === 'mdr' ? 2 : 1;
  checkNumbers('spectrum', spectrum, [parts * scatter[0], parts * scatter[1]]);
  checkDescending('spectrum', spectrum);
  const cut = floorOf(task) === undefined ? 0 : d;
  const slack = PROTOCOL_ROUNDING * d * Math.max(...spectrum.map(Math.abs)) + cut;
  const isTheirs =
    task.method.kind !== 'pca' || eigenvalues.every((value, j) => Math.abs(value - spectrum[j]!) <= slack);
  expect(isTheirs, 'spectrum', 'the eigenvalues of the components first');
  const sum = spectrum.reduce((total, value) => total + value, 0);
  expect(trace === undefined || Math.abs(trace - sum) <= slack, 'trace', 'the sum of the spectrum');
}

/** Each labelling is one of all rows, unless noise has made its counts others. */
function checkClassCounts(task: AgreedTask, { classCounts, sampleCount }: ClaimedProjection): void {
  if (classCounts === undefined) return;
  const { M } = statisticsBounds(task);
  const fit =
    classCounts.length === task.labellings.length &&
    classCounts.every(
      (counts, l) =>
        counts.length === task.labellings[l]!.classes.length &&
        counts.every((count) => Number.isInteger(count) && count >= 0 && count <= Number(M)),
    );
  expect(fit, 'classCounts', 'numbers of rows per labelling and class that the task allows');
  const totals = classCounts.map((counts) => counts.reduce((sum, count) => sum + count, 0));
  const same = task.differentialPrivacy ? totals.slice(0, 1) : totals;
  const rows = sampleCount ?? same[0];
  expect(
    same.every((total) => total === rows),
    'classCounts',
    'numbers that add up to the number of rows',
  );
}

/**
 * Returns bounds of the trace of the total scatter, and so of its eigenvalues: without noise it is from 0 to
 * d Q_max, as features lie in [−1, 1]. With noise V Vᵀ / Q may be as large as V is, with a single row. A
 * correlation matrix has no more than its diagonal of ones, and with a floor no entry that is above 8.
 */
function scatterBounds(task: AgreedTask): [number, number] {
  if (methodOf(task).decomposes === 'correlation') {
    const { length } = task.features;
    return floorOf(task) === undefined ? [0, length] : [-8 * length, 8 * length];
  }
  const { R, V } = statisticsBounds(task);
  const unit = 2 ** -task.fractionBits;
  const d = task.features.length;
  const noise = floorReach(task).scatter;
  const most = d * Number(R) * unit ** 2;
  if (!task.differentialPrivacy) return [-noise, most + noise];
  const noisy = most + d * (Number(V) * unit) ** 2 + noise;
  return [-noisy, noisy];
}

/**
 * Returns how far the floors of both servers and of all owners may be off: on an eigenvalue or the trace of a
 * scatter, and on all sums of rows together, with a single row in each class. Both are zero without a floor.
 */
function floorReach(task: AgreedTask): { readonly scatter: number; readonly sum: number } {
  const floor = floorOf(task);
  if (floor === undefined) return { scatter: 0, sum: 0 };
  const d = task.features.length;
  const classes = Math.max(...summedClasses(task));
  const coarsest = Math.max(...floor.grains);
  const reach = 2 * FLOOR_REACH * floor.deviation;
  const own = ownNoiseBounds(task);
  const unit = 2 ** -task.fractionBits;
  const ofSum = reach * coarsest + task.maximumOwners * Number(own.V) * unit;
  const entry = reach * Math.SQRT2 * coarsest ** 2 + task.maximumOwners * Number(own.R) * unit ** 2;
  // V_k V_kᵀ/M_k changes by 2 V_k e + e², and |V_k| is at most M_k.
  return { scatter: d * (entry + classes * (2 * ofSum + ofSum ** 2)), sum: classes * ofSum };
}

/**
 * Returns bounds of λ in A w = λ B w. Where only its rounding keeps B from being singular, |λ| may be as
 * large as doubles resolve; otherwise B is at least the ridge, and S_B is at most S̄.
 */
function eigenvalueBounds(task: AgreedTask): [number, number] {
  const { method, differentialPrivacy } = task;
  const [least, most] = scatterBounds(task);
  if (method.kind === 'pca' || method.kind === 'ridge' || method.kind === 'histogram') return [least, most];
  const signal = method.kind === 'dca' ? method.signalRidge : 0;
  const isRatio = method.kind === 'dca' && method.form === 'standard' && signal === 0;
  // With a floor noise of owners may outweigh its ridge, and S̄ be less than S_B.
  if (isRatio && !differentialPrivacy && floorOf(task) === undefined) return [0, 1];
  const largest = most + Math.abs(signal) + method.ridge;
  const resolved = 2 ** -52 * 4 ** -task.fractionBits;
  const bound = largest / (differentialPrivacy ? resolved : Math.max(method.ridge, resolved));
  return [-bound, bound];
}

function checkNumbers(field: string, numbers: readonly number[], [least, most]: [number, number]): void {
  const slack = PROTOCOL_ROUNDING * Math.min(most, Number.MAX_VALUE / 2);
  const fit = numbers.every((value) => value >= least - slack && value <= most + slack); // false for NaN
  expect(fit && numbers.every(Number.isFinite), field, 'finite numbers that the task allows');
}

function checkDescending(field: string, numbers: readonly number[]): void {
  const slack = PROTOCOL_ROUNDING * Math.max(...numbers.map(Math.abs));
  const descend = numbers.every((value, j) => j === 0 || value <= numbers[j - 1]! + slack);
  expect(descend, field, 'descending numbers');
}

function expect(holds: boolean, field: string, expected: string): void {
  if (!holds)
    throw new CodedError(
      PROJECTION_CODES.ERR_PROJECTION_INVALID,
      `"projection.${field}" expected ${expected}`,
    );
}
