/** One data owner of the demo as a process of its own: it does what the demo asks for, with the owner's library. */
import { Projector, reduceFile } from '@eigenveil/data-owner';
import { statisticsThrough } from '@eigenveil/projection';
import { readFileBytes, readRowBatches } from '@eigenveil/statistics';
import type { TaskId } from '@eigenveil/task';
import { answerRequests } from './crew.ts';
import { type EnrolledOwner, type EnrolRequest, enrolOwner, type OwnerSetting } from './owner-part.ts';

interface FileOwnerSetting extends OwnerSetting {
  readonly data: string;
}

/** The requests of the demo, one thing at a time. */
export type OwnerRequest =
  | EnrolRequest<FileOwnerSetting>
  | { readonly kind: 'contribute'; readonly taskId: TaskId; readonly ignore: readonly string[] }
  | { readonly kind: 'project'; readonly taskId: TaskId; readonly out: string };

let enrolled: EnrolledOwner<FileOwnerSetting> | undefined;

/** Does what was asked for and returns how many rows it worked on. */
async function perform(request: OwnerRequest): Promise<number> {
  if (request.kind === 'enrol') {
    enrolled = await enrolOwner(request);
    return 0;
  }
  if (enrolled === undefined) throw new Error('an owner must be enrolled first');
  const { owner, dataUser, setting } = enrolled;
  const { taskId } = request;
  if (request.kind === 'project') {
    const { task, projection, basis } = await owner.result(dataUser, taskId);
    return (await reduceFile(new Projector(task, projection, basis), setting.data, request.out)).rows;
  }
  let rows = 0;
  await owner.contribute(dataUser, taskId, async (task, signs, basis) => {
    const options = { ignoredColumns: request.ignore, signs };
    const summary = await statisticsThrough(task, basis, options, (columns, all) =>
      readRowBatches(readFileBytes(setting.data), columns, all),
    );
    rows = summary.rows;
    return { ...summary.statistics, grains: summary.grains };
  });
  return rows;
}

answerRequests(perform);
