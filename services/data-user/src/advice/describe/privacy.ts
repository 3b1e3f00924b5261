/** Says what differential privacy does to the result of a task, in words for the person who proposes it. */
import { methodOf } from '@eigenveil/methods';
import {
  largestScatter,
  noiseNorm,
  noisePlanOf,
  planShift,
  rowsToStandOut,
  shiftRidge,
  type TaskProposal,
} from '@eigenveil/task';
import type { EarlierResult } from '../draft/privacy.ts';

/**
 * Lines about a task's noise, in units of features in [−1, 1]; none without differential privacy.
 * @throws ERR_DP_PARAMETER
 */
export function describeNoise(task: TaskProposal): string[] {
  const plan = noisePlanOf(task);
  if (plan === undefined || task.differentialPrivacy === null) return [];
  const { noise, honestOwners } = task.differentialPrivacy;
  const { maximumOwners, maximumSamplesPerOwner } = task;
  const unit = 2 ** task.fractionBits;
  const deviation = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }, scale: number) =>
    (Math.sqrt(Number(numerator) / Number(denominator)) / scale).toPrecision(3);
  const { R, V, M } = plan.variances;
  const kinds = [
    ...(R.numerator > 0n
      ? [
          `${deviation(R, unit ** 2)} on squares and ${deviation(plan.offDiagonal, unit ** 2)} on products of features`,
        ]
      : []),
    `${deviation(V, unit)} on sums`,
    ...(M.numerator > 0n ? [`${deviation(M, 1)} on counts`] : []),
  ];
  const drawers = { servers: 'each server', csp: 'the CSP alone', owners: 'each owner' }[noise];
  const ridge = shiftRidge(task);
  const { decomposes } = methodOf(task);
  const isPencil = decomposes === 'pencil';
  const shifted = isPencil
    ? `a public shift of ${ridge.toPrecision(3)}, which acts as a ridge that is larger by as much`
    : 'a public shift, which is taken out of the eigenvalues again';
  return [
    `${drawers} adds noise of deviation ${kinds.join(', ')}${honestOwners === null ? '' : `; ${honestOwners} owners are relied on`}`,
    ...(noise === 'csp'
      ? [
          'nothing is promised against the CSP, which knows all noise: it must not be shown the result, by whoever has it; owners take part if their policy says "noise": "csp"',
        ]
      : []),
    ...(ridge === 0 ? [] : [`to the products is added ${shifted}`]),
    ...(decomposes === undefined
      ? []
      : [
          ...describeNorm(task),
          `it takes ${planShift(task, plan).fewestRows} rows${isPencil ? ' in every class' : ''} to be sure that noise leaves the matrices positive`,
        ]),
    `there is room for ${maximumOwners * maximumSamplesPerOwner} rows, up to which a data user that deviates can scale sums under the same noise: set maximumOwners and maximumSamplesPerOwner as low as the data allow`,
  ];
}

/** The noise beside the largest scatter that there can be; nothing for MDR. */
function describeNorm(task: TaskProposal): string[] {
  const norm = noiseNorm(task, 0);
  const largest = largestScatter(task);
  if (norm === undefined || largest === undefined) return [];
  const perRow = largest / (task.maximumOwners * task.maximumSamplesPerOwner);
  const standsOut =
    methodOf(task).decomposes === 'pencil'
      ? ''
      : `; a component with a tenth of the variance stands out from ${rowsToStandOut(norm, perRow / 10)} rows on at the very least`;
  return [
    `noise on the scatter has a norm of at least ${norm.toPrecision(3)}, where the scatter's largest eigenvalue can be ${largest.toPrecision(3)} (all rows that there is room for, at the clipping norm)${standsOut}`,
  ];
}

/** Says what ranges around the mean of an earlier task show beyond what that task promises. */
export function describeEarlier({ differentialPrivacy }: EarlierResult): string[] {
  if (differentialPrivacy?.noise !== 'csp') return [];
  return [
    "the CSP alone added noise to the earlier task: these ranges, which every task shows to the CSP, tell it the mean of that task's exact rows except for noise that it knows; have both servers add noise to the first task if that matters",
  ];
}
