/**
 * The work of `serve-series`: it contributes to each task of a series as it comes, and fetches the results.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  COMMAND_CODES,
  type Command,
  type Configuration,
  makeFolder,
  printNote,
  printResult,
  untilInterrupted,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { saveProjection } from '@eigenveil/projection';
import { STANDARD_INPUT } from '@eigenveil/statistics/files';
import type { TaskId } from '@eigenveil/task/ids';
import { taskInWords } from '@eigenveil/task/title';
import { CODES, type ErrorCode, errorCodeOf, isTransient, toProblem } from '@eigenveil/wire';
import { stepOf } from '../../owner/series.ts';
import type { SeriesEntry } from '../../owner/state.ts';
import type { SERIES_SETTINGS } from '../settings.ts';
import { contributeTo } from './contribute.ts';
import { openTask } from './owner.ts';

type SeriesSettings = Configuration<typeof SERIES_SETTINGS>;

/** Errors that say that a task takes no contribution of this owner any more. */
const OVER: ReadonlySet<string | undefined> = new Set([
  'ERR_TASK_CLOSED',
  'ERR_TASK_CANCELLED',
  'ERR_TASK_DEADLINE',
  'ERR_TASK_FULL',
  'ERR_CONTRIBUTION_WITHDRAWN',
] satisfies ErrorCode[]);

/**
 * Contributes to the tasks of a series and fetches the results.
 * @throws ERR_NOT_READY if it should look only once, and there is nothing to do; ERR_CONFIGURATION for rows
 *   on standard input
 */
export async function serveSeries(command: Command, settings: SeriesSettings, id: string): Promise<void> {
  if (settings.data === STANDARD_INPUT)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      '"--data" expected a file: rows are read again for each task of the series',
    );
  const follower = new Follower(command, settings, id);
  if (!settings.once) return follower.follow();
  const reason = await follower.look();
  if (reason !== null) throw new CodedError(CODES.ERR_NOT_READY, `there is nothing to do: ${reason}`);
}

class Follower {
  readonly #command: Command;
  readonly #settings: SeriesSettings;
  readonly #id: string;
  /** Tasks that take nothing more, and those whose results this owner will not get. */
  readonly #missed = new Set<TaskId>();
  readonly #without = new Set<TaskId>();
  #told = '';

  constructor(command: Command, settings: SeriesSettings, id: string) {
    this.#command = command;
    this.#settings = settings;
    this.#id = id;
  }

  /** Looks again and again until a signal ends it; work that has begun is then finished. */
  async follow(): Promise<void> {
    using interrupted = untilInterrupted();
    const { signal } = interrupted;
    while (!signal.aborted) {
      try {
        this.#tell(await this.look());
      } catch (error) {
        this.#tell(wordsOf(error));
      }
      await sleep(1000 * this.#settings.everySeconds, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * Does what there is to do now. Returns null if something was done, and otherwise the reason why nothing
   * was done.
   */
  async look(): Promise<string | null> {
    const { entries, step } = await this.#look();
    let reason = step.kind === 'wait' ? step.reason : null;
    if (step.kind === 'contribute') reason = await this.#contribute(step.taskId);
    const results = await this.#fetchResults(entries);
    return results > 0 ? null : reason;
  }

  async #look() {
    await using session = await openTask(this.#settings, this.#id);
    const { owner, dataUser, taskId, policy } = session;
    const series = await owner.series(dataUser, taskId);
    const step = stepOf(series, policy.series, { now: new Date(), missed: this.#missed });
    return { entries: series.entries, step };
  }

  async #contribute(taskId: TaskId): Promise<string | null> {
    try {
      await contributeTo(this.#command, this.#settings, taskId);
      return null;
    } catch (error) {
      if (!OVER.has(errorCodeOf(error))) throw error;
      this.#missed.add(taskId);
      return `task ${taskId} was missed: ${wordsOf(error)}`;
    }
  }

  /** Writes the results that have come since; returns their number. */
  async #fetchResults(entries: readonly SeriesEntry[]): Promise<number> {
    const { results } = this.#settings;
    if (results === undefined) return 0;
    let written = 0;
    for (const { taskId } of entries) {
      const file = join(results, `${taskId}.json`);
      if (this.#without.has(taskId) || (await isThere(file))) continue;
      const evidence = await this.#resultOf(taskId);
      if (evidence === null) continue;
      await makeFolder(results);
      await saveProjection(file, evidence);
      written += 1;
      printResult(this.#command, {
        json: { result: file, task: taskId },
        text: `result of ${taskInWords(taskId, evidence.task.title)} in ${file}`,
      });
    }
    return written;
  }

  /** Returns null where there is no result yet, or there will never be one. */
  async #resultOf(taskId: TaskId) {
    try {
      await using session = await openTask(this.#settings, taskId);
      return (await session.owner.result(session.dataUser, taskId)).evidence;
    } catch (error) {
      if (errorCodeOf(error) === 'ERR_NOT_READY') return null;
      if (isTransient(error)) throw error;
      this.#without.add(taskId);
      this.#tell(`no result of ${taskId}: ${wordsOf(error)}`);
      return null;
    }
  }

  /** Prints a line for people, unless it is the same as the last one. */
  #tell(line: string | null): void {
    if (line !== null && line !== this.#told) printNote(this.#command, line);
    this.#told = line ?? '';
  }
}

function wordsOf(error: unknown): string {
  const { code, detail, title } = toProblem(error);
  if (code !== 'ERR_INTERNAL') return `${code}: ${detail ?? title}`;
  return error instanceof Error ? error.message : String(error);
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
