/**
 * The lengths and scales of a pencil by the `rotated` protocol, all functions of the public task.
 * docs/spec/rotated-pencils.md has the steps, docs/arguments/rotated-pencils.md the proof; distances.ts the statistical distance that follows from
 * them.
 *
 * Numbers "of n fraction bits" are integers in units of 2^−n. T and B are in units of Q·4^−fractionBits times
 * those of S̄.
 */
import {
  cappedComponents,
  collectsR,
  computedBounds,
  FLOOR_REACH,
  type Floor,
  floorOf,
  ownSumDeviation,
  type Program,
  ROTATED_PENCIL_BITS,
  raiseOf,
  type StatisticsTask,
  summedClasses,
} from '@eigenveil/task';
import {
  ceilLog2,
  checkRings,
  checkSide,
  ERROR_GUARD,
  type Exponents,
  HIDDEN_GUARD,
  MASK_GUARD,
  MAXIMUM_EXACT_RING_BITS,
  MAXIMUM_PENCIL_RING_BITS,
  NOISE_INTEGER_BITS,
  type ScatterSizes,
  shareBitsOf,
  traceBitsOf,
} from '../parameters.ts';
import type { ReturningSizes } from '../returning.ts';
import { TRUNCATION_GUARD, type Truncated } from '../truncation.ts';
import { reductionOf } from './reduction.ts';

/**
 * Deviations: of the noise on M 2^−46 of the trace of T off the diagonal, of that on Y 2^−46, of the flood on
 * vectors 2^−40.
 */
const EXPONENTS: Exponents = { noise: 46, flood: 40, guard: 86 };
/** With a floor, nothing that is opened has more bits than the floor's least noise has in units of T. */
const FLOORED_EXPONENTS: Exponents = {
  noise: ROTATED_PENCIL_BITS,
  flood: ROTATED_PENCIL_BITS - 6,
  guard: ROTATED_PENCIL_BITS + 40,
};
/**
 * The trace of T is at most 2^(n − 11)/√d times B's least eigenvalue where the result is not refused, with
 * noise of 2^−n.
 */
export const STRETCH_GUARD = 11;
/** Fraction bits of H. */
const CONTRAST_BITS = 56;
/**
 * Fraction bits of G in units of rows in [−1, 1], and of T in those of their squares where it is not a matrix
 * of whole numbers.
 */
const GROUP_BITS = 44;
const SCATTER_BITS = 52;
/** B has no eigenvalue below 2^−18 of a row's largest square: else the result is refused. */
const LEAST_EIGENVALUE_BITS = 18;

