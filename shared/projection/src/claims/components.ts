/** Checks a claimed result that has vectors. */
import { floorOf, statisticsBounds } from '@eigenveil/task';
import { correlationBounds, scatterBounds } from './bounds.ts';
import {
  type AgreedTask,
  type Bounds,
  type ClaimedProjection,
  checkDescending,
  checkNumbers,
  expect,
  PROTOCOL_ROUNDING,
} from './claimed.ts';
import { checkOutputs } from './outputs.ts';

/** Vectors are made to length 1 in doubles, and where there is a floor their entries are cut afterwards. */
const LENGTH_ERROR = 1e-9;
const CUT_LENGTH_ERROR = 2 ** -18;
/**
 * Far above what the two-party protocols leave between their vectors of a PCA, far below what a repeated or a
 * made-up one has.
 */
const PRODUCT_ERROR = 2 ** -8;

/** The bounds of vectors and eigenvalues of a task. */
interface Allowed {
  readonly lengths: Bounds;
  readonly lengthInWords: string;
  readonly areOrthogonal: boolean;
  /** Bounds of the trace of the matrix whose trace and spectrum the task may declare. */
  readonly trace: Bounds;
  readonly eigenvalues: Bounds;
  readonly spectrum: Bounds;
  /** True if the spectrum is one of the decomposed matrix itself. */
  readonly isOwnSpectrum: boolean;
}

/** Returns what the principal components of a total scatter must keep to. */
export function allowedOfScatter(task: AgreedTask): Allowed {
  const all = scatterBounds(task);
  return {
    ...ofLengthOne(task),
    ...{ areOrthogonal: true, isOwnSpectrum: true },
    ...{ trace: all, eigenvalues: all, spectrum: all },
  };
}

/**
 * Returns what the principal components of a correlation matrix must keep to. Entries of their vectors are
 * over standard deviations, which are at most 1, and at least 2^-fractionBits/Q. Where a vector of the null
 * space is consented to, it may consist of features without variance, whose entries are 0; and a floor makes
 * variances larger.
 */
export function allowedOfCorrelation(task: AgreedTask): Allowed {
  const most = Number(statisticsBounds(task).M) * 2 ** task.fractionBits;
  const all = correlationBounds(task);
  return {
    lengths: [
      task.allowFullRank || floorOf(task) ? 0 : 1 - PROTOCOL_ROUNDING,
      most * (1 + PROTOCOL_ROUNDING),
    ],
    lengthInWords: 'a length that the task allows',
    ...{ areOrthogonal: false, isOwnSpectrum: true },
    ...{ trace: all, eigenvalues: all, spectrum: all },
  };
}

/** The parameters of A w = λ B w on which bounds of λ depend. */
interface PencilOf {
  readonly ridge: number;
  readonly signalRidge?: number;
  /** True if A is a part of B, so that λ is at most 1. */
  readonly isRatio?: boolean;
  /** The number of scatters whose sum the spectrum is of, each of which is at most the total one. */
  readonly parts?: number;
}

/**
 * Returns what the components of a pencil must keep to. Where only its rounding keeps B from being singular,
 * |λ| may be as large as doubles resolve; otherwise B is at least the ridge, and S_B is at most S̄.
 */
export const allowedOfPencil =
  ({ ridge, signalRidge = 0, isRatio = false, parts = 1 }: PencilOf) =>
  (task: AgreedTask): Allowed => {
    const { differentialPrivacy } = task;
    const trace = scatterBounds(task);
    const largest = trace[1] + Math.abs(signalRidge) + ridge;
    const resolved = 2 ** -52 * 4 ** -task.fractionBits;
    const bound = largest / (differentialPrivacy ? resolved : Math.max(ridge, resolved));
    // With a floor noise of owners may outweigh its ridge, and S̄ be less than S_B.
    const isWithin = isRatio && !differentialPrivacy && floorOf(task) === undefined;
    return {
      ...ofLengthOne(task),
      ...{ areOrthogonal: false, isOwnSpectrum: false },
      trace,
      eigenvalues: isWithin ? [0, 1] : [-bound, bound],
      spectrum: [parts * trace[0], parts * trace[1]],
    };
  };

function ofLengthOne(task: AgreedTask): Pick<Allowed, 'lengths' | 'lengthInWords'> {
  const error = floorOf(task) === undefined ? LENGTH_ERROR : CUT_LENGTH_ERROR;
  return { lengths: [1 - error, 1 + error], lengthInWords: 'length 1' };
}

/**
 * Makes the check of a claimed result that has vectors.
 * @throws ERR_PROJECTION_INVALID
 */
export const checkComponents =
  (allowedOf: (task: AgreedTask) => Allowed) =>
  (task: AgreedTask, projection: ClaimedProjection): void => {
    const allowed = allowedOf(task);
    checkVectors(task, projection, allowed);
    checkEigenvalues(projection, allowed);
    checkOutputs(task, projection, allowed.trace);
    checkSpectrum(task, projection, allowed);
  };

/**
 * Checks that vectors have a length that the task can have and a largest entry that is positive, and that
 * they are orthogonal where the method's are.
 */
function checkVectors(
  { features }: AgreedTask,
  { vectors }: ClaimedProjection,
  { lengths: [least, most], lengthInWords, areOrthogonal }: Allowed,
): void {
  const isOne = (vector: readonly number[]) => {
    const length = Math.hypot(...vector);
    return (
      vector.length === features.length &&
      length >= least && // false for what is not finite
      length <= most &&
      Math.max(...vector) >= (1 - PROTOCOL_ROUNDING) * Math.max(...vector.map(Math.abs))
    );
  };
  expect(vectors.every(isOne), 'vectors', `ones of ${lengthInWords} whose largest entry is positive`);
  if (!areOrthogonal) return;
  const product = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, entry, i) => sum + entry * b[i]!, 0);
  const holds = vectors.every((a, j) =>
    vectors.slice(0, j).every((b) => Math.abs(product(a, b)) <= PRODUCT_ERROR),
  );
  expect(holds, 'vectors', 'orthogonal ones');
}

/**
 * Checks eigenvalues; those of components that the computation says it has not found only have to be finite.
 */
function checkEigenvalues({ eigenvalues, converged }: ClaimedProjection, allowed: Allowed): void {
  const found = eigenvalues.filter((_, j) => converged?.[j] !== false);
  checkNumbers('eigenvalues', eigenvalues, [-Number.MAX_VALUE, Number.MAX_VALUE]);
  checkNumbers('eigenvalues', found, allowed.eigenvalues);
  checkDescending('eigenvalues', found);
}

function checkSpectrum(
  task: AgreedTask,
  { eigenvalues, spectrum, trace }: ClaimedProjection,
  allowed: Allowed,
): void {
  if (spectrum === undefined) return;
  const d = task.features.length;
  expect(spectrum.length === d, 'spectrum', 'one number per feature');
  checkNumbers('spectrum', spectrum, allowed.spectrum);
  checkDescending('spectrum', spectrum);
  const cut = floorOf(task) === undefined ? 0 : d;
  const slack = PROTOCOL_ROUNDING * d * Math.max(...spectrum.map(Math.abs)) + cut;
  const isTheirs =
    !allowed.isOwnSpectrum || eigenvalues.every((value, j) => Math.abs(value - spectrum[j]!) <= slack);
  expect(isTheirs, 'spectrum', 'the eigenvalues of the components first');
  const sum = spectrum.reduce((total, value) => total + value, 0);
  expect(trace === undefined || Math.abs(trace - sum) <= slack, 'trace', 'the sum of the spectrum');
}
