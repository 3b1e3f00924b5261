/** L⁻¹ A L⁻ᵀ for a dense symmetric A, by eliminating rows and columns alike: half the products of two triangular solutions. */
import { concatLanes, type Num, resize, shiftRight, sliceLanes, subtractModulo } from '../circuits/index.ts';
import type { Session } from '../garbling/index.ts';
import { type Factor, timesInverse } from './cholesky.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { belowDiagonal, upperByColumns } from './layouts.ts';
import { broadcast, pick, zeros } from './numbers.ts';
import { inPieces } from './steps.ts';
import { gatesPerProduct, multiplyTruncated } from './truncated.ts';

/** A: upper triangle column by column, in so many bits, of which SOLVE_FRACTION are fraction; and so is the result. */
export async function congruence(
  session: Session,
  { lower, inverses }: Factor,
  A: Num,
  d: number,
  bits: number,
): Promise<Num> {
  const [triangle, below] = [upperByColumns(d), belowDiagonal(d)];
  const { lanes } = triangle;
  const gatesEach = 2 * (gatesPerProduct(bits, SOLVE_WORD, SOLVE_FRACTION) + bits);
  let current = A;
  for (let k = 0; k < d; k += 1) {
    const before = current;
    const inverse = inverses[k]!;
    // Row k over the root of the pivot, its diagonal entry twice.
    const { row, change } = await session.step((gates) => {
      const own = pick(gates, before, d, (i) => triangle.at(i, k));
      const once = timesInverse(gates, own, inverse, bits);
      const corner = timesInverse(gates, sliceLanes(gates, once, k, k + 1), inverse, bits);
      const row = concatLanes(gates, [
        sliceLanes(gates, once, 0, k),
        corner,
        sliceLanes(gates, once, k + 1, d),
      ]);
      const m = d - k - 1;
      if (m === 0) return { row, change: row };
      // Row k without half of what the corner adds below, so that two products serve both sides.
      const l = pick(gates, lower, m, (i) => below.at(k + 1 + i, k));
      const half = resize(shiftRight(corner, 1), bits);
      const along = multiplyTruncated(gates, broadcast(gates, half, 0, m), l, SOLVE_FRACTION, bits);
      const after = subtractModulo(gates, sliceLanes(gates, row, k + 1, d), along, bits);
      return { row, change: concatLanes(gates, [sliceLanes(gates, row, 0, k + 1), after]) };
    });
    const first = k + 1 < d ? triangle.at(0, k + 1) : lanes;
    const updated =
      k + 1 === d
        ? undefined
        : await inPieces(session, lanes - first, gatesEach, (gates, from, to) => {
            const count = to - from;
            const at = (lane: number): readonly [number, number] => [
              triangle.row(first + from + lane),
              triangle.column(first + from + lane),
            ];
            const old = pick(gates, concatLanes(gates, [before, row]), count, (lane) => {
              const [i, j] = at(lane);
              return i === k ? lanes + j : first + from + lane;
            });
            // Entry (i, j) loses change_i l_j, and l_i change_j too where i is below k.
            const both = Array.from({ length: count }, (_, lane) => lane).filter((lane) => at(lane)[0] > k);
            const changes = pick(gates, change, count + both.length, (lane) =>
              lane < count ? at(lane)[0] : at(both[lane - count]!)[1],
            );
            const factors = pick(gates, lower, count + both.length, (lane) => {
              const i = lane < count ? at(lane)[1] : at(both[lane - count]!)[0];
              return below.at(i, k);
            });
            const product = multiplyTruncated(gates, changes, factors, SOLVE_FRACTION, bits);
            const where = new Map(both.map((lane, i) => [lane, count + i]));
            const left = subtractModulo(gates, old, sliceLanes(gates, product, 0, count), bits);
            if (both.length === 0) return left;
            const second = pick(
              gates,
              concatLanes(gates, [product, zeros(gates, bits, 1)]),
              count,
              (lane) => where.get(lane) ?? count + both.length,
            );
            return subtractModulo(gates, left, second, bits);
          });
    current = await session.step((gates) => {
      const kept = pick(gates, concatLanes(gates, [before, row]), first, (lane) =>
        triangle.column(lane) === k ? lanes + triangle.row(lane) : lane,
      );
      return updated === undefined ? kept : concatLanes(gates, [kept, updated]);
    });
  }
  return current;
}