export interface PencilParameters {
  readonly features: number;
  readonly components: number;
  /** Classes of each labelling; the first one's less one are the columns of G. */
  readonly classes: readonly number[];
  readonly groups: number;
  /**
   * Columns of V: sums of rows by class, of MDR those of all labellings; with a floor and an R those without noise before those with
   * it. H makes roots of them: those of G from `firstGroup` on, before them one for each class without noise, behind them those of the
   * second labelling.
   */
  readonly columnsOfV: number;
  readonly roots: number;
  readonly firstGroup: number;
  /** Columns of Y: those of G, and one more for each feature where ρ′ > 0. */
  readonly columns: number;
  readonly exponents: Exponents;
  /**
   * The fraction bits of cells as the servers compute with them, and of the sums of rows by class that G is
   * made of.
   */
  readonly fractionBits: number;
  readonly sumFractionBits: number;
  /**
   * Q times these are added to the diagonal of T; what all of them have in common, `raise`, is subtracted
   * from that of M. Zeros without a floor, and for MDR.
   */
  readonly raises: readonly bigint[];
  readonly raise: bigint;
  /** ℓ: shares of the statistics, of T and of M are modulo 2^ℓ. */
  readonly ringBits: number;
  /** Bits of the magnitude of the CSP's share of an entry of R, of V, and of V with noise. */
  readonly shareBits: { readonly R: number; readonly V: number; readonly sums: number };
  /** True if T is the sum of two between-class scatters, as for MDR, and no R is collected. */
  readonly summed: boolean;
  /** Fraction bits of T: 0 where it is Q R − V Vᵀ. */
  readonly scatterBits: number;
  /** True if T, or a part of it, is truncated: for MDR, and with a floor. */
  readonly truncates: boolean;
  /** T, or a part of it, by way of squares of roots. */
  readonly wide: Truncated;
  /** f. */
  readonly rotationBits: number;
  readonly fineRotationBits: number;
  readonly noiseBits: number;
  readonly noiseEntryBits: number;
  /** The bits of errors of P T and of M, and of the mask that hides them: as RotatedParameters has them. */
  readonly turnedErrorBits: number;
  readonly hiddenBits: number;
  readonly maskBits: number;
  /** Fraction bits of H, and G = V·H. */
  readonly contrastBits: number;
  readonly group: Truncated;
  /** X = P·G, and its fraction bits. */
  readonly signal: Truncated;
  readonly signalBits: number;
  /** Fraction bits of C₁, and F = C₁·X. */
  readonly rootBits: number;
  readonly white: Truncated;
  /** Fraction bits of F. */
  readonly whiteBits: number;
  /** P₂·F, not truncated where it is Y. */
  readonly turned: Truncated;
  /** Fraction bits of O. */
  readonly mixingBits: number;
  /** Y: its ring and fraction bits. */
  readonly openRing: number;
  readonly openBits: number;
  /** Bits of what an entry of Y may be off by in the product that opens it, and as much again by other rows. */
  readonly signalErrorBits: number;
  /** Fraction bits of the directions, of P₂ᵀ A, of C̃ and of C̃ᵀ P₂ᵀ A. */
  readonly directionBits: number;
  readonly back: Truncated;
  readonly inner: Truncated;
  readonly vectorRing: number;
  readonly vectorBits: number;
  /** Fraction bits of the flood after its scale. */
  readonly floodBits: number;
  /** Bits of what an entry of W may be off by in the product that opens it, and as much again by other rows. */
  readonly vectorErrorBits: number;
  /** B's eigenvalues are at least 2^leastBits. */
  readonly leastBits: number;
}

/**
 * ℓ: both servers' shares must be reduced modulo 2^ℓ, whatever the value. It does not depend on the program.
 * @throws as `pencilParameters`
 */
export function pencilRingBits(task: StatisticsTask): number {
  const classCounts = task.labellings.map(({ classes }) => classes.length);
  const { method, features } = task;
  return pencilParameters(task, { method, classCounts, featureCount: features.length, components: 1 })
    .ringBits;
}

type Asked = Pick<Program, 'components' | 'method' | 'featureCount' | 'classCounts'>;

/**
 * @throws ERR_TASK_RANGE where there are more features, or more columns with ρ′ > 0, than 200, or a ring
 * would be wider than 300 bits
 * @throws as `reductionOf` and `layout`
 */
export function pencilParameters(task: StatisticsTask, program: Asked): PencilParameters {
  const d = task.features.length;
  const classes = task.labellings.map((labelling) => labelling.classes.length);
  const groups = classes[0]! - 1;
  const columns = groups + (reductionOf(task).signalRidge > 0 ? d : 0);
  checkSide('features', d);
  if (columns > groups) checkSide('features and classes', columns);
  const summed = !collectsR(task);
  const floor = floorOf(task);
  const parameters = lengthsOf({
    features: d,
    components: cappedComponents(program),
    classes,
    groups,
    columns,
    shareBits: shareBitsOf(task),
    summed,
    totalBits: floor ? noisedTraceBits(task, floor) : traceBitsOf(task),
    fractionBits: floor?.fractionBits ?? task.fractionBits,
    ...(floor && { floored: flooredSizes(floor, summed) }),
  });
  checkRings(ringsOf(parameters), MAXIMUM_PENCIL_RING_BITS);
  if (!parameters.truncates) checkRings([parameters.ringBits], MAXIMUM_EXACT_RING_BITS);
  return parameters;
}

