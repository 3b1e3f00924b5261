/**
 * Prepares solutions before they are revealed: their scaling undone, length 1, a sign, and a check of the
 * equation.
 */
import { Fixed, grid, pieceByPiece, piecesOf, squaredLengths, vectorByVector } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { fixSigns } from './eigen.ts';
import { NOISE_PLACES, RESIDUAL_PLACES, SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { even, inverseRoot, scaleUp } from './scaling.ts';

/**
 * Every vector times a power of two, so that its largest entry is from 1/2 to 1: SOLVE_FRACTION fraction bits
 * in SOLVE_WORD.
 */
export async function scaleVectors(
  session: Session,
  vectors: Fixed,
  d: number,
  count: number,
): Promise<Fixed> {
  const perLane = 8 * vectors.bits;
  const [all] = await vectorByVector(session, vectors, d, count, perLane, (own, width) => [
    scaled(own, width),
  ]);
  return all!;
}

/** Vectors times 2^places row by row, and then `scaleVectors`; `most` bounds the places. */
export async function undoScaling(
  session: Session,
  vectors: Fixed,
  { places, most }: { readonly places: Fixed; readonly most: number },
  d: number,
  count: number,
): Promise<Fixed> {
  const bits = vectors.bits + most;
  const [all] = await vectorByVector(session, vectors, d, count, 14 * bits, (own, width) => [
    scaled(own.resized(bits).up(places.perRow(grid(d, width))), width),
  ]);
  return all!;
}

function scaled(vectors: Fixed, count: number): Fixed {
  return scaleUp(vectors, count).value.at(SOLVE_FRACTION).resized(SOLVE_WORD);
}

/**
 * Scales vectors whose largest entry is from 1/2 to 1 to length 1 with that entry positive; they get this
 * number of fraction bits and a sign.
 */
export async function unitVectors(
  session: Session,
  vectors: Fixed,
  d: number,
  count: number,
  fraction: number,
): Promise<Fixed> {
  const bits = fraction + 2;
  const fine = fraction + 4;
  const entries = await session.step(() => vectors.at(fine).resized(fine + 1));
  const squares = await squaredLengths(session, entries, d, count);
  const { mantissa, back } = await session.step((gates) => {
    const sum = squares.nonNegative().resized(even(squares.bits - 1) + 1);
    const { mantissa, places } = inverseRoot(sum);
    // 1 / length = mantissa 2^places is at most 2, for the sum is at least 1/4: so places may be at most one
    // more than the mantissa's halvings.
    const most = BigInt(mantissa.fraction - SOLVE_FRACTION + 1);
    const back = Fixed.constant(gates, most, count, { fraction: 0, bits: 8 }).minus(places);
    return { mantissa: mantissa.readAt(SOLVE_FRACTION), back };
  });
  const layout = grid(d, count);
  const units = await pieceByPiece(session, layout.lanes, 2 * SOLVE_WORD ** 2, (piece) => {
    const kept = { fraction: fine, bits: entries.bits + 2 };
    const product = entries.part(piece).timesTruncated(mantissa.perColumn(layout, piece), kept);
    return product.doubled().down(back.perColumn(layout, piece)).at(fraction).resized(bits);
  });
  const [all] = await vectorByVector(session, units, d, count, 6 * bits, (own, width) => [
    fixSigns(own, d, width),
  ]);
  return all!;
}

/** A z and B z: lane i * count + j, SOLVE_FRACTION fraction bits. */
export interface Images {
  readonly signal: Fixed;
  readonly noise: Fixed;
}

/**
 * Returns whether ‖A z − λ B z‖ <= 2^-RESIDUAL_PLACES (|λ_1| + 2^-NOISE_PLACES) ‖B z‖, per vector. The right
 * side is relative to B z itself, so that a large B does not excuse anything in directions where it is small.
 */
export async function checkEquation(
  session: Session,
  { signal, noise }: Images,
  values: Fixed,
  d: number,
  count: number,
): Promise<Wires> {
  const { fraction } = values;
  const bits = Math.max(signal.bits, noise.bits + values.bits - fraction) + 1;
  const kept = { fraction: noise.fraction, bits };
  const bound = await session.step((gates) => {
    const size = values.lane(0).absolute();
    const least = Fixed.of(gates, [1n << BigInt(fraction - NOISE_PLACES)], values);
    return size.plus(least, size.bits).nonNegative();
  });
  const layout = grid(d, count);
  const perLane = 4 * noise.bits * values.bits;
  const [rest, allowed] = await piecesOf(session, layout.lanes, perLane, (piece) => {
    const Bz = noise.part(piece);
    const image = Bz.timesExactly(values.perColumn(layout, piece), kept);
    const allowed = Bz.timesExactly(bound.spread(Bz.lanes), kept);
    return [signal.part(piece).minus(image, bits), allowed];
  });
  const left = await squaredLengths(session, rest!, d, count);
  const right = await squaredLengths(session, allowed!, d, count);
  return session.step((gates) => gates.not(right.isBelow(left.doubled(2 * RESIDUAL_PLACES).nonNegative())));
}
