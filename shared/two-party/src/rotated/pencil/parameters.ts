/**
 * The lengths and scales of a pencil by the `rotated` protocol, all functions of the public task. docs/rotated.md has the steps and the
 * proof; distance.ts the statistical distance that follows from them.
 *
 * Numbers "of n fraction bits" are integers in units of 2^−n. T and B are in units of Q·4^−fractionBits times those of S̄.
 */
import { layout } from '@eigenveil/statistics';
import { cappedComponents, type Program, placesOf, type Span, type StatisticsTask } from '@eigenveil/task';
import { TwoPartyError } from '../../errors.ts';
import { MAXIMUM_COLUMNS, MAXIMUM_RING_BITS } from '../../products/layout.ts';
import { ceilLog2, traceBitsOf } from '../parameters.ts';
import { reductionOf } from './reduction.ts';

/** What the error bound of an orthogonal matrix is computed for. */
const MAXIMUM_SIDE = 200;
/** Deviations: of the noise on M 2^−46 of the trace of T off the diagonal, of that on Y 2^−46, of the flood on vectors 2^−40. */
export const NOISE_EXPONENT = 46;
export const FLOOD_EXPONENT = 40;
/** Fraction bits of an orthogonal matrix beyond those of its side. */
const ROTATION_GUARD = 86;
/** The same of P where it meets G, which C₁ stretches by up to 2^17.5: see distance.ts. */
const FINE_ROTATION_GUARD = 104;
/** The uniform mask is 2^43 times wider than all that it has to hide. */
export const MASK_GUARD = 43;
/** A truncation goes wrong with probability 2^−42 over all entries. */
export const TRUNCATION_GUARD = 42;
/** An error of so many bits less than a deviation moves a distribution by less than 2^−43. */
const ERROR_GUARD = 42;
/** Noise is below 16 deviations; a number that is not has probability below 2^−90. */
const NOISE_INTEGER_BITS = 4;
/** Fraction bits of H, and of G. */
const CONTRAST_BITS = 56;
const GROUP_BITS = 30;
/** Fraction bits of T where it is not a matrix of whole numbers. */
const SCATTER_BITS = 24;
/** B has no eigenvalue below 2^−18 of a row's largest square: else the result is refused. */
const LEAST_EIGENVALUE_BITS = 18;

/** A product that is truncated afterwards: it is computed modulo 2^ring, and `cut` fraction bits of its shares are dropped. */
export interface Truncated {
  readonly ring: number;
  readonly cut: number;
}

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
  /** X = P·G. */
  readonly signal: Truncated;
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
 * @throws TwoPartyError ERR_TASK_RANGE where there are more features, or more columns with ρ′ > 0, than 200, or a ring would be wider than 300 bits
 * @throws ProjectionError as reductionOf(); and the errors of `layout`
 */