export function ringsOf(parameters: PencilParameters): number[] {
  const { ringBits, openRing, vectorRing, group, signal, white, turned, back, inner, wide } = parameters;
  const truncated = [group, signal, white, turned, back, inner, ...(parameters.truncates ? [wide] : [])];
  return [ringBits, openRing, vectorRing, ...truncated.map(({ ring }) => ring)];
}

type FlooredSizes = Pick<PencilParameters, 'sumFractionBits' | 'raises' | 'raise'>;

/** A T that is made of sums of rows alone is positive semidefinite whatever the noise. */
function flooredSizes(floor: Floor, summed: boolean): FlooredSizes {
  const { sumFractionBits, ridge, fractionBits } = floor;
  if (summed) return { sumFractionBits, raises: ridge.map(() => 0n), raise: 0n };
  const raise = raiseOf(floor);
  return {
    sumFractionBits,
    raises: ridge.map((value) => raise + BigInt(Math.round(value * 4 ** fractionBits))),
    raise,
  };
}

/**
 * Bits of the largest trace of T, raised, and of what is added up to it. The V of a class of M rows is at most M u + own, where `own` is
 * the noise of all owners, and V' has noise of both servers, `servers`, on it. Q·V'V'ᵀ/M is of that size.
 */
function noisedTraceBits(task: StatisticsTask, { deviation, grains, fractionBits }: Floor): number {
  const { M, R } = computedBounds(task);
  const reach = (deviations: number) => BigInt(Math.ceil(FLOOR_REACH * deviations * 2 ** fractionBits));
  const noise = reach(ownSumDeviation(task)) + reach(2 * deviation * Math.max(...grains));
  const ofClass = noise * ((2n << BigInt(fractionBits)) + noise);
  const more = BigInt(Math.max(...summedClasses(task))) * ofClass;
  return ceilLog2(M) + ceilLog2(R + 2n * raiseOf(floorOf(task)) + more) + ceilLog2(task.features.length);
}

type Sizes = Pick<
  PencilParameters,
  'features' | 'components' | 'classes' | 'groups' | 'columns' | 'shareBits' | 'summed' | 'fractionBits'
> & {
  /** The bits of the trace of the total scatter. */
  readonly totalBits: number;
  readonly floored?: FlooredSizes;
};

