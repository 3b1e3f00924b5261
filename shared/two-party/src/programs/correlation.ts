/**
 * PCA of a correlation matrix as a circuit: the scatter with its features standardised, and vectors back at the features' scale. docs/precision.md
 * has the widths and their reasons.
 */
import { type Output, type StatisticsTask, widthsOf } from '@eigenveil/task';
import {
  add,
  concatLanes,
  divideUnsigned,
  lanesOf,
  mask,
  type Num,
  normalise,
  resize,
  shiftLeft,
  shiftLeftBy,
  shiftRight,
  sliceLanes,
  square,
  sumLanes,
  unsigned,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { fixSigns } from './eigen.ts';
import { grid, someColumns, upperByRows } from './layouts.ts';
import { broadcast, nonNegative, scaleTogether } from './numbers.ts';
import { type StatisticsOutputs, statisticsOutputs } from './outputs.ts';
import { FRACTION, REVEALED_FRACTION } from './precision.ts';
import { equilibrate, even, inverseRootOf } from './scaling.ts';
import { type PooledStatistics, scatterBits } from './statistics.ts';
import { inPieces } from './steps.ts';
import { gatesPerProduct, multiplyTruncated } from './truncated.ts';

/** Fraction bits of v_i / σ_i before it is shifted to its magnitude: some more than v has. */
const SCALED_FRACTION = FRACTION + 4;
/**
 * An entry of the correlation matrix is right to 2^-ENTRY_ACCURACY. 1/√t_ii is to 1.25 · 2^-30 of itself: t_ii is cut to 2^-32 and at least 1/4, and
 * root and quotient are rounded down to 2^-31 and 2^-32 of themselves. t_ij is cut to 2^-32 and multiplied by 4 at most, the first product is off by two units and
 * multiplied by 2, and the second by two: 5 · 2^-30 together.
 */
export const ENTRY_ACCURACY = 27;
/** Bits of a revealed entry, sign included; the largest of a vector fills them. */
const REVEALED_WORD = 28;

export interface Standardised {
  /** The correlation matrix, upper triangle row by row, with SOLVE_FRACTION fraction bits; its trace fits its bits. */
  readonly matrix: Num;
  /** 1/√t_ii, from 1 to 2, with SOLVE_FRACTION fraction bits, of T_ii = t_ii 2^digits / 4^places. Means nothing without variance. */
  readonly roots: Num;
  readonly places: Num;
  readonly digits: number;
  /** Per feature whether it has variance. */
  readonly varies: Wires;
}

/**
 * T_ij / √(T_ii T_jj) of an upper triangle of integers without negative eigenvalues: 1 on the diagonal, zeros in row and column of a feature
 * without variance. Powers of two first, so that small variances lose no digits.
 */
export async function standardise(
  session: Session,
  task: StatisticsTask,
  scatter: Num,
): Promise<Standardised> {
  const d = task.features.length;
  const digits = even(scatterBits(task));
  const { matrix: scaled, places } = await equilibrate(session, scatter, d, digits, false);
  const layout = upperByRows(d);
  const { roots, varies } = await session.step((gates) => {
    const diagonal = layout.diagonal(gates, scaled);
    // From 1/4 to 1, unless there is no variance.
    const [half, quarter] = [diagonal[SOLVE_FRACTION - 1]!, diagonal[SOLVE_FRACTION - 2]!];
    const none = gates.and(gates.not(half), gates.not(quarter));
    const unsignedOnes = nonNegative(gates, diagonal.slice(0, SOLVE_FRACTION + 1));
    return { roots: inverseRootOf(gates, unsignedOnes), varies: gates.not(none) };
  });
  const gatesEach = 2 * gatesPerProduct(SOLVE_WORD, roots.length, SOLVE_FRACTION);
  const matrix = await inPieces(session, layout.lanes, gatesEach, (gates, from, to) => {
    const own = sliceLanes(gates, scaled, from, to);
    const [row, column] = [layout.perRow(gates, roots, from, to), layout.perColumn(gates, roots, from, to)];
    const once = multiplyTruncated(gates, own, row, SOLVE_FRACTION, SOLVE_WORD);
    return multiplyTruncated(gates, once, column, SOLVE_FRACTION, SOLVE_WORD);
  });
  const bits = SOLVE_FRACTION + Math.ceil(Math.log2(d)) + 2;
  return session.step((gates) => {
    const zero = gates.constant(d, 0);
    const ones: Num = Array.from({ length: SOLVE_WORD }, (_, i) => (i === SOLVE_FRACTION ? varies : zero));
    const whole = layout.withDiagonal(gates, matrix, ones);
    return { matrix: resize(whole, bits), roots, places, digits, varies };
  });
}

export interface Unstandardised {
  /** Lane i * count + j: entry i of vector j in units of its own; REVEALED_WORD bits. */
  readonly vectors: Num;
  /** Per vector: its unit is 2^(unit − exponent). */
  readonly exponents: Num;
  readonly unit: number;
}

/**
 * w_ij = v_ij / σ_i for σ_i² = T_ii / (Q 2^fractionBits)², and 0 without variance. Each vector in a unit of its own, which follows from its largest
 * entry: so neither σ_i nor Q is told beyond what w is.
 */
export async function unstandardise(
  session: Session,
  task: StatisticsTask,
  vectors: Num,
  { roots, places, digits, varies }: Standardised,
  Q: Num,
): Promise<Unstandardised> {
  const d = lanesOf(roots);
  const count = lanesOf(vectors) / d;
  const { factors, shifted } = await session.step((gates) => {
    const { value, places: shifted } = normalise(gates, Q);
    // Q from 1/2 to 1, with as many fraction bits as it has digits.
    const factors = multiplyTruncated(
      gates,
      roots,
      broadcast(gates, value, 0, d),
      value.length - 1,
      roots.length,
    );
    return { factors, shifted };
  });
  const word = SCALED_FRACTION + 3 + digits / 2;
  const each: Num[] = [];
  const exponents: Num[] = [];
  // A vector at a time, as its entries are shifted together.
  for (let j = 0; j < count; j += 1) {
    const { entries, exponent } = await session.step((gates) =>
      gates.scope(() => {
        const own = someColumns(gates, vectors, d, count, j, j + 1);
        const shift = SOLVE_FRACTION + FRACTION - SCALED_FRACTION;
        const scaled = multiplyTruncated(gates, own, factors, shift, SCALED_FRACTION + 3);
        const wide = shiftLeftBy(gates, resize(mask(gates, varies, scaled), word), places);
        const { values, places: by, empty } = scaleTogether(gates, [wide], 1);
        const exponent = nonNegative(gates, add(gates, by, shifted));
        return {
          entries: shiftRight(values[0]!, word - REVEALED_WORD),
          exponent: mask(gates, gates.not(empty), exponent),
        };
      }),
    );
    each.push(entries);
    exponents.push(exponent);
  }
  // Of w = entry 2^(word − REVEALED_WORD − by) 2^−SCALED_FRACTION · 2^(digits − shifted of Q) · 2^(fractionBits − digits/2).
  const samplesBits = widthsOf(task).M - 1;
  const unit = word - REVEALED_WORD - SCALED_FRACTION + samplesBits + task.fractionBits - digits / 2;
  const numbers = await session.step((gates) => {
    const vectors = grid(count, d);
    const entries = grid(d, count).gather(gates, concatLanes(gates, each), (i, j) => vectors.at(j, i));
    return {
      vectors: fixSigns(gates, entries, d, count),
      exponents: concatLanes(gates, exponents),
    };
  });
  return { ...numbers, unit };
}

/**
 * As `statisticsOutputs` of Q times the total scatter; the trace is the number of features with variance, and there are the variances, cut to
 * REVEALED_FRACTION.scatter fraction bits.
 */
export function standardisedOutputs(
  gates: Gates,
  outputs: readonly Output[],
  pooled: Pick<PooledStatistics, 'V' | 'Q' | 'labellings'>,
  scatter: Num,
  { varies }: Pick<Standardised, 'varies'>,
  task: StatisticsTask,
): StatisticsOutputs {
  const d = lanesOf([varies]);
  const trace = () => shiftLeft(gates, sumLanes(gates, unsigned(gates, [varies])), REVEALED_FRACTION.scatter);
  const variances = () => {
    const diagonal = upperByRows(d).diagonal(gates, scatter);
    const places = REVEALED_FRACTION.scatter - 2 * task.fractionBits;
    const dividend = nonNegative(gates, shiftLeft(gates, diagonal, Math.max(0, places)));
    const divisor = nonNegative(gates, square(gates, pooled.Q));
    const quotient = divideUnsigned(gates, dividend, broadcast(gates, divisor, 0, d));
    return shiftRight(quotient, Math.max(0, -places));
  };
  const others = outputs.filter((output) => output !== 'trace');
  return {
    ...statisticsOutputs(gates, others, pooled, trace, task),
    ...(outputs.includes('trace') && { trace: trace() }),
    ...(outputs.includes('variances') && { variances: variances() }),
  };
}

/** The vectors of `unstandardise` as revealed. */
export function readUnstandardised(
  entries: readonly bigint[],
  exponents: readonly bigint[],
  unit: number,
): number[][] {
  const count = exponents.length;
  return exponents.map((exponent, j) =>
    entries
      .filter((_, lane) => lane % count === j)
      .map((entry) => Number(entry) * 2 ** (unit - Number(exponent))),
  );
}