export function pencilParameters(task: StatisticsTask, program: Asked): PencilParameters {
  const d = task.features.length;
  const components = cappedComponents(program);
  const classes = task.labellings.map((labelling) => labelling.classes.length);
  const groups = classes[0]! - 1;
  const columns = groups + (reductionOf(task.method).signalRidge > 0 ? d : 0);
  atMost('features', d, MAXIMUM_SIDE);
  if (columns > groups) atMost('features and classes', columns, MAXIMUM_SIDE);

  const summed = task.method.kind === 'mdr';
  // Two between-class scatters, each at most the total one.
  const traceBits = traceBitsOf(task) + (summed ? 1 : 0);
  const half = Math.ceil(traceBits / 2);
  const scatterBits = summed ? SCATTER_BITS : 0;
  const rotationBits = ROTATION_GUARD + ceilLog2(d);
  const fineRotationBits = FINE_ROTATION_GUARD + ceilLog2(d);
  const mixingBits = ROTATION_GUARD + ceilLog2(columns);
  const noiseBits = 2 * rotationBits - NOISE_EXPONENT;
  const leastBits = 2 * task.fractionBits - LEAST_EIGENVALUE_BITS;
  const { R, V } = shareBitsOf(task);

  const slack = (entries: number) => TRUNCATION_GUARD + ceilLog2(entries) + 1;
  const spread = (entries: number) => Math.ceil(Math.log2(entries) / 2);
  const atGroups = slack(d * groups);
  const signalBits = NOISE_EXPONENT + ERROR_GUARD + spread(d * groups) + Math.ceil(-leastBits / 2);
  const rootBits = half + NOISE_EXPONENT + 8 + spread(d);
  const whiteBits = rotationBits + 4;
  const openBits = whiteBits + (columns > 1 ? mixingBits : rotationBits);
  const vectorBits = FLOOD_EXPONENT + ERROR_GUARD + 2 + spread(d * components);
  const atComponents = slack(d * components);
  const parameters = {
    features: d,
    components,
    classes,
    groups,
    columns,
    ringBits: traceBits + scatterBits + 2 * rotationBits + 2,
    shareBits: { R, V },
    scatterBits,
    // Twice T, of twice as many fraction bits as H has.
    wide: {
      ring: Math.max(traceBits + 2 * CONTRAST_BITS + 1 + slack(d * d), V + 1),
      cut: 2 * CONTRAST_BITS + 1 - scatterBits,
    },
    rotationBits,
    fineRotationBits,
    noiseBits,
    noiseEntryBits: noiseBits + NOISE_INTEGER_BITS + 1,
    maskBits:
      traceBits + scatterBits + ceilLog2((d * (d + 1)) / 2) + MASK_GUARD + (summed ? ceilLog2(d) + 3 : 0),
    contrastBits: CONTRAST_BITS,
    group: { ring: Math.max(half + CONTRAST_BITS + atGroups, V + 1), cut: CONTRAST_BITS - GROUP_BITS },
    signal: {
      ring: half + fineRotationBits + GROUP_BITS + atGroups,
      cut: fineRotationBits + GROUP_BITS - signalBits,
    },
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
    directionBits: vectorBits,
    back: { ring: rotationBits + vectorBits + atComponents, cut: rotationBits },
    inner: { ring: 2 * vectorBits + atComponents, cut: vectorBits },
    vectorRing: rotationBits + vectorBits + 2,
    vectorBits: rotationBits + vectorBits,
    floodBits: rotationBits + vectorBits - FLOOD_EXPONENT,
    leastBits,
  } satisfies PencilParameters;
  const { ringBits, wide, group, signal, white, turned, openRing, back, inner, vectorRing } = parameters;
  const rings = [
    ringBits,
    group,
    signal,
    white,
    turned,
    openRing,
    back,
    inner,
    vectorRing,
    ...(summed ? [wide] : []),
  ];
  const widest = Math.max(...rings.map((ring) => (typeof ring === 'number' ? ring : ring.ring)));
  if (widest > MAXIMUM_RING_BITS) {
    throw new TwoPartyError(
      'ERR_TASK_RANGE',
      `"task" expected at most ${MAXIMUM_RING_BITS} bits in the rings of the two-party protocol rotated, got ${widest}: fewer samples, features or fraction bits are needed`,
    );
  }
  return parameters;
}

function atMost(what: string, count: number, most: number): void {
  if (count <= Math.min(most, MAXIMUM_COLUMNS)) return;
  throw new TwoPartyError(
    'ERR_TASK_RANGE',
    `"${what}" expected at most ${most} with the two-party protocol rotated, got ${count}`,
  );
}

/** V of all classes has the same width. */
function shareBitsOf(task: StatisticsTask): { R: number; V: number } {
  const { blindingBits } = layout(task);
  const { R, labellings } = placesOf(task);
  const slotBits = ({ from, to }: Span): number => (from === to ? 0 : blindingBits[from]! + 1);
  return { R: slotBits(R), V: Math.max(...labellings.flat().map(({ V }) => slotBits(V))) };
}
