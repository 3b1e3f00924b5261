/**
 * Eigenvectors of an integer matrix beyond double precision, from all eigenpairs in doubles. Newton's
 * correction for one vector, a − (Y − ρ)⁺ (Y a − ρ a), takes the residual in whole numbers and the
 * pseudo-inverse in doubles, as iterative refinement does (Higham, "Accuracy and Stability of Numerical
 * Algorithms", chapter 12): the error shrinks by about 2^−50/gap per step, where the gap is relative to the
 * largest eigenvalue.
 *
 * The data user's computation on M: eigenvalues, the directions that it asks for, and from the answer the
 * projection vectors.
 */

import { CodedError, isOf } from '@eigenveil/platform';
import {
  asReleased,
  type Components,
  type EigenPairs,
  PROJECTION_CODES,
  rankRefusal,
  symmetricEigen,
} from '@eigenveil/projection';
import { floorOf, type Program, type StatisticsTask, statisticsBounds } from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../codes.ts';
import { ENTRY_ACCURACY } from '../programs/correlation.ts';
import { SOLVE_FRACTION } from '../programs/precision.ts';
import {
  innerProduct,
  type Matrix,
  roundDivide,
  squareRoot,
  symmetricMatrix,
  traceOf,
  transpose,
} from './matrices.ts';
import type { RotatedParameters } from './parameters.ts';

/** Bits kept beyond those of the result while correcting. */
const CORRECTION_GUARD_BITS = 16;
/** The step count of gaps near the least that is refined at all. */
const MAXIMUM_STEPS = 16;
/**
 * Eigenvalues nearer than this, relative to the largest, are not distinguished: their vectors in doubles are
 * arbitrary.
 */
const LEAST_GAP = 2 ** -44;

/**
 * 2^bits times the vectors of the `count` first eigenpairs (d × count), rounded. `pairs` are those of
 * `matrix` (d × d, symmetric) in doubles, descending; where a vector belongs to eigenvalues that doubles do
 * not distinguish, it is only as exact as they are.
 */
export function refineVectors(matrix: Matrix, pairs: EigenPairs, count: number, bits: number): bigint[][] {
  const columns = Array.from({ length: count }, (_, i) => refineVector(matrix, pairs, i, bits));
  return matrix.map((_, row) => columns.map((column) => column[row]!));
}

function refineVector(
  matrix: Matrix,
  { values, vectors }: EigenPairs,
  index: number,
  bits: number,
): bigint[] {
  const scale = 2 ** (bits + CORRECTION_GUARD_BITS);
  const closest = LEAST_GAP * Math.max(...values.map(Math.abs));
  let vector = vectors[index]!.map((entry) => BigInt(Math.round(entry * scale)));
  for (let step = 0; step < MAXIMUM_STEPS; step += 1) {
    const image = matrix.map((row) => innerProduct(row, vector));
    const square = innerProduct(vector, vector);
    const rayleigh = innerProduct(vector, image);
    const residual = image.map((entry, i) => Number(entry - (rayleigh * vector[i]!) / square));
    const correction = new Array<number>(values.length).fill(0);
    for (const [j, other] of vectors.entries()) {
      const gap = values[j]! - values[index]!;
      if (j === index || Math.abs(gap) <= closest) continue;
      const part = other.reduce((sum, entry, i) => sum + entry * residual[i]!, 0) / gap;
      for (const [i, entry] of other.entries()) correction[i]! -= part * entry;
    }
    vector = vector.map((entry, i) => entry + BigInt(Math.round(correction[i]!)));
    if (correction.every((entry) => Math.abs(entry) < 2 ** (CORRECTION_GUARD_BITS / 2))) break;
  }
  return toLength(vector, bits);
}

/** A rehearsal takes at most this number of features: more do not make the first decomposition faster. */
const REHEARSED_FEATURES = 34;

/**
 * Decomposes a public matrix, which takes a process that has just started ten times as long as the next one: what a data user waits for
 * by public sizes is short only if it need not wait for its own engine.
 * @param bits the length of entries
 */
export function rehearse(
  { features, directionBits }: Pick<RotatedParameters, 'features' | 'directionBits'>,
  components: number,
  bits: number,
): void {
  const matrix = rehearsedMatrix(features, bits);
  const pairs = symmetricEigen(matrix.map((row) => row.map(Number)));
  refineVectors(matrix, pairs, Math.min(components, matrix.length), directionBits);
}