/** All lengths and scales, whether they fit or not. */
export function lengthsOf({ totalBits, floored, ...sizes }: Sizes): PencilParameters {
  const { features: d, components, classes, groups, columns, summed, fractionBits } = sizes;
  const none = { sumFractionBits: fractionBits, raises: new Array<bigint>(d).fill(0n), raise: 0n };
  const { sumFractionBits, ...raises } = floored ?? none;
  const exponents = floored ? FLOORED_EXPONENTS : EXPONENTS;
  const finer = sumFractionBits - fractionBits;
  // Two between-class scatters, each at most the total one.
  const traceBits = totalBits + (summed ? 1 : 0);
  const half = Math.ceil(traceBits / 2);
  const scatterBits = summed ? Math.max(0, SCATTER_BITS - 2 * fractionBits) : 0;
  const groupBits = Math.max(GROUP_BITS, sumFractionBits) - fractionBits;
  // Up to a side of 2 an entry may be 1, whose rounding is a whole unit.
  const ofSide = (side: number) => ceilLog2(Math.max(3, side));
  const rotationBits = exponents.guard + ofSide(d);
  // The bits of P where it meets G, which C₁ stretches: see distances.ts.
  const fineRotationBits = rotationBits + Math.ceil((exponents.noise - STRETCH_GUARD) / 2);
  const mixingBits = exponents.guard + ofSide(columns);
  const noiseBits = 2 * rotationBits - exponents.noise;
  const leastBits = 2 * fractionBits - LEAST_EIGENVALUE_BITS;
  // MDR's T is rounded. Where it is no more than rounding the mask alone hides what P's own rounding makes of
  // it.
  const smallScatterBits = summed ? rotationBits + 2 * ceilLog2(d) + 3 : 0;
  const turnedErrorBits = Math.max(1, ceilLog2(d) - 1);
  const turnedBits = Math.ceil(rotationBits + Math.log2(d) / 2) + 1 + turnedErrorBits;
  const hiddenBits = Math.max(traceBits + scatterBits, smallScatterBits, turnedBits) + HIDDEN_GUARD;

  const slack = (entries: number) => TRUNCATION_GUARD + ceilLog2(entries) + 1;
  const spread = (entries: number) => Math.ceil(Math.log2(entries) / 2);
  // Columns of V beside those of G, and their roots.
  const others = summed ? classes.slice(1).reduce((sum, one) => sum + one, 0) : floored ? classes[0]! : 0;
  const roots = groups + (summed ? others - (classes.length - 1) : others);
  const atGroups = slack(d * roots);
  const signalBits = exponents.noise + ERROR_GUARD + spread(d * groups) + Math.ceil(-leastBits / 2);
  const rootBits = half + exponents.noise + 8 + spread(d);
  const whiteBits = rotationBits + 4;
  const openBits = whiteBits + (columns > 1 ? mixingBits : rotationBits);
  const directionBits = exponents.flood + ERROR_GUARD + 2 + spread(d * components);
  const vectorBits = rotationBits + directionBits;
  const atComponents = slack(d * components);
  return {
    ...sizes,
    ...raises,
    sumFractionBits,
    exponents,
    ringBits: traceBits + scatterBits + 2 * rotationBits + 2,
    scatterBits,
    truncates: summed || floored !== undefined,
    // Twice T, of twice as many fraction bits as G has.
    wide: {
      ring: traceBits + 2 * groupBits + 1 + slack(d * d),
      cut: 2 * groupBits + 1 - scatterBits,
    },
    rotationBits,
    fineRotationBits,
    noiseBits,
    noiseEntryBits: noiseBits + NOISE_INTEGER_BITS + 1,
    columnsOfV: classes[0]! + others,
    roots,
    firstGroup: summed ? 0 : others,
    turnedErrorBits,
    hiddenBits,
    maskBits: hiddenBits + ceilLog2((d * (d + 1)) / 2) + MASK_GUARD,
    contrastBits: CONTRAST_BITS,
    group: {
      ring: half + finer + CONTRAST_BITS + atGroups,
      cut: finer + CONTRAST_BITS - groupBits,
    },
    signal: {
      ring: half + fineRotationBits + groupBits + atGroups,
      cut: fineRotationBits + groupBits - signalBits,
    },
    signalBits,
    rootBits,
    white: { ring: rootBits + signalBits + atGroups, cut: rootBits + signalBits - whiteBits },
    whiteBits,
    turned:
      columns > 1
        ? { ring: rotationBits + whiteBits + slack(d * columns), cut: rotationBits }
        : { ring: openBits + 2, cut: 0 },
    mixingBits,
    openRing: openBits + 2,
    openBits,
    // All entries together are off by 2^−43 of a deviation at most.
    signalErrorBits: openBits - exponents.noise - ERROR_GUARD - 1 - spread(d * columns),
    directionBits,
    back: { ring: vectorBits + atComponents, cut: rotationBits },
    inner: { ring: 2 * directionBits + atComponents, cut: directionBits },
    vectorRing: vectorBits + 2,
    vectorBits,
    floodBits: vectorBits - exponents.flood,
    vectorErrorBits: vectorBits - exponents.flood - ERROR_GUARD - 1 - spread(d * components),
    leastBits,
  };
}

/**
 * Returns the sizes of the products for T from one sum of all rows: its shares are sums of those of the first
 * labelling's classes.
 */
export function totalSizes({
  features,
  ringBits,
  shareBits: { R, V },
  classes,
}: PencilParameters): ScatterSizes {
  return { features, ringBits, shareBits: { R, V: V + ceilLog2(classes[0]!) }, raise: 0n };
}

/** Returns the sizes of the products of the way back. */
export function returningSizes(parameters: PencilParameters): ReturningSizes {
  return { ...parameters, side: parameters.features };
}
