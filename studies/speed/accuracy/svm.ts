/** Support vector machines on worker threads: grid search within the training part, then predictions for the test part. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export interface LabelledRows {
  readonly rows: readonly (readonly number[])[];
  /** Class indices. */
  readonly labels: readonly number[];
}

export interface Grid {
  /** C. */
  readonly costs: readonly number[];
  /** γ, for rows whose features have variance 1 on average. */
  readonly gammas: readonly number[];
}

export interface SvmProblem {
  readonly train: LabelledRows;
  readonly test: readonly (readonly number[])[];
  /** The fold of each training row. */
  readonly folds: readonly number[];
  readonly grid: Grid;
}

export interface SvmOutcome {
  /** The prediction per test row. */
  readonly predicted: number[];
  readonly cost: number;
  readonly gamma: number;
}

/**
 * Solves the problems, as many at a time as there are cores. Threads of their own, because the library takes the handlers of
 * unhandled rejections of the process that loads it, and ends the process there.
 */
export const searchAll = (problems: readonly SvmProblem[]): Promise<SvmOutcome[]> =>
  solveAll(problems, new URL('./svm-worker.ts', import.meta.url));

/**
 * Has threads solve the problems, as many at a time as there are cores.
 * @param program of a thread, which answers each message, a problem, with its outcome
 */
export async function solveAll<Problem, Outcome>(
  problems: readonly Problem[],
  program: URL,
): Promise<Outcome[]> {
  const outcomes = new Array<Outcome>(problems.length);
  const workers = Array.from(
    { length: Math.min(availableParallelism(), problems.length) },
    () => new Worker(program),
  );
  let next = 0;
  const work = async (worker: Worker) => {
    const ended = once(worker, 'exit').then(([code]) => {
      throw new Error(`a thread of the accuracy benchmark ended with ${code}`);
    });
    while (next < problems.length) {
      const at = next;
      next += 1;
      worker.postMessage(problems[at]);
      const [outcome] = await Promise.race([once(worker, 'message'), ended]);
      outcomes[at] = outcome as Outcome;
    }
    ended.catch(() => undefined); // it is ended below
  };
  try {
    await Promise.all(workers.map(work));
    return outcomes;
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
