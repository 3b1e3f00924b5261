/** Work on many lanes or in long loops, cut into steps of a size that both parties' buffers can hold. */
import {
  concatLanes,
  lanesOf,
  multiply,
  type Num,
  type Part,
  type RoundedPart,
  sliceLanes,
  sumOfProducts,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';

/** AND gates that a step should have, roughly. */
export const GATES_PER_STEP = 100_000;

/** How many pieces of work of so many AND gates make a step. */
export function piecesPerStep(gates: number): number {
  return Math.max(1, Math.floor(GATES_PER_STEP / Math.max(1, gates)));
}

/** Products lane by lane. `operands` is called in every step and may only rearrange wires. */
export async function products(
  session: Session,
  lanes: number,
  operands: (gates: Gates) => readonly [Num, Num],
  part: Part,
): Promise<Num> {
  const parts: Num[] = [];
  let from = 0;
  while (from < lanes) {
    parts.push(
      await session.step((gates) => {
        const [a, b] = operands(gates);
        const to = Math.min(lanes, from + piecesPerStep(1.1 * a.length * b.length * 2));
        const product = multiply(gates, sliceLanes(gates, a, from, to), sliceLanes(gates, b, from, to), part);
        from += lanesOf(product);
        return product;
      }),
    );
  }
  return parts.length === 1 ? parts[0]! : session.step((gates) => concatLanes(gates, parts));
}

/** As `products`, for rounded sums of products. */
export async function roundedSums(
  session: Session,
  lanes: number,
  operands: (gates: Gates) => { readonly pairs: readonly (readonly [Num, Num])[]; readonly plus?: Num },
  part: Pick<RoundedPart, 'shift' | 'bits'>,
): Promise<Num> {
  const parts: Num[] = [];
  let from = 0;
  while (from < lanes) {
    parts.push(
      await session.step((gates) => {
        const { pairs, plus } = operands(gates);
        const each = pairs.reduce((sum, [a, b]) => sum + 1.6 * a.length * b.length, 0);
        const to = Math.min(lanes, from + piecesPerStep(each));
        const cut = (a: Num): Num => sliceLanes(gates, a, from, to);
        const sum = sumOfProducts(
          gates,
          pairs.map(([a, b]) => [cut(a), cut(b)] as const),
          plus === undefined ? part : { ...part, plus: cut(plus) },
        );
        from = to;
        return sum;
      }),
    );
  }
  return parts.length === 1 ? parts[0]! : session.step((gates) => concatLanes(gates, parts));
}
