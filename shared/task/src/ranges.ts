/** Ranges that follow from the noisy counts of an earlier task. */
import { methodOf, rule } from '@eigenveil/methods';
import { checkAll } from '@eigenveil/platform';
import type { TaskProposal } from './schema.ts';

/**
 * Checks that the ranges of a task can follow from the result of this one: from its histograms of the same
 * features, within what they count. Whether they do follow from it is for those who see that result.
 * @throws ERR_TASK_INVALID
 */
export function checkRanges(
  { features }: Pick<TaskProposal, 'features'>,
  counted: Pick<TaskProposal, 'method' | 'features'>,
): void {
  const bounds = new Map(counted.features.map((feature) => [feature.name, feature]));
  checkAll(
    rule(
      methodOf(counted).result === 'counts',
      'rangesFrom',
      'the result of a histogram',
      counted.method.kind,
    ),
    ...features.map(({ name, min, max }) => {
      const outer = bounds.get(name);
      return outer === undefined
        ? rule(false, 'rangesFrom', 'a histogram of every feature', `none of ${name}`)
        : rule(
            outer.min <= min && max <= outer.max,
            'features',
            `${name} from ${outer.min} to ${outer.max} at most, as the histogram has it,`,
            `${min} to ${max}`,
          );
    }),
  );
}
