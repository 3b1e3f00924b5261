/**
 * Group commit: contributions that are under way at the same time share a transaction, and with it the wait
 * for the disk, which alone would limit how many the data user can take.
 */

import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import type { DataUserStore, NewContribution, StoredContribution } from './store.ts';

/**
 * The most contributions in one transaction, so that its part of the log, and what a database driver copies,
 * stay small.
 */
const LARGEST_GROUP = 128;
const LARGEST_GROUP_BYTES = 2 ** 23;
/**
 * Contributions that are ready wait for others under way up to this many times as long as the last group took
 * to be stored: storing then takes a fifth of the time at most, on a slow disk as on a fast one.
 */
const PATIENCE = 4;
const LONGEST_WAIT_MILLISECONDS = 50;

interface Ready {
  readonly taskId: TaskId;
  readonly contribution: NewContribution;
  readonly resolve: (outcome: StoredContribution | CodedError) => void;
  readonly reject: (reason: unknown) => void;
}

export class GroupedInserts {
  readonly #store: Pick<DataUserStore, 'insertContributions'>;
  readonly #ready: Ready[] = [];
  /** Contributions that are being prepared. */
  #underWay = 0;
  /** Ends the wait for them. */
  #go: (() => void) | undefined;
  #isStoring = false;
  #lastMilliseconds = 0;

  constructor(store: Pick<DataUserStore, 'insertContributions'>) {
    this.#store = store;
  }

  /**
   * Stores what `prepare` makes; resolves once it is durable.
   * @throws as `prepare`, and what the store says of the contribution
   */
  async insert(taskId: TaskId, prepare: () => Promise<NewContribution>): Promise<StoredContribution> {
    const { promise, resolve, reject } = Promise.withResolvers<StoredContribution | CodedError>();
    this.#underWay += 1;
    prepare().then(
      (contribution) => this.#arrive({ taskId, contribution, resolve, reject }),
      (error: unknown) => {
        reject(error);
        this.#arrive();
      },
    );
    const outcome = await promise;
    if (outcome instanceof CodedError) throw outcome;
    return outcome;
  }

  #arrive(...ready: Ready[]): void {
    this.#underWay -= 1;
    this.#ready.push(...ready);
    if (this.#isComplete()) this.#go?.();
    if (!this.#isStoring) void this.#storeAll();
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true;
    while (this.#ready.length > 0) {
      if (!this.#isComplete()) await this.#more();
      const group = this.#ready.splice(0, sizeOfGroup(this.#ready));
      const started = performance.now();
      for (const [taskId, ofTask] of Map.groupBy(group, (ready) => ready.taskId))
        await this.#storeGroup(taskId, ofTask);
      this.#lastMilliseconds = performance.now() - started;
    }
    this.#isStoring = false;
  }

  #isComplete(): boolean {
    return this.#underWay === 0 || this.#ready.length >= LARGEST_GROUP;
  }

  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = Math.min(PATIENCE * this.#lastMilliseconds, LONGEST_WAIT_MILLISECONDS);
    const timer = setTimeout(resolve, patience);
    this.#go = resolve;
    return promise.finally(() => {
      clearTimeout(timer);
      this.#go = undefined;
    });
  }

  async #storeGroup(taskId: TaskId, group: readonly Ready[]): Promise<void> {
    try {
      const contributions = group.map(({ contribution }) => contribution);
      const outcomes = await this.#store.insertContributions(taskId, contributions);
      for (const [i, { resolve }] of group.entries()) resolve(outcomes[i]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

/** Says how many from the first on make a group: one at least. */
function sizeOfGroup(ready: readonly Ready[]): number {
  let bytes = 0;
  const tooMany = ready.findIndex(({ contribution }, i) => {
    bytes += contribution.bytes.length;
    return i > 0 && (i >= LARGEST_GROUP || bytes > LARGEST_GROUP_BYTES);
  });
  return tooMany < 0 ? ready.length : tooMany;
}
