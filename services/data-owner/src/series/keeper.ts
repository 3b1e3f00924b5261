/**
 * The place where an owner keeps its series and looks them up at the data user: which tasks it has
 * contributed to, and which tasks come after them.
 */
import { CodedError, words } from '@eigenveil/platform';
import type { Task, TaskId } from '@eigenveil/task';
import { CODES, linkOf } from '@eigenveil/wire';
import type { DataUser, OwnerConnection } from '../owner/connection.ts';
import type { OwnerPolicy } from '../owner/policy.ts';
import type { OwnerState, SeriesEntry } from '../owner/state.ts';
import { member, ownerTerm } from '../owner/terms.ts';
import { enter, entryFor, type NextOf, newestAfter, type OwnSeries } from './series.ts';

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
    const { series } = this.#state;
    if (series === undefined && task.series !== undefined)
      throw new CodedError(
        CODES.ERR_POLICY,
        words`${member('series')} expected none, since this state keeps no series${ownerTerm('noHome', ': keep the state in a folder (OwnerHome)')}`,
      );
    // A first task of a series that the policy does not agree to needs no entry: see #entries.
    if (series === undefined || this.#rule === undefined) return async () => {};
    const entries = await this.#entries(dataUser, linkOf(task).seriesId);
    const about = { now: new Date(), nextOf: this.#nextOf(dataUser) };
    const entry = await entryFor(task, entries, this.#rule, about);
    return async () => {
      if (entry !== undefined) await enter(series, entries.length, entry);
    };
  }

  /**
   * Returns what is kept of a series. If this owner contributed to the first task before it kept any series,
   * an entry with the present time is kept for that task first.
   */
  async #entries(dataUser: DataUser, seriesId: TaskId): Promise<readonly SeriesEntry[]> {
    const state = this.#state;
    const entries = (await state.series?.entries(seriesId)) ?? [];
    const isKnown = ((await state.receipt(seriesId)) ?? (await state.pending(seriesId))) !== undefined;
    if (state.series === undefined || entries.length > 0 || !isKnown) return entries;
    const { task } = await this.#connection.task(dataUser, seriesId);
    const epsilon = task.differentialPrivacy?.epsilon ?? null;
    await enter(state.series, 0, { ...linkOf(task), epsilon, at: new Date().toISOString() });
    return state.series.entries(seriesId);
  }

  #nextOf(dataUser: DataUser): NextOf {
    return (taskId) => this.#connection.nextTask(dataUser, taskId);
  }
}
