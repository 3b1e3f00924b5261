/**
 * Principal component regression of the last feature, from additive shares: U, the first k components of the
 * scatter S̄_xx of all others, as of a PCA; then ridge regression on the k scores, w = U v with UᵀBU v = Uᵀs̄_xy
 * and B = S̄_xx + ρI. U alone is of the 24 fraction bits of a PCA. B and s̄_xy are of 32, so that the weights
 * are right for the space that U spans, whatever the error of its eigenvalues.
 *
 * B and s̄_xy come scaled by one power of two for all predictors, α, and one for the predicted feature, β, so
 * that α²tr B ≤ 1 and β²S̄_yy ≤ 1. Then neither α²UᵀBU nor αβUᵀs̄_xy, nor L⁻¹ of that, is larger than 1; with a
 * floor docs/pcr.md has the bounds.
 */

import type { Fitted } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import {
  leastPredictorRank,
  PROJECTION_CODES,
  predictorNoise,
  tooFewDirections,
} from '@eigenveil/projection/portable';
import { computedFractionBits, floorOf, type Program, type StatisticsTask, widthsOf } from '@eigenveil/task';
import { gatesPerProduct } from '../circuits/index.ts';
import { allOfLanes, augmented, type Fixed, grid, pieceByPiece, upperByRows } from '../fixed-point/index.ts';
import type { Session, Wires } from '../garbling/index.ts';
import { factorAndSolve, solveTransposed } from './cholesky.ts';
import { checkResiduals, leadingEigenpairs, normaliseTrace, traceOf } from './eigen.ts';
import type { Shares } from './inputs.ts';
import { multiplyMatrices } from './matrices.ts';
import { NORM_PLACES, SOLUTION_FRACTION, SOLUTION_WORD, SOLVE_FRACTION, SOLVE_WORD } from './precision.ts';
import { revealRegression } from './regression.ts';
import { addToDiagonal, even, scaleEntries, scaleEvenly } from './scaling.ts';
import {
  isNoisy,
  poolStatistics,
  scaledScatter,
  scatterBits,
  scatterUnits,
  timesRows,
} from './statistics.ts';
import { ridgeUnits } from './total-noise.ts';

const KEPT = { fraction: SOLVE_FRACTION, bits: SOLVE_WORD };

/**
 * Runs the program of a `pcr` task; the evaluator's session gets weights, intercept and declared outputs, the
 * garbler's nothing.
 * @throws ERR_FULL_RANK before any gate where no predictors of this number have the least rank; at the evaluator as
 *   `poolChecks`, ERR_FULL_RANK where fewer eigenvalues than that are clearly above zero, and ERR_ILL_CONDITIONED where
 *   the components were not found; all other outputs are zero then
 */
export async function pcr(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
  rho: number,
): Promise<Fitted | undefined> {
  const { outputs, minimumOwners, components: count } = program;
  const d = task.features.length;
  const last = d - 1;
  const rank = leastPredictorRank(program);
  if (rank > last) throw tooFewDirections(program);
  const pooled = await poolStatistics(session, task, minimumOwners, shares);
  const added = addedUnits(task, rho);
  // d times the largest entry for the trace, and a bit for the norm of the noise.
  const digits = even(
    Math.max(scatterBits(task), widthsOf(task).M + bitsOf(added)) + 1 + Math.ceil(Math.log2(d)) + 1,
  );
  const scatter = await scaledScatter(session, pooled, d, digits + 1);
  const predictors = await session.step(() => scatter.as(upperByRows(last), upperByRows(d).at));
  const floor = floorOf(task);
  const norm =
    floor &&
    (await session.step(() =>
      timesRows(pooled.Q, [scatterUnits(predictorNoise(floor), scatter.fraction)], scatter).nonNegative(),
    ));
  const { matrix, fits, noise } = await normaliseTrace(session, predictors, last, isNoisy(task), norm);
  const pairs = await leadingEigenpairs(session, matrix, last, count, { rank, noise });
  const found = await checkResiduals(session, matrix, pairs, last, count);

  const ridged = await session.step(() =>
    addToDiagonal(scatter, d, timesRows(pooled.Q, added, scatter), scatter.bits),
  );
  const scaled = await scaleApart(session, ridged, d, isNoisy(task), norm);
  const { solution, definite } = await regressOnScores(session, scaled.matrix, pairs.vectors, last, count);
  const holds = await session.step((gates) =>
    [definite, fits, scaled.fits].reduce<Wires>(
      (all, one) => (one ? gates.and(all, one) : all),
      allOfLanes(gates, found),
    ),
  );
  return revealRegression(session, task, outputs, pooled, {
    ...{ solution, places: scaled.places, digits, scatter },
    checks: [
      { holds: pairs.ranked, error: () => tooFewDirections(program) },
      { holds, error: notFound },
    ],
  });
}

