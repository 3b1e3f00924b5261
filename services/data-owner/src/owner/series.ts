/**
 * An owner's part in a series: which task is the next one of a series that it has contributed to, and whether
 * its policy takes it now. The owner relies on what its home has kept and what the CSP has signed; the data
 * user's word counts for nothing.
 */
import { CodedError, words } from '@eigenveil/platform';
import type { Task, TaskId } from '@eigenveil/task';
import { CODES, checkRenewal, errorCodeOf, linkOf, type SeriesLink } from '@eigenveil/wire';
import type { DataUser, OwnerConnection } from './connection.ts';
import { type BrokenRule, EXAMPLE_INTERVAL_HOURS, type OwnerPolicy, requireUnbroken } from './policy.ts';
import type { OwnerState, SeriesEntry, SeriesState } from './state.ts';
import { member, ownerTerm, rule } from './terms.ts';

const HOUR_MILLISECONDS = 3_600_000;

/**
 * Returns the task that the data user has for the next one after this, signed by the CSP; null: there is none
 * yet.
 */
type NextOf = (taskId: TaskId) => Promise<Task | null>;

/** A series as this owner knows it. */
export interface OwnSeries {
  /** The tasks that it has contributed to, in order. */
  readonly entries: readonly SeriesEntry[];
  /** True if the last of these has a receipt. */
  readonly isReceived: boolean;
  /** The newest task behind the last of these, if there is any. Tasks between the two are over. */
  readonly newest: Task | null;
}

/** The next step of an owner that takes part without being asked each time; `wait` says what it waits for. */
type Step =
  | { readonly kind: 'contribute'; readonly taskId: TaskId }
  | { readonly kind: 'wait'; readonly reason: string };

/**
 * Returns the next step of the owner.
 * @param missed tasks that the data user has said to take nothing more
 */
export function stepOf(
  { entries, isReceived, newest }: OwnSeries,
  rule: OwnerPolicy['series'],
  { now, missed }: { readonly now: Date; readonly missed: ReadonlySet<TaskId> },
): Step {
  const last = entries.at(-1);
  const wait = (reason: string): Step => ({ kind: 'wait', reason });
  if (newest === null) {
    // The process was killed, or the answer was lost: the contribution that was kept is sent again.
    if (last !== undefined && !isReceived && !missed.has(last.taskId))
      return { kind: 'contribute', taskId: last.taskId };
    return wait(`there is no task after ${last?.taskId} yet`);
  }
  if (missed.has(newest.id) || Date.parse(newest.deadline) <= now.getTime())
    return wait(`task ${newest.id} takes nothing more; waiting for the one after it`);
  const end = last === undefined ? 0 : intervalEnd(last, rule);
  if (now.getTime() < end)
    return wait(
      `task ${newest.id} comes too soon: the policy's interval ends at ${new Date(end).toISOString()}`,
    );
  return { kind: 'contribute', taskId: newest.id };
}

/** Returns the time at which the policy lets this owner contribute to a series again, in milliseconds. */
const intervalEnd = (last: SeriesEntry, rule: OwnerPolicy['series']): number =>
  Date.parse(last.at) + HOUR_MILLISECONDS * (rule?.shortestIntervalHours ?? 0);

type SeriesRule = NonNullable<OwnerPolicy['series']>;

/** The place that a task has in its series, by what this owner has contributed to before. */
interface SeriesPlace {
  /** The entry that a contribution takes; undefined where it has one, or needs none. */
  readonly entry: SeriesEntry | undefined;
  /** The rules that the task breaks there: it comes too early, or costs too much. */
  readonly broken: readonly BrokenRule[];
}

/**
 * Returns the place of a task. One that follows nothing that this owner has contributed to begins the series
 * for it.
 * @param entries of the series, as they are kept
 * @param agreed undefined where the policy agrees to no series; then the rules are what a consent would need
 * @throws what no policy allows: ERR_SERIES_INVALID for a task that is not the next, ERR_POLICY for one that
 *   is computed by `rotated`
 */
export async function placeOf(
  task: Task,
  entries: readonly SeriesEntry[],
  agreed: SeriesRule | undefined,
  { now, nextOf }: { readonly now: Date; readonly nextOf: NextOf },
): Promise<SeriesPlace> {
  const link = linkOf(task);
  const entered = entries.find(({ taskId }) => taskId === task.id);
  if (entered?.taskDigest === link.taskDigest) return { entry: undefined, broken: [] };
  if (task.series !== undefined && task.twoParty === 'rotated')
    throw new CodedError(
      CODES.ERR_POLICY,
      words`${member('series')} is not allowed by rotated: its answers over nearly the same rows tell too much together`,
    );
  const last = entries.at(-1);
  if (last !== undefined) checkRenewal(await before(task, last, nextOf), task);
  const epsilon = task.differentialPrivacy?.epsilon ?? null;
  return {
    entry: { ...link, epsilon, at: now.toISOString() },
    broken: brokenByEarlier(task, entries, agreed, now),
  };
}

