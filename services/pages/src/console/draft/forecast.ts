/**
 * Forecasts a proposal before anybody contributes: the notes of `task draft`, and the bytes that an owner
 * sends.
 */
import {
  describeRounding,
  describeSample,
  describeTask,
  type ReadSampleRows,
  roundingOfSample,
} from '@eigenveil/data-user/draft';
import { layout, readBlobBytes, readRowBatches } from '@eigenveil/statistics/owner';
import { TaskProposal } from '@eigenveil/task/schema';
import { inSlices } from '../../common/files.ts';
import { draftWords } from './draft-words.ts';
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

/** Returns a reader of the sample's rows. */
export function rowsOf(file: File, signal: AbortSignal): ReadSampleRows {
  return (columns, options) =>
    readRowBatches(inSlices(readBlobBytes(file, file.name), signal), columns, options);
}

/** Returns the number of bytes that every owner sends: two numbers modulo n for each plaintext. */
export function contributionBytes(task: TaskProposal): number {
  return layout(task).plaintexts.length * ((2 * task.keyBits) / 8);
}

/**
 * Returns notes on a task that is computable.
 * @throws ERR_DP_PARAMETER; the signal's reason
 */
export async function notesOnTask(task: TaskProposal, signal: AbortSignal): Promise<string[]> {
  return (await describeTask(task, signal)).map(draftWords);
}

/**
 * Returns notes on a task that is computable, from its sample: reads the file twice more.
 * @throws as statisticsOfCsv; the signal's reason
 */
export async function notesOnSample(file: File, task: TaskProposal, signal: AbortSignal): Promise<string[]> {
  const read = rowsOf(file, signal);
  const notes = await describeSample(read, task);
  const moved = await roundingOfSample(read, task);
  return [...notes, ...(moved === undefined ? [] : describeRounding(task, moved))];
}
