/**
 * The lengths and scales of a sketch by the `rotated` protocol, all functions of the public task.
 * docs/spec/rotated-sketches.md has the steps, docs/arguments/rotated-sketches.md the proof; distances.ts the statistical distance that follows
 * from them.
 *
 * Numbers "of n fraction bits" are integers in units of 2^−n. Z and the core are whole numbers, in units of
 * Q·4^−fractionBits times those of S̄Ω and ΩᵀS̄Ω; what is multiplied after the core is Z' = Z/2^cut, squared,
 * and Z'' = Z/2^fineCut.
 */
import { sketchColumnBound, sketchScaleBits } from '@eigenveil/methods';
import { layout } from '@eigenveil/statistics/owner';
import {
  computedBounds,
  FLOOR_REACH,
  floorOf,
  ownSumDeviation,
  type Program,
  placesOf,
  raiseOf,
  type StatisticsTask,
  statisticsBounds,
} from '@eigenveil/task';
import {
  ceilLog2,
  checkRings,
  ERROR_GUARD,
  HIDDEN_GUARD,
  MASK_GUARD,
  MAXIMUM_SKETCH_RING_BITS,
  NOISE_INTEGER_BITS,
} from '../parameters.ts';
import type { ReturningSizes } from '../returning.ts';
import { TRUNCATION_GUARD, type Truncated } from '../truncation.ts';

/**
 * Deviations off the diagonal: of the noise on the core 2^−33 of its trace, of that on the whitened square
 * 2^−30 of its estimated trace.
 */
export const NOISE_EXPONENT = 33;
const TURN_NOISE_EXPONENT = 30;
/**
 * Deviations of the floods: on J, whose columns have a length of 1 at most, 2^−29; on what is opened of Z''J
 * 2^−33 of the largest that an entry can be.
 */
const COEFFICIENT_FLOOD_EXPONENT = 29;
const FLOOD_EXPONENT = 33;
/**
 * log₂ of the flood's deviation in units of Z'' at least. With 2 units nobody sees that Z'' are whole
 * numbers: by 2^−112 for an entry.
 */
const LEAST_FLOOD_BITS = 1;
/** Fraction bits of an orthogonal matrix beyond those of its side, and of the noise that it meets. */
const ROTATION_GUARD = 40;
/** The guard of P where it meets ZᵀZ, which C₁ stretches by up to 2^12: see distances.ts. */
const FINE_ROTATION_GUARD = 54;
/**
 * The bits that are kept of an entry of Z, of the largest that there can be, for Z' and for Z''. Real ones
 * are 2^−12 to 2^−20 of that.
 */
const ENTRY_BITS = 24;
const FINE_ENTRY_BITS = FLOOD_EXPONENT;
/** ν·ΩᵀΩ becomes this part of the mean of the core's diagonal, for each feature: see sketchEigen. */
export const SHIFT = 1e-7;
/** log₂ of its inverse and of what noise may take from it. */
export const SHIFT_BITS = 23.4;
/** A core whose trace is below 2^−28 of the largest that there can be is refused. */
const LEAST_TRACE_BITS = 28;
/**
 * The trace of what is decomposed last is at most 1 where that of S̄ is at most 2^h times the mean of the
 * core's diagonal, which estimates it. Signs miss it by that much with probability (e/2^h)^(l/2): 2^−40 or
 * less, except with fewer than 13 columns. The result is refused then. Of a refinement ten columns may be
 * signs.
 */
const MOST_HEADROOM_BITS = 8;
/**
 * Signs make the length of Ts, for a column s of Ω, larger than 2^3 times tr(T) with probability 2^−42, and
 * an entry of it larger than that over √d with 2^−45: see docs/spec/rotated-sketches.md. Vectors of an earlier
 * result may make them √d times tr(T), and tr(T).
 */
