/** The end of every regression: weights and an intercept for features in [−1, 1], and the outputs that are revealed with them. */
import type { Fitted, Output } from '@eigenveil/methods';
import { floorOf, type StatisticsTask } from '@eigenveil/task';
import { type Fixed, pieceByPiece } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { traceOf } from './eigen.ts';
import {
  type Check,
  cutTogether,
  poolChecks,
  readStatistics,
  releasedFraction,
  releasedQuotient,
  revealChecked,
  statisticsOutputs,
} from './outputs.ts';
import { SOLUTION_FRACTION, SOLUTION_WORD } from './precision.ts';
import { type PooledStatistics, releasedSums } from './statistics.ts';

/** The bits of the weights beyond those of a solution, where the predicted feature varies less than the others. */
const GUARD = 12;
const WEIGHT_FRACTION = SOLUTION_FRACTION + GUARD;

/** The weights that a regression has found, of features times 2^places. */
interface Found {
  /** A lane for each feature but the last; SOLUTION_WORD bits. */
  readonly solution: Fixed;
  /** A lane for each feature: unsigned, none of them above half the digits. */
  readonly places: Fixed;
  readonly digits: number;
  /** Q times the total scatter of all features, an upper triangle row by row. */
  readonly scatter: Fixed;
  /** The checks besides those of the pooled statistics. */
  readonly checks: readonly Check[];
}

/**
 * Reveals the weights of features as they are, the intercept that goes with them and the declared outputs.
 * @throws as `poolChecks`, and what the checks say, at the evaluator; all other outputs are zero then
 */
export async function revealRegression(
  session: Session,
  task: StatisticsTask,
  outputs: readonly Output[],
  pooled: PooledStatistics,
  { solution, places, digits, scatter, checks }: Found,
): Promise<Fitted | undefined> {
  const last = solution.lanes;
  const bits = SOLUTION_WORD + digits / 2 + GUARD;
  const exact = await pieceByPiece(session, last, 2 * bits * places.bits, (piece) => {
    const own = solution.part(piece).at(WEIGHT_FRACTION).resized(bits);
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
  const trace = () => traceOf(scatter, last + 1);
  const numbers = await session.step(() => {
    const sum = along.sums();
    const rest = V.lane(last)
      .at(sum.fraction)
      .minus(sum, sum.bits + 1);
    const b = floor ? releasedQuotient(rest, Q, fraction) : rest.dividedBy(Q, fraction);
    return { w, b, ...statisticsOutputs(outputs, pooled, trace, task) };
  });
  const revealed = await revealChecked(session, [...poolChecks(pooled), ...checks], numbers);
  if (revealed === undefined) return undefined;
  const regression = {
    weights: revealed.w.map((value) => Number(value) / 2 ** WEIGHT_FRACTION),
    intercept: Number(revealed.b[0]!) / 2 ** fraction,
  };
  return { kind: 'regression', converged: [], regression, ...readStatistics(revealed, task) };
}
