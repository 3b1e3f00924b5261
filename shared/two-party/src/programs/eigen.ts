/**
 * Eigenpairs of a symmetric matrix: reduction to a tridiagonal matrix, bisection, deflation and back. The number of steps is
 * public and always the same; docs/precision.md has the widths and their reasons. And what every method does with eigenpairs.
 */
import {
  absolute,
  addModulo,
  concatLanes,
  constantNumber,
  lanesOf,
  lessThan,
  type Num,
  negateIf,
  normalise,
  resize,
  select,
  shiftLeft,
  shiftRight,
  sign,
  sliceLanes,
  square,
  subtractModulo,
  sumLanes,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { largestEigenvalues } from './bisection.ts';
import { deflate } from './deflation.ts';
import { grid, upperByRows } from './layouts.ts';
import { broadcast, coarser, nonNegative, pickRange, zeros } from './numbers.ts';
import {
  BISECTIONS,
  FRACTION,
  RESIDUAL_FRACTION,
  RESIDUAL_PLACES,
  RESIDUAL_VECTOR_FRACTION,
  rankPlaces,
  WORD,
} from './precision.ts';
import { rotateVectors } from './rotations.ts';
import { scaleEntries } from './scaling.ts';
import { gatesPerRounded, roundedSums, squaredLengths } from './steps.ts';
import { reflectVectors, tridiagonalise } from './tridiagonal.ts';

export interface Eigenpairs {
  /** One lane per component, descending up to rounding; WORD bits, FRACTION of them fraction. */
  readonly values: Num;
  /** Lane i * count + j is entry i of vector j; WORD bits, FRACTION of them fraction. */
  readonly vectors: Num;
}

export interface LeadingEigenpairs extends Eigenpairs {
  /** The eigenvalues after those, as many as were asked for: from bisection alone, rounded down to 2^-BISECTIONS. */
  readonly further: Num;
  /** Whether as many eigenvalues as `rank` are clearly above zero: one lane. */
  readonly ranked: Wires;
}

/**
 * The `count` largest eigenvalues and their vectors, of length 1 and orthogonal up to 2^-18 or so; their signs are as they come. Lanes of
 * `triangle`: the upper triangle, row by row, of a d × d matrix with eigenvalues in [0, 1), in WORD bits, FRACTION of them fraction.
 * Of a zero matrix the values are the error of a shift, and the vectors unit vectors. `further` more eigenvalues, at most d - count, come
 * without vectors.
 */
export async function leadingEigenpairs(
  session: Session,
  triangle: Num,
  d: number,
  count: number,
  { further: furtherCount = 0, rank = count + 1 } = {},
): Promise<LeadingEigenpairs> {
  const tridiagonal = await tridiagonalise(session, triangle, d);
  const { values, below } = await largestEigenvalues(
    session,
    tridiagonal,
    count + furtherCount,
    rankPlaces(d),
  );
  const { shifts, further, ranked } = await session.step((gates) => {
    const zero = gates.constant(furtherCount, 0);
    const digits = sliceLanes(gates, values, count, count + furtherCount);
    return {
      shifts: sliceLanes(gates, values, 0, count),
      further: digits.map((bit, i) => (i < FRACTION - BISECTIONS ? zero : bit)),
      ranked: lessThan(gates, below, constantNumber(gates, BigInt(d - rank + 1), below.length, 1)),
    };
  });
  const deflated = await deflate(session, tridiagonal, shifts);
  const rotated = await rotateVectors(session, deflated.stages, d, count);
  const vectors = await reflectVectors(session, tridiagonal.reflections, rotated, d, count);
  return { values: deflated.values, vectors, further, ranked };
}

export interface Normal {
  /** As `leadingEigenpairs` takes it: the integers times 2^places / 2^(bits - 1), with bits the length of the given numbers. */
  readonly matrix: Num;
  /** Unsigned; one lane. */
  readonly places: Num;
  /** 0 where the trace is 0. */
  readonly some: Wires;
  /** Under noise: whether the trace is positive and the matrix holds every entry. Where it is 0 all else means nothing. */
  readonly fits: Wires | undefined;
}

/**
 * Shifts the upper triangle of a d × d matrix of integers without negative eigenvalues so that its trace, which no eigenvalue exceeds,
 * is from 1/2 to 1. The trace must not overflow the bits of the entries. With `noisy` there may be negative eigenvalues, and it is
 * checked that entries fit.
 */
export async function normaliseTrace(
  session: Session,
  scatter: Num,
  d: number,
  noisy: boolean,
): Promise<Normal> {
  const { places, some, positive } = await session.step((gates) => {
    const trace = resize(traceOf(gates, scatter, d), scatter.length);
    const normal = normalise(gates, nonNegative(gates, trace));
    const some = normal.value.at(-2)!;
    return {
      places: normal.places,
      some,
      positive: noisy ? gates.and(some, gates.not(sign(trace))) : undefined,
    };
  });
  const { entries, fits } = await scaleEntries(session, scatter, {
    places: (gates, from, to) => broadcast(gates, places, 0, to - from),
    placeBits: places.length,
    kept: (_, scaled) => resize(shiftRight(scaled, scatter.length - 1 - FRACTION), WORD),
    positive,
  });
  return { matrix: entries, places, some, fits };
}

/** Of an upper triangle, without overflow. */
export function traceOf(gates: Gates, triangle: Num, d: number): Num {
  return sumLanes(gates, upperByRows(d).diagonal(gates, triangle));
}

/** Makes the entry of largest magnitude of each vector positive. Lanes as in `Eigenpairs`. */
export function fixSigns(gates: Gates, vectors: Num, d: number, count: number): Num {
  // The largest first: its magnitude above its sign.
  let best = { size: zeros(gates, 1, 0), negative: gates.constant(0, 0) };
  for (let i = 0; i < d; i += 1) {
    const entry = sliceLanes(gates, vectors, i * count, (i + 1) * count);
    const size = absolute(gates, entry);
    if (i === 0) best = { size, negative: sign(entry) };
    else {
      const larger = lessThan(gates, best.size, size);
      const chosen = select(gates, larger, [sign(entry), ...size], [best.negative, ...best.size]);
      best = { size: chosen.slice(1), negative: chosen[0]! };
    }
  }
  return negateIf(gates, broadcastGroups(gates, best.negative, d), vectors);
}

function broadcastGroups(gates: Gates, wires: Wires, times: number): Wires {
  return gates.concat(new Array<Wires>(times).fill(wires));
}

/** Whether ‖S w − λ w‖ <= 2^-10 λ_1, per vector: from the matrix itself, whatever was done to find its eigenpairs. */
export async function checkResiduals(
  session: Session,
  matrix: Num,
  { values, vectors }: Eigenpairs,
  d: number,
  count: number,
): Promise<Wires> {
  const places = FRACTION - RESIDUAL_FRACTION;
  const word = RESIDUAL_FRACTION + 2;
  // Entries and then eigenvalues, to the nearest: rounding down would add a matrix of rank 1 to it.
  const factors = await session.step((gates) => {
    const all = concatLanes(gates, [matrix, values]);
    const half = constantNumber(gates, 1n, 1 + places, lanesOf(all));
    return coarser(addModulo(gates, all, shiftLeft(gates, half, places - 1), all.length), places, word);
  });
  const coarse = coarser(vectors, FRACTION - RESIDUAL_VECTOR_FRACTION, RESIDUAL_VECTOR_FRACTION + 2);
  const [own, triangle] = [grid(d, count), upperByRows(d)];
  const [size, entries] = [own.lanes, triangle.lanes];
  const rows: Num[] = [];
  // Row i of the product: d entries and -λ for each vector.
  for (let i = 0; i < d; i += 1) {
    const factor = (lane: number): number =>
      lane < size ? triangle.at(i, own.row(lane)) : entries + lane - size;
    const other = (lane: number): number => (lane < size ? lane : own.at(i, lane - size));
    const terms = await roundedSums(
      session,
      size + count,
      gatesPerRounded(word, RESIDUAL_VECTOR_FRACTION + 2),
      (gates, from, to) => ({
        pairs: [[pickRange(gates, factors, from, to, factor), pickRange(gates, coarse, from, to, other)]],
      }),
      { shift: RESIDUAL_VECTOR_FRACTION, bits: word },
    );
    rows.push(
      await session.step((gates) => {
        const image = sumLanes(gates, sliceLanes(gates, terms, 0, size), count);
        return subtractModulo(gates, image, sliceLanes(gates, terms, size, size + count), word);
      }),
    );
  }
  const rests = await session.step((gates) => concatLanes(gates, rows));
  const squares = await squaredLengths(session, rests, d, count);
  return session.step((gates) => {
    const largest = square(gates, sliceLanes(gates, factors, entries, entries + 1));
    const bound = broadcast(gates, largest, 0, count);
    const scaled = nonNegative(gates, shiftLeft(gates, squares, 2 * RESIDUAL_PLACES));
    return gates.not(lessThan(gates, bound, scaled));
  });
}