const LUCK_BITS = 3;
/** Beyond the least that C₁ can be in relation to its unit. */
const ROOT_GUARD = 28;
export interface SketchParameters {
  readonly features: number;
  /** l. */
  readonly columns: number;
  readonly components: number;
  /** The columns of Ω have a norm of √d·2^scaleBits or so. */
  readonly scaleBits: number;
  /**
   * Bits of a share of the statistics as both servers begin with them: the CSP's is not negative and shorter
   * by a bit, the data user's is negative.
   */
  readonly shareRing: number;
  /** True if both servers' noise is in Y: Z is then of the scatter with it and with the raise. */
  readonly hasFloor: boolean;
  /** c, in units of Z for a column of Ω of length 1. */
  readonly raise: bigint;
  /** Units of Z for 1 in the scatter matrix. */
  readonly scatterUnit: number;
  /**
   * The ring of the products that centre Y where there is a floor, and bits of the CSP's numbers in them,
   * with their sign: of its share of V, and of that times Ω.
   */
  readonly centringRing: number;
  readonly centringBits: { readonly V: number; readonly sums: number };
  /** Bits of either server's share of an entry of Z. */
  readonly entryBits: number;
  /** Bits of the CSP's share of an entry of Z', and of Z''. */
  readonly entryShareBits: number;
  readonly keptShareBits: number;
  /**
   * The bits of Z, none of whose entries is larger than 2^sumBits, that are dropped for Z'; fewer are for
   * Z''.
   */
  readonly cut: number;
  readonly fineCut: number;
  /** ℓ: shares of twice the core, and of M, are modulo 2^ℓ. */
  readonly ringBits: number;
  /** f. */
  readonly rotationBits: number;
  readonly fineRotationBits: number;
  readonly noiseBits: number;
  readonly noiseEntryBits: number;
  /** Errors of P K and of M, and the mask that hides them: as RotatedParameters has them. */
  readonly turnedErrorBits: number;
  readonly hiddenBits: number;
  readonly maskBits: number;
  /** The trace of the core is at least 2^this, otherwise the result is refused; and at most 2^coreBits. */
  readonly leastTraceBits: number;
  readonly coreBits: number;
  /** log₂ of the square of the norm of C₁, at most, where the result is not refused. */
  readonly stretchBits: number;
  /** The whitened square has a trace of 1 where that of S̄ is 2^headroomBits times what the core says. */
  readonly headroomBits: number;
  /** The exponent of its noise. */
  readonly turnNoiseExponent: number;
  /** A = Z'ᵀZ'. */
  readonly gram: Truncated;
  /** P·A. */
  readonly turned: Truncated;
  /** G = P·A·Pᵀ. */
  readonly framed: Truncated;
  /** Fraction bits of C₁, and bits of its entries with their sign at most. */
  readonly rootBits: number;
  readonly rootEntryBits: number;
  /** C₁·G. */
  readonly half: Truncated;
  /** F = C₁·G·C₁ᵀ. */
  readonly white: Truncated;
  /** P₂·F. */
  readonly mixed: Truncated;
  /** Fraction bits of what is kept of F. */
  readonly whiteBits: number;
  /** P₂·F·P₂ᵀ: its ring and fraction bits. */
  readonly openRing: number;
  readonly openBits: number;
  /** Bits of errors of an entry of M₂ in the product that opens it, and as much again by other rows. */
  readonly squareErrorBits: number;
  /** Fraction bits of the directions, of P₂ᵀ A, of C̃ and of C̃ᵀ P₂ᵀ A. */
  readonly directionBits: number;
  readonly back: Truncated;
  readonly inner: Truncated;
  /** J = Pᵀ C̃ᵀ P₂ᵀ A with a flood of its own, and what is kept of it. */
  readonly coefficients: Truncated;
  readonly coefficientBits: number;
  /** log₂ of the deviation of the flood on J, in the units of its ring. */
  readonly coefficientFloodBits: number;
  /** Z''·J, in units of 2^−coefficientBits. */
  readonly vectorRing: number;
  /**
   * log₂ of the deviation of the flood on Z''·J, in these units: what is below is dropped as soon as it is
   * opened.
   */
  readonly floodBits: number;
  /** Bits of errors of an entry of Z''·J in the products that open it, and as much again by other rows. */
  readonly vectorErrorBits: number;
  /** Fraction bits of what is left, in units of Z'. */
  readonly vectorBits: number;
}

/**
 * @throws ERR_TASK_RANGE where a ring would be wider than 320 bits
 * @throws as `layout`
 */
export function sketchParameters(
  task: StatisticsTask,
  { components }: Pick<Program, 'components'>,
): SketchParameters {
  const { blindingBits } = layout(task);
  const { Y, labellings } = placesOf(task);
  const floor = floorOf(task);
  const raise = raiseOf(floor);
  const columnBound = sketchColumnBound(task);
  const parameters = lengthsOf({
    features: task.features.length,
    columns: task.sketch!.columns,
    components,
    scaleBits: sketchScaleBits(task),
    columnBits: ceilLog2(columnBound),
    sumBits: ceilLog2(computedBounds(task).Y + BigInt(columnBound) * (raise + missedBound(task))),
    // Noise makes them longer by less than a bit.
    shareBits: blindingBits.reduce((most, bits) => Math.max(most, bits)) + (floor ? 2 : 1),
    entryShareBits: blindingBits[Y.from]! + 1,
    sumShareBits: blindingBits[labellings[0]![0]!.V.from]! + 1,
    hasFloor: floor !== undefined,
    raise,
    scatterUnit: 4 ** task.fractionBits,
  });
  checkRings(ringsOf(parameters), MAXIMUM_SKETCH_RING_BITS);
  return parameters;
}

