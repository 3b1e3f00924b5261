/**
 * PCA of a correlation matrix as a circuit: the scatter with its features standardised, and vectors back at
 * the features' scale. docs/precision.md has the widths and their reasons.
 */

import type { Output } from '@eigenveil/methods';
import { computedFractionBits, floorOf, RELEASED_BITS, type StatisticsTask, widthsOf } from '@eigenveil/task';
import { gatesPerProduct } from '../circuits/index.ts';
import { Fixed, grid, pieceByPiece, upperByRows, vectorByVector } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { fixSigns, larger } from './eigen.ts';
import { releasedFraction, releasedQuotient, type StatisticsOutputs, statisticsOutputs } from './outputs.ts';
import { FRACTION, SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { equilibrate, even, inverseRootOf, scaleAlone, scaleTogether } from './scaling.ts';
import { type PooledStatistics, scatterBits, scatterUnits, timesRows } from './statistics.ts';

/** Fraction bits of v_i / σ_i before it is shifted to its magnitude: some more than v has. */
const SCALED_FRACTION = FRACTION + 4;
/**
 * An entry of the correlation matrix is right to 2^-ENTRY_ACCURACY. 1/√t_ii is to 1.25 · 2^-30 of itself:
 * t_ii is cut to 2^-32 and at least 1/4, and root and quotient are rounded down to 2^-31 and 2^-32 of
 * themselves. t_ij is cut to 2^-32 and multiplied by 4 at most, the first product is off by two units and
 * multiplied by 2, and the second by two: 5 · 2^-30 together.
 */
export const ENTRY_ACCURACY = 27;
/** Bits of a revealed entry without a floor, sign included; the largest of a vector fills them. */
const REVEALED_WORD = 28;
/**
 * Bits for the integer part of an entry under the floor's noise, t_ij before its roots. A feature with
 * variance has T_ii above four deviations of the noise on it, which is no larger than 11.3 of them
 * (FLOOR_REACH) except with a probability of 2^−90: so S_ii is at most 3.9 T_ii, and with |S_ij|² ≤ S_ii S_jj
 * and the noise of T_ij, which is at most 2 √(T_ii T_jj), no entry is larger than 5.9. Whether all are below
 * 8 is looked at all the same: owners may add noise of their own.
 */
const NOISE_INTEGERS = 3;

export interface Standardised {
  /**
   * The correlation matrix, upper triangle row by row, with SOLVE_FRACTION fraction bits; its trace fits its
   * bits.
   */
  readonly matrix: Fixed;
  /**
   * 1/√t_ii, from 1 to 2, with SOLVE_FRACTION fraction bits, of T_ii = t_ii 2^digits / 4^places units. Means
   * nothing without variance.
   */
  readonly roots: Fixed;
  readonly places: Fixed;
  readonly digits: number;
  /** True for each feature that has variance. */
  readonly varies: Wires;
  /** Under a floor: the norm of its noise in the matrix, and whether the matrix holds every entry. */
  readonly norm: Fixed | undefined;
  readonly fits: Wires | undefined;
}

/**
 * T_ij / √(T_ii T_jj) of an upper triangle without negative eigenvalues: 1 on the diagonal, zeros in row and
 * column of a feature without variance. Powers of two first, so that small variances lose no digits.
 */
export async function standardise(
  session: Session,
  task: StatisticsTask,
  scatter: Fixed,
  Q: Fixed,
): Promise<Standardised> {
  const d = task.features.length;
  const digits = even(scatterBits(task));
  const floor = floorOf(task);
  const T = floor ? await withoutNoise(session, task, scatter, Q) : scatter;
  const integers = floor ? NOISE_INTEGERS : 0;
  const expected = { noisy: floor !== undefined, integers };
  const { matrix: t, places, fits } = await equilibrate(session, T, d, digits, expected);
  const layout = upperByRows(d);
  const { roots, varies } = await session.step((gates) => {
    const diagonal = t.diagonal(layout);
    // From 1/4 to 1, unless there is no variance.
    const [half, quarter] = [diagonal.number[SOLVE_FRACTION - 1]!, diagonal.number[SOLVE_FRACTION - 2]!];
    const none = gates.and(gates.not(half), gates.not(quarter));
    const own = diagonal.resized(SOLVE_FRACTION + 1).nonNegative();
    return { roots: inverseRootOf(own), varies: gates.not(none) };
  });
  // Roots are at most 2: what fits before them does so afterwards.
  const kept = { fraction: SOLVE_FRACTION, bits: floor ? t.bits + 2 : SOLVE_WORD };
  const gatesEach = 2 * gatesPerProduct(kept.bits, roots.bits, SOLVE_FRACTION);
  const matrix = await pieceByPiece(session, layout.lanes, gatesEach, (piece) =>
    t
      .part(piece)
      .timesTruncated(roots.perRow(layout, piece), kept)
      .timesTruncated(roots.perColumn(layout, piece), kept),
  );
  // The trace, and what is added to it for the norm of noise, which is at most 3.6 for 100 features.
  const bits = SOLVE_FRACTION + Math.ceil(Math.log2(d)) + (floor ? 2 + NOISE_INTEGERS + 2 : 2);
  const whole = await session.step((gates) => {
    const ones = Fixed.constant(gates, 0n, d, kept).orPower(0, varies);
    return matrix.withDiagonal(layout, ones).resized(bits);
  });
  const scaled = { roots, places, digits, varies };
  const norm = floor && (await normOf(session, task, Q, scaled));
  return { matrix: whole, ...scaled, norm, fits };
}

/** The scatter without rows and columns of features whose variance is not above the noise: they have none. */
async function withoutNoise(session: Session, task: StatisticsTask, T: Fixed, Q: Fixed): Promise<Fixed> {
  const d = task.features.length;
  const layout = upperByRows(d);
  const units = floorOf(task)!.leastVariances.map((own) => scatterUnits(own, T.fraction));
  const varies = await session.step(() => {
    const diagonal = T.diagonal(layout);
    return timesRows(Q, units, T).isBelow(diagonal);
  });
  return pieceByPiece(session, layout.lanes, T.bits + 1, (piece, gates) => {
    const [row] = layout.perRow(gates, [varies], piece.from, piece.to);
    const [column] = layout.perColumn(gates, [varies], piece.from, piece.to);
    return T.part(piece).where(gates.and(row!, column!));
  });
}

/**
 * The largest n_i / T_ii of features with variance, n_i the norm of the noise if all features had the grain
 * of feature i: with E = D G D, D of grains, it bounds that of the noise in the matrix.
 */
async function normOf(
  session: Session,
  task: StatisticsTask,
  Q: Fixed,
  { roots, places, digits, varies }: Pick<Standardised, 'roots' | 'places' | 'digits' | 'varies'>,
): Promise<Fixed> {
  const { grains, norm } = floorOf(task)!;
  const most = Math.max(...grains);
  const fraction = 2 * computedFractionBits(task);
  const units = grains.map((grain) =>
    grain === 0 ? 0n : scatterUnits(norm * (grain / most) ** 2, fraction),
  );
  const kept = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD + NOISE_INTEGERS + 1 };
  return session.step(() => {
    const own = timesRows(Q, units, { fraction, bits: digits + 1 + NOISE_INTEGERS });
    const scaled = own.up(places).up(places).readAt(digits).at(SOLVE_FRACTION).resized(kept.bits);
    const parts = scaled.timesTruncated(roots, kept).timesTruncated(roots, kept);
    let largest = parts.where(varies).nonNegative();
    while (largest.lanes > 1) {
      const half = largest.lanes >> 1;
      const both = larger(largest.lanesFrom(0, half), largest.lanesFrom(half, 2 * half));
      largest = both.followedBy(largest.lanesFrom(2 * half));
    }
    return largest;
  });
}

