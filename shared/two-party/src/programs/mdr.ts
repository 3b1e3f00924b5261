/**
 * Multiclass discriminant ratio ("Privacy-Preserving Machine Learning", Zhuang et al., chapter 9) as a circuit: S_B of the utility
 * classes against S_B of the privacy classes and a ridge. Both are U Uᵀ and P Pᵀ with few columns; where these are fewer than features,
 * [P U] = Q R reduces the problem to the rows of R. Outside of the columns' span A is 0 and B a multiple of I, so nothing is lost.
 */

import type { Components } from '@eigenveil/methods';
import { notPositiveDefinite } from '@eigenveil/projection/portable';
import { cappedComponents, type Program, type StatisticsTask } from '@eigenveil/task';
import { Fixed, grid, pieceByPiece, upperByColumns, upperByRows } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { alignColumns, contrasts, EXPONENT_BITS, type FloatColumns, publicExponent } from './between.ts';
import { checkEquation, scaleVectors, unitVectors } from './directions.ts';
import { applyReflections, reflectColumns } from './householder.ts';
import type { Shares } from './inputs.ts';
import { outerProducts, timesOuter, triangleTimesTransposed } from './matrices.ts';
import { vectorFraction } from './outputs.ts';
import { solveLowRank } from './pencils.ts';
import { SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { revealComponents } from './reveal.ts';
import { addToDiagonal } from './scaling.ts';
import { poolStatistics, releasedClasses } from './statistics.ts';

const ENTRY = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD };
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
): Promise<Components | undefined> {
  const d = task.features.length;
  const count = cappedComponents(program);
  const [q, m] = task.labellings.map(({ classes }) => classes.length - 1) as [number, number];
  if (ridge === 0 && m < d) throw notPositiveDefinite();
  const pooled = await poolStatistics(session, task, program.minimumOwners, shares);
  const columns = [];
  for (const classes of pooled.labellings)
    columns.push(await contrasts(session, releasedClasses(classes), d, task.fractionBits));
  const [utility, privacy] = columns as [FloatColumns, FloatColumns];
  const reduced = m + q < d;
  const n = reduced ? m + q : d;
  // So that the diagonal of P Pᵀ + ρ I stays below 1, and columns are shorter than 1 where they are reflected.
  const room = Math.ceil(Math.log2(m * (reduced ? d : 1) + 1) / 2);
  const { exponent, rho } = await session.step(() =>
    together(utility, privacy, ridge * 4 ** task.fractionBits, room),
  );
  const U = await alignColumns(session, utility, exponent);
  const P = await alignColumns(session, privacy, exponent);
  const whole = reduced
    ? await reduce(session, P, U, d, m, q)
    : {
        packed: await outerProducts(session, P, d, m, ENTRY),
        signal: U,
        reflections: [],
      };
  const B = await session.step(() =>
    addToDiagonal(whole.packed.as(upperByRows(n), upperByColumns(n).at), n, rho, SOLVE_WORD),
  );
  const solution = await solveLowRank(session, { B, d: n, count }, whole.signal, q, HEADROOM);
  const back = reduced
    ? await lift(session, whole.reflections, solution.vectors, n, d, count)
    : solution.vectors;
  const signal = await timesOuter(session, U, back, d, q, count);
  const spread = await timesOuter(session, P, back, d, m, count);
  const noise = await addRidge(session, spread, back, rho);
  const converged = await checkEquation(session, { signal, noise }, solution.values, d, count);
  const vectors = await unitVectors(session, back, d, count, vectorFraction(task));
  const numbers = { values: solution.values, vectors, converged };
  return revealComponents(session, task, program, pooled, undefined, solution.definite, numbers);
}

/**
 * The scale of the columns, and ρ (given in units of the statistics) in it: in fixed point with one scale, which cancels, the columns times 2^-e,
 * ρ times 4^-e, with e so that none of the entries and of the root of ρ is above 2^-room.
 */
