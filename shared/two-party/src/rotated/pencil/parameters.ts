/**
 * The lengths and scales of a pencil by the `rotated` protocol, all functions of the public task. docs/rotated-pencils.md has the steps and
 * the proof; distance.ts the statistical distance that follows from them.
 *
 * Numbers "of n fraction bits" are integers in units of 2^−n. T and B are in units of Q·4^−fractionBits times those of S̄.
 */
import { layout } from '@eigenveil/statistics/owner';
import { cappedComponents, type Program, placesOf, type Span, type StatisticsTask } from '@eigenveil/task';
import {
  ceilLog2,
  checkRings,
  checkSide,
  MASK_GUARD,
  NOISE_INTEGER_BITS,
  traceBitsOf,
} from '../parameters.ts';
import type { Truncated } from '../truncate.ts';
import { reductionOf } from './reduction.ts';

/** What the error bound of an orthogonal matrix is computed for. */
/** Deviations: of the noise on M 2^−46 of the trace of T off the diagonal, of that on Y 2^−46, of the flood on vectors 2^−40. */
export const NOISE_EXPONENT = 46;
export const FLOOD_EXPONENT = 40;
/** Fraction bits of an orthogonal matrix beyond those of its side. */
const ROTATION_GUARD = 86;
/** The same of P where it meets G, which C₁ stretches by up to 2^17.5: see distance.ts. */
const FINE_ROTATION_GUARD = 104;
/** A truncation goes wrong with probability 2^−42 over all entries. */
export const TRUNCATION_GUARD = 42;
/** An error of so many bits less than a deviation moves a distribution by less than 2^−43. */
const ERROR_GUARD = 42;
/** Fraction bits of H. */
const CONTRAST_BITS = 56;
/** Fraction bits of G in units of rows in [−1, 1], and of T in those of their squares where it is not a matrix of whole numbers. */
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
  /** Columns of Y: those of G, and one more for each feature where ρ′ > 0. */
  readonly columns: number;
  /** ℓ: shares of the statistics, of T and of M are modulo 2^ℓ. */
  readonly ringBits: number;
  /** Bits of the CSP's share of an entry of R and of V as unblinding left it. */
  readonly shareBits: { readonly R: number; readonly V: number };
  /** Fraction bits of T: 0 where it is Q R − V Vᵀ. */
  readonly scatterBits: number;
  /** MDR: T by way of V·W·Vᵀ. */
  readonly wide: Truncated;
  /** f. */
  readonly rotationBits: number;
  readonly fineRotationBits: number;
  readonly noiseBits: number;
  readonly noiseEntryBits: number;
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
  /** Fraction bits of the directions, of P₂ᵀ A, of C̃ and of C̃ᵀ P₂ᵀ A. */
  readonly directionBits: number;
  readonly back: Truncated;
  readonly inner: Truncated;
  readonly vectorRing: number;
  readonly vectorBits: number;
  /** Fraction bits of the flood after its scale. */
  readonly floodBits: number;
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
 * @throws ERR_TASK_RANGE where there are more features, or more columns with ρ′ > 0, than 200, or a ring would be wider than 300 bits
 * @throws as `reductionOf` and `layout`
 */
export function pencilParameters(task: StatisticsTask, program: Asked): PencilParameters {
  const d = task.features.length;
  const classes = task.labellings.map((labelling) => labelling.classes.length);
  const groups = classes[0]! - 1;
  const columns = groups + (reductionOf(task.method).signalRidge > 0 ? d : 0);
  checkSide('features', d);
  if (columns > groups) checkSide('features and classes', columns);
  const parameters = lengthsOf({
    features: d,
    components: cappedComponents(program),
    classes,
    groups,
    columns,
    shareBits: shareBitsOf(task),
    summed: task.method.kind === 'mdr',
    totalBits: traceBitsOf(task),
    fractionBits: task.fractionBits,
  });
  checkRings(ringsOf(parameters));
  return parameters;
}

function ringsOf(parameters: PencilParameters): number[] {
  const { ringBits, openRing, vectorRing, group, signal, white, turned, back, inner, wide } = parameters;
  const truncated = [
    group,
    signal,
    white,
    turned,
    back,
    inner,
    ...(parameters.scatterBits > 0 ? [wide] : []),
  ];
  return [ringBits, openRing, vectorRing, ...truncated.map(({ ring }) => ring)];
}

type Sizes = Pick<
  PencilParameters,
  'features' | 'components' | 'classes' | 'groups' | 'columns' | 'shareBits'
