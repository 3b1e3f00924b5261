/**
 * The command `serve-series` of eigenveil-owner: contributes to each task of a series as it comes. What its action works with is loaded when it runs:
 * --help and mistakes are told at once.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addSettings,
  type Configuration,
  makeFolder,
  onShutdown,
  printNote,
  printResult,
} from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task/schema';
import type { ErrorCode } from '@eigenveil/wire';
import type { Command } from 'commander';
import { z } from 'zod';
import type { SeriesEntry } from '../owner/state.ts';
import { CONTRIBUTE_SETTINGS, contributeTo } from './contribute.ts';
import { PREFIX, withTask } from './settings.ts';

const SERIES_SETTINGS = {
  ...CONTRIBUTE_SETTINGS,
  results: {
    schema: z.string().min(1).optional(),
    description: 'folder for the results, each with all that was signed about it: TASK.json',
    placeholder: 'DIR',
  },
  everySeconds: {
    schema: z.int().min(1).max(86_400),
    description: 'how long to wait between two looks',
    default: 600,
    placeholder: 'NUMBER',
  },
  once: {
    schema: z.boolean(),
    description: 'look once and end: for cron',
    default: false,
  },
} as const;
type SeriesSettings = Configuration<typeof SERIES_SETTINGS>;

/** A task that the data user answers this for takes no contribution of this owner any more. */
const OVER: ReadonlySet<string | undefined> = new Set([
  'ERR_TASK_CLOSED',
  'ERR_TASK_CANCELLED',
  'ERR_TASK_DEADLINE',
  'ERR_TASK_FULL',
  'ERR_CONTRIBUTION_WITHDRAWN',
] satisfies ErrorCode[]);

export function addServeSeries(program: Command): void {
  const command = program
    .command('serve-series <TASK>')
    .description('contribute to a task and to each one that renews it, as they come');
  const configuration = addSettings(command, PREFIX, SERIES_SETTINGS);
  command.addHelpText(
    'after',
    `
The policy must agree: "series" with most, shortestIntervalHours and, for differential privacy, totalEpsilon (contribute --help). Rows are
read anew for each task, by the same settings as contribute takes. The next task is the one that the CSP has signed as such, with the same
parameters; what this owner has contributed to lies in --home. A failure is said, and tried again at the next look. SIGTERM
ends it. One that is killed can be started again at any time: no task gets two contributions.

With --once it looks once. The exit code is 0 if it contributed or wrote a result, 5 if there was nothing to do.

Example:
  $ eigenveil-owner serve-series TASK --user-url https://user.example.org:8444 --policy policy.json --data rows.csv --ignore id --results results
  0 * * * * eigenveil-owner serve-series TASK --once --config owner.json || test $? -eq 5`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const follower = new Follower(command, settings, id);
    if (!settings.once) return follower.follow();
    const reason = await follower.look();
    if (reason === null) return;
    const { CODES } = await import('@eigenveil/wire');
    throw new CodedError(CODES.ERR_NOT_READY, `there is nothing to do: ${reason}`);
  });
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

  /** Until a signal ends it: what is on its way then comes to its end. */
  async follow(): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const stop = onShutdown(['SIGINT', 'SIGTERM'], async () => controller.abort());
    try {
      while (!signal.aborted) {
        try {
          this.#tell(await this.look());
        } catch (error) {
          this.#tell(await wordsOf(error));
        }
        await sleep(1000 * this.#settings.everySeconds, undefined, { signal }).catch(() => {});
      }
    } finally {
      stop();
    }
  }

  /** Does what there is to do now; null: something was done, else why nothing was. */
  async look(): Promise<string | null> {
    const { entries, step } = await this.#look();
    let reason = step.kind === 'wait' ? step.reason : null;
    if (step.kind === 'contribute') reason = await this.#contribute(step.taskId);
    const results = await this.#fetchResults(entries);
    return results > 0 ? null : reason;
  }

  async #look() {
    const { stepOf } = await import('../series/series.ts');
    return withTask(this.#settings, this.#id, async (owner, dataUser, taskId, policy) => {
      const series = await owner.series(dataUser, taskId);
      const step = stepOf(series, policy.series, { now: new Date(), missed: this.#missed });
      return { entries: series.entries, step };
    });
  }

  async #contribute(taskId: TaskId): Promise<string | null> {
    try {
      await contributeTo(this.#command, this.#settings, taskId);
      return null;
    } catch (error) {
      const { errorCodeOf } = await import('@eigenveil/wire');
      if (!OVER.has(errorCodeOf(error))) throw error;
      this.#missed.add(taskId);
      return `task ${taskId} was missed: ${await wordsOf(error)}`;
    }
  }

  /** Writes the results that have come since; returns how many. */
  async #fetchResults(entries: readonly SeriesEntry[]): Promise<number> {
    const { results } = this.#settings;
    if (results === undefined) return 0;
    const { saveProjection } = await import('@eigenveil/projection');
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
        text: `result of ${taskId} in ${file}`,
      });
    }
    return written;
  }

  /** Null: not yet, or never. */
  async #resultOf(taskId: TaskId) {
    const { errorCodeOf, isTransient } = await import('@eigenveil/wire');
    try {
      const work = withTask(this.#settings, taskId, (owner, dataUser) => owner.result(dataUser, taskId));
      return (await work).evidence;
    } catch (error) {
      if (errorCodeOf(error) === 'ERR_NOT_READY') return null;
      if (isTransient(error)) throw error;
      this.#without.add(taskId);
      this.#tell(`no result of ${taskId}: ${await wordsOf(error)}`);
      return null;
    }
  }

  /** To people only, and once as long as it is the same. */
  #tell(line: string | null): void {
    if (line !== null && line !== this.#told) printNote(this.#command, line);
    this.#told = line ?? '';
  }
}

async function wordsOf(error: unknown): Promise<string> {
  const { toProblem } = await import('@eigenveil/wire');
  const { code, detail, title } = toProblem(error);
  if (code !== 'ERR_INTERNAL') return `${code}: ${detail ?? title}`;
  return error instanceof Error ? error.message : String(error);
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