function together(utility: FloatColumns, privacy: FloatColumns, rho: number, room: number) {
  const { gates } = utility.entries;
  const own = rho === 0 ? LEAST_EXPONENT : Math.ceil(Math.log2(rho) / 2);
  const exponents = [utility, privacy].map(({ exponents, empty }) =>
    publicExponent(gates, LEAST_EXPONENT, empty.lanes).where(empty, exponents),
  );
  const largest = largestLane(Fixed.joined([...exponents, publicExponent(gates, own, 1)]));
  const exponent = largest.plus(publicExponent(gates, room, 1), EXPONENT_BITS);
  const mantissa = rho === 0 ? 0n : BigInt(Math.round(rho * 4 ** -own * 2 ** SOLVE_FRACTION));
  const distance = exponent.minus(publicExponent(gates, own, 1));
  const halvings = distance.doubled().resized(EXPONENT_BITS);
  return { exponent, rho: Fixed.of(gates, [mantissa], ENTRY).down(halvings) };
}

/** Below every exponent of a column that is not 0. */
const LEAST_EXPONENT = -(2 ** (EXPONENT_BITS - 2));

function largestLane(a: Fixed): Fixed {
  let current = a;
  for (let lanes = a.lanes; lanes > 1; lanes = Math.ceil(lanes / 2)) {
    const half = lanes >> 1;
    const [left, right] = [current.lanesFrom(0, half), current.lanesFrom(half, 2 * half)];
    current = right.where(left.isBelow(right), left).followedBy(current.lanesFrom(2 * half));
  }
  return current;
}

/** In the coordinates of Q, where [P U] = Q R: the triangle of P Pᵀ, column by column, and U. */
async function reduce(session: Session, P: Fixed, U: Fixed, d: number, m: number, q: number) {
  const n = m + q;
  const [first, second] = [grid(d, m), grid(d, q)];
  const both = await session.step(() =>
    P.followedBy(U).as(grid(d, n), (i, j) => (j < m ? first.at(i, j) : first.lanes + second.at(i, j - m))),
  );
  const { reflections, triangle: R } = await reflectColumns(session, both, d, n);
  const { at, lanes } = upperByRows(n);
  const own = await triangleTimesTransposed(session, R, m, at, ENTRY);
  return session.step((gates) => {
    const nothing = (count: number) => Fixed.constant(gates, 0n, count, ENTRY);
    return {
      reflections,
      // Rows and columns from m on are 0, and their lanes the last.
      packed: own.followedBy(nothing(lanes - own.lanes)),
      // Below the diagonal the zero behind the triangle.
      signal: R.followedBy(nothing(1)).as(grid(n, q), (i, j) => (i <= m + j ? at(i, m + j) : lanes)),
    };
  });
}

/** Q times vectors of n entries. */
async function lift(
  session: Session,
  reflections: readonly Fixed[],
  vectors: Fixed,
  n: number,
  d: number,
  count: number,
): Promise<Fixed> {
  // Shorter than 1 now.
  const room = Math.ceil(Math.log2(n) / 2);
  const padded = await session.step((gates) => {
    const nothing = Fixed.constant(gates, 0n, (d - n) * count, ENTRY);
    return vectors.over(room).at(SOLVE_FRACTION).resized(SOLVE_WORD).followedBy(nothing);
  });
  return scaleVectors(session, await applyReflections(session, reflections, padded, d, count), d, count);
}

/** The image under P Pᵀ and ρ times the vectors, together. */
function addRidge(session: Session, image: Fixed, vectors: Fixed, rho: Fixed): Promise<Fixed> {
  return pieceByPiece(session, vectors.lanes, 2 * SOLVE_WORD ** 2, (piece) => {
    const own = vectors.part(piece);
    return image.part(piece).plus(own.timesTruncated(rho.spread(own.lanes), image), image.bits);
  });
}
