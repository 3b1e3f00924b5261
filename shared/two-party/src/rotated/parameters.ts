/**
 * The lengths and scales of the `rotated` protocol, all functions of the public task, and the statistical
 * distance that follows from them. docs/arguments/rotated.md proves what is only stated here; its names are used.
 *
 * Units: T = Q R − V Vᵀ is a matrix of integers. P is held as the integers 2^f P, so 2^f P T (2^f P)ᵀ is M in
 * units of 2^(−2f).
 */
import { LIMITS, methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { layout } from '@eigenveil/statistics/owner';
import {
  computedBounds,
  floorOf,
  placesOf,
  RELEASED_BITS,
  raiseOf,
  type Span,
  type StatisticsTask,
} from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../codes.ts';
import { HIDING_BITS } from '../lattice/sizes.ts';
import { SOLVE_FRACTION } from '../programs/precision.ts';

/**
 * The widest ring of a PCA: in a wider one its mask would be as large as a unit of T, and with a floor nearly
 * as large as the floor of a row.
 */
const MAXIMUM_PCA_RING_BITS = 256;
/**
 * The widest rings of pencils and of sketches, whose products then have room in a modulus: tests try the
 * largest. An exact T of a pencil takes more of it than one that is truncated.
 */
export const MAXIMUM_PENCIL_RING_BITS = 300;
export const MAXIMUM_EXACT_RING_BITS = 266;
export const MAXIMUM_SKETCH_RING_BITS = 320;
/** An error of this number of bits less than a deviation moves a distribution by less than 2^−43. */
export const ERROR_GUARD = 42;
/** The uniform mask is 2^43 times wider than all that it has to hide. */
export const MASK_GUARD = 43;
/** The noise and P T are half of what the mask hides; the noise’s product and M’s own, with what other rows do, are a quarter. */
export const HIDDEN_GUARD = 2;
/** All entries of the vectors together are off by less than 2^−40 of a deviation of the flood, in Euclidean length. */
export const VECTOR_GUARD = 40;
/** The secret products of a PCA. */
const PRODUCTS = 6;
/** Noise is below 16 deviations; a number that is not has probability below 2^−90. */
export const NOISE_INTEGER_BITS = 4;

/** The precision of opened numbers, and the additional length that P needs. */
export interface Exponents {
  /**
   * The deviation of the noise off the diagonal is 2^−noise of the trace of T, or of a public bound on it.
   */
  readonly noise: number;
  /** The deviation of the flood on every entry of a vector is 2^−flood. */
  readonly flood: number;
  /** Fraction bits of P beyond those of the number of features. */
  readonly guard: number;
}

const EXPONENTS: Exponents = { noise: 36, flood: 33, guard: 76 };
/** With a floor, nothing that is opened has more bits than the floor's least noise has in units of T. */
const FLOORED_EXPONENTS: Exponents = {
  noise: RELEASED_BITS,
  flood: RELEASED_BITS,
  guard: RELEASED_BITS + 43,
};

export interface RotatedParameters {
  readonly features: number;
  /** True for a correlation matrix, whose units are not those of the statistics. */
  readonly standardised: boolean;
  readonly exponents: Exponents;
  /**
   * The fraction bits of cells as the servers compute with them, and of the sums of rows that a declared mean
   * is made of.
   */
  readonly fractionBits: number;
  readonly sumFractionBits: number;
  /**
   * Q times this, and of a correlation matrix this, is added to the diagonal of T, and subtracted from that
   * of M, so that T is positive semidefinite with the noise of a floor; 0 without.
   */
  readonly raise: bigint;
  /** ℓ: shares of the statistics, of T and of M are modulo 2^ℓ. */
  readonly ringBits: number;
  /** f. An entry of 2^f P takes f + 1 bits. */
  readonly rotationBits: number;
  /** γ: fraction bits of the noise; times its scale it is noise in units of 2^(−2f). */
  readonly noiseBits: number;
  /**
   * The number that scales the noise where that is public: the most that a correlation matrix can have for a
   * trace, raised, in its units. Otherwise it is the trace of T, which is secret.
   */
  readonly noiseScale: bigint | undefined;
  /** Bits of an entry of 2^γ noise, sign included. */
  readonly noiseEntryBits: number;
  /**
   * Bits of what an entry of P T may be off by, in units of T: what is drawn in the product, and as much again by which a data user
   * that deviates lets other rows move it. It falls with d as what the mask then does to an eigenvalue.
   */
  readonly turnedErrorBits: number;
  /**
   * Bits of what an entry of M may be off by, in units of 2^(−2f): the discrete noise is off by the bound on the trace, and
   * P T meets a row of P once more.
   */
  readonly hiddenBits: number;
  /** m: the mask is uniform in [0, 2^m), in the same units, and 2^43 times wider for each entry than what it hides. */
  readonly maskBits: number;
  /** Fraction bits of the directions A that the data user asks for, f as well. */
  readonly directionBits: number;
  /** Fraction bits of the flood after its scale: its deviation is 2^floodBits units of 2^(−2f). */
  readonly floodBits: number;
  /** Shares of Pᵀ A are modulo 2^vectorRingBits. */
  readonly vectorRingBits: number;
  /**
   * Bits of the magnitude of the CSP's share of an entry of R and of V: x + 2^(b−1) + r, shifted as the floor
   * has it and with its noise, is far shorter than the ring for every σ that a task can have: 2f is at least
   * 134, σ at most 128.
   */
  readonly shareBits: { readonly R: number; readonly V: number };
}

/** The sizes of the products for T follow from these. */
export type ScatterSizes = Pick<RotatedParameters, 'features' | 'ringBits' | 'shareBits' | 'raise'>;

/** The sizes of the products for M follow from these. */
export type TurnedSizes = Pick<
  RotatedParameters,
  'features' | 'ringBits' | 'rotationBits' | 'noiseEntryBits' | 'turnedErrorBits' | 'hiddenBits'
> &
  Partial<Pick<RotatedParameters, 'noiseScale'>>;

/**
 * @throws ERR_TASK_RANGE for more than 400 features, of a correlation matrix 200, or when the ring would be wider than 256 bits
 * @throws as `layout`
 */
export function rotatedParameters(task: StatisticsTask): RotatedParameters {
  const d = task.features.length;
  const standardised = methodOf(task).decomposes === 'correlation';
  checkSide('features', d, standardised ? LIMITS.features : LIMITS.turnedFeatures);
  const entries = (d * (d + 1)) / 2;
  const floor = floorOf(task);
  const exponents = floor ? FLOORED_EXPONENTS : EXPONENTS;
  const rotationBits = exponents.guard + ceilLog2(d);
  const raise = standardised ? correlationRaiseOf(task) : raiseOf(floorOf(task));
  const noiseScale = standardised ? BigInt(d) * ((1n << BigInt(SOLVE_FRACTION)) + raise) : undefined;
  const traceBits = noiseScale === undefined ? traceBitsOf(task) : ceilLog2(noiseScale);
  const ringBits = traceBits + 2 * rotationBits + 2;
  checkRings([ringBits], MAXIMUM_PCA_RING_BITS);
  const noiseBits = 2 * rotationBits - exponents.noise;
  // Half as much is drawn, other rows move it as much, and rounding of both shares makes it a unit more.
  const turned = Math.ceil(rotationBits + Math.log2(d) / 2) + 1;
  const maskBitsOf = (hidden: number) => hidden + ceilLog2(entries) + MASK_GUARD;
  // Without a floor the masks of a trace together stay below 1/16 of a unit of T: from 256 features on that takes less.
  const room = 2 * rotationBits - 4 - ceilLog2(d) - maskBitsOf(turned + HIDDEN_GUARD);
  const turnedErrorBits = Math.max(1, Math.min(ceilLog2(d) - 1, floor ? Number.POSITIVE_INFINITY : room));
  const hiddenBits = Math.max(traceBits, turned + turnedErrorBits) + HIDDEN_GUARD;
  return {
    features: d,
    standardised,
    exponents,
    fractionBits: floor?.fractionBits ?? task.fractionBits,
    sumFractionBits: floor?.sumFractionBits ?? task.fractionBits,
    raise,
    ringBits,
    rotationBits,
    noiseBits,
    noiseScale,
    noiseEntryBits: noiseBits + NOISE_INTEGER_BITS + 1,
    turnedErrorBits,
    hiddenBits,
    maskBits: maskBitsOf(hiddenBits),
    directionBits: rotationBits,
    floodBits: 2 * rotationBits - exponents.flood,
    vectorRingBits: 2 * rotationBits + 2,
    shareBits: shareBitsOf(task),
  };
}

/**
 * Bits of the magnitude of the CSP's share of an entry of R and of V, whose noise, if they have any, is far
 * smaller than their blinding; of the noised sums of rows, where there is a floor. V of all classes has the
 * same width.
 */
export function shareBitsOf(task: StatisticsTask): { R: number; V: number; sums: number } {
  const { blindingBits } = layout(task);
  const { R, labellings } = placesOf(task);
  const slotBits = ({ from, to }: Span): number => (from === to ? 0 : blindingBits[from]! + 1);
  const V = Math.max(...labellings.flat().map((sums) => slotBits(sums.V)));
  const floor = floorOf(task);
  if (floor === undefined) return { R: slotBits(R), V, sums: V };
  const shift = floor.fractionBits - task.fractionBits;
  return {
    R: slotBits(R) + 2 * shift + 1,
    V: V + shift,
    sums: V + floor.sumFractionBits - task.fractionBits + 1,
  };
}

/**
 * ℓ: both servers' shares must be reduced modulo 2^ℓ, whatever the value. 2⌈log₂ Q_max⌉ + 2·fractionBits + 2f +
 * ⌈log₂ d⌉ + 2: no entry of M is larger than the trace of T, at most d·Q_max²·4^fractionBits; a sign; and a
 * bit for noise and mask. Under differential privacy the bounds of the noisy statistics take the place of
 * Q_max and 4^fractionBits.
 * @throws as `rotatedParameters`
 */
export function rotatedRingBits(task: StatisticsTask): number {
  return rotatedParameters(task).ringBits;
}

/**
 * Returns the raise of a correlation matrix, in its units, whose features with variance have more than the
 * least variance of the floor. With the noise in products of grains, what is divided by deviations is at most
 * its least eigenvalue times the largest ratio of a squared grain to a variance.
 */
function correlationRaiseOf(task: StatisticsTask): bigint {
  const floor = floorOf(task);
  if (floor === undefined) return 0n;
  const { ridge, leastVariances } = floor;
  const ratios = ridge.map((own, i) => (own > 0 ? own / leastVariances[i]! : 0));
  return BigInt(Math.ceil(2 * Math.max(...ratios) * 2 ** SOLVE_FRACTION));
}

interface DistanceBound {
  readonly rotationInMatrix: number;
  readonly mask: number;
  readonly rotationInVectors: number;
  readonly products: number;
  readonly sampling: number;
  readonly total: number;
}

/**
 * Bounds on the statistical distance between the data user's view and its simulation, for `components`
 * directions of length at most 1 (docs/arguments/rotated.md, "The distance").
 */
export function rotatedDistance(
  {
    features: d,
    rotationBits: f,
    exponents,
    hiddenBits,
    maskBits,
  }: Pick<RotatedParameters, 'features' | 'rotationBits' | 'exponents' | 'hiddenBits' | 'maskBits'>,
  components: number,
): DistanceBound {
  // With up to two features an entry can be 1, which is cut to 1 − 2^−f; otherwise all are rounded to
  // nearest.
  const entryError = d <= 2 ? 2 ** -f : 2 ** -(f + 1) * (1 + 2 ** -16);
  const rotationError = d * entryError; // Frobenius
  const perDeviation = 1 / Math.sqrt(2 * Math.PI);
  const entries = (d * (d + 1)) / 2;
  const parts = {
    rotationInMatrix:
      ((perDeviation * (2 + rotationError) * rotationError) / Math.SQRT2) *
      2 ** exponents.noise *
      // With a floor, noise of owners may make the norm of T twice its trace.
      (exponents === FLOORED_EXPONENTS ? 2 : 1),
    mask: entries * 2 ** (hiddenBits - maskBits) * (1 + 2 ** -20),
    rotationInVectors: perDeviation * rotationError * Math.sqrt(components) * 2 ** exponents.flood,
    // The floods of all six, and what they let the vectors be off by.
    products: PRODUCTS * 2 ** -HIDING_BITS + perDeviation * 2 ** -VECTOR_GUARD,
    // A Gaussian vector of at least two entries that is shorter than 2^−32; noise of more than 11.3
    // deviations.
    sampling: 2 ** -64 + entries * 2 ** -90,
  };
  const total = Object.values(parts).reduce((sum, part) => sum + part, 0);
  return { ...parts, total };
}

/** The trace of T, raised, is at most 2^this. */
export function traceBitsOf(task: StatisticsTask): number {
  const { M, R, V } = computedBounds(task);
  return (
    Math.max(ceilLog2(M) + ceilLog2(R + raiseOf(floorOf(task))), 2 * ceilLog2(V)) +
    ceilLog2(task.features.length)
  );
}

/**
 * The error bound of the rotation is computed for the most features of a PCA, and that of a pencil for half as many; a circuit takes gigabytes
 * for these.
 * @throws ERR_TASK_RANGE for a larger matrix than rotations are for
 */
export function checkSide(what: string, count: number, most: number = LIMITS.features): void {
  if (count <= most) return;
  throw new CodedError(
    TWO_PARTY_CODES.ERR_TASK_RANGE,
    `"${what}" expected at most ${most} with the two-party protocol rotated, got ${count}`,
  );
}

/** @throws ERR_TASK_RANGE where one of these is wider than `most` */
export function checkRings(rings: readonly number[], most: number): void {
  const widest = Math.max(...rings);
  if (widest <= most) return;
  throw new CodedError(
    TWO_PARTY_CODES.ERR_TASK_RANGE,
    `"task" expected at most ${most} bits in the rings of the two-party protocol rotated, got ${widest}: fewer samples, features or fraction bits are needed`,
  );
}

/** ⌈log₂ n⌉ of a positive integer. */
export function ceilLog2(n: number | bigint): number {
  const below = BigInt(n) - 1n;
  return below === 0n ? 0 : below.toString(2).length;
}
