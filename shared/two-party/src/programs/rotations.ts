/** Givens rotations of rows (Golub and Van Loan, "Matrix Computations", section 5.1.8), many of them at once, and the eigenvectors that are products of them. */
import { concatLanes, type Num, negate, sliceLanes } from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { broadcast, constantNumbers, sum, sumsOfProducts } from './numbers.ts';
import { FRACTION, WORD } from './precision.ts';
import { GATES_PER_STEP, gatesPerRounded } from './steps.ts';

/** AND gates per lane that a rotation is applied to, about. */
const GATES_PER_LANE = 4 * gatesPerRounded(WORD, WORD);

export interface Rotation {
  /** Acts on rows `row` and `row` + 1, counted from the bottom. */
  readonly row: number;
  /** The first component whose vector it belongs to; all later ones have it, too. */
  readonly component: number;
  readonly cosine: Num;
  readonly sine: Num;
}

/** Eigenvectors of T: lane i * components + j is entry i, from the top, of vector j. */
export async function rotateVectors(
  session: Session,
  stages: readonly (readonly Rotation[])[],
  d: number,
  components: number,
): Promise<Num> {
  // Row by row from the bottom; vector j starts as the unit vector of the row that its eigenvalue was moved to.
  const current: Num[] = await session.step((gates) =>
    Array.from({ length: d }, (_, i) =>
      constantNumbers(
        gates,
        Array.from({ length: components }, (_, j) => (i === d - 1 - j ? 1n << BigInt(FRACTION) : 0n)),
        WORD,
      ),
    ),
  );
  for (const stage of stages.toReversed()) {
    for (let from = 0; from < stage.length; ) {
      let to = from;
      for (let gates = 0; to < stage.length && gates < GATES_PER_STEP; to += 1) {
        gates += GATES_PER_LANE * (components - stage[to]!.component);
      }
      const some = stage.slice(from, to);
      const turned = await session.step((gates) => rotate(gates, current, some, components));
      for (const [k, { row }] of some.entries()) {
        current[row] = turned[k]!.low;
        current[row + 1] = turned[k]!.high;
      }
      from = to;
    }
  }
  return session.step((gates) => concatLanes(gates, current.toReversed()));
}

/** The rows that each rotation has changed; no two share one. */
function rotate(
  gates: Gates,
  vectors: readonly Num[],
  rotations: readonly Rotation[],
  components: number,
): { low: Num; high: Num }[] {
  const turned = sumsOfProducts(
    gates,
    rotations.flatMap(({ row, component, cosine, sine }) => {
      const [a, b] = [vectors[row]!, vectors[row + 1]!].map((x) =>
        sliceLanes(gates, x, component, components),
      ) as [Num, Num];
      const spread = (x: Num): Num => broadcast(gates, x, 0, components - component);
      const [c, s, minus] = [cosine, sine, negate(gates, sine)].map(spread) as [Num, Num, Num];
      return [sum([c, a], [minus, b]), sum([s, a], [c, b])];
    }),
    { shift: FRACTION, bits: WORD },
  );
  return rotations.map(({ row, component }, k) => {
    const whole = (before: Num, changed: Num): Num =>
      concatLanes(gates, [sliceLanes(gates, before, 0, component), changed]);
    return { low: whole(vectors[row]!, turned[2 * k]!), high: whole(vectors[row + 1]!, turned[2 * k + 1]!) };
  });
}