/**
 * In units of R, at most: (V − Qp)²/Q of a feature, what the servers' noise on V and the rounding of p leave
 * of the mean; and V_iV_j/Q beyond the square of a cell times Q, since V has noise of the owners' own. There
 * are more rows than columns.
 */
function missedBound(task: StatisticsTask): bigint {
  const floor = floorOf(task);
  if (floor === undefined) return 0n;
  const noise = 2 * FLOOR_REACH * floor.deviation * Math.max(0, ...floor.grains) * 2 ** floor.sumFractionBits;
  const unit = 2 ** task.fractionBits;
  const own = FLOOR_REACH * ownSumDeviation(task) * unit;
  const squares = (noise ** 2 + own ** 2) / (task.sketch!.columns + 1);
  return BigInt(Math.ceil(squares + noise + 2 * unit * own)) + statisticsBounds(task).M;
}

interface Sizes
  extends Pick<
    SketchParameters,
    | 'features'
    | 'columns'
    | 'components'
    | 'scaleBits'
    | 'entryShareBits'
    | 'hasFloor'
    | 'raise'
    | 'scatterUnit'
  > {
  /** The bits of the CSP's share of an entry of V. */
  readonly sumShareBits: number;
  /** No entry of Y, nor of Z, is larger than 2^sumBits. */
  readonly sumBits: number;
  /** The magnitudes in a column of Ω add up to at most 2^columnBits. */
  readonly columnBits: number;
  /** The bits of any share of the CSP's as unblinding left it. */
  readonly shareBits: number;
}