/**
 * Returns the numbers that are added to the diagonal of S̄, in its units: ρ for the predictors; for the
 * predicted feature, on which only the scaling rests, room for the noise of a floor.
 */
function addedUnits(task: StatisticsTask, rho: number): bigint[] {
  const fractionBits = computedFractionBits(task);
  const room = 2 * (floorOf(task)?.ridge.at(-1) ?? 0);
  return task.features.map((_, i) => ridgeUnits(i < task.features.length - 1 ? rho : room, fractionBits));
}

function bitsOf(units: readonly bigint[]): number {
  return Math.max(...units.map((own) => own.toString(2).length));
}

interface ScaledApart {
  /** The predictors' triangle, and s̄_xy beside it: KEPT. */
  readonly matrix: Fixed;
  /** A lane per feature, of which those of predictors are alike. */
  readonly places: Fixed;
  /** Under noise: whether every entry fits. */
  readonly fits: Wires | undefined;
}

/** Scales the scatter so that the trace of the predictors' part, and the last entry, are from 1/4 to 1. */
async function scaleApart(
  session: Session,
  ridged: Fixed,
  d: number,
  noisy: boolean,
  norm: Fixed | undefined,
): Promise<ScaledApart> {
  const last = d - 1;
  const [whole, beside] = [upperByRows(d), augmented(last, 1)];
  const { entries, places, positive } = await session.step((gates) => {
    const own = traceOf(ridged.as(upperByRows(last), whole.at), last).resized(ridged.bits);
    const trace = norm ? own.plus(norm.doubled(NORM_PLACES), ridged.bits) : own;
    const sizes = trace.followedBy(ridged.lane(whole.at(last, last)));
    const { places } = scaleEvenly(sizes.nonNegative());
    return {
      entries: ridged.as(beside, whole.at),
      places: places.lanesAt(Array.from({ length: d }, (_, i) => (i < last ? 0 : 1))),
      positive: noisy ? allOfLanes(gates, gates.not(sizes.sign)) : undefined,
    };
  });
  const scaled = await scaleEntries(session, entries, {
    places: (piece) => places.perRow(beside, piece).plus(places.perColumn(beside, piece)).nonNegative(),
    placeBits: places.bits,
    kept: (own) => own.at(SOLVE_FRACTION).resized(SOLVE_WORD),
    positive,
  });
  return { matrix: scaled.entries, places, fits: scaled.fits };
}

/** U (UᵀBU)⁻¹ Uᵀs of vectors U (lane i * count + j), and whether UᵀBU is clearly positive definite. */
async function regressOnScores(
  session: Session,
  matrix: Fixed,
  vectors: Fixed,
  d: number,
  count: number,
): Promise<{ readonly solution: Fixed; readonly definite: Wires }> {
  const [S, U, own] = [augmented(d, 1), grid(d, count), augmented(count, 1)];
  const left = { entries: matrix, rows: d, columns: d, at: S.at };
  const image = await multiplyMatrices(session, left, vectors, count, KEPT);
  const right = await session.step(() => image.followedBy(matrix.lanesFrom(S.at(0, d))));
  const gatesEach = d * (gatesPerProduct(vectors.bits, SOLVE_WORD, vectors.fraction) + SOLVE_WORD);
  const scores = await pieceByPiece(session, own.lanes, gatesEach, ({ from, to }) => {
    const products = grid(d, to - from);
    const a = vectors.as(products, (i, n) => U.at(i, own.row(from + n)));
    const b = right.as(products, (i, n) => {
      const j = own.column(from + n);
      return j < count ? U.at(i, j) : U.lanes + i;
    });
    return a
      .timesTruncated(b, KEPT)
      .sums(to - from)
      .resized(SOLVE_WORD);
  });
  const { B, c } = await session.step(() => ({
    B: scores.lanesFrom(0, own.at(0, count)),
    // Noise may make L⁻¹c larger than 2, and not that of half of it.
    c: scores.lanesFrom(own.at(0, count)).over(1).at(SOLVE_FRACTION),
  }));
  const { factor, solved } = await factorAndSolve(session, B, count, c, 1);
  const half = await solveTransposed(session, factor, solved, count, 1);
  const kept = { fraction: SOLUTION_FRACTION, bits: SOLUTION_WORD };
  const back = { entries: vectors, rows: d, columns: count, at: U.at };
  const solution = await multiplyMatrices(session, back, half, 1, kept);
  return { solution: solution.over(-1), definite: factor.definite };
}

function notFound(): CodedError {
  return new CodedError(
    PROJECTION_CODES.ERR_ILL_CONDITIONED,
    "the predictors' components were not found to the precision of the computation: propose a task with fewer components, or with other features",
  );
}
