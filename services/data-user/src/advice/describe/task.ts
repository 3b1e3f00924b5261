/**
 * Says what follows from a proposal, in words for the person who makes it: it is known before anybody
 * contributes.
 */
import { methodOf } from '@eigenveil/methods';
import { type Words, words } from '@eigenveil/platform';
import {
  cappedComponents,
  constantFeatures,
  floorInWords,
  programOf,
  type TaskProposal,
  takesFloor,
} from '@eigenveil/task';
import { describeGrains } from '../draft/grains.ts';
import { draftTerm } from '../draft/sample.ts';
import { describeCost } from './cost.ts';
import { describeNoise } from './privacy.ts';

/**
 * Describes a proposal that is computable.
 * @throws ERR_DP_PARAMETER; the signal's reason, once it is aborted
 */
export async function describeTask(task: TaskProposal, signal?: AbortSignal): Promise<(Words | string)[]> {
  if (!takesFloor(task)) return describeCost(task, signal);
  return [
    ...describeComponents(task),
    ...describeReleases(task),
    ...describeNoise(task),
    ...(await describeCost(task, signal)),
  ];
}

/** Says what stands between the rows and the result. */
function describeReleases(task: TaskProposal): (Words | string)[] {
  const floor = floorInWords(task);
  const consent = task.exact
    ? words`; the CSP signs it ${draftTerm('draftConsentOfCsp', 'with --allow-full-rank')}, and owners take part if their policy says "allowFullRank"`
    : '';
  return [
    ...(floor === undefined ? [] : [words`${floor}${consent}`]),
    ...(task.exact ? [] : describeGrains(task.features)),
  ];
}

function describeComponents(task: TaskProposal): string[] {
  const program = programOf(task);
  const { method, components } = task;
  const capped = cappedComponents(program);
  const contrasts = (task.labellings[0]?.classes.length ?? 0) - 1;
  const { decomposes, maximumComponents } = methodOf(program);
  const most = maximumComponents(program);
  const constant = constantFeatures(task);
  return [
    ...(capped < components
      ? [`${contrasts + 1} classes have at most ${most} components: ${capped} will come, not ${components}`]
      : []),
    ...(decomposes === 'pencil' && capped > contrasts
      ? [
          'signalRidge' in method && method.signalRidge !== 0
            ? `${contrasts + 1} classes differ in at most ${contrasts} directions: the other components order what is left of the scatter, and with a signal ridge may come before those`
            : `only the first ${contrasts} of ${capped} components distinguish ${contrasts + 1} classes; the others have one eigenvalue, and arbitrary vectors`,
        ]
      : []),
    ...(constant.length > 0
      ? [
          `${constant.map((name) => JSON.stringify(name)).join(', ')}: min = max, so that nothing of it counts; write the range that it may have, or leave it out`,
        ]
      : []),
  ];
}