/** All lengths and scales, whether they fit or not. */
export function lengthsOf({
  sumBits,
  columnBits,
  shareBits,
  sumShareBits,
  ...sizes
}: Sizes): SketchParameters {
  const { features: d, columns: l, components: k, scaleBits, hasFloor } = sizes;
  const entries = (l * (l + 1)) / 2;
  const cut = Math.max(0, sumBits - ENTRY_BITS);
  // The bits of the largest entry of Z' and of Z'ᵀZ'. The trace of S̄ in units of Z' is at most 2^keptBits.
  const keptBits = sumBits - cut;
  const fineCut = Math.max(0, sumBits - FINE_ENTRY_BITS);
  const luck = scaleBits > 0 ? Number.POSITIVE_INFINITY : LUCK_BITS;
  const fineEntryBits = sumBits - fineCut + Math.min(0, luck - Math.floor(Math.log2(d) / 2));
  const squareBits = 2 * keptBits + Math.min(ceilLog2(d), 2 * luck);
  const coreBits = sumBits + columnBits + ceilLog2(l);
  const leastTraceBits = Math.max(0, coreBits - LEAST_TRACE_BITS);
  const headroomBits =
    scaleBits > 0 ? MOST_HEADROOM_BITS : Math.min(MOST_HEADROOM_BITS, Math.ceil(Math.LOG2E + 80 / l));
  const turnNoiseExponent = TURN_NOISE_EXPONENT + headroomBits;
  // Up to a side of 2 an entry may be 1, whose rounding is a whole unit.
  const side = ceilLog2(Math.max(3, l));
  const rotationBits = Math.max(NOISE_EXPONENT, turnNoiseExponent) + ROTATION_GUARD + side;
  // The square of the norm of C₁ at most, and of its least singular value at least.
  const units = 2 * (cut + scaleBits) + Math.log2(l) - headroomBits;
  const stretch = units + SHIFT_BITS + Math.log2(l / d) - 2 * leastTraceBits;
  const least = units - 2 * coreBits;

  const guarded = turnNoiseExponent + ERROR_GUARD + ceilLog2(l) + 1;
  const norm = squareBits + ceilLog2(l);
  const rootNorm = Math.ceil(norm / 2) + 1;
  const turnedBits = Math.ceil(guarded + stretch);
  const fineRotationBits = Math.max(turnNoiseExponent + FINE_ROTATION_GUARD + side, turnedBits + 1);
  const halfBits = Math.ceil(guarded + stretch / 2);
  const rootBits = Math.ceil(-least / 2) + ROOT_GUARD;
  const whiteBits = guarded;
  const noiseBits = 2 * rotationBits - NOISE_EXPONENT;
  // Where the core is no more than rounding of the mean, the mask alone hides what P's own rounding makes of
  // it.
  const smallBits = rotationBits + 3 * ceilLog2(l) + columnBits + 4;
  // A row of Z'' has a length of √l of its largest entry; all of them one of √(d l).
  const row = Math.ceil(Math.log2(l) / 2);
  const spread = Math.ceil(Math.log2(d * l * k) / 2);
  const coefficientBits = FLOOD_EXPONENT + ERROR_GUARD + spread;
  const directionBits = coefficientBits + 2;
  const atComponents = TRUNCATION_GUARD + ceilLog2(l * k) + 1;
  const turnedBack = fineRotationBits + directionBits;
  const floodBits = coefficientBits + Math.max(LEAST_FLOOD_BITS, fineEntryBits + row - FLOOD_EXPONENT);

  // Shares of this number of bits wrap with a probability of 2^−(TRUNCATION_GUARD + 1), all `count` of them together.
  const ringOf = (bits: number, count: number) => bits + TRUNCATION_GUARD + 1 + ceilLog2(count);
  const spreadOf = (count: number) => Math.ceil(Math.log2(count) / 2);
  const square = l * l;
  const turnedErrorBits = Math.max(1, ceilLog2(l) - 1);
  const turnedNorm = Math.ceil(rotationBits + Math.log2(l) / 2) + 1 + turnedErrorBits;
  // Half of it is for what P becomes by the rounding of a small core, the other half for all else.
  const hiddenBits = Math.max(Math.max(coreBits + 1, turnedNorm) + HIDDEN_GUARD, smallBits) + 1;
  const shareRing = Math.max(shareBits, sumBits) + 2;
  const centringRing = ringOf(sumBits, d * l);
  const entryShareBits = hasFloor ? centringRing : sizes.entryShareBits;
  return {
    ...sizes,
    shareRing,
    centringRing,
    centringBits: {
      V: Math.min(sumShareBits + 1, centringRing),
      sums: Math.min(sumShareBits + columnBits + 1, centringRing),
    },
    entryBits: hasFloor ? centringRing : shareRing,
    entryShareBits: Math.max(1, entryShareBits - cut),
    keptShareBits: Math.max(1, entryShareBits - fineCut),
    cut,
    fineCut,
    ringBits: coreBits + 1 + 2 * rotationBits + 2,
    rotationBits,
    fineRotationBits,
    noiseBits,
    noiseEntryBits: noiseBits + NOISE_INTEGER_BITS + 1,
    turnedErrorBits,
    hiddenBits,
    maskBits: hiddenBits + ceilLog2(entries) + MASK_GUARD,
    leastTraceBits,
    coreBits,
    stretchBits: stretch,
    headroomBits,
    turnNoiseExponent,
    gram: { ring: ringOf(squareBits, entries), cut: 0 },
    turned: { ring: ringOf(norm + fineRotationBits, square), cut: fineRotationBits - turnedBits },
    framed: { ring: ringOf(norm + turnedBits + fineRotationBits, entries), cut: fineRotationBits },
    rootBits,
    rootEntryBits: Math.ceil(rootBits + stretch / 2) + 2,
    half: { ring: ringOf(rootNorm + turnedBits + rootBits, square), cut: turnedBits + rootBits - halfBits },
    white: { ring: ringOf(halfBits + rootBits, entries), cut: halfBits + rootBits - whiteBits },
    mixed: { ring: ringOf(whiteBits + rotationBits, square), cut: rotationBits },
    whiteBits,
    openRing: whiteBits + rotationBits + 2,
    openBits: whiteBits + rotationBits,
    // All entries together are off by 2^−43 of a deviation at most.
    squareErrorBits: whiteBits + rotationBits - turnNoiseExponent - ERROR_GUARD - 1 - spreadOf(square),
    directionBits,
    back: { ring: turnedBack + atComponents, cut: fineRotationBits },
    inner: { ring: 2 * directionBits + atComponents, cut: directionBits },
    coefficients: { ring: turnedBack + atComponents, cut: turnedBack - coefficientBits },
    coefficientBits,
    coefficientFloodBits: turnedBack - COEFFICIENT_FLOOD_EXPONENT,
    // A column of J has a length of 1; a sign, and the flood and rounding.
    vectorRing: fineEntryBits + row + coefficientBits + 2,
    floodBits,
    vectorErrorBits: floodBits - ERROR_GUARD - 1 - spreadOf(d * k),
    vectorBits: cut - fineCut + coefficientBits - floodBits,
  };
}

export function ringsOf(parameters: SketchParameters): number[] {
  const { shareRing, centringRing, ringBits, openRing, vectorRing } = parameters;
  const products = Object.values(parameters).flatMap((value) =>
    typeof value === 'object' && 'ring' in value ? value.ring : [],
  );
  return [shareRing, centringRing, ringBits, openRing, vectorRing, ...products];
}

/** Returns the sizes of the products of the way back through both rotations, with more of their bits. */
export function returningSizes(parameters: SketchParameters): ReturningSizes {
  const { columns, fineRotationBits } = parameters;
  return { ...parameters, side: columns, rotationBits: fineRotationBits };
}
