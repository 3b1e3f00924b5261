/** The demo's first task with `--ranges private`: noisy counts of every feature over bins that take any magnitude, from which the ranges of the others follow. */
import { basisFrom, type DraftBasis, draftPrivacy, draftRanged, type TaskClient } from '@eigenveil/data-user';
import { draftedMethod } from '@eigenveil/methods';
import { DAY_MILLISECONDS, type TaskId, TaskProposal } from '@eigenveil/task';
import { draft, type TaskSetting } from './task.ts';

/** The ε of the histogram, large, so that a few hundred rows are enough to look at. */
const COUNTS = { epsilon: 10, delta: 1e-6, height: 8 } as const;
/** Shares of the rows at which a range is asked to begin and to end. */
export const LEVELS = { lower: 0.005, upper: 0.995 } as const;
/** Nobody has to know more of a feature than that its values lie between these magnitudes, or are as good as 0. */
export const MAGNITUDES = { least: 1e-6, largest: 1e6 } as const;

/**
 * Drafts the ranges of every column that is no label.
 * @throws as `draft`
 */
export async function countsProposal(setting: TaskSetting): Promise<TaskProposal> {
  const { rows, features } = await draft(setting, 'pca');
  const { least, largest } = MAGNITUDES;
  const { epsilon, delta, height } = COUNTS;
  const wide = features.map((feature) => ({ ...feature, min: -largest, max: largest }));
  const drafted = await draftedMethod(
    'histogram',
    { height, logarithmic: least },
    { features: wide, components: 0, ridge: 1, epsilon, delta },
  );
  const { owners, keyBits } = setting;
  return TaskProposal.parse({
    ...drafted,
    ...draftPrivacy({ features: drafted.features, epsilon, delta, clippingNorm: () => null }, false),
    ...{ labellings: [], components: 0, twoParty: 'linear' },
    minimumOwners: owners,
    maximumOwners: owners,
    maximumSamplesPerOwner: Math.ceil(rows / owners),
    keyBits,
    allowInsecureKey: keyBits < 2048,
    encryption: 'djn', // thousands of ciphertexts
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
  });
}

/** The release that a draft of the demo takes its ranges from, once that task is done; and the largest shares of the rows that lie beyond them, in words. */
export async function countsFrom(
  client: TaskClient,
  taskId: TaskId,
  setting: TaskSetting,
): Promise<{ readonly counted: DraftBasis; readonly note: string }> {
  const counted = await basisFrom(client, taskId);
  const { notes } = draftRanged(counted, await draft(setting, 'pca'), LEVELS);
  return { counted, note: notes[0]! };
}
