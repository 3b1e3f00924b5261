import type { Logger } from '@eigenveil/server';
import type { TaskId } from '@eigenveil/task';
import { CODES, type ErrorCode, errorCodeOf } from '@eigenveil/wire';
import type { DataUserStore, Refused } from '../store/store.ts';

const FLUSH_MILLISECONDS = 2000;
/**
 * The most pairs of tasks and codes that are counted between two transactions; more are of somebody who makes
 * ids up.
 */
const MOST_COUNTED = 1000;
/** The first status of errors that are not a fault of the upload. */
const FIRST_OWN_STATUS = 500;

type Counted = Refused & { readonly taskId: TaskId };

export class Refusals {
  readonly #store: Pick<DataUserStore, 'addRefused'>;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #onRefused: (code: ErrorCode) => void;
  readonly #counted = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(dependencies: {
    readonly store: Pick<DataUserStore, 'addRefused'>;
    readonly now: () => Date;
    readonly log: Logger;
    /** Told of each upload that is refused. */
    readonly onRefused?: (code: ErrorCode) => void;
  }) {
    this.#store = dependencies.store;
    this.#now = dependencies.now;
    this.#log = dependencies.log;
    this.#onRefused = dependencies.onRefused ?? (() => {});
  }

  /** Counts a refusal; whether there is such a task is found out when it is written down. */
  count(taskId: TaskId, error: unknown): void {
    const code = errorCodeOf(error);
    if (code === undefined || CODES[code].status >= FIRST_OWN_STATUS) return;
    this.#onRefused(code);
    this.#add({ taskId, code, count: 1, lastAt: this.#now().toISOString() });
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS).unref();
  }

  /** Writes down what was counted; what cannot be written is tried with what comes next. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counted = [...this.#counted.values()];
    this.#counted.clear();
    if (counted.length === 0) return;
    try {
      await this.#store.addRefused(counted);
    } catch (error) {
      this.#log.warn({ err: error }, 'refused uploads are not counted yet');
      for (const it of counted) this.#add(it);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
  }

  #add(it: Counted): void {
    const key = `${it.taskId} ${it.code}`;
    const known = this.#counted.get(key);
    if (known === undefined && this.#counted.size >= MOST_COUNTED) return;
    const lastAt = known !== undefined && known.lastAt > it.lastAt ? known.lastAt : it.lastAt;
    this.#counted.set(key, { ...it, count: it.count + (known?.count ?? 0), lastAt });
  }
}
