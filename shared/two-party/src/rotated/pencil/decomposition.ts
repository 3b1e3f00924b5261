/**
 * The data user's computation on M and on Y: C₁, the directions that it asks for, and from the answer the
 * projection vectors.
 */
import { methodOf } from '@eigenveil/methods';
import { CodedError, isOf } from '@eigenveil/platform';
import {
  asReleased,
  type Components,
  type EigenPairs,
  notPositiveDefinite,
  PROJECTION_CODES,
  rankRefusal,
  symmetricEigen,
} from '@eigenveil/projection';
import {
  cappedComponents,
  floorOf,
  type Program,
  type StatisticsTask,
  statisticsBounds,
} from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../../codes.ts';
import {
  checkSpectrum,
  implausible,
  isOutweighed,
  noiseOutweighs,
  normalised,
  refineVectors,
  rehearse,
  rehearsedMatrix,
} from '../decomposition.ts';
import {
  innerProduct,
  type Matrix,
  roundShift,
  squareRoot,
  symmetricMatrix,
  transpose,
  upperEntries,
} from '../matrices.ts';
import { contrasts } from './contrasts.ts';
import type { PencilParameters } from './parameters.ts';
import { isDefinite, reductionOf } from './reduction.ts';
import { eigenpairsOf, whiten } from './whitening.ts';

/**
 * B's least eigenvalue over what noise moves it by: below the one there may be none, below the other vectors
 * are not exact.
 */
const NO_EIGENVALUE = 2;
const EXACT_EIGENVALUE = 2 ** 10;
/** Far above noise and rounding on ν and on lengths, far below what a corrupted share leaves. */
const PLAUSIBLE = 2 ** -20;
/** Fraction bits of Y Yᵀ. */
const SQUARE_BITS = 160;
/** Fraction bits of √ρ′. */
const ROOT_BITS = 60;

type Refusal = CodedError;
type Counts = readonly (readonly bigint[])[];

/** The inputs of the products after M. */
export interface Root {
  /** C₁, d × d; 0 when the result is refused. */
  readonly root: Matrix;
  /** √ρ′ C₁ in units of 2^−whiteBits, where ρ′ > 0. */
  readonly signalColumns: Matrix | undefined;
  /**
   * C̃. When the result is refused it meets directions that are 0, and has entries as long as always, since
   * products with 0 are faster.
   */
  readonly normalised: Matrix;
}

interface OpenedTotal extends Root {
  /** The eigenvalues of T/(Q·4^fractionBits), descending. */
  readonly spectrum: readonly number[];
  /** The condition of B: the least eigenvalue over the largest. */
  readonly condition: number;
  readonly refusal: Refusal | undefined;
}

interface OpenedSignal extends Pick<OpenedTotal, 'spectrum' | 'condition' | 'refusal'> {
  /** ν of the components. */
  readonly values: readonly number[];
  /** A, d × components. */
  readonly directions: Matrix;
}

/** Returns why these numbers of rows, by labelling and class, have no result, if so: H is zero then. */
export function refusalOfCounts(counts: Counts, task: StatisticsTask): Refusal | undefined {
  const totals = counts.map((labelling) => labelling.reduce((sum, count) => sum + count, 0n));
  const { M } = statisticsBounds(task);
  if (counts.flat().some((count) => count < 0n) || totals.some((total) => total > M)) {
    return implausible('"classCounts" expected numbers of rows that the task allows');
  }
  if (totals.some((total) => total !== totals[0])) {
    return new CodedError(
      PROJECTION_CODES.ERR_STATISTICS_INVALID,
      '"statistics" expected labellings of the same rows, got labellings of different rows',
    );
  }
  if (totals[0] === 0n) {
    return new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none');
  }
  if (counts[0]!.filter((count) => count > 0n).length < 2) {
    return new CodedError(
      PROJECTION_CODES.ERR_SINGLE_CLASS,
      'expected samples of at least two classes, got one',
    );
  }
  return undefined;
}

/**
 * C₁ from M, whose upper triangle in units of 2^−(2f + scatterBits), mask included, is given as signed
 * integers. Whatever M is, it throws nothing, and it works for as long wherever C₁ can be had.
 */
export function findRoot(
  upper: readonly bigint[],
  counts: Counts,
  refused: Refusal | undefined,
  task: StatisticsTask,
  program: Program,
  parameters: PencilParameters,
): OpenedTotal {
  const { features: d, columns, groups } = parameters;
  const matrix = symmetricMatrix(upper, d);
  const zeros = (width: number) => matrix.map(() => new Array<bigint>(width).fill(0n));
  const short = (1n << BigInt(parameters.inner.cut)) / BigInt(d);
  const none = {
    root: zeros(d),
    normalised: matrix.map((row) => row.map(() => short)),
    signalColumns: columns > groups ? zeros(d) : undefined,
    spectrum: [],
    condition: 1,
  };
  try {
    const opened = openRoot(matrix, counts, task, program, parameters);
    const refusal = refused ?? opened.refusal;
    return refusal ? { ...none, refusal } : opened;
  } catch (error) {
    const own = isOf(TWO_PARTY_CODES, error) ? error : implausible('"matrix" expected numbers');
    return { ...none, refusal: refused ?? own };
  }
}

