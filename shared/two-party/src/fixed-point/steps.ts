/** Work on many lanes or in long loops, cut into steps of a size that both parties' buffers can hold. */
import type { Gates, Session } from '../garbling/index.ts';
import { Fixed } from './fixed.ts';
import { grid, type Piece } from './layouts.ts';

/** AND gates that a step should have, roughly. */
export const GATES_PER_STEP = 100_000;

/**
 * AND gates of one product, of `a` and `b` bits, in a rounded sum of them, about: both parties cut steps by
 * it.
 */
export function gatesPerRounded(a: number, b: number): number {
  return 0.8 * a * b;
}

/** Returns how many pieces of work make a step, each of this number of AND gates. */
export function piecesPerStep(gates: number): number {
  return Math.max(1, Math.floor(GATES_PER_STEP / Math.max(1, gates)));
}

/** Does work on many lanes in steps of a fitting size and puts each number that it makes together. */
export async function piecesOf(
  session: Session,
  lanes: number,
  gatesPerLane: number,
  work: (piece: Piece, gates: Gates) => readonly Fixed[],
): Promise<readonly Fixed[]> {
  const each = piecesPerStep(gatesPerLane);
  const parts: (readonly Fixed[])[] = [];
  for (let from = 0; from < lanes; from += each) {
    const piece = { from, to: Math.min(lanes, from + each) };
    parts.push(await session.step((gates) => gates.scope(() => work(piece, gates))));
  }
  if (parts.length === 1) return parts[0]!;
  return session.step(() => parts[0]!.map((_, k) => Fixed.joined(parts.map((part) => part[k]!))));
}

/** Works on one number piece by piece. */
export async function pieceByPiece(
  session: Session,
  lanes: number,
  gatesPerLane: number,
  work: (piece: Piece, gates: Gates) => Fixed,
): Promise<Fixed> {
  const [all] = await piecesOf(session, lanes, gatesPerLane, (piece, gates) => [work(piece, gates)]);
  return all!;
}

/**
 * Work on whole vectors (lane i * count + j, d entries each), some of them in each step, which sees lanes i *
 * width + j of those from `first` on. Numbers that it makes are put together: of d lanes a vector, as the
 * vectors lie, or of one.
 */
export async function vectorByVector(
  session: Session,
  vectors: Fixed,
  d: number,
  count: number,
  gatesPerLane: number,
  work: (own: Fixed, width: number, first: number, gates: Gates) => readonly Fixed[],
): Promise<readonly Fixed[]> {
  const each = Math.min(count, piecesPerStep(d * gatesPerLane));
  if (each === count) return session.step((gates) => gates.scope(() => work(vectors, count, 0, gates)));
  const parts: (readonly Fixed[])[] = [];
  for (let first = 0; first < count; first += each) {
    const width = Math.min(each, count - first);
    parts.push(
      await session.step((gates) =>
        work(someColumns(vectors, d, count, first, first + width), width, first, gates),
      ),
    );
  }
  return session.step(() =>
    parts[0]!.map((made, k) => {
      const joined = Fixed.joined(parts.map((part) => part[k]!));
      return made.lanes === each ? joined : besideEachOther(joined, d, count, each);
    }),
  );
}

/** Some columns of `count` vectors of d entries. */
export function someColumns(a: Fixed, d: number, count: number, from: number, to: number): Fixed {
  const all = grid(d, count);
  return a.as(grid(d, to - from), (i, j) => all.at(i, from + j));
}

/** The other way round: vectors from parts of `each`, the last of those that remain. */
function besideEachOther(parts: Fixed, d: number, count: number, each: number): Fixed {
  return parts.as(grid(d, count), (i, j) => {
    const first = j - (j % each);
    return d * first + i * Math.min(each, count - first) + (j - first);
  });
}

/** The sum of squares of each vector (lane i * count + j), exact. */
export async function squaredLengths(
  session: Session,
  vectors: Fixed,
  d: number,
  count: number,
): Promise<Fixed> {
  const rows = Math.max(1, Math.floor(piecesPerStep(vectors.bits ** 2 * 0.6) / count));
  const parts: Fixed[] = [];
  for (let from = 0; from < d; from += rows) {
    const [first, last] = [from * count, Math.min(d, from + rows) * count];
    parts.push(
      await session.step((gates) => gates.scope(() => vectors.lanesFrom(first, last).squared().sums(count))),
    );
  }
  return session.step(() => Fixed.joined(parts).sums(count));
}
