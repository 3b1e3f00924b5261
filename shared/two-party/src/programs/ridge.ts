/**
 * Ridge regression of the last feature on all others, from additive shares: w = (S̄_xx + ρI)⁻¹ s̄_xy by B = L
 * Lᵀ, L y = c, Lᵀ z = y (Golub and Van Loan, "Matrix Computations", section 4.2), where T = Q (S̄ + ρI),
 * equilibrated by D, is [B c; cᵀ t]; then w_i = z_i D_i / D_y. With t ≤ 1 neither c nor y, whose squares add
 * up to cᵀB⁻¹c ≤ t, is larger than 1.
 */

import type { Fitted } from '@eigenveil/methods';
import { notPositiveDefinite } from '@eigenveil/projection/portable';
import { floorOf, type Program, type StatisticsTask } from '@eigenveil/task';
import { type Fixed, grid, pieceByPiece, upperByRows } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { factorAndSolve, solveTransposed } from './cholesky.ts';
import { traceOf } from './eigen.ts';
import type { Shares } from './inputs.ts';
import {
  cutTogether,
  poolChecks,
  readStatistics,
  releasedFraction,
  releasedQuotient,
  revealChecked,
  statisticsOutputs,
} from './outputs.ts';
import { SOLUTION_FRACTION, SOLUTION_WORD } from './precision.ts';
import { poolStatistics, releasedSums } from './statistics.ts';
import { totalNoise } from './total-noise.ts';

/** The bits of the weights beyond those of z, where the predicted feature varies less than the others. */
const GUARD = 12;
const WEIGHT_FRACTION = SOLUTION_FRACTION + GUARD;

/**
 * Runs the program of a `ridge` task; the evaluator's session gets weights, intercept and declared outputs,
 * the garbler's nothing.
 * @throws as `poolChecks`, and ERR_NOT_POSITIVE_DEFINITE, at the evaluator; all other outputs are zero then
 */
export async function ridge(
  session: Session,
  task: StatisticsTask,
  { outputs, minimumOwners }: Program,
  shares: Shares,
  rho: number,
): Promise<Fitted | undefined> {
  const d = task.features.length;
  const last = d - 1;
  const pooled = await poolStatistics(session, task, minimumOwners, shares);
  const { matrix, places, scatter, digits, fits } = await totalNoise(session, task, pooled, rho);
  const whole = upperByRows(d);
  const { B, c } = await session.step(() => ({
    B: matrix.as(upperByRows(last), whole.at),
    c: matrix.as(grid(last, 1), (i) => whole.at(i, last)),
  }));
  const { factor, solved } = await factorAndSolve(session, B, last, c, 1);
  const z = await solveTransposed(session, factor, solved, last, 1);

  // D_i <= 2^(digits/2) wherever there is a diagonal to scale up.
  const bits = SOLUTION_WORD + digits / 2 + GUARD;
  const exact = await pieceByPiece(session, last, 2 * bits * places.bits, (piece) => {
    const own = z.part(piece).at(WEIGHT_FRACTION).resized(bits);
    return own.up(places.part(piece)).down(places.lane(last).spread(own.lanes));
  });
  const w = await session.step(() => cutTogether(exact, task));
  const { Q } = pooled;
  const V = releasedSums(pooled);
  const along = await pieceByPiece(session, last, 2 * bits * V.bits, (piece) =>
    w.part(piece).timesExactly(V.part(piece)),
  );
  // The fraction bits of the intercept.
  const floor = floorOf(task);
  const fraction = floor ? releasedFraction(task).mean : WEIGHT_FRACTION + V.fraction;
  const { definite, numbers } = await session.step((gates) => {
    const sum = along.sums();
    const rest = V.lane(last)
      .at(sum.fraction)
      .minus(sum, sum.bits + 1);
    const trace = (): Fixed => traceOf(scatter, d);
    const b = floor ? releasedQuotient(rest, Q, fraction) : rest.dividedBy(Q, fraction);
    const definite = fits ? gates.and(factor.definite, fits) : factor.definite;
    return { definite, numbers: { w, b, ...statisticsOutputs(outputs, pooled, trace, task) } };
  });
  const checks = [...poolChecks(pooled), { holds: definite, error: notPositiveDefinite }];
  const revealed = await revealChecked(session, checks, numbers);
  if (revealed === undefined) return undefined;
  const weights = revealed.w.map((value) => Number(value) / 2 ** WEIGHT_FRACTION);
  const intercept = Number(revealed.b[0]!) / 2 ** fraction;
  return {
    kind: 'regression',
    converged: [],
    regression: { weights, intercept },
    ...readStatistics(revealed, task),
  };
}
