/**
 * The series of tasks that renew each other. A task's id names its parameters once, so each task of a series
 * is a task of its own, with a key of its own; it is bound to the one before by that one's digest, which the
 * CSP has signed with the rest of it.
 */
import { CodedError } from '@eigenveil/platform';
import { type Task, TaskId } from '@eigenveil/task';
import { CODES } from '../codes.ts';
import { type Digest, digestJson } from '../identity/digest.ts';
import { digestTask } from './agreement.ts';

/** The facts about a task that are kept to recognise the next one. */
export interface SeriesLink {
  /** Id of the first task of the series. */
  readonly seriesId: TaskId;
  /** 0 for the first task, n for the nth renewal. */
  readonly number: number;
  readonly taskId: TaskId;
  readonly taskDigest: Digest;
  /** The digest of everything that tasks of a series have in common. */
  readonly parametersDigest: Digest;
}

/**
 * The members that may differ between a task and the one that renews it. The Paillier key is no part of a
 * task.
 */
const OWN = ['id', 'deadline', 'series'] as const satisfies readonly (keyof Task)[];

/** The place of a task in its series; a task that renews none is the first of the series that may follow. */
export function linkOf(task: Task): SeriesLink {
  const common = Object.entries(task).filter(([name]) => !OWN.some((own) => own === name));
  return {
    seriesId: task.series?.id ?? task.id,
    number: task.series?.number ?? 0,
    taskId: task.id,
    taskDigest: digestTask(task),
    parametersDigest: digestJson('parameters of a series', Object.fromEntries(common)),
  };
}

/** The task that renews `previous`. */
export function renewalOf(previous: Task, own: Pick<Task, 'id' | 'deadline'>): Task {
  const { seriesId, number, taskDigest } = linkOf(previous);
  return { ...previous, ...own, series: { id: seriesId, number: number + 1, previous: taskDigest } };
}

/**
 * Checks that a task renews the one that the link is of, and is the same except for id, deadline and key.
 * Whether the CSP has signed it is checked before.
 * @throws ERR_SERIES_INVALID
 * @example
 * import { checkRenewal, linkOf, verifySignedTask } from '@eigenveil/wire';
 *
 * await verifySignedTask(signedTask, cspKey);
 * checkRenewal(linkOf(task), signedTask.task);
 */
export function checkRenewal(previous: SeriesLink, task: Task): void {
  const { seriesId, number, parametersDigest } = linkOf(task);
  const expect = (holds: boolean, what: string) => {
    if (!holds)
      throw new CodedError(
        CODES.ERR_SERIES_INVALID,
        `"series" expected the task that renews ${previous.taskId}: ${what}`,
      );
  };
  expect(task.series !== undefined && seriesId === previous.seriesId, 'it is of another series');
  expect(number === previous.number + 1, `it has the number ${number}, not ${previous.number + 1}`);
  expect(task.series?.previous === previous.taskDigest, 'it names the digest of another task before it');
  expect(parametersDigest === previous.parametersDigest, 'its parameters are others');
}

/**
 * Id of the task that renews one with this digest: there is no other, so that whoever asks again, or at once
 * with somebody else, gets the same.
 * @param attempt 0, and one more for each attempt before that has ended before the CSP signed
 */
export function renewalId(previous: Digest, attempt: number): TaskId {
  const digest = digestJson('id of a renewal', { previous, attempt });
  return TaskId.parse(digest.slice(0, ID_CHARACTERS).replace(/^-/, '_'));
}

const ID_CHARACTERS = 22;
