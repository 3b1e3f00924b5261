/** Givens rotations of rows (Golub and Van Loan, "Matrix Computations", section 5.1.8), many of them at once, and the eigenvectors that are products of them. */
import { Fixed, GATES_PER_STEP, gatesPerRounded, sum, sumsOfProducts } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { FRACTION, WORD } from './precision.ts';

const ENTRY = { fraction: FRACTION, bits: WORD };
/** AND gates per lane that a rotation is applied to, about. */
const GATES_PER_LANE = 4 * gatesPerRounded(WORD, WORD);

export interface Rotation {
  /** Acts on rows `row` and `row` + 1, counted from the bottom. */
  readonly row: number;
  /** The first component whose vector it belongs to; all later ones have it, too. */
  readonly component: number;
  readonly cosine: Fixed;
  readonly sine: Fixed;
}

/** Eigenvectors of T: lane i * components + j is entry i, from the top, of vector j. */
export async function rotateVectors(
  session: Session,
  stages: readonly (readonly Rotation[])[],
  d: number,
  components: number,
): Promise<Fixed> {
  // Row by row from the bottom; vector j starts as the unit vector of the row that its eigenvalue was moved to.
  const current = await session.step((gates) =>
    Array.from({ length: d }, (_, i) => {
      const entry = (j: number) => (i === d - 1 - j ? 1n << BigInt(FRACTION) : 0n);
      return Fixed.of(
        gates,
        Array.from({ length: components }, (_, j) => entry(j)),
        ENTRY,
      );
    }),
  );
  for (const stage of stages.toReversed()) {
    for (let from = 0; from < stage.length; ) {
      let to = from;
      for (let gates = 0; to < stage.length && gates < GATES_PER_STEP; to += 1) {
        gates += GATES_PER_LANE * (components - stage[to]!.component);
      }
      const some = stage.slice(from, to);
      const turned = await session.step(() => rotate(current, some));
      for (const [k, { row }] of some.entries()) {
        current[row] = turned[k]!.low;
        current[row + 1] = turned[k]!.high;
      }
      from = to;
    }
  }
  return session.step(() => Fixed.joined(current.toReversed()));
}

/** The rows that each rotation has changed; no two share one. */
function rotate(vectors: readonly Fixed[], rotations: readonly Rotation[]): { low: Fixed; high: Fixed }[] {
  const turned = sumsOfProducts(
    rotations.flatMap(({ row, component, cosine, sine }) => {
      const [a, b] = [vectors[row]!.lanesFrom(component), vectors[row + 1]!.lanesFrom(component)];
      const [c, s, minus] = [cosine, sine, sine.negated()].map((x) => x.spread(a.lanes)) as [
        Fixed,
        Fixed,
        Fixed,
      ];
      return [sum([c, a], [minus, b]), sum([s, a], [c, b])];
    }),
    ENTRY,
  );
  return rotations.map(({ row, component }, k) => {
    const whole = (before: Fixed, changed: Fixed) => before.lanesFrom(0, component).followedBy(changed);
    return { low: whole(vectors[row]!, turned[2 * k]!), high: whole(vectors[row + 1]!, turned[2 * k + 1]!) };
  });
}