function openRoot(
  matrix: Matrix,
  [counts]: Counts,
  task: StatisticsTask,
  program: Program,
  parameters: PencilParameters,
): OpenedTotal {
  const { ridge, signalRidge } = reductionOf(program);
  const Q = counts!.reduce((sum, count) => sum + count, 0n);
  const fraction = 2 * parameters.rotationBits + parameters.scatterBits;
  const unitBits = 2 * parameters.fractionBits + fraction;
  const total = eigenpairsOf(matrix, fraction);
  const raised = (Q * parameters.raise) << BigInt(fraction);
  const more = Q * fixed(ridge, unitBits) - raised;
  const pairs = { ...total, values: total.values.map((value) => value + Number(more) * 2 ** -fraction) };
  const whitening = whiten(
    matrix.map((row, i) => row.map((entry, j) => (i === j ? entry + more : entry))),
    pairs,
    {
      fraction,
      least: parameters.leastBits,
      root: parameters.rootBits,
      normalised: parameters.inner.cut,
    },
  );
  checkSpectrum(total.values, {
    slack: parameters.features * 2 ** (parameters.maskBits - fraction),
    most: 2 ** (parameters.ringBits - 2 - fraction),
    indefinite: parameters.raise > 0n, // owners may add noise of their own to that of a floor
  });
  const scale = Number(Q) * 4 ** parameters.fractionBits;
  const { mean: meanRidge, spread } = ridgeOf(task, parameters);
  const lifted = Number(raised) * 2 ** -fraction;
  const spectrum = total.values.map((value) => (value - lifted) / scale - meanRidge);
  // A feature with less than the mean of the ridges would lift a value that is not an eigenvalue.
  const least = spectrum.map((value) => value - spread);
  // WᵀBW is told, as eigenvectors are of a PCA: what leastRank() says of these.
  const leastRank = methodOf(program).leastRank({ ...program, components: cappedComponents(program) });
  const refusal =
    (parameters.raise > 0n && isOutweighed(total.values) ? noiseOutweighs() : undefined) ??
    rankRefusal(least, program, leastRank) ??
    conditionRefusal(total, pairs, parameters, whitening !== undefined);
  const root = whitening?.root ?? matrix;
  const scaleOfSignal = squareRoot(Q * fixed(signalRidge, 2 * (parameters.fractionBits + ROOT_BITS)));
  const signalColumns = root.map((row) =>
    row.map((entry) =>
      roundShift(entry * scaleOfSignal, ROOT_BITS + parameters.rootBits - parameters.whiteBits),
    ),
  );
  return {
    root,
    normalised: whitening?.normalised ?? matrix,
    signalColumns: signalRidge > 0 ? signalColumns : undefined,
    spectrum,
    condition: pairs.values.at(-1)! / pairs.values[0]!,
    refusal,
  };
}

/** Does what a pencil's waits are for with public numbers of the same lengths: see rehearse() of a PCA. */
export function rehearsePencil(parameters: PencilParameters): void {
  const { features, classes, components, contrastBits, rotationBits, scatterBits, rootBits, inner } =
    parameters;
  for (const count of classes) contrasts(new Array<bigint>(count).fill(10n), contrastBits);
  const fraction = 2 * rotationBits + scatterBits;
  const matrix = rehearsedMatrix(features, fraction);
  const pairs = eigenpairsOf(matrix, fraction);
  // The least eigenvalue of 34 features is above 2^−6.
  whiten(matrix, pairs, { fraction, least: -8, root: rootBits, normalised: inner.cut });
  rehearse(parameters, components, SQUARE_BITS);
}

/**
 * ν is above 1 where a share was corrupted, or where noise of the owners is more than a floor's ridge
 * outweighs.
 */
function tooLarge(raise: bigint): Refusal {
  return raise > 0n ? notPositiveDefinite() : implausible('"signal" expected that of a pencil');
}

/**
 * The mean of the floor's ridge over features, and how far its largest is above: zeros without a floor, and
 * where T is made of sums of rows.
 */
