/**
 * Eigenpairs of a symmetric matrix: reduction to a tridiagonal matrix, bisection, deflation and back. The
 * number of steps is public and always the same; docs/precision.md has the widths and their reasons. And what
 * every method does with eigenpairs.
 */

import { lessThan, type Num, select } from '../circuits/index.ts';
import {
  Fixed,
  gatesPerRounded,
  grid,
  pieceByPiece,
  squaredLengths,
  upperByRows,
} from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { largestEigenvalues, TRIAL } from './bisection.ts';
import { deflate, rotateVectors } from './deflation.ts';
import {
  BISECTIONS,
  FRACTION,
  NORM_PLACES,
  RAISE_PLACES,
  RESIDUAL_FRACTION,
  RESIDUAL_PLACES,
  RESIDUAL_VECTOR_FRACTION,
  rankPlaces,
  STURM_FRACTION,
  WORD,
} from './precision.ts';
import { addToDiagonal, scaleAlone, scaleEntries } from './scaling.ts';
import { reflectVectors, tridiagonalise } from './tridiagonal.ts';

export interface Eigenpairs {
  /** One lane per component, descending up to rounding; WORD bits, FRACTION of them fraction. */
  readonly values: Fixed;
  /** Lane i * count + j is entry i of vector j; WORD bits, FRACTION of them fraction. */
  readonly vectors: Fixed;
}

interface LeadingEigenpairs extends Eigenpairs {
  /**
   * The eigenvalues after those, as many as were asked for: from bisection alone, rounded down to
   * 2^-BISECTIONS.
   */
  readonly further: Fixed;
  /**
   * True if as many eigenvalues as `rank` are clearly above zero, and above `noise` where there is one: one
   * lane.
   */
  readonly ranked: Wires;
}

/** The effect of a floor's noise on a matrix that was shifted: one lane each. */
interface MatrixNoise {
  /** The norm of the noise: a TRIAL. */
  readonly norm: Fixed;
  /** The number that was added to every eigenvalue: WORD bits, FRACTION of them fraction. */
  readonly raise: Fixed;
}

interface Further {
  readonly further?: number;
  readonly rank?: number;
  readonly noise?: MatrixNoise | undefined;
}

/**
 * The `count` largest eigenvalues and their vectors, of length 1 and orthogonal up to 2^-18 or so; their
 * signs are as they come. Lanes of `triangle`: the upper triangle, row by row, of a d × d matrix with
 * eigenvalues in [0, 1), in WORD bits, FRACTION of them fraction. Of a zero matrix the values are the error
 * of a shift, and the vectors unit vectors. `further` more eigenvalues, at most d - count, come without
 * vectors.
 */
export async function leadingEigenpairs(
  session: Session,
  triangle: Fixed,
  d: number,
  count: number,
  { further: furtherCount = 0, rank = count + 1, noise }: Further = {},
): Promise<LeadingEigenpairs> {
  const tridiagonal = await tridiagonalise(session, triangle, d);
  const all = count + furtherCount;
  const zero = 1n << BigInt(STURM_FRACTION - rankPlaces(d));
  const threshold = noise
    ? await session.step((gates) => {
        const least = larger(noise.norm, Fixed.of(gates, [zero], TRIAL));
        return least.plus(noise.raise.at(TRIAL.fraction), TRIAL.bits);
      })
    : zero;
  const { values, below } = await largestEigenvalues(session, tridiagonal, all, threshold);
  const { shifts, further, ranked } = await session.step((gates) => ({
    shifts: values.lanesFrom(0, count),
    further: values.lanesFrom(count).at(BISECTIONS).at(FRACTION),
    ranked: below.isBelow(Fixed.of(gates, [BigInt(d - rank + 1)], below)),
  }));
  const deflated = await deflate(session, tridiagonal, shifts);
  const rotated = await rotateVectors(session, deflated.stages, d, count);
  const vectors = await reflectVectors(session, tridiagonal.reflections, rotated, d, count);
  return { values: deflated.values, vectors, further, ranked };
}

/** The larger number, lane by lane. */
export function larger(a: Fixed, b: Fixed): Fixed {
  return a.where(b.isBelow(a), b);
}

export interface Normal {
  /**
   * As `leadingEigenpairs` takes it: the integers times 2^places / 2^(bits - 1), with bits the length of the
   * given numbers.
   */
  readonly matrix: Fixed;
  /** Unsigned; one lane. */
  readonly places: Fixed;
  /** 0 where the trace is 0. */
  readonly some: Wires;
  /**
   * Under noise: whether the trace is positive and the matrix holds every entry. Where it is 0 all else means
   * nothing.
   */
  readonly fits: Wires | undefined;
  readonly noise: MatrixNoise | undefined;
}

