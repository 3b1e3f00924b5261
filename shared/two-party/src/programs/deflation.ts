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
  all,
  concatLanes,
  constantNumber,
  inverseSquareRoot,
  lanesOf,
  mask,
  type Num,
  negate,
  ROOT_FRACTION,
  shiftLeft,
  shiftRight,
  sign,
  sliceLanes,
  subtractModulo,
  sumOfProducts,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { constantNumbers, nonNegative, onto, scaleTogether, sum, sumsOfProducts, zeros } from './numbers.ts';
import { FRACTION, NOTHING, SWEEPS, WORD } from './precision.ts';
import type { Rotation } from './rotations.ts';
import { piecesPerStep } from './steps.ts';
import type { Tridiagonal } from './tridiagonal.ts';

/** Rows between two sweeps at work. */
const LAG = 2;
/** AND gates of a rotation, about. */
const GATES_PER_ROTATION = 20_000;
const ENTRY = { shift: FRACTION, bits: WORD };

export interface Deflated {
  /** One lane per component. */
  readonly values: Num;
  /** In their order; those of one stage act on different rows. */
  readonly stages: readonly (readonly Rotation[])[];
}

/** One step of QL for one component: what it carries from row to row, one lane each. */
interface Sweep {
  readonly component: number;
  readonly size: number;
  readonly shift: Num;
  x: Num;
  cosine: Num;
  sine: Num;
}

/**
 * Rotations that bring one eigenvalue after the other to the end of T, and the entries that end up there. A sweep follows two rows behind
 * the one before it, since it needs of T only what that has left behind, so that the rotations of many sweeps are lanes of one circuit.
 */
export async function deflate(
  session: Session,
  { diagonal, offDiagonal }: Tridiagonal,
  shifts: Num,
): Promise<Deflated> {
  const D = diagonal.toReversed();
  const E = offDiagonal.toReversed();
  const d = D.length;
  const components = lanesOf(shifts);
  const count = SWEEPS * components;
  const sweeps: Sweep[] = [];
  const stages: Rotation[][] = [];
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
      const results = await session.step((gates) => turn(gates, some, D, E));
      for (const [k, { sweep, row }] of some.entries()) {
        const { x, cosine, sine, entry, off } = results[k]!;
        Object.assign(sweep, { x, cosine, sine });
        D[row] = entry;
        if (row > 0) E[row - 1] = off;
        rotations.push({ row, component: sweep.component, cosine, sine });
      }
    }
    for (const { sweep, row } of ending) {
      const { entry, off } = await session.step((gates) => endSweep(gates, sweep));
      D[row] = entry;
      if (row > 0) E[row - 1] = off;
    }
    stages.push(rotations);
  }
  const values = D.slice(d - components).toReversed();
  return { values: await session.step((gates) => concatLanes(gates, values)), stages };
}

function startSweep(session: Session, first: Num, shifts: Num, component: number, d: number): Promise<Sweep> {
  return session.step((gates) => {
    const shift = sliceLanes(gates, shifts, component, component + 1);
    return {
      component,
      size: d - component,
      shift,
      x: subtractModulo(gates, first, shift, WORD),
      cosine: one(gates),
      sine: zeros(gates, WORD, 1),
    };
  });
}

/** The last row, which the last rotation has passed through already. */
function endSweep(gates: Gates, { x, cosine, sine, shift }: Sweep): { entry: Num; off: Num } {
  const [entry, off] = sumsOfProducts(gates, [onto(shift, [cosine, x]), sum([sine, x])], ENTRY);
  return { entry: entry!, off: off! };
}

/**
 * A rotation per lane. With (x, y) the row of R that is not complete and e, g the entries of T − σI next to it: the rotation that takes
 * (x, e) to (r, 0), and the entries of R Q that are then complete.
 */
