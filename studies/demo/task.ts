/** One task of the demo: drafted from a data file, proposed to the data user, and computed once the owners have sent. */

import { setTimeout as sleep } from 'node:timers/promises';
import { asUsage, checkConfiguration } from '@eigenveil/command';
import {
  type AskedLevels,
  basisFrom,
  type Draft,
  type DraftBasis,
  describeProgress,
  draftOn,
  draftRanged,
  draftTask,
  ridgeOn,
  type TaskClient,
} from '@eigenveil/data-user';
import { methodOf, type ProjectionKind, varyingFeatures } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { layout, type ReadingOptions } from '@eigenveil/statistics';
import { DAY_MILLISECONDS, programOf, type Task, type TaskId, TaskProposal } from '@eigenveil/task';

const POLL_MILLISECONDS = 50;
/** A unit of work whose count is unknown beforehand: closed, blinded, unblinded, done. */
export const COMPUTATION_STATES = ['closed', 'blinded', 'unblinded', 'decomposed', 'done'];

export interface TaskSetting {
  readonly data: string;
  readonly label: string;
  readonly ignore: readonly string[];
  readonly owners: number;
  readonly components: number;
  readonly keyBits: number;
  readonly twoParty: Task['twoParty'];
  /** The way the data are read. */
  readonly reading?: ReadingOptions;
  /** Told of what looks like a mistake in the data and is none for certain. */
  readonly onRemark?: (remark: string) => void;
}

/** Columns of the file that are no features of a task with this method. */
export function ignoredBy({ label, ignore }: TaskSetting, method: ProjectionKind): string[] {
  return method === 'pca' ? [label, ...ignore] : [...ignore];
}

/** @throws ERR_CONFIGURATION for what is wrong with the file */
export async function draft(setting: TaskSetting, method: ProjectionKind, ridge?: number): Promise<Draft> {
  try {
    return await draftTask(setting.data, {
      ...setting.reading,
      onRemark: setting.onRemark,
      method,
      ...(method !== 'pca' && { ridge }),
      labels: method === 'pca' ? [] : [setting.label],
      ignore: ignoredBy(setting, method),
    });
  } catch (error) {
    throw error instanceof CodedError ? asUsage(error) : error;
  }
}

/**
 * @param numbers of owners, where not all of them and nobody else are wanted
 * @param earlier the task that it stands on, or the noisy counts that its ranges come from
 */
export async function createTask(
  client: TaskClient,
  setting: TaskSetting,
  method: ProjectionKind,
  numbers: { readonly minimumOwners?: number; readonly maximumOwners?: number } = {},
  earlier?: TaskId | { readonly counted: DraftBasis; readonly levels: AskedLevels },
): Promise<{ task: Task; samples: number }> {
  const { owners, components, keyBits, twoParty } = setting;
  const basis = typeof earlier === 'string' ? await basisFrom(client, earlier) : undefined;
  const ofColumns = await draft(setting, method, basis && ridgeOn(basis));
  const { rows: samples, ...drafted } =
    basis !== undefined
      ? draftOn(basis, ofColumns)
      : typeof earlier === 'object'
        ? draftRanged(earlier.counted, ofColumns, earlier.levels).draft
        : ofColumns;
  const wanted = {
    ...drafted,
    components,
    minimumOwners: owners,
    maximumOwners: owners,
    ...numbers,
    maximumSamplesPerOwner: Math.ceil(samples / owners),
    keyBits,
    allowInsecureKey: keyBits < 2048,
    twoParty,
    outputs: [
      ...(method === 'pca' ? ['mean'] : []),
      ...(twoParty === 'rotated' ? methodOf(drafted).revealedByRotation : []),
    ],
    // A small sample's noise may outweigh its least components: whoever runs a demo sees that instead of a refusal.
    allowFullRank: true,
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
  };
  const proposal = checkConfiguration(TaskProposal, wanted, 'task');
  // More components than these would reveal the whole scatter matrix.
  const varying = varyingFeatures(drafted.features);
  const program = programOf(proposal);
  const discriminant =
    twoParty === 'rotated' ? methodOf(program).mostRotatedComponents(program, varying) : varying - 1;
  const most =
    method === 'pca' ? varying - (methodOf(program).leastRank(program) - components) : discriminant;
  const { task } = await client.create({
    ...proposal,
    components: Math.max(1, Math.min(components, most)),
  });
  return { task, samples };
}

/** The size of what an owner sends to the data user. */
export interface ContributionSize {
  readonly plaintexts: number;
  readonly bytes: number;
}

export function contributionSize(task: Task): ContributionSize {
  const plaintexts = layout(task).plaintexts.length;
  return { plaintexts, bytes: plaintexts * (task.keyBits / 4) };
}

/** Closes the task and waits for the projection; returns the milliseconds of each stage. */
export async function compute(
  client: TaskClient,
  taskId: TaskId,
  tick: () => void,
  note: (text: string) => void,
): Promise<Readonly<Record<string, number>>> {
  let { state, failure, timings, progress } = await client.closeTask(taskId);
  let reached = 0;
  for (;;) {
    if (failure !== undefined) throw new Error(`${failure.code}: ${failure.message}`);
    for (; reached <= COMPUTATION_STATES.indexOf(state); reached += 1) tick();
    if (state === 'done') return timings;
    if (progress !== undefined) note(describeProgress(progress));
    await sleep(POLL_MILLISECONDS);
    ({ state, failure, timings, progress } = await client.status(taskId));
  }
}
