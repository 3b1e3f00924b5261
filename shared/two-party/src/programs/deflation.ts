/**
 * Eigenvectors of a tridiagonal matrix by explicit QL steps whose shifts are the eigenvalues (the "ultimate shifts" of Parlett, "The
 * Symmetric Eigenvalue Problem", sections 8.10 and 8.13). T − σI is singular, so one step moves the eigenvalue to the end, up to rounding, and a
 * second one cleans up; then the matrix loses its last row, whatever the entry beside it is. Vectors are products of
 * rotations, hence orthogonal also for equal eigenvalues, for zero ones and where T falls apart; the residual says whether they are right.
 *
 * Reflections start from the first feature, so large eigenvalues have their weight at the top of T, and steps go
 * upwards: towards small entries first, each rotation's errors would grow. The explicit form lets a step pass where T falls
 * apart, which chasing a bulge does not.
 */
import {
  addModulo,
  all,
  concatLanes,
  inverseSquareRoot,
  lanesOf,
  mask,
  type Num,
  negate,
  ROOT_FRACTION,
  shiftRight,
  sign,
  sliceLanes,
  subtractModulo,
  sumOfProducts,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { broadcast, constantNumbers, nonNegative, scaleTogether, zeros } from './numbers.ts';
import { FRACTION, NOTHING, SWEEPS, WORD } from './precision.ts';
import { piecesPerStep } from './steps.ts';
import type { Tridiagonal } from './tridiagonal.ts';

/** AND gates of a rotation, and per lane of one that it is applied to, about. */
const GATES_PER_ROTATION = 30_000;
const GATES_PER_LANE = 4 * 2 * WORD ** 2;

interface Rotation {
  /** Acts on rows `row` and `row` + 1, counted from the bottom. */
  readonly row: number;
  /** The first component whose vector it belongs to; all later ones have it, too. */
  readonly component: number;
  readonly cosine: Num;
  readonly sine: Num;
}

export interface Deflated {
  /** One lane per component. */
  readonly values: Num;
  readonly rotations: readonly Rotation[];
}

/** What a step carries from row to row; one lane each. */
interface Carried {
  readonly x: Num;
  readonly y: Num;
  readonly cosine: Num;
  readonly sine: Num;
}

/** Rotations that bring one eigenvalue after the other to the end of T, and the entries that end up there. */
export async function deflate(
  session: Session,
  { diagonal, offDiagonal }: Tridiagonal,
  shifts: Num,
): Promise<Deflated> {
  const D = diagonal.toReversed();
  const E = offDiagonal.toReversed();
  const rotations: Rotation[] = [];
  const values: Num[] = [];
  const rowsPerStep = piecesPerStep(GATES_PER_ROTATION);
  const components = lanesOf(shifts);
  for (let component = 0; component < components; component += 1) {
    const size = D.length;
    for (let sweep = 0; sweep < SWEEPS && size > 1; sweep += 1) {
      let carried: Carried | undefined;
      for (let from = 0; from < size - 1; from += rowsPerStep) {
        const before = carried;
        const to = Math.min(size - 1, from + rowsPerStep);
        const done = await session.step((gates) => {
          const shift = sliceLanes(gates, shifts, component, component + 1);
          return rows(gates, D, E, shift, before, from, to);
        });
        carried = done.carried;
        done.diagonal.forEach((entry, i) => {
          D[from + i] = entry;
        });
        done.offDiagonal.forEach((entry, i) => {
          const at = done.first + i;
          if (at >= 0) E[at] = entry;
        });
        done.turns.forEach(({ cosine, sine }, i) => {
          rotations.push({ row: from + i, component, cosine, sine });
        });
      }
    }
    values.push(D.pop()!);
    E.pop();
  }
  return { values: await session.step((gates) => concatLanes(gates, values)), rotations };
}

function rows(
  gates: Gates,
  D: readonly Num[],
  E: readonly Num[],
  shift: Num,
  before: Carried | undefined,
  from: number,
  to: number,
) {
  const size = D.length;
  let carried =
    before ??
    ({
      x: subtractModulo(gates, D[0]!, shift, WORD),
      y: E[0]!,
      cosine: one(gates),
      sine: zeros(gates, WORD, 1),
    } satisfies Carried);
  const diagonal: Num[] = [];
  const offDiagonal: Num[] = [];
  const turns: { cosine: Num; sine: Num }[] = [];
  for (let i = from; i < to; i += 1) {
    const result = turn(gates, carried, E[i]!, subtractModulo(gates, D[i + 1]!, shift, WORD), E[i + 1]);
    diagonal.push(addModulo(gates, result.entry, shift, WORD));
    offDiagonal.push(result.off);
    turns.push({ cosine: result.carried.cosine, sine: result.carried.sine });
    carried = result.carried;
  }
  if (to === size - 1) {
    const last = multiplyLanes(gates, [
      [carried.cosine, carried.x],
      [carried.sine, carried.x],
    ]);
    diagonal.push(addModulo(gates, last[0]!, shift, WORD));
    offDiagonal.push(last[1]!);
  }
  return { carried, diagonal, offDiagonal, first: from - 1, turns };
}

/** One rotation: (x, e) to (r, 0), rows of R, and the entries of R Q that are then complete. */
function turn(gates: Gates, { x, y, cosine: c0, sine: s0 }: Carried, e: Num, g: Num, next: Num | undefined) {
  return gates.scope(() => {
    const { cosine, sine } = direction(gates, x, e);
    const [cy, sg, cg, sy, cx, se, ce] = multiplyLanes(gates, [
      [cosine, y],
      [sine, g],
      [cosine, g],
      [sine, y],
      [cosine, x],
      [sine, e],
      [cosine, next ?? zeros(gates, WORD, 1)],
    ]) as [Num, Num, Num, Num, Num, Num, Num];
    const beside = addModulo(gates, cy, sg, WORD);
    const length = addModulo(gates, cx, se, WORD);
    const [kept, moved, off] = multiplyLanes(gates, [
      [c0, x],
      [sine, beside],
      [s0, length],
    ]) as [Num, Num, Num];
    const carried: Carried = { x: subtractModulo(gates, cg, sy, WORD), y: ce, cosine, sine };
    return { carried, entry: addModulo(gates, kept, moved, WORD), off };
  });
}

/**
 * The cosine and sine of the direction of (x, e): (0, 1) where both are next to nothing. T falls apart there, and if the shift
 * belongs to the part that is done, x would be exactly 0 but for the error of the shift: its row must move on.
 */
function direction(gates: Gates, x: Num, e: Num): { cosine: Num; sine: Num } {
  const both = concatLanes(gates, [x, e]);
  const { values } = scaleTogether(gates, [both], 1);
  const sides = shiftRight(values[0]!, 1);
  const [p, q] = [sliceLanes(gates, sides, 0, 1), sliceLanes(gates, sides, 1, 2)];
  // The larger is from 1/2 to 1. Its square must not be rounded to below 1/4, which a unit prevents.
  const squares = sumOfProducts(
    gates,
    [
      [p, p],
      [q, q],
    ],
    {
      shift: 2 * FRACTION - ROOT_FRACTION,
      bits: ROOT_FRACTION + 3,
      plus: constantNumbers(gates, [1n], 2),
    },
  );
  const inverse = inverseSquareRoot(gates, nonNegative(gates, squares));
  const unit = sumOfProducts(gates, [[sides, broadcast(gates, inverse, 0, 2)]], {
    shift: ROOT_FRACTION,
    bits: WORD,
  });
  const nothing = all(
    gates,
    both.slice(FRACTION - NOTHING, -1).map((bit) => gates.not(gates.xor(bit, sign(both)))),
  );
  const some = gates.not(gates.and(gates.slice(nothing, 0, 1), gates.slice(nothing, 1, 2)));
  const kept = mask(gates, gates.concat([some, some]), unit);
  const [cosine, sine] = [sliceLanes(gates, kept, 0, 1), sliceLanes(gates, kept, 1, 2)];
  return { cosine, sine: sine.map((bit, i) => (i === FRACTION ? gates.xor(bit, gates.not(some)) : bit)) };
}

function multiplyLanes(gates: Gates, pairs: readonly (readonly [Num, Num])[]): Num[] {
  const left = concatLanes(
    gates,
    pairs.map(([a]) => a),
  );
  const right = concatLanes(
    gates,
    pairs.map(([, b]) => b),
  );
  const product = sumOfProducts(gates, [[left, right]], { shift: FRACTION, bits: WORD });
  return pairs.map((_, i) => sliceLanes(gates, product, i, i + 1));
}

function one(gates: Gates): Num {
  return constantNumbers(gates, [1n << BigInt(FRACTION)], WORD);
}

/** Eigenvectors of T: lane i * components + j is entry i, from the top, of vector j. */
export async function rotateVectors(
  session: Session,
  { rotations }: Deflated,
  d: number,
  components: number,
): Promise<Num> {
  // Row by row from the bottom; vector j starts as the unit vector of the row that its eigenvalue was moved to.
  let current: Num[] = await session.step((gates) =>
    Array.from({ length: d }, (_, i) =>
      constantNumbers(
        gates,
        Array.from({ length: components }, (_, j) => (i === d - 1 - j ? 1n << BigInt(FRACTION) : 0n)),
        WORD,
      ),
    ),
  );
  const reversed = rotations.toReversed();
  for (let from = 0; from < reversed.length; ) {
    const count = piecesPerStep(GATES_PER_LANE * (components - reversed[from]!.component));
    const some = reversed.slice(from, from + count);
    const before = current;
    current = await session.step((gates) => {
      const rowsNow = [...before];
      for (const rotation of some) rotate(gates, rowsNow, rotation, components);
      return rowsNow;
    });
    from += count;
  }
  return session.step((gates) => concatLanes(gates, current.toReversed()));
}

function rotate(
  gates: Gates,
  vectors: Num[],
  { row, component, cosine, sine }: Rotation,
  components: number,
): void {
  const [low, high] = [vectors[row]!, vectors[row + 1]!];
  const lanes = components - component;
  const { left, right } = gates.scope(() => {
    const [a, b] = [low, high].map((x) => sliceLanes(gates, x, component, components)) as [Num, Num];
    const spread = (...factors: readonly Num[]): Num =>
      concatLanes(
        gates,
        factors.map((x) => broadcast(gates, x, 0, lanes)),
      );
    const turned = sumOfProducts(
      gates,
      [
        [spread(cosine, sine), concatLanes(gates, [a, a])],
        [spread(negate(gates, sine), cosine), concatLanes(gates, [b, b])],
      ],
      { shift: FRACTION, bits: WORD },
    );
    return {
      left: concatLanes(gates, [sliceLanes(gates, low, 0, component), sliceLanes(gates, turned, 0, lanes)]),
      right: concatLanes(gates, [
        sliceLanes(gates, high, 0, component),
        sliceLanes(gates, turned, lanes, 2 * lanes),
      ]),
    };
  });
  vectors[row] = left;
  vectors[row + 1] = right;
}