/**
 * Returns the rules that a task breaks because of what was contributed to its series before. Each change has
 * those before it and those of `brokenRules` in it, since all of them are about one member.
 */
function brokenByEarlier(
  { series: place, differentialPrivacy, deadline }: Task,
  entries: readonly SeriesEntry[],
  consent: SeriesRule | undefined,
  now: Date,
): BrokenRule[] {
  const { totalEpsilon, ...agreed } = consent ?? { most: 2, shortestIntervalHours: EXAMPLE_INTERVAL_HOURS };
  const broken: BrokenRule[] = [];
  // `brokenRules` refuses a renewal without ε where a sum of it is wanted.
  const most = differentialPrivacy === null && place !== undefined ? undefined : totalEpsilon;
  let series: SeriesRule = {
    ...agreed,
    most: Math.max(agreed.most, (place?.number ?? 0) + 1),
    ...(most !== undefined && { totalEpsilon: most }),
  };
  const last = entries.at(-1);
  if (last !== undefined) {
    const end = intervalEnd(last, agreed);
    const passed = now.getTime() - Date.parse(last.at);
    if (now.getTime() < end) {
      const moment = new Date(end).toISOString();
      const hours = Math.floor((100 * passed) / HOUR_MILLISECONDS) / 100;
      series = { ...series, shortestIntervalHours: Math.max(0, hours) };
      broken.push({
        rule:
          consent === undefined
            ? words`your last contribution to ${member('series')} was ${ownerTerm('moment', last.at, last.at)}`
            : words`${member('series')} goes on no sooner than ${ownerTerm('moment', moment, moment)}, by the shortest interval${end < Date.parse(deadline) ? '' : ', and then the deadline of this task has passed'}`,
        // No interval is short enough where the clock was put back and the last contribution is still to come.
        change: passed < 0 ? {} : { series },
      });
    }
  }
  if (most === undefined) return broken;
  // ε of tasks over the same rows adds up. With a task that has none there is no sum.
  const spent = [...entries.map(({ epsilon }) => epsilon), differentialPrivacy?.epsilon ?? null];
  const total = spent.reduce<number>((sum, epsilon) => sum + (epsilon ?? Number.POSITIVE_INFINITY), 0);
  // The sum is compared as the owner writes it: 10 times 0.1 is 1.
  if (total <= most * (1 + 1e-9)) return broken;
  const { totalEpsilon: _, ...unbounded } = series;
  broken.push(
    Number.isFinite(total)
      ? {
          rule: words`${member('series')} has a sum of ε of ${total} with this task, but your policy allows at most ${most}`,
          change: { series: { ...series, totalEpsilon: total } },
        }
      : {
          rule: words`${member('series')} has a task without ${member('differentialPrivacy')}, but a series with ${rule('totalEpsilon')} needs it`,
          change: { series: unbounded },
        },
  );
  return broken;
}

/**
 * Keeps the entry, before anything is sent.
 * @throws ERR_SERIES_INVALID where another process has contributed to another task of the series meanwhile
 */
export async function enter(state: SeriesState, before: number, entry: SeriesEntry): Promise<void> {
  const kept = await state.keep(before, entry);
  if (kept.taskDigest !== entry.taskDigest)
    throw new CodedError(
      CODES.ERR_SERIES_INVALID,
      words`this owner has contributed to ${kept.taskId} of the series meanwhile: ${ownerTerm('again', 'give the command again')}`,
    );
}

/**
 * Returns the newest task behind the link, after checking each task against the one before it. At most `most`
 * tasks are asked for.
 */
export async function newestAfter(last: SeriesLink, most: number, nextOf: NextOf): Promise<Task | null> {
  let [link, newest]: [SeriesLink, Task | null] = [last, null];
  while (link.number + 1 < most) {
    const next = await nextOf(link.taskId);
    if (next === null) break;
    checkRenewal(link, next);
    [link, newest] = [linkOf(next), next];
  }
  return newest;
}

/**
 * Returns the task before this one, if this one comes after the last that the owner knows: it may have missed
 * some.
 */
