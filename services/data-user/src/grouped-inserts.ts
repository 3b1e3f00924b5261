/**
 * Group commit: contributions that come while others are being stored share the next transaction, and with it the wait for the
 * disk, which alone would limit how many the data user can take.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, type TaskId } from '@eigenveil/wire';
import type { DataUserStore, NewContribution, StoredContribution } from './store.ts';

/** In one transaction, so that its part of the log stays small. */
const LARGEST_GROUP = 128;

interface Waiting {
  readonly contribution: NewContribution;
  readonly resolve: (outcome: StoredContribution | ServiceError) => void;
  readonly reject: (reason: unknown) => void;
}

export class GroupedInserts {
  readonly #store: Pick<DataUserStore, 'insertContributions'>;
  /** Of each task that has some. */
  readonly #waiting = new Map<TaskId, Waiting[]>();
  /** How long the last group took, in milliseconds. */
  #last = 0;

  constructor(store: Pick<DataUserStore, 'insertContributions'>) {
    this.#store = store;
  }

  /** Stores a contribution; resolves once it is durable. Throws what the store says of it. */
  async insert(taskId: TaskId, contribution: NewContribution): Promise<StoredContribution> {
    const { promise, resolve, reject } = Promise.withResolvers<StoredContribution | ServiceError>();
    const waiting = this.#waiting.get(taskId);
    if (waiting !== undefined) waiting.push({ contribution, resolve, reject });
    else {
      this.#waiting.set(taskId, [{ contribution, resolve, reject }]);
      void this.#storeAll(taskId);
    }
    const outcome = await promise;
    if (outcome instanceof ServiceError) throw outcome;
    return outcome;
  }

  async #storeAll(taskId: TaskId): Promise<void> {
    const waiting = this.#waiting.get(taskId)!;
    while (waiting.length > 0) {
      // As long as storing takes, so that at least half of the time is left for everything else.
      await sleep(this.#last);
      const started = performance.now();
      await this.#storeGroup(taskId, waiting.splice(0, LARGEST_GROUP));
      this.#last = performance.now() - started;
    }
    this.#waiting.delete(taskId);
  }

  async #storeGroup(taskId: TaskId, group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#store.insertContributions(
        taskId,
        group.map(({ contribution }) => contribution),
      );
      for (const [i, { resolve }] of group.entries()) resolve(outcomes[i]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}
