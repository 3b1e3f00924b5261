/**
 * Forecasts a proposal before anybody contributes: the notes of `task draft`, and the bytes that an owner
 * sends.
 */
import { describeRounding, describeSample, describeTask, roundingOfSample } from '@eigenveil/data-user/draft';
import { layout, readBlobBytes, readRowBatches } from '@eigenveil/statistics/owner';
import { TaskProposal } from '@eigenveil/task/schema';
import { checkComputable } from '@eigenveil/two-party/plan';
import { inSlices } from '../../common/files.ts';
import { isObject, type Json } from './members.ts';

/**
 * Returns the proposal if it can be forecast, also if only its consent is missing; otherwise null.
 * @param value of JSON
 */
export function tellable(value: Json): TaskProposal | null {
  if (!isObject(value)) return null;
  const { $schema: _, $forecast: __, ...rest } = value;
  const { differentialPrivacy: privacy } = rest;
  const consent = rest.rangesFrom === undefined ? true : 'rangesFrom';
  const consenting = isObject(privacy) ? { ...privacy, dataIndependentRanges: consent } : privacy;
  const parsed = TaskProposal.safeParse({
    ...rest,
    ...(privacy !== undefined && { differentialPrivacy: consenting }),
  });
  return parsed.success ? parsed.data : null;
}

/** Returns the number of bytes that every owner sends: two numbers modulo n for each plaintext. */
export function contributionBytes(task: TaskProposal): number {
  return layout(task).plaintexts.length * ((2 * task.keyBits) / 8);
}

/** Returns the reason for which both servers would refuse the task, or null where they compute it. */
export function refusalOf(task: TaskProposal): string | null {
  try {
    checkComputable(task);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Returns notes on a task that is computable.
 * @throws ERR_DP_PARAMETER; the signal's reason
 */
export function notesOnTask(task: TaskProposal, signal: AbortSignal): Promise<string[]> {
  return describeTask(task, signal);
}

/**
 * Returns notes on a task that is computable, from its sample: reads the file twice more.
 * @throws as statisticsOfCsv; the signal's reason
 */
export async function notesOnSample(file: File, task: TaskProposal, signal: AbortSignal): Promise<string[]> {
  const read: Parameters<typeof describeSample>[0] = (columns, options) =>
    readRowBatches(inSlices(readBlobBytes(file, file.name), signal), columns, options);
  const notes = await describeSample(read, task);
  const moved = await roundingOfSample(read, task);
  return [...notes, ...(moved === undefined ? [] : describeRounding(task, moved))];
}
