/**
 * Givens rotations of rows (Golub and Van Loan, "Matrix Computations", section 5.1.8), many of them at once, and the eigenvectors that are products of them.
 *
 * Eigenvectors of a tridiagonal matrix by explicit QL steps whose shifts are the eigenvalues (the "ultimate
 * shifts" of Parlett, "The Symmetric Eigenvalue Problem", sections 8.10 and 8.13). T − σI is singular, so one
 * step moves the eigenvalue to the end, up to rounding, and a second one cleans up; then the matrix loses its
 * last row, whatever the entry beside it is. Vectors are products of rotations, hence orthogonal also for
 * equal eigenvalues, for zero ones and where T falls apart; the residual says whether they are right.
 *
 * Reflections start from the first feature, so large eigenvalues have their weight at the top of T, and steps
 * go upwards: towards small entries first, each rotation's errors would grow. The explicit form lets a step
 * pass where T falls apart, which chasing a bulge does not.
 */

import { ROOT_FRACTION } from '../circuits/index.ts';
import {
  Fixed,
  GATES_PER_STEP,
  gatesPerRounded,
  onto,
  piecesPerStep,
  sum,
  sumsOfProducts,
} from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { FRACTION, NOTHING, SWEEPS, WORD } from './precision.ts';
import { scaleTogether } from './scaling.ts';
import type { Tridiagonal } from './tridiagonal.ts';

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

/** Rows between two sweeps at work. */
const LAG = 2;
/** AND gates of a rotation, about. */
const GATES_PER_ROTATION = 20_000;

interface Deflated {
  /** One lane per component. */
  readonly values: Fixed;
  /** The stages in their order; the rotations of one stage act on different rows. */
  readonly stages: readonly (readonly Rotation[])[];
}

/** The numbers that a sweep carries from row to row, one lane each. */
interface Carried {
  readonly x: Fixed;
  readonly cosine: Fixed;
  readonly sine: Fixed;
}

/** One step of QL for one component. */
interface Sweep {
  readonly component: number;
  readonly size: number;
  readonly shift: Fixed;
  carried: Carried;
}

/** Entries of T that a sweep has passed: on the diagonal, and beside it. */
interface Passed {
  readonly entry: Fixed;
  readonly off: Fixed;
}

/**
 * Rotations that bring one eigenvalue after the other to the end of T, and the entries that end up there. A
 * sweep follows two rows behind the one before it, since it needs of T only what that has left behind, so
 * that the rotations of many sweeps are lanes of one circuit.
 */
export async function deflate(
  session: Session,
  { diagonal, offDiagonal }: Tridiagonal,
  shifts: Fixed,
): Promise<Deflated> {
  const D = diagonal.toReversed();
  const E = offDiagonal.toReversed();
  const d = D.length;
  const components = shifts.lanes;
  const count = SWEEPS * components;
  const sweeps: Sweep[] = [];
  const stages: Rotation[][] = [];
  const leave = (row: number, { entry, off }: Passed): void => {
    D[row] = entry;
    if (row > 0) E[row - 1] = off;
  };
  for (let stage = 0; stage < LAG * (count - 1) + d - components + 1; stage += 1) {
    if (stage % LAG === 0 && sweeps.length < count) {
      sweeps.push(await startSweep(session, D[0]!, shifts, Math.floor(sweeps.length / SWEEPS), d));
    }
    const places = sweeps.map((sweep, s) => ({ sweep, row: stage - LAG * s }));
    const turning = places.filter(({ sweep, row }) => row < sweep.size - 1);
    const ending = places.filter(({ sweep, row }) => row === sweep.size - 1);
    const rotations: Rotation[] = [];
    const most = piecesPerStep(GATES_PER_ROTATION);
    for (let from = 0; from < turning.length; from += most) {
      const some = turning.slice(from, from + most);
      const results = await session.step((gates) => {
        const turned = gates.scope(() => turn(some, D, E));
        return some.map((_, i) => laneOf(turned, i));
      });
      for (const [k, { sweep, row }] of some.entries()) {
        const { x, cosine, sine, entry, off } = results[k]!;
        sweep.carried = { x, cosine, sine };
        leave(row, { entry, off });
        rotations.push({ row, component: sweep.component, cosine, sine });
      }
    }
    for (const { sweep, row } of ending) leave(row, await session.step(() => endSweep(sweep)));
    stages.push(rotations);
  }
  const values = D.slice(d - components).toReversed();
  return { values: await session.step(() => Fixed.joined(values)), stages };
}

