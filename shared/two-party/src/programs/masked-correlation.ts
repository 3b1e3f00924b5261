/**
 * The first step of a correlation matrix by `rotated`, as a circuit: the data user gets the matrix plus masks that the CSP has drawn, which are both
 * servers' additive shares of it, and what the task declares of the statistics.
 */

import { floorOf, type Program, RELEASED_BITS, type StatisticsTask } from '@eigenveil/task';
import { bitsOf, numberFrom } from '../circuits/index.ts';
import { Fixed, pieceByPiece, upperByRows } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { type Standardised, standardise } from './correlation.ts';
import type { Shares } from './inputs.ts';
import { real, revealChecked } from './outputs.ts';
import { poolStatistics, releasedSums, scaledScatter, scatterBits } from './statistics.ts';

export interface MaskedCorrelation {
  /** Entry plus mask modulo 2^ringBits, upper triangle row by row. */
  readonly masked: bigint[];
  /** The diagonal of T = Q R − V Vᵀ; with a floor to RELEASED_BITS of its square root, and 0 where it is no more than noise. */
  readonly squares: number[];
  /** The number of rows. */
  readonly Q: bigint;
  /** The sum of rows, where the mean is declared; with a floor the noised one. */
  readonly V: bigint[] | undefined;
  /** false where noise of the owners made an entry so large that the matrix could not hold it, which is 0 then. */
  readonly fits: boolean;
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
  const standardised = await standardise(session, task, scatter, pooled.Q);
  const matrix = await whereItFits(session, standardised);
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
  const others = { Q: pooled.Q, ...(outputs.includes('mean') && { V: releasedSums(pooled) }) };
  if (floorOf(task)) {
    // The exact square of a feature's deviation is Q R_ii less the square of a whole number: its lowest digits would tell the sum of rows.
    const { digits } = standardised;
    const told = await rootsOf(session, standardised);
    const revealed = await revealChecked(session, [], { masked, ...told, ...others });
    if (revealed === undefined) return undefined;
    const squares = revealed.roots.map((root, i) => squareOf(root, Number(revealed.places[i]!), digits));
    return {
      masked: revealed.masked,
      squares,
      Q: revealed.Q[0]!,
      V: revealed.V,
      fits: revealed.fits[0]! === 1n,
    };
  }
  const squares = await session.step(() => scatter.diagonal(upperByRows(d)));
  const revealed = await revealChecked(session, [], { masked, squares, ...others });
  if (revealed === undefined) return undefined;
  return {
    masked: revealed.masked,
    squares: revealed.squares.map(Number),
    Q: revealed.Q[0]!,
    V: revealed.V,
    fits: true,
  };
}

/** The matrix, or 0 where it does not hold every entry. */
function whereItFits(session: Session, { matrix, fits }: Standardised): Promise<Fixed> | Fixed {
  return fits === undefined ? matrix : session.step(() => matrix.where(fits));
}

/** 1/√t_ii of features with variance to RELEASED_BITS, their places, and whether the matrix fits. */
function rootsOf(session: Session, { roots, places, varies, fits }: Standardised) {
  return session.step((gates) => ({
    roots: roots.at(RELEASED_BITS).where(varies),
    places: places.where(varies),
    fits: Fixed.bit(gates, fits!),
  }));
}

/** T_ii = t_ii 2^digits / 4^places, from 1/√t_ii. */
function squareOf(root: bigint, places: number, digits: number): number {
  return root === 0n ? 0 : 2 ** (digits - 2 * places) / real(root, RELEASED_BITS) ** 2;
}
