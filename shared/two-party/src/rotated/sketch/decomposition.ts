/**
 * The data user's computation on M and on M₂: C₁, the directions that it asks for, and from the answer the
 * components.
 */
import { CodedError, isOf } from '@eigenveil/platform';
import {
  asReleased,
  type Components,
  type EigenPairs,
  PROJECTION_CODES,
  rankOf,
  rankRefusal,
  sketchIsWhole,
  symmetricEigen,
} from '@eigenveil/projection';
import { type Program, type StatisticsTask, statisticsBounds } from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../../codes.ts';
import {
  checkSpectrum,
  implausible,
  isIndefinite,
  noiseOutweighs,
  normalised as ofLengthOne,
  refineVectors,
} from '../decomposition.ts';
import { type Matrix, roundShift, symmetricMatrix } from '../matrices.ts';
import { eigenpairsOf, whiten } from '../pencil/whitening.ts';
import { SHIFT, type SketchParameters } from './parameters.ts';

/** Far above noise and rounding on eigenvalues of at most 1, far below what a corrupted share leaves. */
const PLAUSIBLE = 2 ** -20;
/**
 * The largest change by the rounding of Z' and the flood in lengths and inner products of components,
 * relative to their lengths.
 */
const ROUGHEST_PRODUCT = 2 ** -2;
/** A component is at least this number of times as long as the flood on all of its entries. */
const LEAST_LENGTH = 8;
/** Rounding changes them by less; a corrupted share by powers of two beyond. */
const PLAUSIBLE_PRODUCT = 2 ** 10;
/** Significant bits of a factor that scales a matrix. */
const FACTOR_BITS = 52;

type Refusal = CodedError;

/** The inputs of the products after M. */
export interface Root {
  /** C₁, l × l, in units of 2^−rootBits; 0 when the result is refused. */
  readonly root: Matrix;
  /**
   * C̃. When the result is refused it meets directions that are 0, and has entries as long as always, since
   * products with 0 are faster.
   */
  readonly normalised: Matrix;
}

interface OpenedCore extends Root {
  /** The factor from an eigenvalue of F to one of the sketch, in units of Z and the core. */
  readonly unit: number;
  /**
   * The square of a component's length as it is opened, in units of Z'·2^−vectorBits, over its eigenvalue of
   * F.
   */
  readonly squaredLength: number;
  readonly refusal: Refusal | undefined;
}

interface OpenedWhitened {
  /** The eigenvalues of the components, as of F. */
  readonly values: readonly number[];
  /** The eigenvalues of the scatter's sketch, without the raise. */
  readonly spectrum: readonly number[];
  /** A, l × components. */
  readonly directions: Matrix;
  readonly core: OpenedCore;
  readonly refusal: Refusal | undefined;
}

/** Returns why this number of rows has no result, if so: their mean is not subtracted then. */
export function refusalOfRows(rows: bigint, columns: number, task: StatisticsTask): Refusal | undefined {
  if (rows < 0n || rows > statisticsBounds(task).M)
    return implausible('"sampleCount" expected a number of samples that the task allows');
  if (rows === 0n)
    return new CodedError(PROJECTION_CODES.ERR_NO_SAMPLES, 'expected at least one sample, got none');
  return rows - 1n <= BigInt(columns) ? sketchIsWhole(columns) : undefined;
}

/**
 * C₁ from M, whose upper triangle in units of 2^−(2f), mask included, is given as signed integers. Whatever M
 * is, it throws nothing, and it works for as long wherever C₁ can be had.
 */
export function findRoot(
  upper: readonly bigint[],
  refused: Refusal | undefined,
  program: Program,
  parameters: SketchParameters,
): OpenedCore {
  const { columns: l, inner } = parameters;
  const matrix = symmetricMatrix(upper, l);
  const short = (1n << BigInt(inner.cut)) / BigInt(l);
  const none = {
    root: matrix.map((row) => row.map(() => 0n)),
    normalised: matrix.map((row) => row.map(() => short)),
    unit: 0,
    squaredLength: 0,
  };
  try {
    const opened = openRoot(matrix, program, parameters);
    const refusal = refused ?? opened.refusal;
    return refusal ? { ...none, refusal } : opened;
  } catch (error) {
    const own = isOf(TWO_PARTY_CODES, error) ? error : implausible('"matrix" expected numbers');
    return { ...none, refusal: refused ?? own };
  }
}

