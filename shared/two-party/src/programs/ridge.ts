/**
 * Ridge regression of the last feature on all others, from additive shares: w = (S̄_xx + ρI)⁻¹ s̄_xy by B = L
 * Lᵀ, L y = c, Lᵀ z = y (Golub and Van Loan, "Matrix Computations", section 4.2), where T = Q (S̄ + ρI),
 * equilibrated by D, is [B c; cᵀ t]; then w_i = z_i D_i / D_y. With t ≤ 1 neither c nor y, whose squares add
 * up to cᵀB⁻¹c ≤ t, is larger than 1.
 */

import type { Fitted } from '@eigenveil/methods';
import { notPositiveDefinite } from '@eigenveil/projection/portable';
import type { Program, StatisticsTask } from '@eigenveil/task';
import { grid, upperByRows } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { factorAndSolve, solveTransposed } from './cholesky.ts';
import type { Shares } from './inputs.ts';
import { revealRegression } from './regression.ts';
import { poolStatistics } from './statistics.ts';
import { totalNoise } from './total-noise.ts';

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
  const solution = await solveTransposed(session, factor, solved, last, 1);
  const definite = await session.step((gates) => (fits ? gates.and(factor.definite, fits) : factor.definite));
  return revealRegression(session, task, outputs, pooled, {
    // D_i <= 2^(digits/2) wherever there is a diagonal to scale up.
    ...{ solution, places, digits, scatter },
    checks: [{ holds: definite, error: notPositiveDefinite }],
  });
}
