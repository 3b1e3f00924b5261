/**
 * A task's state and progress. The command line gets the status; the console also gets the times at which
 * contributions came, what was refused, and what the task waits for.
 */

import type { TaskId } from '@eigenveil/task';
import { FINAL_STATES, type TaskOwners, TaskState, type TaskStatus } from '@eigenveil/wire';
import { MOST_ARRIVALS, type TaskProgress } from '@eigenveil/wire/console';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { secondsLeft } from '../advice/describe/progress.ts';
import { closesByItself, unknownTask } from '../store/rules.ts';
import type { DataUserStore, StoredTask, WatchedTask } from '../store/store.ts';

/** The stage that begins with a state, by the name of its timing. */
const STAGE_OF: Readonly<Partial<Record<TaskState, string>>> = {
  closed: 'aggregate',
  blinded: 'unblind',
  unblinded: 'decompose',
  decomposed: 'register',
};

/** The errors that only the CSP's operator, or time, can remove; all others are for the operator here. */
const OF_CSP =
  /^ERR_(PEER|CHANNEL|BUSY|RATE_LIMITED|REQUEST_TIMEOUT|INTERNAL|OT|GARBLING|ROTATION|PRODUCT|TASK_ANSWERED|PROVENANCE|REVOCATIONS)/;

/** The number of tasks whose arrivals are remembered: those that somebody looks at. */
const MOST_REMEMBERED = 64;
/** The number of owners on a page. */
const LISTED_OWNERS = 500;

type Arrivals = TaskProgress['arrivals'];

type Told = Pick<
  StoredTask,
  'task' | 'state' | 'contributions' | 'failure' | 'timings' | 'activity' | 'fixation'
>;

export function statusOf(told: Told, now: Date): TaskStatus {
  const { task, state, contributions, failure, timings, activity } = told;
  return {
    taskId: task.id,
    title: task.title,
    state,
    contributions,
    differentialPrivacy: task.differentialPrivacy,
    timings,
    ...(state === 'failed' && failure !== null ? { failure } : {}),
    ...(activity.waiting === undefined ? {} : { waiting: activity.waiting }),
    // The progress that was written last may be of a stage that is over.
    ...(state === 'unblinded' && activity.progress !== undefined ? { progress: activity.progress } : {}),
    waitsFor: waitsFor(told, now),
  };
}

export class TaskProgresses {
  readonly #store: Pick<DataUserStore, 'watched' | 'arrivals' | 'owners'>;
  readonly #now: () => Date;
  /**
   * The arrivals of a task, by its number of contributions. Reading them again costs some hundred look-ups,
   * which is not done while nobody contributes.
   */
  readonly #arrivals = new Map<TaskId, { readonly of: string; readonly arrivals: Arrivals }>();

  constructor(dependencies: {
    readonly store: Pick<DataUserStore, 'watched' | 'arrivals' | 'owners'>;
    readonly now: () => Date;
  }) {
    this.#store = dependencies.store;
    this.#now = dependencies.now;
  }

  /**
   * Returns the progress of a task.
   * @throws ERR_TASK_UNKNOWN
   */
  async of(taskId: TaskId): Promise<TaskProgress> {
    const watched = await this.#store.watched(taskId);
    if (watched === undefined) throw unknownTask();
    const { task, refused } = watched;
    const now = this.#now();
    return {
      at: now.toISOString(),
      status: statusOf(watched, now),
      minimumOwners: task.minimumOwners,
      maximumOwners: task.maximumOwners,
      deadline: task.deadline,
      arrivals: await this.#arrivalsOf(taskId, watched),
      refused: [...refused],
      stages: stagesOf(watched),
      computation: computationOf(watched),
    };
  }

