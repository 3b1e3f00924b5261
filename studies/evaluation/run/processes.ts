/** Child processes that run cases, one for each lane: two cores are used, and a case that takes its process down fails alone. */
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

export class CaseProcesses {
  readonly lanes = Math.min(MOST_LANES, availableParallelism());
  readonly #children = new Children();
  readonly #ofLanes = new Map<number, ChildProcess>();

  /** @throws Error saying why there is no outcome: what the experiment threw, or how its process ended */
  run(job: Job, { lane, note }: { readonly lane: number; note(text: string): void }): Promise<Outcome> {
    const child = this.#childOf(lane);
    return new Promise((resolve, reject) => {
      const settled = () => {
        child.off('message', onMessage).off('exit', onExit).off('error', fail);
      };
      const fail = ({ message }: Pick<Error, 'message'>) => {
        settled();
        reject(new Error(message));
      };
      const onMessage = (said: Said) => {
        if (said.kind === 'note') return note(said.text);
        if (said.kind === 'failed') return fail({ message: said.why });
        const { success, data, error } = OutcomeSchema.safeParse(said.outcome);
        if (!success) return fail({ message: `its outcome is none: ${error.message}` });
        settled();
        resolve(data);
      };
      const onExit = (code: number | null, signal: string | null) =>
        fail({ message: `its process ended with ${signal ?? `exit code ${code}`}` });
      child.on('message', onMessage).on('exit', onExit).on('error', fail);
      child.send(job, (error) => {
        if (error) fail(error);
      });
    });
  }

  /** Lets all processes go. */
  close(): void {
    for (const child of this.#ofLanes.values()) if (child.connected) child.disconnect();
  }

  /** Ends all cases that are at work, with what they have in temporary folders. */
  async stop(): Promise<void> {
    await this.#children.stop();
  }

  #childOf(lane: number): ChildProcess {
    const last = this.#ofLanes.get(lane);
    if (last?.connected) return last;
    const [command, ...words] = tethered(process.execPath, PROGRAM);
    const child = spawn(command, words, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.#children.add(child);
    this.#ofLanes.set(lane, child);
    return child;
  }
}