/** Returns Lehmer's matrix, min(i, j)/max(i, j), in units of 2^−bits: its eigenvalues are positive and apart from one another. */
export function rehearsedMatrix(features: number, bits: number): bigint[][] {
  const size = Math.min(features, REHEARSED_FEATURES);
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (__, j) => {
      const part = (Math.min(i, j) + 1) / (Math.max(i, j) + 1);
      return BigInt(Math.round(part * 2 ** 50)) << BigInt(bits - 50);
    }),
  );
}

/** The vector over its length, in units of 2^−bits, rounded to nearest. */
function toLength(vector: readonly bigint[], bits: number): bigint[] {
  const length = squareRoot(innerProduct(vector, vector));
  return vector.map((entry) => roundDivide(entry << BigInt(bits), length));
}

/**
 * Far above the noise on an eigenvalue (below 2^−29 of the trace for 400 features), far below what a
 * corrupted share leaves.
 */
const PLAUSIBLE_NEGATIVE = 2 ** -28;
/** Times the flood: far above that on inner products of two vectors (below 2^6 of it), far below 1. */
const PLAUSIBLE_PRODUCT = 2 ** 9;

export interface Opened {
  /**
   * The eigenvalues of T/(Q·4^fractionBits), which is the total scatter, or of the correlation matrix;
   * descending.
   */
  readonly spectrum: readonly number[];
  /** A in units of 2^−directionBits, d × components; zero when the result is refused. */
  readonly directions: Matrix;
  /**
   * The reason why there will be no result. The protocol runs to its end all the same, so that the CSP does
   * not learn it.
   */
  readonly refusal: CodedError | undefined;
}

/**
 * Decomposes M, whose upper triangle in units of 2^(−2f), mask included, is given as signed integers.
 * Whatever M is, it throws nothing.
 */
export function decomposeMatrix(
  upper: readonly bigint[],
  samples: bigint,
  task: StatisticsTask,
  program: Program,
  parameters: RotatedParameters,
): Opened {
  const matrix = symmetricMatrix(upper, parameters.features);
  const nothing = matrix.map(() => new Array<bigint>(program.components).fill(0n));
  try {
    const { spectrum, refusal, directions } = decompose(matrix, samples, task, program, parameters);
    return { spectrum, refusal, directions: refusal ? nothing : directions };
  } catch (error) {
    const refusal = isOf(TWO_PARTY_CODES, error) ? error : implausible('"matrix" expected numbers');
    return { spectrum: [], refusal, directions: nothing };
  }
}

/** The directions also where they will not be asked for, so that the work is the same. */
function decompose(
  matrix: Matrix,
  samples: bigint,
  task: StatisticsTask,
  program: Program,
  parameters: RotatedParameters,
): Opened {
  const { rotationBits, directionBits, standardised } = parameters;
  const pairs = symmetricEigen(matrix.map((row) => row.map(Number)));
  const directions = refineVectors(matrix, pairs, program.components, directionBits);
  checkSamples(samples, task);
  const floor = floorOf(task);
  const rounding = standardised ? 2 ** (2 * rotationBits + SOLVE_FRACTION - ENTRY_ACCURACY) : 0;
  checkSpectrum(pairs.values, {
    slack: parameters.features * (2 ** parameters.maskBits + rounding),
    most: 2 ** (parameters.ringBits - 2),
    // Noise may be larger than what it is added to, and owners may add noise of their own to that of a floor.
    indefinite: Boolean(task.differentialPrivacy) || floor !== undefined,
  });
  const raised = ((standardised ? 1n : samples) * parameters.raise) << BigInt(2 * rotationBits);
  // The trace of T is a whole number, and the mask on it far below 1/2 where there is no floor: less is none.
  const some = traceOf(matrix) - raised * BigInt(matrix.length) >= 1n << BigInt(2 * rotationBits - 1);
  const unit = standardised ? 2 ** SOLVE_FRACTION : Number(samples) * 4 ** parameters.fractionBits;
  const scale = unit * 4 ** rotationBits;
  const isNone = !some && floor === undefined;
  const spectrum = pairs.values.map((value) => (isNone ? 0 : (value - Number(raised)) / scale));
  const outweighed = (Boolean(task.differentialPrivacy) && !some) || (floor && isOutweighed(pairs.values));
  const refusal = refusalOf(spectrum, samples, program, outweighed ?? false);
  return { spectrum, refusal, directions };
}

/**
 * The result. `vectors` are the d × components entries of Pᵀ A in units of the flood.
 * @throws ERR_NO_SAMPLES, ERR_STATISTICS_INVALID, ERR_FULL_RANK: the refusal of `opened`
 * @throws ERR_ROTATION_CHECK when the vectors are not orthonormal
 */
