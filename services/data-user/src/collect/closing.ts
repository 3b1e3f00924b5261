/**
 * Closes tasks that say so (`closes`) when their time has come. Every process of a data user looks, every two
 * seconds and when it starts; that a task is closed once, and only while its time has come, is decided in the
 * store under the lock of the task. So it matters neither who looks first nor whether nobody ran at the
 * deadline. A process whose clock is ahead closes as much too early.
 */
import type { Logger } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { toProblem } from '@eigenveil/wire';
import type { WorkQueue } from '../compute/work-queue.ts';
import { closesByItself } from '../store/rules.ts';
import type { DataUserStore } from '../store/store.ts';
import type { Tasks } from '../tasks/tasks.ts';

const LOOK_MILLISECONDS = 2000;

interface ClosingDependencies {
  readonly store: Pick<DataUserStore, 'closingTasks'>;
  readonly tasks: Pick<Tasks, 'closeByItself'>;
  readonly queue: Pick<WorkQueue, 'offer'>;
  readonly now: () => Date;
  /** Told why a task cannot be closed for the moment, for whoever asks for it. */
  readonly waits: (taskId: TaskId, error: unknown) => Promise<void>;
  readonly log: Pick<Logger, 'info' | 'error'>;
}

export class Closing {
  readonly #deps: ClosingDependencies;
  /** The reasons why tasks could not be closed at the last look: nothing is told twice. */
  #obstacles = new Map<TaskId, string>();
  #canLook = true;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(dependencies: ClosingDependencies) {
    this.#deps = dependencies;
  }

  /** Looks now, and from now on. */
  async start(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#looking = this.#look().then(
      () => {
        this.#canLook = true;
      },
      (error: unknown) => {
        if (this.#canLook) this.#deps.log.error({ err: error }, 'it cannot be seen which tasks to close');
        this.#canLook = false;
      },
    );
    await this.#looking;
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.start(), LOOK_MILLISECONDS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { store, tasks, queue, now, waits, log } = this.#deps;
    const obstacles = new Map<TaskId, string>();
    for (const { task, contributions } of await store.closingTasks()) {
      if (this.#isStopped) return;
      if (!closesByItself(task, contributions, now())) continue;
      try {
        if (!(await tasks.closeByItself(task.id))) continue;
        log.info({ taskId: task.id }, 'closed a task by itself');
        await queue.offer(task.id);
      } catch (error) {
        const { code } = toProblem(error);
        obstacles.set(task.id, code);
        if (this.#obstacles.get(task.id) !== code) await waits(task.id, error);
      }
    }
    this.#obstacles = obstacles;
  }
}