/**
 * Shifts the upper triangle of a d × d matrix of integers without negative eigenvalues so that its trace,
 * which no eigenvalue exceeds, is from 1/2 to 1. The trace must not overflow the bits of the entries. With
 * `noisy` there may be negative eigenvalues, and it is checked that entries fit. With the norm of the noise,
 * in the units of the entries, every eigenvalue is raised, so that none is negative, and 2^NORM_PLACES norms
 * are added to the trace, so that none exceeds that.
 */
export async function normaliseTrace(
  session: Session,
  scatter: Fixed,
  d: number,
  noisy: boolean,
  norm?: Fixed,
): Promise<Normal> {
  const { places, some, positive } = await session.step((gates) => {
    const own = traceOf(scatter, d).resized(scatter.bits);
    const trace = norm ? own.plus(norm.doubled(NORM_PLACES), scatter.bits) : own;
    const { value, places } = scaleAlone(trace.nonNegative());
    const some = value.number.at(-2)!;
    const positive = noisy ? gates.and(some, gates.not(trace.sign)) : undefined;
    return { places, some, positive };
  });
  const { entries, fits } = await scaleEntries(session, scatter, {
    places: ({ from, to }) => places.spread(to - from),
    placeBits: places.bits,
    kept: (scaled) => scaled.at(FRACTION).resized(WORD),
    positive,
  });
  if (norm === undefined) return { matrix: entries, places, some, fits, noise: undefined };
  return session.step(() => {
    const { bits } = scatter;
    const scaled = norm
      .resized(bits)
      .up(places)
      .readAt(bits - 1);
    const raise = scaled.over(-RAISE_PLACES).at(FRACTION).resized(WORD);
    const own = scaled.at(TRIAL.fraction).resized(TRIAL.bits);
    return {
      matrix: addToDiagonal(entries, d, raise, WORD),
      places,
      some,
      fits,
      noise: { norm: own, raise },
    };
  });
}

/** Returns the trace of an upper triangle, without overflow. */
export function traceOf(triangle: Fixed, d: number): Fixed {
  return triangle.diagonal(upperByRows(d)).sums();
}

/** Makes the entry of largest magnitude of each vector positive. Lanes as in `Eigenpairs`. */
export function fixSigns(vectors: Fixed, d: number, count: number): Fixed {
  const { gates } = vectors;
  /** Its magnitude above its sign. */
  const sized = (i: number): Num => {
    const entry = vectors.lanesFrom(i * count, (i + 1) * count);
    return [entry.sign, ...entry.absolute().number];
  };
  let largest = sized(0);
  for (let i = 1; i < d; i += 1) {
    const other = sized(i);
    const larger = lessThan(gates, largest.slice(1), other.slice(1));
    largest = select(gates, larger, other, largest);
  }
  return vectors.negatedIf(gates.concat(new Array<Wires>(d).fill(largest[0]!)));
}

/**
 * Returns whether ‖S w − λ w‖ <= 2^-10 λ_1, per vector: it is computed from the matrix itself, whatever was
 * done to find its eigenpairs.
 */
export async function checkResiduals(
  session: Session,
  matrix: Fixed,
  { values, vectors }: Eigenpairs,
  d: number,
  count: number,
): Promise<Wires> {
  const kept = { fraction: RESIDUAL_FRACTION, bits: RESIDUAL_FRACTION + 2 };
  const w = vectors.at(RESIDUAL_VECTOR_FRACTION).resized(RESIDUAL_VECTOR_FRACTION + 2);
  // To the nearest: rounding down would add a matrix of rank 1 to S.
  const factors = await session.step(() => matrix.followedBy(values).rounded(kept));
  const [S, own, terms] = [upperByRows(d), grid(d, count), grid(d + 1, count)];
  const rows: Fixed[] = [];
  // Row i of S w − λ w: S_ik w_k, and last λ w_i.
  for (let i = 0; i < d; i += 1) {
    const products = await pieceByPiece(session, terms.lanes, gatesPerRounded(kept.bits, w.bits), (piece) =>
      factors
        .as(terms, (k, j) => (k < d ? S.at(i, k) : S.lanes + j), piece)
        .times(
          w.as(terms, (k, j) => own.at(k < d ? k : i, j), piece),
          kept,
        ),
    );
    rows.push(
      await session.step(() => {
        const image = products.lanesFrom(0, own.lanes).sums(count);
        return image.minus(products.lanesFrom(own.lanes), kept.bits);
      }),
    );
  }
  const rests = await session.step(() => Fixed.joined(rows));
  const squares = await squaredLengths(session, rests, d, count);
  return session.step((gates) => {
    const bound = factors.lane(S.lanes).squared().spread(count);
    return gates.not(bound.isBelow(squares.doubled(2 * RESIDUAL_PLACES).nonNegative()));
  });
}