> & {
  /** Whether T is the sum of two between-class scatters, as of MDR. */
  readonly summed: boolean;
  /** Of the trace of the total scatter. */
  readonly totalBits: number;
  readonly fractionBits: number;
};

/** All lengths and scales, whether they fit or not. */
export function lengthsOf({ summed, totalBits, fractionBits, ...sizes }: Sizes): PencilParameters {
  const { features: d, components, groups, columns, shareBits } = sizes;
  // Two between-class scatters, each at most the total one.
  const traceBits = totalBits + (summed ? 1 : 0);
  const half = Math.ceil(traceBits / 2);
  const scatterBits = summed ? SCATTER_BITS - 2 * fractionBits : 0;
  const groupBits = GROUP_BITS - fractionBits;
  // Up to a side of 2 an entry may be 1, whose rounding is a whole unit.
  const ofSide = (side: number) => ceilLog2(Math.max(3, side));
  const rotationBits = ROTATION_GUARD + ofSide(d);
  const fineRotationBits = FINE_ROTATION_GUARD + ofSide(d);
  const mixingBits = ROTATION_GUARD + ofSide(columns);
  const noiseBits = 2 * rotationBits - NOISE_EXPONENT;
  const leastBits = 2 * fractionBits - LEAST_EIGENVALUE_BITS;
  // MDR's T is rounded. Where it is no more than rounding the mask alone hides what P's own rounding makes of it.
  const smallScatterBits = summed ? rotationBits + 2 * ceilLog2(d) + 2 : 0;

  const slack = (entries: number) => TRUNCATION_GUARD + ceilLog2(entries) + 1;
  const spread = (entries: number) => Math.ceil(Math.log2(entries) / 2);
  const atGroups = slack(d * groups);
  const signalBits = NOISE_EXPONENT + ERROR_GUARD + spread(d * groups) + Math.ceil(-leastBits / 2);
  const rootBits = half + NOISE_EXPONENT + 8 + spread(d);
  const whiteBits = rotationBits + 4;
  const openBits = whiteBits + (columns > 1 ? mixingBits : rotationBits);
  const directionBits = FLOOD_EXPONENT + ERROR_GUARD + 2 + spread(d * components);
  const vectorBits = rotationBits + directionBits;
  const atComponents = slack(d * components);
  return {
    ...sizes,
    ringBits: traceBits + scatterBits + 2 * rotationBits + 2,
    scatterBits,
    // Twice T, of twice as many fraction bits as H has.
    wide: {
      ring: Math.max(traceBits + 2 * CONTRAST_BITS + 1 + slack(d * d), shareBits.V + 1),
      cut: 2 * CONTRAST_BITS + 1 - scatterBits,
    },
    rotationBits,
    fineRotationBits,
    noiseBits,
    noiseEntryBits: noiseBits + NOISE_INTEGER_BITS + 1,
    maskBits: Math.max(traceBits + scatterBits, smallScatterBits) + ceilLog2((d * (d + 1)) / 2) + MASK_GUARD,
    contrastBits: CONTRAST_BITS,
    group: {
      ring: Math.max(half + CONTRAST_BITS + atGroups, shareBits.V + 1),
      cut: CONTRAST_BITS - groupBits,
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
    directionBits,
    back: { ring: vectorBits + atComponents, cut: rotationBits },
    inner: { ring: 2 * directionBits + atComponents, cut: directionBits },
    vectorRing: vectorBits + 2,
    vectorBits,
    floodBits: vectorBits - FLOOD_EXPONENT,
    leastBits,
  };
}

/** V of all classes has the same width. */
function shareBitsOf(task: StatisticsTask): { R: number; V: number } {
  const { blindingBits } = layout(task);
  const { R, labellings } = placesOf(task);
  const slotBits = ({ from, to }: Span): number => (from === to ? 0 : blindingBits[from]! + 1);
  return { R: slotBits(R), V: Math.max(...labellings.flat().map(({ V }) => slotBits(V))) };
}

/** Of the products for T from one sum of all rows: its shares are sums of those of the first labelling's classes. */
export function totalSizes({ ringBits, shareBits: { R, V }, classes }: PencilParameters) {
  return { ringBits, shareBits: { R, V: V + ceilLog2(classes[0]!) } };
}

/** Of the products of the way back. */
export function returningSizes(parameters: PencilParameters) {
  return { ...parameters, side: parameters.features, ringBits: parameters.vectorRing };
}
