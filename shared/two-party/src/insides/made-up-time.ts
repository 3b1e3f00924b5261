/** A clock of no machine's: what is sent when can be told exactly by it. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../channel/pace.ts';

/** Time that goes on when somebody sleeps, and by a step whenever somebody looks, as where everything takes its time. */
export class MadeUpTime implements Clock {
  time = 0;
  readonly #step: number;

  constructor(step = 0) {
    this.#step = step;
  }

  now(): number {
    this.time += this.#step;
    return this.time;
  }

  async sleep(milliseconds: number): Promise<void> {
    await setImmediate();
    this.time += milliseconds / 2 + 1; // wakes up too early now and then
  }
}
