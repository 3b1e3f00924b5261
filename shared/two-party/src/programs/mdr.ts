/**
 * Multiclass discriminant ratio ("Privacy-Preserving Machine Learning", Zhuang et al., chapter 9) as a circuit: S_B of the utility
 * classes against S_B of the privacy classes and a ridge. Both are U Uᵀ and P Pᵀ with few columns; where these are fewer than features,
 * [P U] = Q R reduces the problem to the rows of R. Outside of the columns' span A is 0 and B a multiple of I, so nothing is lost.
 */
import { notPositiveDefinite } from '@eigenveil/projection/portable';
import { cappedComponents, type Program, type StatisticsTask } from '@eigenveil/task';
import {
  addModulo,
  concatLanes,
  constantNumber,
  lanesOf,
  lessThan,
  type Num,
  resize,
  select,
  shiftLeft,
  shiftRight,
  shiftRightBy,
  sliceLanes,
  subtractModulo,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { alignColumns, contrasts, EXPONENT_BITS, type FloatColumns } from './between.ts';
import { checkEquation, scaleVectors, unitVectors } from './directions.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './discriminant-precision.ts';
import { applyReflections, reflectColumns } from './householder.ts';
import { grid, upperByColumns, upperByRows } from './layouts.ts';
import { outerProducts, timesOuter, triangleTimesTransposed } from './matrices.ts';
import { broadcast, zeros } from './numbers.ts';
import type { CheckedDecomposition } from './pca.ts';
import { solveLowRank } from './pencils.ts';
import { revealComponents } from './reveal.ts';
import { addToDiagonal } from './scaling.ts';
import { poolStatistics, type Shares } from './statistics.ts';
import { inPieces } from './steps.ts';
import { multiplyTruncated } from './truncated.ts';

/** Eigenvalues must be below 4^HEADROOM: vectors are still right for smaller ones, and status bits 0 for larger ones. */
const HEADROOM = 7;

/**
 * Runs the program of an `mdr` task; the evaluator's session gets the decomposition, the garbler's nothing.
 * @throws ERR_NOT_POSITIVE_DEFINITE before any gate when there is no ridge and privacy has too few classes; at the
 *   evaluator as `revealComponents`, all other outputs being zero then
 */
export async function mdr(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
  ridge: number,
): Promise<CheckedDecomposition | undefined> {
  const d = task.features.length;
  const count = cappedComponents(program);
  const [q, m] = task.labellings.map(({ classes }) => classes.length - 1) as [number, number];
  if (ridge === 0 && m < d) throw notPositiveDefinite();
  const pooled = await poolStatistics(session, task, program.minimumOwners, shares);
  const columns = [];
  for (const classes of pooled.labellings) columns.push(await contrasts(session, classes, d));
  const [utility, privacy] = columns as [FloatColumns, FloatColumns];
  const reduced = m + q < d;
  const n = reduced ? m + q : d;
  // So that the diagonal of P Pᵀ + ρ I stays below 1, and columns are shorter than 1 where they are reflected.
  const room = Math.ceil(Math.log2(m * (reduced ? d : 1) + 1) / 2);
  const { exponent, rho } = await session.step((gates) =>
    together(gates, utility, privacy, ridge * 4 ** task.fractionBits, room),
  );
  const U = await alignColumns(session, utility, exponent);
  const P = await alignColumns(session, privacy, exponent);
  const whole = reduced
    ? await reduce(session, P, U, d, m, q)
    : {
        packed: await outerProducts(session, P, d, m, SOLVE_FRACTION, SOLVE_WORD),
        signal: U,
        reflections: [],
      };
  const B = await session.step((gates) => {
    const triangle = upperByRows(n).gather(gates, whole.packed, upperByColumns(n).at);
    return addToDiagonal(gates, triangle, n, rho, SOLVE_WORD);
  });
  const solution = await solveLowRank(session, { B, d: n, count }, whole.signal, q, HEADROOM);
  const back = reduced
    ? await lift(session, whole.reflections, solution.vectors, n, d, count)
    : solution.vectors;
  const signal = await timesOuter(session, U, back, d, q, count);
  const spread = await timesOuter(session, P, back, d, m, count);
  const noise = await addRidge(session, spread, back, rho);
  const converged = await checkEquation(session, { signal, noise }, solution.values, d, count);
  const vectors = await unitVectors(session, back, d, count);
  const numbers = { values: solution.values, vectors, converged };
  return revealComponents(session, task, program, pooled, undefined, solution.definite, numbers);
}

/**
 * The scale of the columns, and ρ (given in units of the statistics) in it: in fixed point with one scale, which cancels, the columns times 2^-e,
 * ρ times 4^-e, with e so that none of the entries and of the root of ρ is above 2^-room.
 */
function together(gates: Gates, utility: FloatColumns, privacy: FloatColumns, rho: number, room: number) {
  const constant = (value: number, lanes = 1): Num =>
    constantNumber(gates, BigInt(value), EXPONENT_BITS, lanes);
  const own = rho === 0 ? LEAST_EXPONENT : Math.ceil(Math.log2(rho) / 2);
  const exponents = [utility, privacy].map(({ exponents, empty }) =>
    select(gates, empty, constant(LEAST_EXPONENT, empty.lanes), exponents),
  );
  const largest = largestLane(gates, concatLanes(gates, [...exponents, constant(own)]));
  const all = addModulo(gates, largest, constant(room), EXPONENT_BITS);
  const mantissa = rho === 0 ? 0n : BigInt(Math.round(rho * 4 ** -own * 2 ** SOLVE_FRACTION));
  const distance = subtractModulo(gates, all, constant(own), EXPONENT_BITS);
  const units = constantNumber(gates, mantissa, SOLVE_WORD, 1);
  return {
    exponent: all,
    rho: shiftRightBy(gates, units, shiftLeft(gates, distance, 1).slice(0, -1)),
  };
}

/** Below every exponent of a column that is not 0. */
const LEAST_EXPONENT = -(2 ** (EXPONENT_BITS - 2));

function largestLane(gates: Gates, a: Num): Num {
  let current = a;
  for (let lanes = a[0]!.lanes; lanes > 1; lanes = Math.ceil(lanes / 2)) {
    const half = lanes >> 1;
    const [left, right] = [sliceLanes(gates, current, 0, half), sliceLanes(gates, current, half, 2 * half)];
    const larger = select(gates, lessThan(gates, left, right), right, left);
    current = concatLanes(gates, [larger, sliceLanes(gates, current, 2 * half, lanes)]);
  }
  return current;
}

/** In the coordinates of Q, where [P U] = Q R: the triangle of P Pᵀ, column by column, and U. */
async function reduce(session: Session, P: Num, U: Num, d: number, m: number, q: number) {
  const n = m + q;
  const [first, second] = [grid(d, m), grid(d, q)];
  const both = await session.step((gates) =>
    grid(d, n).gather(gates, concatLanes(gates, [P, U]), (i, j) =>
      j < m ? first.at(i, j) : first.lanes + second.at(i, j - m),
    ),
  );
  const { reflections, triangle } = await reflectColumns(session, both, d, n);
  const { at, lanes } = upperByRows(n);
  const own = await triangleTimesTransposed(session, triangle, m, at, SOLVE_FRACTION, SOLVE_WORD);
  return session.step((gates) => {
    const zero = zeros(gates, SOLVE_WORD, 1);
    return {
      reflections,
      // Rows and columns from m on are 0, and their lanes the last.
      packed: concatLanes(gates, [own, zeros(gates, SOLVE_WORD, lanes - lanesOf(own))]),
      // Below the diagonal the zero behind the triangle.
      signal: grid(n, q).gather(gates, concatLanes(gates, [triangle, zero]), (i, j) =>
        i <= m + j ? at(i, m + j) : lanes,
      ),
    };
  });
}

/** Q times vectors of n entries. */
async function lift(
  session: Session,
  reflections: readonly Num[],
  vectors: Num,
  n: number,
  d: number,
  count: number,
): Promise<Num> {
  // Shorter than 1 now.
  const room = Math.ceil(Math.log2(n) / 2);
  const padded = await session.step((gates) =>
    concatLanes(gates, [
      resize(shiftRight(vectors, room), SOLVE_WORD),
      zeros(gates, SOLVE_WORD, (d - n) * count),
    ]),
  );
  return scaleVectors(session, await applyReflections(session, reflections, padded, d, count), d, count);
}

/** The image under P Pᵀ and ρ times the vectors, together. */
function addRidge(session: Session, image: Num, vectors: Num, rho: Num): Promise<Num> {
  const lanes = vectors[0]!.lanes;
  return inPieces(session, lanes, 2 * SOLVE_WORD ** 2, (gates, from, to) => {
    const own = sliceLanes(gates, vectors, from, to);
    const bits = image.length;
    const term = multiplyTruncated(gates, own, broadcast(gates, rho, 0, to - from), SOLVE_FRACTION, bits);
    return addModulo(gates, sliceLanes(gates, image, from, to), term, bits);
  });
}
