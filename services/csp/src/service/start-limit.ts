/** How many two-party computations of each task may start in a minute. A line that breaks now and then stays far below it. */

import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';

const MINUTE_MILLISECONDS = 60_000;

export class StartLimit {
  perMinute: number;
  readonly #now: () => number;
  /** When the computations of a task started within the last minute, the earliest first. */
  readonly #starts = new Map<TaskId, readonly number[]>();

  /** @param now milliseconds since any one moment */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.perMinute = perMinute;
    this.#now = now;
  }

  /**
   * Counts a start.
   * @throws ERR_RATE_LIMITED; who comes again after a while is admitted, however often it came before
   */
  admit(taskId: TaskId): void {
    const now = this.#now();
    const recent = (this.#starts.get(taskId) ?? []).filter((start) => start > now - MINUTE_MILLISECONDS);
    if (recent.length >= this.perMinute) {
      const retryAfterSeconds = Math.ceil((recent[0]! + MINUTE_MILLISECONDS - now) / 1000);
      throw new CodedError(
        CODES.ERR_RATE_LIMITED,
        `expected at most ${this.perMinute} two-party computations of a task a minute`,
        { retryAfterSeconds },
      );
    }
    this.#starts.set(taskId, [...recent, now]);
  }

  /** For a task that has ended. */
  forget(taskId: TaskId): void {
    this.#starts.delete(taskId);
  }
}
