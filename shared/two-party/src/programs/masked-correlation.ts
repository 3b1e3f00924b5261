/**
 * The first step of a correlation matrix by `rotated`, as a circuit: the data user gets the matrix plus masks that the CSP has drawn, which are both
 * servers' additive shares of it, and what the task declares of the statistics.
 */

import type { Program, StatisticsTask } from '@eigenveil/task';
import { bitsOf, numberFrom } from '../circuits/index.ts';
import { Fixed, pieceByPiece, upperByRows } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { standardise } from './correlation.ts';
import type { Shares } from './inputs.ts';
import { revealChecked } from './outputs.ts';
import { poolStatistics, scaledScatter, scatterBits } from './statistics.ts';

export interface MaskedCorrelation {
  /** Entry plus mask modulo 2^ringBits, upper triangle row by row. */
  readonly masked: bigint[];
  /** The diagonal of T = Q R − V Vᵀ. */
  readonly squares: bigint[];
  /** The number of rows. */
  readonly Q: bigint;
  /** The sum of rows, where the mean is declared. */
  readonly V: bigint[] | undefined;
}

/**
 * The evaluator's session gets the result, the garbler's nothing. Only the garbler passes masks, one per entry of the upper triangle, in [0,
 * 2^ringBits). Nothing is checked: without rows all is 0.
 */
export async function maskedCorrelation(
  session: Session,
  task: StatisticsTask,
  { outputs, minimumOwners }: Pick<Program, 'outputs' | 'minimumOwners'>,
  shares: Shares,
  ringBits: number,
  masks?: readonly bigint[],
): Promise<MaskedCorrelation | undefined> {
  const d = task.features.length;
  const pooled = await poolStatistics(session, task, minimumOwners, shares);
  const scatter = await scaledScatter(session, pooled, d, scatterBits(task) + 1);
  const { matrix } = await standardise(session, task, scatter, pooled.Q);
  const entries = (d * (d + 1)) / 2;
  const bits =
    masks &&
    bitsOf(
      masks.map((mask) => BigInt.asIntN(ringBits, mask)),
      ringBits,
    );
  const own = await session.garblerInput(entries * ringBits, bits);
  const masked = await pieceByPiece(session, entries, ringBits, (piece, gates) => {
    const mask = new Fixed(gates, numberFrom(gates, own, ringBits), matrix.fraction);
    return matrix.part(piece).plus(mask.part(piece), ringBits);
  });
  const squares = await session.step(() => scatter.diagonal(upperByRows(d)));
  const numbers = { masked, squares, Q: pooled.Q, ...(outputs.includes('mean') && { V: pooled.V }) };
  const revealed = await revealChecked(session, [], numbers);
  if (revealed === undefined) return undefined;
  return { masked: revealed.masked, squares: revealed.squares, Q: revealed.Q[0]!, V: revealed.V };
}