function ridgeOf(
  task: StatisticsTask,
  { summed }: PencilParameters,
): { readonly mean: number; readonly spread: number } {
  const ridge = summed ? [] : (floorOf(task)?.ridge ?? []);
  const mean = ridge.reduce((sum, value) => sum + value, 0) / Math.max(1, ridge.length);
  return { mean, spread: Math.max(mean, ...ridge) - mean };
}

/** A number that is not negative in units of 2^−bits. */
function fixed(value: number, bits: number): bigint {
  return BigInt(Math.round(value * 2 ** bits));
}

/**
 * B = T + ρI has the eigenvalues of `pairs`; the noise on T is relative to its trace. Where doubles were not
 * enough for C₁, B is as bad.
 */
function conditionRefusal(
  total: EigenPairs,
  pairs: EigenPairs,
  { features: d, leastBits, exponents }: PencilParameters,
  whitened: boolean,
): CodedError | undefined {
  const trace = total.values.reduce((sum, value) => sum + value, 0);
  const least = pairs.values.at(-1)!;
  const noise = 2 * Math.sqrt(d) * 2 ** -exponents.noise * trace;
  const limit = Math.max(EXACT_EIGENVALUE * noise, 2 ** leastBits);
  if (least <= NO_EIGENVALUE * noise) return notPositiveDefinite();
  if (whitened && least >= limit) return undefined;
  const [wanted, got] = [limit / trace, least / trace].map((ratio) => ratio.toExponential(1));
  return new CodedError(
    PROJECTION_CODES.ERR_ILL_CONDITIONED,
    `the least eigenvalue of the noise matrix expected from ${wanted} of the scatter's trace with the two-party protocol rotated, got ${got} of it: a larger ridge is needed`,
  );
}

/**
 * The directions from Y, d × columns, in units of 2^−openBits. It does the same work whatever Y is, and
 * throws nothing.
 */
export function decomposeSignal(
  Y: Matrix,
  { spectrum, condition, refusal: before }: OpenedTotal,
  task: StatisticsTask,
  { components, openBits, directionBits, exponents, raise }: PencilParameters,
): OpenedSignal {
  const square = symmetricMatrix(
    upperEntries(Y.length, (i, j) => roundShift(innerProduct(Y[i]!, Y[j]!), 2 * openBits - SQUARE_BITS)),
    Y.length,
  );
  const nothing = {
    spectrum,
    condition,
    values: [],
    directions: Y.map(() => new Array<bigint>(components).fill(0n)),
  };
  try {
    const pairs = symmetricEigen(square.map((row) => row.map(Number)));
    const directions = refineVectors(square, pairs, components, directionBits);
    const values = pairs.values.slice(0, components).map((value) => value * 2 ** -SQUARE_BITS);
    const largest = values[0]!;
    const refusal =
      before ??
      (largest > 1 + PLAUSIBLE ? tooLarge(raise) : undefined) ??
      (isDefinite(reductionOf(task), largest, exponents.noise) ? undefined : notPositiveDefinite());
    if (refusal) return { ...nothing, refusal };
    return { spectrum, condition, refusal, values, directions };
  } catch {
    return { ...nothing, refusal: before ?? implausible('"signal" expected numbers') };
  }
}

/**
 * The result. `vectors` are the d × components entries of Pᵀ C̃ᵀ P₂ᵀ A in units of the flood.
 * @throws ERR_ROTATION_CHECK when a vector has a length that it cannot have, and the refusal of what was
 * opened
 */
export function finishPencil(
  { spectrum, condition, values, refusal }: OpenedSignal,
  vectors: Matrix,
  { counts, V }: { readonly counts: Counts; readonly V: readonly bigint[] | undefined },
  program: Program,
  { vectorBits, floodBits, sumFractionBits }: PencilParameters,
): Components {
  if (refusal) throw refusal;
  const scale = 2 ** (floodBits - vectorBits);
  const columns = transpose(vectors).map((column) => column.map((entry) => Number(entry) * scale));
  for (const column of columns) {
    const length = Math.hypot(...column);
    if (!(length < 1 + PLAUSIBLE && length > Math.sqrt(condition) / 2)) {
      throw implausible('"vectors" expected lengths that a pencil allows');
    }
  }
  const { eigenvalue } = reductionOf(program);
  const Q = counts[0]!.reduce((sum, count) => sum + count, 0n);
  const { outputs } = program;
  return asReleased(program, {
    kind: 'components',
    vectors: columns.map(normalised),
    eigenvalues: values.map(eigenvalue),
    ...(V && { mean: V.map((sum) => Number(sum) / (Number(Q) * 2 ** sumFractionBits)) }),
    ...(outputs.includes('trace') && { trace: spectrum.reduce((sum, value) => sum + value, 0) }),
    sampleCount: Number(Q),
    spectrum: [...spectrum],
    classCounts: counts.map((labelling) => labelling.map(Number)),
  });
}
