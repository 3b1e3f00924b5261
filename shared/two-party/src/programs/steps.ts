/** Work on many lanes or in long loops, cut into steps of a size that both parties' buffers can hold. */
import {
  concatLanes,
  lanesOf,
  type Num,
  type RoundedPart,
  sliceLanes,
  square,
  sumLanes,
  sumOfProducts,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { besideEachOther, someColumns } from './layouts.ts';

/** AND gates that a step should have, roughly. */
export const GATES_PER_STEP = 100_000;

/** AND gates of one product, of `a` and `b` bits, in a rounded sum of them, about: both parties cut steps by it. */
export function gatesPerRounded(a: number, b: number): number {
  return 0.8 * a * b;
}

/** How many pieces of work of so many AND gates make a step. */
export function piecesPerStep(gates: number): number {
  return Math.max(1, Math.floor(GATES_PER_STEP / Math.max(1, gates)));
}

/** Does work on many lanes in steps of a fitting size and puts the results together. */
export async function inPieces(
  session: Session,
  lanes: number,
  gatesPerLane: number,
  work: (gates: Gates, from: number, to: number) => Num,
): Promise<Num> {
  const each = piecesPerStep(gatesPerLane);
  const parts: Num[] = [];
  for (let from = 0; from < lanes; from += each) {
    const to = Math.min(lanes, from + each);
    parts.push(await session.step((gates) => gates.scope(() => work(gates, from, to))));
  }
  return parts.length === 1 ? parts[0]! : session.step((gates) => concatLanes(gates, parts));
}

/**
 * Work on whole vectors (lane i * count + j, d entries each), some of them in each step, which sees lanes i * width + j of those from `first` on. Numbers that it makes
 * are put together: of d lanes a vector, as the vectors lie, or of one.
 */
export async function vectorByVector(
  session: Session,
  vectors: Num,
  d: number,
  count: number,
  gatesPerLane: number,
  work: (gates: Gates, own: Num, width: number, first: number) => readonly Num[],
): Promise<readonly Num[]> {
  const each = Math.min(count, piecesPerStep(d * gatesPerLane));
  if (each === count) return session.step((gates) => gates.scope(() => work(gates, vectors, count, 0)));
  const parts: (readonly Num[])[] = [];
  for (let first = 0; first < count; first += each) {
    const width = Math.min(each, count - first);
    parts.push(
      await session.step((gates) => {
        const own = someColumns(gates, vectors, d, count, first, first + width);
        return work(gates, own, width, first);
      }),
    );
  }
  return session.step((gates) =>
    parts[0]!.map((made, k) => {
      const numbers = parts.map((part) => part[k]!);
      return lanesOf(made) === each
        ? concatLanes(gates, numbers)
        : besideEachOther(gates, numbers, d, count, each);
    }),
  );
}

/** Operands of rounded sums of products for the lanes from `from` up to but not including `to`. */
export type Operands = (
  gates: Gates,
  from: number,
  to: number,
) => { readonly pairs: readonly (readonly [Num, Num])[]; readonly plus?: Num };

/** Rounded sums of products on many lanes, `gatesPerLane` each; `operands` may only rearrange wires. */
export function roundedSums(
  session: Session,
  lanes: number,
  gatesPerLane: number,
  operands: Operands,
  part: Pick<RoundedPart, 'shift' | 'bits'>,
): Promise<Num> {
  return inPieces(session, lanes, gatesPerLane, (gates, from, to) => {
    const { pairs, plus } = operands(gates, from, to);
    return sumOfProducts(gates, pairs, plus === undefined ? part : { ...part, plus });
  });
}

/** The sum of squares of each vector (lane i * count + j), exact. */
export async function squaredLengths(session: Session, vectors: Num, d: number, count: number): Promise<Num> {
  const rows = Math.max(1, Math.floor(piecesPerStep(vectors.length ** 2 * 0.6) / count));
  const parts: Num[] = [];
  for (let from = 0; from < d; from += rows) {
    const to = Math.min(d, from + rows);
    parts.push(
      await session.step((gates) =>
        gates.scope(() =>
          sumLanes(gates, square(gates, sliceLanes(gates, vectors, from * count, to * count)), count),
        ),
      ),
    );
  }
  return session.step((gates) => sumLanes(gates, concatLanes(gates, parts), count));
}
