/**
 * PCA of a correlation matrix as a circuit: the scatter with its features standardised, and vectors back at the features' scale. docs/precision.md
 * has the widths and their reasons.
 */

import { type Output, type StatisticsTask, widthsOf } from '@eigenveil/task';
import { gatesPerProduct } from '../circuits/index.ts';
import { Fixed, grid, pieceByPiece, upperByRows, vectorByVector } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { fixSigns } from './eigen.ts';
import { type StatisticsOutputs, statisticsOutputs } from './outputs.ts';
import { FRACTION, REVEALED_FRACTION } from './precision.ts';
import { equilibrate, even, inverseRootOf, scaleAlone, scaleTogether } from './scaling.ts';
import { type PooledStatistics, scatterBits } from './statistics.ts';

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
  readonly matrix: Fixed;
  /** 1/√t_ii, from 1 to 2, with SOLVE_FRACTION fraction bits, of T_ii = t_ii 2^digits / 4^places units. Means nothing without variance. */
  readonly roots: Fixed;
  readonly places: Fixed;
  readonly digits: number;
  /** Per feature whether it has variance. */
  readonly varies: Wires;
}

/**
 * T_ij / √(T_ii T_jj) of an upper triangle without negative eigenvalues: 1 on the diagonal, zeros in row and column of a feature
 * without variance. Powers of two first, so that small variances lose no digits.
 */
export async function standardise(session: Session, task: StatisticsTask, T: Fixed): Promise<Standardised> {
  const d = task.features.length;
  const digits = even(scatterBits(task));
  const { matrix: t, places } = await equilibrate(session, T, d, digits, false);
  const layout = upperByRows(d);
  const { roots, varies } = await session.step((gates) => {
    const diagonal = t.diagonal(layout);
    // From 1/4 to 1, unless there is no variance.
    const [half, quarter] = [diagonal.number[SOLVE_FRACTION - 1]!, diagonal.number[SOLVE_FRACTION - 2]!];
    const none = gates.and(gates.not(half), gates.not(quarter));
    const own = diagonal.resized(SOLVE_FRACTION + 1).nonNegative();
    return { roots: inverseRootOf(own), varies: gates.not(none) };
  });
  const kept = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD };
  const gatesEach = 2 * gatesPerProduct(SOLVE_WORD, roots.bits, SOLVE_FRACTION);
  const matrix = await pieceByPiece(session, layout.lanes, gatesEach, (piece) =>
    t
      .part(piece)
      .timesTruncated(roots.perRow(layout, piece), kept)
      .timesTruncated(roots.perColumn(layout, piece), kept),
  );
  const bits = SOLVE_FRACTION + Math.ceil(Math.log2(d)) + 2;
  return session.step((gates) => {
    const ones = Fixed.constant(gates, 0n, d, kept).orPower(0, varies);
    return { matrix: matrix.withDiagonal(layout, ones).resized(bits), roots, places, digits, varies };
  });
}

export interface Unstandardised {
  /** Lane i * count + j: entry i of vector j in units of its own; REVEALED_WORD bits. */
  readonly vectors: Fixed;
  /** Per vector: its unit is 2^(unit − exponent). */
  readonly exponents: Fixed;
  readonly unit: number;
}

/**
 * w_ij = v_ij / σ_i for σ_i² = T_ii / Q², and 0 without variance. Each vector in a unit of its own, which follows from its largest
 * entry: so neither σ_i nor Q is told beyond what w is.
 */
export async function unstandardise(
  session: Session,
  task: StatisticsTask,
  vectors: Fixed,
  { roots, places, digits, varies }: Standardised,
  Q: Fixed,
): Promise<Unstandardised> {
  const d = roots.lanes;
  const { factors, shifted } = await session.step(() => {
    const { value, places: shifted } = scaleAlone(Q);
    return { factors: roots.timesTruncated(value.spread(d), roots), shifted };
  });
  const word = SCALED_FRACTION + 3 + digits / 2;
  const scaled = { fraction: SCALED_FRACTION, bits: SCALED_FRACTION + 3 };
  const perLane = gatesPerProduct(vectors.bits, factors.bits, SOLVE_FRACTION) + word * (places.bits + 8);
  const count = vectors.lanes / d;
  const [entries, exponents] = await vectorByVector(
    session,
    vectors,
    d,
    count,
    perLane,
    (own, width, _, gates) => {
      const each = grid(d, width);
      const over = own.timesTruncated(factors.perRow(each), scaled).where(each.perRow(gates, [varies])[0]!);
      const wide = over.resized(word).up(places.perRow(each));
      const { values, places: by, empty } = scaleTogether([wide], width);
      const exponent = by.plus(shifted.spread(width)).nonNegative();
      return [values[0]!.at(REVEALED_WORD - 1), exponent.where(gates.not(empty))];
    },
  );
  // Of w = entry 2^(word − REVEALED_WORD − by) 2^−SCALED_FRACTION · 2^(digits − shifted of Q) · 2^(fractionBits − digits/2).
  const samplesBits = widthsOf(task).M - 1;
  const unit = word - REVEALED_WORD - SCALED_FRACTION + samplesBits + task.fractionBits - digits / 2;
  const signed = await session.step(() => fixSigns(entries!, d, count));
  return { vectors: signed, exponents: exponents!, unit };
}

/**
 * As `statisticsOutputs` of Q times the total scatter; the trace is the number of features with variance, and there are the variances, cut to
 * REVEALED_FRACTION.scatter fraction bits.
 */
export function standardisedOutputs(
  outputs: readonly Output[],
  pooled: Pick<PooledStatistics, 'V' | 'Q' | 'labellings'>,
  scatter: Fixed,
  { varies }: Pick<Standardised, 'varies'>,
  task: StatisticsTask,
): StatisticsOutputs {
  const { Q } = pooled;
  const fraction = REVEALED_FRACTION.scatter;
  const trace = () => Fixed.bit(Q.gates, varies).sums().at(fraction);
  const variances = () => {
    const diagonal = scatter.diagonal(upperByRows(varies.lanes));
    const dividend = diagonal.at(Math.max(scatter.fraction, fraction)).nonNegative();
    return dividend.dividedByUnsigned(Q.squared().nonNegative().spread(varies.lanes)).at(fraction);
  };
  const others = outputs.filter((output) => output !== 'trace');
  return {
    ...statisticsOutputs(others, pooled, trace, task),
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