function startSweep(
  session: Session,
  first: Fixed,
  shifts: Fixed,
  component: number,
  d: number,
): Promise<Sweep> {
  return session.step((gates) => {
    const shift = shifts.lane(component);
    const cosine = Fixed.of(gates, [1n << BigInt(FRACTION)], ENTRY);
    const sine = Fixed.of(gates, [0n], ENTRY);
    return { component, size: d - component, shift, carried: { x: first.minus(shift, WORD), cosine, sine } };
  });
}

/** The last row, which the last rotation has passed through already. */
function endSweep({ carried: { x, cosine, sine }, shift }: Sweep): Passed {
  const [entry, off] = sumsOfProducts([onto(shift, [cosine, x]), sum([sine, x])], ENTRY);
  return { entry: entry!, off: off! };
}

/**
 * A rotation per lane. With (x, y) the row of R that is not complete and e, g the entries of T − σI next to
 * it: the rotation that takes (x, e) to (r, 0), and the entries of R Q that are then complete.
 */
function turn(
  places: readonly { readonly sweep: Sweep; readonly row: number }[],
  D: readonly Fixed[],
  E: readonly Fixed[],
): Carried & Passed {
  const gather = (number: (place: (typeof places)[number]) => Fixed): Fixed =>
    Fixed.joined(places.map(number));
  const [x, c0, s0, shift] = [
    gather(({ sweep }) => sweep.carried.x),
    gather(({ sweep }) => sweep.carried.cosine),
    gather(({ sweep }) => sweep.carried.sine),
    gather(({ sweep }) => sweep.shift),
  ];
  const e = gather(({ row }) => E[row]!);
  const g = gather(({ row }) => D[row + 1]!).minus(shift, WORD);
  const { cosine, sine, y } = direction(x, e, c0);
  const minus = sine.negated();
  const [beside, length, next, kept] = sumsOfProducts(
    [
      sum([cosine, y], [sine, g]),
      sum([cosine, x], [sine, e]),
      sum([cosine, g], [minus, y]),
      onto(shift, [c0, x]),
    ],
    ENTRY,
  );
  const [entry, off] = sumsOfProducts([onto(kept!, [sine, beside!]), sum([s0, length!])], ENTRY);
  return { x: next!, cosine, sine, entry: entry!, off: off! };
}

function laneOf({ x, cosine, sine, entry, off }: Carried & Passed, i: number): Carried & Passed {
  const [a, b, c, d, e] = [x, cosine, sine, entry, off].map((number) => number.lane(i));
  return { x: a!, cosine: b!, sine: c!, entry: d!, off: e! };
}

/**
 * Per lane the cosine and sine of the direction of (x, e), and e times a cosine: (0, 1) where both are
 * almost zero. T falls apart there, and if the shift belongs to the part that is done, x would be exactly 0
 * except for the error of the shift: its row must move on.
 */
function direction(x: Fixed, e: Fixed, before: Fixed): { cosine: Fixed; sine: Fixed; y: Fixed } {
  const { gates, lanes } = x;
  const both = x.followedBy(e);
  const sides = scaleTogether([both], lanes).values[0]!.at(FRACTION);
  const [p, q] = [sides.lanesFrom(0, lanes), sides.lanesFrom(lanes)];
  // The larger is from 1/2 to 1. Its square must not be rounded to below 1/4, which a unit prevents.
  const root = { fraction: ROOT_FRACTION, bits: ROOT_FRACTION + 3 };
  const unit = Fixed.constant(gates, 1n, lanes, { fraction: ROOT_FRACTION, bits: 2 });
  const inverse = sumsOfProducts([onto(unit, [p, p], [q, q])], root)[0]!
    .nonNegative()
    .inverseRoot();
  const [c, s, y] = sumsOfProducts(
    [sum([p, inverse]), sum([q, inverse]), sum([before, e.at(ROOT_FRACTION)])],
    ENTRY,
  );
  const nothing = both.isWithin(-NOTHING);
  const some = gates.not(gates.and(gates.slice(nothing, 0, lanes), gates.slice(nothing, lanes, 2 * lanes)));
  const kept = c!.followedBy(s!).where(gates.concat([some, some]));
  return { cosine: kept.lanesFrom(0, lanes), sine: kept.lanesFrom(lanes).orPower(0, gates.not(some)), y: y! };
}
