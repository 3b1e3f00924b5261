/**
 * PCA as a circuit, from additive shares to eigenvectors. The number of steps is public and always the same;
 * docs/precision.md has the widths and their reasons.
 */

import { type Components, methodOf } from '@eigenveil/methods';
import { fullRank } from '@eigenveil/projection/portable';
import { floorOf, type Program, type StatisticsTask } from '@eigenveil/task';
import { Fixed } from '../fixed-point/index.ts';
import type { Session } from '../garbling/index.ts';
import { readUnstandardised, standardise, standardisedOutputs, unstandardise } from './correlation.ts';
import { checkResiduals, fixSigns, leadingEigenpairs, normaliseTrace, traceOf } from './eigen.ts';
import type { Shares } from './inputs.ts';
import {
  cutTogether,
  poolChecks,
  readStatistics,
  readVectors,
  real,
  releasedFraction,
  releasedQuotient,
  revealChecked,
  statisticsOutputs,
} from './outputs.ts';
import { REVEALED_FRACTION } from './precision.ts';
import { notNegative } from './reduced.ts';
import {
  isNoisy,
  poolStatistics,
  scaledScatter,
  scatterBits,
  scatterUnits,
  timesRows,
} from './statistics.ts';

/**
 * Runs the program; the evaluator's session gets the decomposition, the garbler's nothing. Vectors have
 * length 1, or are over the features' standard deviations where those are standardised; `converged` is true
 * for each component with ‖S w − λ w‖ <= 2^-10 λ_1. Where a check fails, all other outputs are zero.
 * @param isStandardised decomposes the correlation matrix
 * @throws ERR_FULL_RANK before any gate where no matrix of this number of features has the least rank without
 * `allowFullRank`. At the
 *   evaluator: ERR_FULL_RANK when fewer eigenvalues than that are clearly above zero, ERR_MINIMUM_OWNERS, ERR_NO_SAMPLES
 * @throws ERR_OWNER_COUNT when the number of owners differs from the verified one
 */
export async function pca(
  session: Session,
  task: StatisticsTask,
  program: Program,
  shares: Shares,
  isStandardised = false,
): Promise<Components | undefined> {
  const { outputs, allowFullRank, minimumOwners } = program;
  const d = task.features.length;
  const count = Math.min(program.components, d);
  const rank = allowFullRank ? count + 1 : methodOf(program).leastRank(program);
  if (!allowFullRank && rank > d) throw fullRank(program);
  const pooled = await poolStatistics(session, task, minimumOwners, shares);
  const floor = floorOf(task);
  // d times the largest entry for the trace; a sign; and a bit for the norm of the noise.
  const bits = scatterBits(task) + Math.ceil(Math.log2(d)) + (floor ? 3 : 2);
  const scatter = await scaledScatter(session, pooled, d, bits);
  const noisy = isNoisy(task);
  const standardised = isStandardised ? await standardise(session, task, scatter, pooled.Q) : undefined;
  const whole = standardised?.matrix ?? scatter;
  const norm = standardised
    ? standardised.norm
    : floor &&
      (await session.step(() =>
        timesRows(pooled.Q, [scatterUnits(floor.norm, scatter.fraction)], scatter).nonNegative(),
      ));
  const { matrix, places, some, fits, noise } = await normaliseTrace(session, whole, d, noisy, norm);

  const further = outputs.includes('spectrum') ? d - count : 0;
  const pairs = await leadingEigenpairs(session, matrix, d, count, { further, rank, noise });
  const { values, vectors } = await session.step((gates) => {
    // Without any scatter the eigenvalues are 0, not the error of a shift.
    const own = pairs.values.where(some);
    return {
      // Negative ones, where they are not raised enough, are revealed as the least, and where they are more
      // than rounding errors the residual shall say so.
      values: noisy ? own.where(gates.not(own.sign)) : own,
      vectors: fixSigns(pairs.vectors, d, count),
    };
  });
  const solved = await checkResiduals(session, matrix, { values, vectors }, d, count);

  const fraction = standardised ? REVEALED_FRACTION.scatter : releasedFraction(task).scatter;
  const released = standardised
    ? await unstandardise(session, task, vectors, standardised, pooled.Q)
    : { vectors };
  const numbers = await session.step((gates) => {
    // Equations that hold say nothing about a matrix that did not fit its numbers, and its eigenvalues say
    // nothing either.
    const fit = fits && standardised?.fits ? gates.and(fits, standardised.fits) : fits;
    const held = (own: Fixed) => (fit ? own.where(fit) : own);
    const all = values.followedBy(pairs.further);
    const own = noise ? held(all.minus(noise.raise.spread(all.lanes))) : notNegative(held(all));
    const spectrum = eigenvalues(own, places, whole, noise ? fraction + 1 : fraction);
    const divided = () => {
      const Q = pooled.Q.spread(spectrum.lanes);
      return noise ? releasedQuotient(spectrum, Q, fraction) : spectrum.dividedByUnsigned(Q);
    };
    return {
      vectors: released.vectors,
      ...('exponents' in released && { exponents: released.exponents }),
      spectrum: standardised ? cutTogether(spectrum.at(fraction), task) : divided(),
      converged: held(Fixed.bit(gates, solved)),
      ...(standardised
        ? standardisedOutputs(outputs, pooled, scatter, standardised, task)
        : statisticsOutputs(outputs, pooled, () => traceOf(scatter, d), task)),
    };
  });
  const checks = poolChecks(pooled);
  if (!allowFullRank) checks.push({ holds: pairs.ranked, error: () => fullRank(program) });
  const revealed = await revealChecked(session, checks, numbers);
  if (revealed === undefined) return undefined;
  const spectrum = revealed.spectrum.map((value) => real(value, fraction));
  return {
    kind: 'components',
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

/**
 * Returns the eigenvalues of the matrix from those that `normaliseTrace` made 2^(places − bits + 1) times as
 * large.
 */
function eigenvalues(values: Fixed, places: Fixed, whole: Fixed, fraction: number): Fixed {
  const scaled = values.over(whole.fraction - (whole.bits - 1));
  const down = scaled.at(fraction).down(places.spread(values.lanes));
  // Its sign is a constant where it is known not to be negative.
  return values.sign.constant === 0 ? down.nonNegative() : down;
}
