/** What is told of a task's state and progress: to the command line its status, to the console also when what came, what was refused, and what it waits for. */

import type { TaskId } from '@eigenveil/task';
import { ServiceError, TaskState, type TaskStatus } from '@eigenveil/wire';
import { MOST_ARRIVALS, type TaskProgress } from '@eigenveil/wire/console';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { secondsLeft } from './progress.ts';
import { type DataUserStore, FINAL_STATES, type StoredTask, type WatchedTask } from './store.ts';

/** The stage that begins with a state, by the name of its timing. */
const STAGE_OF: Readonly<Partial<Record<TaskState, string>>> = {
  closed: 'aggregate',
  blinded: 'unblind',
  unblinded: 'decompose',
  decomposed: 'register',
};

/** What only the CSP's operator, or time, can mend; all else is the operator's here. */
const OF_CSP =
  /^ERR_(PEER|CHANNEL|BUSY|RATE_LIMITED|REQUEST_TIMEOUT|INTERNAL|OT|GARBLING|ROTATION|PRODUCT|TASK_ANSWERED|PROVENANCE)/;

/** Tasks whose arrivals are remembered: those that somebody looks at. */
const MOST_REMEMBERED = 64;

type Arrivals = TaskProgress['arrivals'];

export function statusOf({
  task,
  state,
  contributions,
  failure,
  timings,
  activity,
}: Pick<StoredTask, 'task' | 'state' | 'contributions' | 'failure' | 'timings' | 'activity'>): TaskStatus {
  return {
    taskId: task.id,
    state,
    contributions,
    differentialPrivacy: task.differentialPrivacy,
    timings,
    ...(state === 'failed' && failure !== null ? { failure } : {}),
    ...(activity.waiting === undefined ? {} : { waiting: activity.waiting }),
    // What was written last may be of a stage that is over.
    ...(state === 'unblinded' && activity.progress !== undefined ? { progress: activity.progress } : {}),
  };
}

export class TaskProgresses {
  readonly #store: Pick<DataUserStore, 'watched' | 'arrivals'>;
  readonly #now: () => Date;
  /** Reading them again costs some hundred look-ups; while nobody contributes, it is not done. */
  readonly #arrivals = new Map<TaskId, { readonly of: string; readonly arrivals: Arrivals }>();

  constructor(dependencies: {
    readonly store: Pick<DataUserStore, 'watched' | 'arrivals'>;
    readonly now: () => Date;
  }) {
    this.#store = dependencies.store;
    this.#now = dependencies.now;
  }

  /** @throws ERR_TASK_UNKNOWN */
  async of(taskId: TaskId): Promise<TaskProgress> {
    const watched = await this.#store.watched(taskId);
    if (watched === undefined)
      throw new ServiceError('ERR_TASK_UNKNOWN', '"taskId" expected a task of this data user');
    const { task, refused } = watched;
    const now = this.#now();
    return {
      at: now.toISOString(),
      status: statusOf(watched),
      minimumOwners: task.minimumOwners,
      maximumOwners: task.maximumOwners,
      deadline: task.deadline,
      arrivals: await this.#arrivalsOf(taskId, watched),
      refused: [...refused],
      stages: stagesOf(watched),
      computation: computationOf(watched),
      waitsFor: waitsFor(watched, now),
    };
  }

  async #arrivalsOf(taskId: TaskId, { contributions, lastSequence }: WatchedTask): Promise<Arrivals> {
    const of = `${contributions} of ${lastSequence}`;
    const known = this.#arrivals.get(taskId);
    if (known?.of === of) return known.arrivals;
    let latest = '';
    const arrivals = (await this.#store.arrivals(taskId, MOST_ARRIVALS)).map((it) => {
      const at = receivedAt(it.receipt);
      // Stored in this order, and received at nearly the same time by processes whose clocks differ.
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

/** As this data user has signed it. */
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

function waitsFor(watched: WatchedTask, now: Date): TaskProgress['waitsFor'] {
  const { state, activity } = watched;
  if (FINAL_STATES.includes(state)) return { who: 'nobody', code: 'nothing' };
  if (activity.waiting !== undefined)
    return { who: OF_CSP.test(activity.waiting.code) ? 'csp' : 'operator', code: 'obstacle' };
  switch (state) {
    case 'proposed':
      return { who: 'csp', code: 'signature' };
    case 'open':
      return whileOpen(watched, now);
    case 'closed':
      return { who: 'data user', code: 'aggregation' };
    case 'blinded':
      return { who: 'csp', code: 'unblinding' };
    case 'decomposed':
      return { who: 'csp', code: 'countersignature' };
    default:
      return { who: 'data user', code: 'computation' };
  }
}

function whileOpen({ task, contributions }: WatchedTask, now: Date): TaskProgress['waitsFor'] {
  const isOverdue = now > new Date(task.deadline);
  if (contributions < task.minimumOwners)
    return isOverdue ? { who: 'operator', code: 'cancel' } : { who: 'owners', code: 'contributions' };
  if (contributions >= task.maximumOwners) return { who: 'operator', code: 'close full' };
  return { who: 'operator', code: isOverdue ? 'close overdue' : 'close' };
}