interface Unstandardised {
  /**
   * Lane i * count + j: entry i of vector j in units of its own; REVEALED_WORD bits, or what a floor leaves
   * of them.
   */
  readonly vectors: Fixed;
  /** Per vector: its unit is 2^(unit − exponent). */
  readonly exponents: Fixed;
  readonly unit: number;
}

/**
 * w_ij = v_ij / σ_i for σ_i² = T_ii / Q², and 0 without variance. Each vector in a unit of its own, which
 * follows from its largest entry: so neither σ_i nor Q is told beyond what w is.
 */
export async function unstandardise(
  session: Session,
  task: StatisticsTask,
  vectors: Fixed,
  { roots, places, digits, varies }: Standardised,
  Q: Fixed,
): Promise<Unstandardised> {
  const d = roots.lanes;
  const revealed = floorOf(task) ? RELEASED_BITS + 1 : REVEALED_WORD;
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
      return [values[0]!.at(revealed - 1), exponent.where(gates.not(empty))];
    },
  );
  // The number is w = entry 2^(word − revealed − by) 2^−SCALED_FRACTION · 2^(digits − shifted of Q) ·
  // 2^(fractionBits − digits/2).
  const samplesBits = widthsOf(task).M - 1;
  const fractionBits = computedFractionBits(task);
  const unit = word - revealed - SCALED_FRACTION + samplesBits + fractionBits - digits / 2;
  const signed = await session.step(() => fixSigns(entries!, d, count));
  return { vectors: signed, exponents: exponents!, unit };
}

/**
 * As `statisticsOutputs` of Q times the total scatter; the trace is the number of features with variance, and
 * there are the variances, 0 of what has none.
 */
export function standardisedOutputs(
  outputs: readonly Output[],
  pooled: Pick<PooledStatistics, 'V' | 'noised' | 'Q' | 'labellings'>,
  scatter: Fixed,
  { varies }: Pick<Standardised, 'varies'>,
  task: StatisticsTask,
): StatisticsOutputs {
  const { Q } = pooled;
  const fraction = releasedFraction(task);
  const trace = () => Fixed.bit(Q.gates, varies).sums().at(fraction.scatter);
  const variances = () => {
    const diagonal = scatter.diagonal(upperByRows(varies.lanes));
    const squares = Q.squared().nonNegative().spread(varies.lanes);
    if (floorOf(task)) return releasedQuotient(diagonal.where(varies), squares, fraction.variances);
    const dividend = diagonal.at(Math.max(scatter.fraction, fraction.variances)).nonNegative();
    return dividend.dividedByUnsigned(squares).at(fraction.variances);
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