export function finishDecomposition(
  { spectrum, refusal }: Opened,
  vectors: Matrix,
  { Q, V }: { readonly Q: bigint; readonly V: readonly bigint[] | undefined },
  program: Program,
  { rotationBits, directionBits, floodBits, sumFractionBits, exponents }: RotatedParameters,
): Components {
  if (refusal) throw refusal;
  const scale = 2 ** (rotationBits + directionBits - floodBits);
  const columns = transpose(vectors).map((column) => column.map((entry) => Number(entry) / scale));
  checkOrthonormal(columns, exponents.flood);
  const { components, outputs } = program;
  const all = [...spectrum];
  return asReleased(program, {
    kind: 'components',
    vectors: columns.map(normalised),
    eigenvalues: all.slice(0, components),
    ...(V && { mean: V.map((sum) => Number(sum) / (Number(Q) * 2 ** sumFractionBits)) }),
    ...(outputs.includes('trace') && { trace: all.reduce((sum, value) => sum + value, 0) }),
    sampleCount: Number(Q),
    spectrum: all,
  });
}

/**
 * Q as the opened shares say.
 * @throws ERR_ROTATION_CHECK when the task cannot have as many samples
 */
function checkSamples(samples: bigint, task: StatisticsTask): void {
  const { M } = statisticsBounds(task);
  if (samples > M || samples < (task.differentialPrivacy ? -M : 0n)) {
    throw implausible('"sampleCount" expected a number of samples that the task allows');
  }
}

/**
 * T has no negative eigenvalues, and a largest possible trace.
 * @throws ERR_ROTATION_CHECK when these are off by more than noise and the `slack` of mask and rounding
 */
export function checkSpectrum(
  values: readonly number[],
  { slack, most, indefinite = false }: { slack: number; most: number; indefinite?: boolean },
): void {
  const trace = values.reduce((sum, value) => sum + Math.abs(value), 0);
  if ((!indefinite && isIndefinite(values, slack)) || trace > most * (1 + PLAUSIBLE_NEGATIVE) + slack) {
    throw implausible('"matrix" expected that of a total scatter');
  }
}

/**
 * Returns whether the least eigenvalue is further below 0 than noise of the protocol and rounding bring one
 * of a scatter.
 */
export function isIndefinite(values: readonly number[], slack: number): boolean {
  const trace = values.reduce((sum, value) => sum + Math.abs(value), 0);
  return values.at(-1)! < -PLAUSIBLE_NEGATIVE * trace - slack;
}

/**
 * Returns whether negative eigenvalues, which a floor's raise leaves to noise of the owners alone, add up to
 * more than a quarter of the size of all. Otherwise the norm of the matrix is at most twice its trace, as the
 * distance of docs/arguments/rotated-floor.md takes it.
 */
export function isOutweighed(values: readonly number[]): boolean {
  const sizes = values.map(Math.abs);
  return sizes.reduce((sum, size, i) => sum + size / 4 + Math.min(0, values[i]!), 0) < 0;
}

function checkOrthonormal(columns: readonly (readonly number[])[], floodExponent: number): void {
  for (const [i, column] of columns.entries()) {
    for (const [j, other] of columns.slice(0, i + 1).entries()) {
      const product = column.reduce((sum, entry, row) => sum + entry * other[row]!, 0);
      if (!(Math.abs(product - (i === j ? 1 : 0)) < PLAUSIBLE_PRODUCT * 2 ** -floodExponent)) {
        throw implausible('"vectors" expected orthonormal ones');
      }
    }
  }
}

function refusalOf(
  spectrum: readonly number[],
  samples: bigint,
  program: Program,
  indefinite: boolean,
): CodedError | undefined {
  if (samples <= 0n) {
    return new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none');
  }
  if (indefinite) {
    return noiseOutweighs();
  }
  return rankRefusal(spectrum, program);
}

export function noiseOutweighs(): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_STATISTICS_INVALID,
    '"statistics" expected a scatter matrix with a positive trace: the noise outweighs the rows',
  );
}

export function implausible(message: string): CodedError {
  return new CodedError(TWO_PARTY_CODES.ERR_ROTATION_CHECK, `${message}: a share was corrupted`);
}

/** The vector over its length, its entry of largest magnitude positive. */
export function normalised(vector: readonly number[]): number[] {
  const largest = vector.reduce((best, entry) => (Math.abs(entry) > Math.abs(best) ? entry : best));
  const scale = Math.hypot(...vector) * Math.sign(largest);
  return vector.map((entry) => entry / scale + 0);
}