/** M is twice the core; so is B. */
function openRoot(matrix: Matrix, { featureCount: d }: Program, parameters: SketchParameters): OpenedCore {
  const { columns: l, rotationBits, rootBits, rootEntryBits, inner, maskBits, ringBits, cut } = parameters;
  const fraction = 2 * rotationBits;
  const doubled = eigenpairsOf(matrix, fraction);
  const trace = doubled.values.reduce((sum, value) => sum + value, 0);
  const shift = Math.max(0, (SHIFT * d * trace) / l);
  const more = BigInt(Math.round(shift * 2 ** FACTOR_BITS)) << BigInt(fraction - FACTOR_BITS);
  const pairs: EigenPairs = {
    ...doubled,
    values: doubled.values.map((value) => value + Number(more) * 2 ** -fraction),
  };
  const precise = Math.ceil(parameters.coreBits / 2) + 80;
  const whitening = whiten(
    matrix.map((row, i) => row.map((entry, j) => (i === j ? entry + more : entry))),
    pairs,
    { fraction, least: 0, root: precise, normalised: inner.cut },
  );
  const slack = l * 2 ** (maskBits - fraction);
  checkSpectrum(doubled.values, {
    slack,
    most: 2 ** (ringBits - 2 - fraction),
    indefinite: parameters.hasFloor,
  });
  // The raise does not include noise that owners add themselves.
  if (parameters.hasFloor && isIndefinite(doubled.values, slack))
    return { root: matrix, normalised: matrix, unit: 0, squaredLength: 0, refusal: noiseOutweighs() };
  const tooLittle = trace / 2 < 2 ** parameters.leastTraceBits;
  // C (M + shift) Cᵀ = I for C of `whitening`. An estimate of the trace of S̄ in units of Z, times the room
  // that is left.
  const scaled = (2 ** parameters.headroomBits * trace) / 2 / l / 4 ** parameters.scaleBits;
  const scale = Math.sqrt(2 / scaled) * 2 ** cut;
  const root = (whitening?.root ?? matrix).map((row) =>
    row.map((entry) => times(entry, scale * 2 ** (rootBits - precise))),
  );
  const isRoot =
    whitening !== undefined && root.flat().every((entry) => BigInt.asIntN(rootEntryBits, entry) === entry);
  const refusal = tooLittle
    ? littleVariance(trace / 2, parameters)
    : rankOf(doubled.values) < l
      ? sketchIsWhole(l)
      : isRoot
        ? undefined
        : implausible('"matrix" expected that of a sketch');
  return {
    root,
    normalised: whitening?.normalised ?? matrix,
    unit: scaled,
    squaredLength: (pairs.values.at(-1)! / scale ** 2) * 4 ** parameters.vectorBits,
    refusal,
  };
}

function littleVariance(trace: number, { leastTraceBits }: SketchParameters): CodedError {
  return tooSmall(
    'rows',
    `2^${Math.round(Math.log2(Math.max(trace, 1)) - leastTraceBits)} of the variance that is needed`,
  );
}

function tooSmall(what: string, got: string): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_ILL_CONDITIONED,
    `${what} expected to vary more within the ranges of their features with the two-party protocol rotated, got ${got}: propose a task with narrower ranges, with room for fewer rows, or with fewer columns`,
  );
}

/** entry · factor, rounded, for a factor above 0 that is right to FACTOR_BITS. */
function times(entry: bigint, factor: number): bigint {
  const bits = FACTOR_BITS - Math.floor(Math.log2(factor));
  const product = entry * BigInt(Math.round(factor * 2 ** bits));
  return bits > 0 ? roundShift(product, bits) : product << BigInt(-bits);
}

/**
 * The directions from M₂, upper triangle, in units of 2^−openBits. It does the same work whatever M₂ is, and
 * throws nothing.
 */
export function decomposeWhitened(
  upper: readonly bigint[],
  core: OpenedCore,
  program: Program,
  { columns: l, components, openBits, directionBits, scatterUnit, raise }: SketchParameters,
): OpenedWhitened {
  const matrix = symmetricMatrix(upper, l);
  const nothing = {
    values: [],
    spectrum: [],
    directions: matrix.map(() => new Array<bigint>(components).fill(0n)),
    core,
  };
  try {
    const pairs = symmetricEigen(matrix.map((row) => row.map(Number)));
    const directions = refineVectors(matrix, pairs, components, directionBits);
    const values = pairs.values.map((value) => value * 2 ** -openBits);
    const isPlausible =
      values.reduce((sum, value) => sum + value, 0) <= 1 + PLAUSIBLE && values.at(-1)! >= -PLAUSIBLE;
    const spectrum = values.map((value) => (value * core.unit - Number(raise)) / scatterUnit);
    const refusal =
      core.refusal ??
      (isPlausible
        ? program.floor && rankRefusal(spectrum, program)
        : implausible('"signal" expected that of a sketch'));
    if (refusal) return { ...nothing, refusal };
    return {
      values: values.slice(0, components),
      spectrum: spectrum.slice(0, components),
      directions,
      core,
      refusal,
    };
  } catch {
    return { ...nothing, refusal: core.refusal ?? implausible('"signal" expected numbers') };
  }
}

/**
 * The result. `vectors` are the d × components entries of Z'' J in units of the flood.
 * @throws ERR_ILL_CONDITIONED when components are as small as what their entries are rounded to,
 * ERR_ROTATION_CHECK when they have lengths or inner products that
 *   they cannot have, and the refusal of what was opened
 */
export function finishSketch(
  { values, spectrum, core, refusal }: OpenedWhitened,
  vectors: Matrix,
  { Q, V }: { readonly Q: bigint; readonly V: readonly bigint[] },
  program: Program,
  { features: d }: SketchParameters,
): Components {
  if (refusal) throw refusal;
  const lengths = values.map((value) => Math.sqrt(core.squaredLength * Math.max(value, 0)));
  const least = lengths.reduce((a, b) => Math.min(a, b)) / Math.sqrt(d);
  if (!(least > LEAST_LENGTH)) throw tooSmall('components', 'some as small as the noise on them');
  const columns = values.map((_, j) => vectors.map((row) => Number(row[j]!) / lengths[j]!));
  const off = columns.flatMap((column, i) =>
    columns.slice(0, i + 1).map((other, j) => {
      const product = column.reduce((sum, entry, row) => sum + entry * other[row]!, 0);
      return Math.abs(product - (i === j ? 1 : 0));
    }),
  );
  const most = off.reduce((a, b) => Math.max(a, b));
  if (!(most < PLAUSIBLE_PRODUCT)) throw implausible('"vectors" expected orthonormal ones');
  if (most > ROUGHEST_PRODUCT) throw tooSmall('components', 'some as small as what they are rounded to');
  return asReleased(program, {
    kind: 'components',
    vectors: columns.map(ofLengthOne),
    eigenvalues: [...spectrum],
    mean: V.map((sum) => Number(sum) / (Number(Q) * 2 ** program.fractionBits)),
    sampleCount: Number(Q),
  });
}