async function before(task: Task, last: SeriesLink, nextOf: NextOf): Promise<SeriesLink> {
  const number = task.series?.number ?? 0;
  const between = number - 1 > last.number ? await newestAfter(last, number, nextOf) : null;
  return between === null ? last : linkOf(between);
}

/**
 * The place where an owner keeps its series and looks them up at the data user: which tasks it has
 * contributed to, and which tasks come after them.
 */
export class SeriesKeeper {
  readonly #state: OwnerState;
  readonly #rule: OwnerPolicy['series'];
  readonly #connection: OwnerConnection;

  constructor(state: OwnerState, { series }: OwnerPolicy, connection: OwnerConnection) {
    this.#state = state;
    this.#rule = series;
    this.#connection = connection;
  }

  /** Does what `series` of DataOwner says. */
  async series(dataUser: DataUser, taskId: TaskId): Promise<OwnSeries> {
    const { task } = await this.#connection.task(dataUser, taskId);
    const entries = await this.#entries(dataUser, linkOf(task).seriesId);
    const most = this.#rule?.most ?? 0;
    const last = entries.at(-1);
    const newest = last === undefined ? task : await newestAfter(last, most, this.#nextOf(dataUser));
    const isReceived = last !== undefined && (await this.#state.receipt(last.taskId)) !== undefined;
    return { entries, isReceived, newest };
  }

  /**
   * Checks the task's place in its series. The function that it returns records that this owner contributes
   * to the task.
   * @throws ERR_POLICY, ERR_SERIES_INVALID
   */
  async entrance(dataUser: DataUser, task: Task): Promise<() => Promise<void>> {
    const { broken, keep } = await this.#placeOf(dataUser, task);
    requireUnbroken(broken);
    return keep;
  }

  /** Returns all rules for which `entrance` would refuse the task. */
  async broken(dataUser: DataUser, task: Task): Promise<readonly BrokenRule[]> {
    try {
      return (await this.#placeOf(dataUser, task)).broken;
    } catch (error) {
      const isRefused = ['ERR_POLICY', 'ERR_SERIES_INVALID'].includes(errorCodeOf(error) ?? '');
      if (!isRefused || !(error instanceof CodedError)) throw error;
      return [{ rule: error.words, change: {} }];
    }
  }

  /** Returns the rules that the task breaks by its place in its series, and the function that enters it there. */
  async #placeOf(
    dataUser: DataUser,
    task: Task,
  ): Promise<Pick<SeriesPlace, 'broken'> & { readonly keep: () => Promise<void> }> {
    const { series } = this.#state;
    if (series === undefined && task.series !== undefined)
      throw new CodedError(
        CODES.ERR_POLICY,
        words`${member('series')} expected none, since this state keeps no series${ownerTerm('noHome', ': keep the state in a folder (OwnerHome)')}`,
      );
    // A first task of a series that the policy does not agree to needs no entry: see #entries.
    if (series === undefined || (this.#rule === undefined && task.series === undefined))
      return { broken: [], keep: async () => {} };
    const entries = await this.#entries(dataUser, linkOf(task).seriesId);
    const about = { now: new Date(), nextOf: this.#nextOf(dataUser) };
    const { entry, broken } = await placeOf(task, entries, this.#rule, about);
    const keep = async () => {
      if (entry !== undefined) await enter(series, entries.length, entry);
    };
    return { broken, keep };
  }

  /**
   * Returns what is kept of a series. If this owner contributed to the first task before it kept any series,
   * an entry is kept for that task first, with the time at which the ledger has charged it, or the present time.
   */
  async #entries(dataUser: DataUser, seriesId: TaskId): Promise<readonly SeriesEntry[]> {
    const state = this.#state;
    const entries = (await state.series?.entries(seriesId)) ?? [];
    const isKnown = ((await state.receipt(seriesId)) ?? (await state.pending(seriesId))) !== undefined;
    if (state.series === undefined || entries.length > 0 || !isKnown) return entries;
    const { task } = await this.#connection.task(dataUser, seriesId);
    const epsilon = task.differentialPrivacy?.epsilon ?? null;
    const charged = (await state.ledger()).findLast(
      ({ event }) => event.kind !== 'set' && event.taskId === seriesId,
    );
    const at = charged?.time ?? new Date().toISOString();
    await enter(state.series, 0, { ...linkOf(task), epsilon, at });
    return state.series.entries(seriesId);
  }

  #nextOf(dataUser: DataUser): NextOf {
    return (taskId) => this.#connection.nextTask(dataUser, taskId);
  }
}
