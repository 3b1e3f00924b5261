/** Cases side by side, each lane a child process: two cores are used, and a case that takes its process down fails alone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Children } from '@eigenveil/testbed/processes/children';
import { tethered } from '@eigenveil/testbed/processes/tether';
import type { Outcome } from '../experiment.ts';
import type { Job, Said } from './job.ts';
import { OutcomeSchema } from './outcome.ts';

/** More would not fit into memory where several run whole garbled computations. */
const MOST_LANES = 2;
const PROGRAM = fileURLToPath(new URL('case-process.ts', import.meta.url));

/** What came of a job: an outcome, or why there is none. */
export type Came = { readonly outcome: Outcome } | { readonly why: string };

export class Lanes {
  readonly count = Math.min(MOST_LANES, availableParallelism());
  readonly #children = new Children();
  #stopped = false;

  /**
   * Does all jobs, in their order as lanes get free, those that share work in one lane. `onDone` is awaited before the lane goes on.
   */
  async run(
    jobs: readonly Job[],
    told: {
      onBegin(job: Job): void;
      onNote(text: string): void;
      onDone(job: Job, came: Came, seconds: number): Promise<void>;
    },
  ): Promise<void> {
    const groups = groupsOf(jobs);
    const lane = async () => {
      let child: ChildProcess | undefined;
      const own: Job[] = [];
      const next = () => {
        if (own.length === 0) own.push(...(groups.shift() ?? []));
        return own.shift();
      };
      for (let job = next(); job !== undefined && !this.#stopped; job = next()) {
        if (child?.connected !== true) child = this.#start();
        const started = performance.now();
        told.onBegin(job);
        const came = await answerOf(child, job, told.onNote);
        if (this.#stopped) return;
        await told.onDone(job, came, (performance.now() - started) / 1000);
      }
      if (child?.connected === true) child.disconnect();
    };
    await Promise.all(Array.from({ length: this.count }, lane));
  }

  /** Ends all cases that are at work, with what they have in temporary folders; nothing more is told of them. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#children.stop();
  }

  #start(): ChildProcess {
    const [command, ...words] = tethered(process.execPath, PROGRAM);
    const child = spawn(command, words, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#children.add(child);
    return child;
  }
}

/** Jobs that share work over one scene make a group; every other one is its own. */
export function groupsOf(jobs: readonly Job[]): Job[][] {
  const groups = Map.groupBy(jobs, (job) =>
    job.together === undefined ? job : JSON.stringify([job.together, job.source, job.seed]),
  );
  return [...groups.values()];
}

function answerOf(child: ChildProcess, job: Job, onNote: (text: string) => void): Promise<Came> {
  return new Promise((resolve) => {
    const settle = (came: Came) => {
      child.off('message', onMessage).off('exit', onExit).off('error', onError);
      resolve(came);
    };
    const onMessage = (said: Said) => {
      if (said.kind === 'note') onNote(said.text);
      else if (said.kind === 'failed') settle({ why: said.why });
      else {
        const { success, data, error } = OutcomeSchema.safeParse(said.outcome);
        settle(success ? { outcome: data } : { why: `its outcome is none: ${error.message}` });
      }
    };
    const onExit = (code: number | null, signal: string | null) =>
      settle({ why: `its process ended with ${signal ?? `exit code ${code}`}` });
    const onError = (error: Error) => settle({ why: error.message });
    child.on('message', onMessage).on('exit', onExit).on('error', onError);
    child.send(job, (error) => {
      if (error) settle({ why: error.message });
    });
  });
}
