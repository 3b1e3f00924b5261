/**
 * PCA as a circuit, from additive shares to eigenvectors. The number of steps is public and always the same; docs/precision.md has the
 * widths and their reasons.
 */
import { type Decomposition, fullRank } from '@eigenveil/projection/portable';
import { isStandardised, leastRank, type Program, type StatisticsTask } from '@eigenveil/task';
import {
  concatLanes,
  divideUnsigned,
  lanesOf,
  mask,
  type Num,
  select,
  shiftLeft,
  sign,
  unsigned,
} from '../circuits/index.ts';
import type { Gates, Session } from '../garbling/index.ts';
import { readUnstandardised, standardise, standardisedOutputs, unstandardise } from './correlation.ts';
import { SOLVE_FRACTION } from './discriminant-precision.ts';
import { checkResiduals, fixSigns, leadingEigenpairs, normaliseTrace, traceOf } from './eigen.ts';
import { broadcast, nonNegative } from './numbers.ts';
import {
  poolChecks,
  readStatistics,
  readVectors,
  real,
  revealChecked,
  statisticsOutputs,
} from './outputs.ts';
import { FRACTION, REVEALED_FRACTION } from './precision.ts';
import { poolStatistics, type Shares, scaledScatter, scatterBits } from './statistics.ts';

export interface CheckedDecomposition extends Decomposition {
  /** Per component whether ‖S w − λ w‖ <= 2^-10 λ_1. */
  readonly converged: boolean[];
}

/**
 * Runs the program; the evaluator's session gets the decomposition, the garbler's nothing. Vectors have length 1, or are over the features'
 * standard deviations where those are standardised.
 * Where a check fails, all other outputs are zero.
 * @throws ERR_FULL_RANK before any gate where no matrix of so many features has the least rank without `allowFullRank`. At the
 *   evaluator: ERR_FULL_RANK when fewer eigenvalues than that are clearly above zero, ERR_MINIMUM_OWNERS, ERR_NO_SAMPLES
 * @throws ERR_OWNER_COUNT when the number of owners differs from the verified one
 */
export async function pca(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
): Promise<CheckedDecomposition | undefined> {
  const { outputs, allowFullRank, minimumOwners } = program;
  const { fractionBits } = task;
  const d = task.features.length;
  const count = Math.min(program.components, d);
  const rank = allowFullRank ? count + 1 : leastRank(program);
  if (!allowFullRank && rank > d) throw fullRank(program);
  const pooled = await poolStatistics(session, task, minimumOwners, shares);
  // d times the largest entry for the trace; and a sign.
  const bits = scatterBits(task) + Math.ceil(Math.log2(d)) + 2;
  const scatter = await scaledScatter(session, pooled, d, bits);
  const noisy = Boolean(task.differentialPrivacy);
  const standardised = isStandardised(task.method) ? await standardise(session, task, scatter) : undefined;
  const whole = standardised?.matrix ?? scatter;
  const { matrix, places, some, fits } = await normaliseTrace(session, whole, d, noisy);

  const further = outputs.includes('spectrum') ? d - count : 0;
  const pairs = await leadingEigenpairs(session, matrix, d, count, { further, rank });
  const { values, vectors } = await session.step((gates) => {
    // Without any scatter the eigenvalues are 0, not the error of a shift.
    const own = mask(gates, broadcast(gates, [some], 0, count)[0]!, pairs.values);
    return {
      // Negative ones are revealed as 0, and where they are more than rounding errors the residual shall say so.
      values: noisy ? mask(gates, gates.not(sign(own)), own) : own,
      vectors: fixSigns(gates, pairs.vectors, d, count),
    };
  });
  const solved = await checkResiduals(session, matrix, { values, vectors }, d, count);

  const released = standardised
    ? await unstandardise(session, task, vectors, standardised, pooled.Q)
    : { vectors };
  const numbers = await session.step((gates) => {
    const every = concatLanes(gates, [values, pairs.further]);
    // Of a matrix that did not fit its numbers, equations that hold say nothing, nor do its eigenvalues.
    const where = (own: Num): Num =>
      fits ? mask(gates, broadcast(gates, [fits], 0, lanesOf(own))[0]!, own) : own;
    const spectrum = where(every);
    const converged = where([solved])[0]!;
    return {
      vectors: released.vectors,
      ...('exponents' in released && { exponents: released.exponents }),
      spectrum: eigenvalues(
        gates,
        spectrum,
        places,
        standardised
          ? { bits: whole.length, fraction: SOLVE_FRACTION }
          : { bits: whole.length, fraction: 2 * fractionBits, over: pooled.Q },
      ),
      converged: unsigned(gates, [converged]),
      ...(standardised
        ? standardisedOutputs(gates, outputs, pooled, scatter, standardised, task)
        : statisticsOutputs(gates, outputs, pooled, () => traceOf(gates, scatter, d), task)),
    };
  });
  const checks = poolChecks(pooled);
  if (!allowFullRank) checks.push({ holds: pairs.ranked, error: () => fullRank(program) });
  const revealed = await revealChecked(session, checks, numbers);
  if (revealed === undefined) return undefined;
  const spectrum = revealed.spectrum.map(real);
  return {
    vectors:
      'exponents' in released
        ? readUnstandardised(revealed.vectors, revealed.exponents!, released.unit)
        : readVectors(revealed.vectors, d, count),
    eigenvalues: spectrum.slice(0, count),
    converged: revealed.converged.map((bit) => bit === 1n),
    ...readStatistics(revealed, task),
    ...(outputs.includes('spectrum') && { spectrum }),
  };
}

/** The normalised ones with REVEALED_FRACTION.scatter fraction bits, without the shift, of a matrix of so many bits, and over a divisor. */
function eigenvalues(
  gates: Gates,
  values: Num,
  places: Num,
  { bits, fraction, over }: { readonly bits: number; readonly fraction: number; readonly over?: Num },
): Num {
  const count = values[0]!.lanes;
  // value = λ 2^fraction 2^places / 2^(bits - 1) 2^FRACTION; small negative ones are rounding errors.
  const positive = nonNegative(gates, mask(gates, gates.not(sign(values)), values));
  const exponent = bits - 1 - FRACTION - fraction + REVEALED_FRACTION.scatter;
  // Shifting right by `places` after `exponent` to the left.
  const wide = shiftLeft(gates, positive, Math.max(0, exponent));
  const shifted = gates.scope(() => {
    const right = places.map((bit) => bit);
    return nonNegative(gates, shiftRightSecret(gates, wide, broadcast(gates, right, 0, count)));
  });
  return over ? divideUnsigned(gates, shifted, broadcast(gates, over, 0, count)) : shifted;
}

function shiftRightSecret(gates: Gates, a: Num, places: Num): Num {
  let current = a;
  const zero = gates.constant(a[0]!.lanes, 0);
  for (const [k, bit] of places.entries()) {
    const moved = current.map((_, i) => current[i + Math.min(2 ** k, a.length)] ?? zero);
    current = select(gates, bit, moved, current);
  }
  return current;
}