function turn(
  gates: Gates,
  places: readonly { readonly sweep: Sweep; readonly row: number }[],
  D: readonly Num[],
  E: readonly Num[],
) {
  const gather = (number: (place: (typeof places)[number]) => Num): Num =>
    concatLanes(gates, places.map(number));
  const rows = gates.scope(() => {
    const [x, c0, s0, shift] = [
      gather(({ sweep }) => sweep.x),
      gather(({ sweep }) => sweep.cosine),
      gather(({ sweep }) => sweep.sine),
      gather(({ sweep }) => sweep.shift),
    ];
    const e = gather(({ row }) => E[row]!);
    const g = subtractModulo(
      gates,
      gather(({ row }) => D[row + 1]!),
      shift,
      WORD,
    );
    const { cosine, sine, y } = direction(gates, x, e, c0);
    const minus = negate(gates, sine);
    const [beside, length, next, kept] = sumsOfProducts(
      gates,
      [
        sum([cosine, y], [sine, g]),
        sum([cosine, x], [sine, e]),
        sum([cosine, g], [minus, y]),
        onto(shift, [c0, x]),
      ],
      ENTRY,
    );
    const [entry, off] = sumsOfProducts(gates, [onto(kept!, [sine, beside!]), sum([s0, length!])], ENTRY);
    return { x: next!, cosine, sine, entry: entry!, off: off! };
  });
  return places.map((_, i) => ({
    x: sliceLanes(gates, rows.x, i, i + 1),
    cosine: sliceLanes(gates, rows.cosine, i, i + 1),
    sine: sliceLanes(gates, rows.sine, i, i + 1),
    entry: sliceLanes(gates, rows.entry, i, i + 1),
    off: sliceLanes(gates, rows.off, i, i + 1),
  }));
}

/** Numbers of so many lanes each that lie after one another. */
function separate(gates: Gates, numbers: Num, lanes: number): Num[] {
  return Array.from({ length: lanesOf(numbers) / lanes }, (_, k) =>
    sliceLanes(gates, numbers, k * lanes, (k + 1) * lanes),
  );
}

/**
 * Per lane the cosine and sine of the direction of (x, e), and e times a cosine: (0, 1) where both are next to nothing. T falls apart there,
 * and if the shift belongs to the part that is done, x would be exactly 0 but for the error of the shift: its row must move on.
 */
function direction(gates: Gates, x: Num, e: Num, before: Num): { cosine: Num; sine: Num; y: Num } {
  const lanes = lanesOf(x);
  const both = concatLanes(gates, [x, e]);
  const { values } = scaleTogether(gates, [both], lanes);
  const sides = shiftRight(values[0]!, 1);
  const [p, q] = separate(gates, sides, lanes) as [Num, Num];
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
      plus: constantNumber(gates, 1n, 2, lanes),
    },
  );
  const inverse = inverseSquareRoot(gates, nonNegative(gates, squares));
  const wide = shiftLeft(gates, e, ROOT_FRACTION - FRACTION);
  const products = [sum([p, inverse]), sum([q, inverse]), sum([before, wide])];
  const [c, s, y] = sumsOfProducts(gates, products, { shift: ROOT_FRACTION, bits: WORD });
  const nothing = all(
    gates,
    both.slice(FRACTION - NOTHING, -1).map((bit) => gates.not(gates.xor(bit, sign(both)))),
  );
  const some = gates.not(gates.and(gates.slice(nothing, 0, lanes), gates.slice(nothing, lanes, 2 * lanes)));
  const kept = mask(gates, gates.concat([some, some]), concatLanes(gates, [c!, s!]));
  const [cosine, sine] = separate(gates, kept, lanes) as [Num, Num];
  return {
    cosine,
    sine: sine.map((bit, i) => (i === FRACTION ? gates.xor(bit, gates.not(some)) : bit)),
    y: y!,
  };
}

function one(gates: Gates): Num {
  return constantNumbers(gates, [1n << BigInt(FRACTION)], WORD);
}
