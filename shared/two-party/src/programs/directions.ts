/** What happens to solutions before they are revealed: their scaling undone, length 1, a sign, and a check of the equation. */
import {
  absolute,
  addModulo,
  lessThan,
  multiply,
  type Num,
  resize,
  shiftLeft,
  shiftLeftBy,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Gates, Session, Wires } from '../garbling/index.ts';
import { NOISE_PLACES, SOLVE_FRACTION, SOLVE_WORD, VECTOR_FRACTION } from './discriminant-precision.ts';
import { fixSigns } from './eigen.ts';
import { Fixed } from './fixed.ts';
import { grid } from './layouts.ts';
import { broadcast, constantNumbers, nonNegative, scaleTogether } from './numbers.ts';
import { RESIDUAL_PLACES, REVEALED_FRACTION } from './precision.ts';
import { even, inverseRoot, toFraction } from './scaling.ts';
import { inPieces, squaredLengths, vectorByVector } from './steps.ts';

/** Every vector times a power of two, so that its largest entry is from 1/2 to 1: SOLVE_FRACTION fraction bits in SOLVE_WORD. */
export async function scaleVectors(session: Session, vectors: Num, d: number, count: number): Promise<Num> {
  const perLane = 8 * vectors.length;
  const [all] = await vectorByVector(session, vectors, d, count, perLane, (gates, own, width) => [
    scaled(gates, own, width),
  ]);
  return all!;
}

/** Vectors times 2^places row by row, and then `scaleVectors`; `most` bounds the places. */
export async function undoScaling(
  session: Session,
  vectors: Num,
  { places, most }: { readonly places: Num; readonly most: number },
  d: number,
  count: number,
): Promise<Num> {
  const length = vectors.length + most;
  const [all] = await vectorByVector(session, vectors, d, count, 14 * length, (gates, own, width) => {
    const spread = grid(d, width).perRow(gates, places);
    return [scaled(gates, shiftLeftBy(gates, resize(own, length), spread), width)];
  });
  return all!;
}

function scaled(gates: Gates, vectors: Num, count: number): Num {
  // A last bit of 0 makes room for -1, which `scaleTogether` takes for nothing.
  const { values } = scaleTogether(gates, [shiftLeft(gates, vectors, 1)], count);
  return resize(toFraction(gates, values[0]!, vectors.length, SOLVE_FRACTION), SOLVE_WORD);
}

/** Vectors whose largest entry is from 1/2 to 1 to such of length 1, that entry positive: VECTOR_FRACTION fraction bits and a sign. */
export async function unitVectors(session: Session, vectors: Num, d: number, count: number): Promise<Num> {
  const [extra, bits] = [4, VECTOR_FRACTION + 2];
  const fine = VECTOR_FRACTION + extra;
  const entries = await session.step(
    (gates) => new Fixed(gates, vectors, SOLVE_FRACTION).at(fine).resized(fine + 1).number,
  );
  const squares = await squaredLengths(session, entries, d, count);
  const { mantissa, back } = await session.step((gates) => {
    const digits = even(squares.length - 1);
    const root = inverseRoot(gates, resize(nonNegative(gates, squares), digits + 1));
    // 1 / length = mantissa 2^(places - digits / 2) of units 2^-(VECTOR_FRACTION + extra). The sum is at least 1/4.
    const least = BigInt(digits / 2 - fine + 1);
    const most = constantNumbers(gates, new Array<bigint>(count).fill(least), 8);
    return { mantissa: root.mantissa, back: subtractModulo(gates, most, root.places, 8) };
  });
  const layout = grid(d, count);
  const units = await inPieces(session, layout.lanes, 2 * SOLVE_WORD ** 2, (gates, from, to) => {
    const spread = (a: Num): Num => layout.perColumn(gates, a, from, to);
    const own = new Fixed(gates, sliceLanes(gates, entries, from, to), fine);
    const over = new Fixed(gates, spread(mantissa), SOLVE_FRACTION);
    const product = own.timesTruncated(over, { fraction: fine, bits: own.bits + 2 });
    return product.doubled().down(spread(back)).at(VECTOR_FRACTION).resized(bits).number;
  });
  const [all] = await vectorByVector(session, units, d, count, 6 * bits, (gates, own, width) => [
    fixSigns(gates, own, d, width),
  ]);
  return all!;
}

/** A z and B z: lane i * count + j, SOLVE_FRACTION fraction bits. */
export interface Images {
  readonly signal: Num;
  readonly noise: Num;
}

/**
 * Whether ‖A z − λ B z‖ <= 2^-RESIDUAL_PLACES (|λ_1| + 2^-NOISE_PLACES) ‖B z‖, per vector. The right side is relative to B z itself, so that a
 * large B does not excuse anything in directions where it is small.
 */
export async function checkEquation(
  session: Session,
  { signal, noise }: Images,
  values: Num,
  d: number,
  count: number,
): Promise<Wires> {
  const shift = REVEALED_FRACTION.pencil;
  const bits = Math.max(signal.length, noise.length + values.length - shift) + 1;
  const bound = await session.step((gates) => {
    const size = absolute(gates, sliceLanes(gates, values, 0, 1));
    const least = constantNumbers(gates, [1n << BigInt(shift - NOISE_PLACES)], values.length);
    return nonNegative(gates, addModulo(gates, size, least, size.length));
  });
  const layout = grid(d, count);
  const perLane = 4 * noise.length * values.length;
  const both = await inPieces(session, layout.lanes, perLane, (gates, from, to) => {
    const own = sliceLanes(gates, noise, from, to);
    const lambda = layout.perColumn(gates, values, from, to);
    const image = multiply(gates, own, lambda, { shift, bits });
    const allowed = multiply(gates, own, broadcast(gates, bound, 0, to - from), { shift, bits });
    const rest = subtractModulo(gates, sliceLanes(gates, signal, from, to), image, bits);
    return [...rest, ...allowed];
  });
  const [left, right] = [
    await squaredLengths(session, both.slice(0, bits), d, count),
    await squaredLengths(session, both.slice(bits), d, count),
  ];
  return session.step((gates) =>
    gates.not(lessThan(gates, right, nonNegative(gates, shiftLeft(gates, left, 2 * RESIDUAL_PLACES)))),
  );
}