  /**
   * Returns a page of the owners who contributed and those who withdrew, starting after the one with this
   * number.
   * @throws ERR_TASK_UNKNOWN
   */
  async owners(taskId: TaskId, after: number): Promise<TaskOwners> {
    if ((await this.#store.watched(taskId)) === undefined) throw unknownTask();
    const found = await this.#store.owners(taskId, after, LISTED_OWNERS + 1);
    return {
      owners: found.slice(0, LISTED_OWNERS).map(({ sequence, ownerId, receipt, withdrawn }) => ({
        number: sequence,
        ownerId,
        contributedAt: receipt === '' ? null : receivedAt(receipt),
        withdrawn,
      })),
      more: found.length > LISTED_OWNERS,
    };
  }

  async #arrivalsOf(taskId: TaskId, { contributions, lastSequence }: WatchedTask): Promise<Arrivals> {
    const of = `${contributions} of ${lastSequence}`;
    const known = this.#arrivals.get(taskId);
    if (known?.of === of) return known.arrivals;
    let latest = '';
    const arrivals = (await this.#store.arrivals(taskId, MOST_ARRIVALS)).map((it) => {
      const at = receivedAt(it.receipt);
      // They were stored in this order, and received at nearly the same time by processes whose clocks
      // differ.
      if (at > latest) latest = at;
      return { at: latest, contributions: it.contributions };
    });
    this.#arrivals.delete(taskId);
    if (this.#arrivals.size >= MOST_REMEMBERED) this.#arrivals.delete(this.#arrivals.keys().next().value!);
    this.#arrivals.set(taskId, { of, arrivals });
    return arrivals;
  }
}

const Received = z.looseObject({ receivedAt: z.iso.datetime() });

/** Returns the time of receipt as this data user has signed it. */
function receivedAt(receipt: string): string {
  return Received.parse(decodeJwt(receipt)).receivedAt;
}

function stagesOf({ entered, timings }: WatchedTask): TaskProgress['stages'] {
  const reached = TaskState.options.flatMap((state) => {
    const startedAt = entered[state];
    return startedAt === undefined ? [] : [{ state, startedAt }];
  });
  return reached.map(({ state, startedAt }, i) => {
    const endedAt = reached[i + 1]?.startedAt ?? null;
    const stage = STAGE_OF[state];
    const milliseconds = endedAt === null || stage === undefined ? null : (timings[stage] ?? null);
    return { state, startedAt, endedAt, milliseconds };
  });
}

function computationOf({ state, activity: { progress } }: WatchedTask): TaskProgress['computation'] {
  if (state !== 'unblinded' || progress === undefined) return null;
  const { unit, done, planned = null } = progress;
  return { unit, done, planned, secondsLeft: secondsLeft(progress) };
}

function waitsFor(told: Told, now: Date): TaskStatus['waitsFor'] {
  const { state, activity } = told;
  if (FINAL_STATES.includes(state)) return { who: 'nobody', code: 'nothing' };
  if (activity.waiting !== undefined)
    return { who: OF_CSP.test(activity.waiting.code) ? 'csp' : 'operator', code: 'obstacle' };
  switch (state) {
    case 'proposed':
      return { who: 'csp', code: 'signature' };
    case 'open':
      return whileOpen(told, now);
    case 'closed':
      return told.fixation?.isFixed === true
        ? { who: 'data user', code: 'aggregation' }
        : { who: 'csp', code: 'records' };
    case 'blinded':
      return { who: 'csp', code: 'unblinding' };
    case 'decomposed':
      return { who: 'csp', code: 'countersignature' };
    default:
      return { who: 'data user', code: 'computation' };
  }
}

function whileOpen({ task, contributions }: Told, now: Date): TaskStatus['waitsFor'] {
  const isOverdue = now > new Date(task.deadline);
  if (contributions < task.minimumOwners)
    return isOverdue ? { who: 'operator', code: 'cancel' } : { who: 'owners', code: 'contributions' };
  if (closesByItself(task, contributions, now)) return { who: 'data user', code: 'closing' };
  if (contributions >= task.maximumOwners) return { who: 'operator', code: 'close full' };
  if (isOverdue) return { who: 'operator', code: 'close overdue' };
  return task.closes === undefined ? { who: 'operator', code: 'close' } : { who: 'owners', code: 'end' };
}
