/**
 * Takes the settings of a running service again (SIGHUP): either all that can change while it runs, or none
 * of them.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../observe/log.ts';

/** Settings that can change while a service runs. */
export interface Renewable<Configuration> {
  readonly settings: readonly (keyof Configuration & string)[];
  /**
   * Reads and checks everything that the settings name; throws unless it can be used. The function that it
   * returns puts it in place, at once, and cannot fail.
   */
  prepare(next: Configuration): (() => void) | Promise<() => void>;
}

export class Reloader<Configuration extends object> {
  #current: Configuration;
  readonly #log: Logger;
  readonly #renewables: readonly Renewable<Configuration>[];
  #last = Promise.resolve();

  constructor(current: Configuration, log: Logger, renewables: readonly Renewable<Configuration>[]) {
    this.#current = current;
    this.#log = log;
    this.#renewables = renewables;
  }

  /**
   * Takes the settings that `read` gives, one reload after the other. It never throws: errors are logged, and
   * then nothing has changed.
   */
  reload(read: () => Configuration): Promise<void> {
    this.#last = this.#last.then(async () => {
      try {
        await this.#reload(read());
      } catch (error) {
        this.#log.error({ err: error }, 'settings not reloaded: nothing has changed');
      }
    });
    return this.#last;
  }

  async #reload(next: Configuration): Promise<void> {
    const steps = await Promise.all(this.#renewables.map((it) => it.prepare(next)));
    for (const step of steps) step();
    const names = Object.keys(next) as (keyof Configuration & string)[];
    const renewed = new Set(this.#renewables.flatMap(({ settings }) => settings));
    const changed = names.filter((name) => !isDeepStrictEqual(next[name], this.#current[name]));
    const waiting = changed.filter((name) => !renewed.has(name));
    // Only names are logged: a value may be a password.
    this.#log.info({ changed: changed.filter((name) => renewed.has(name)) }, 'settings reloaded');
    if (waiting.length > 0)
      this.#log.warn({ settings: waiting }, 'these settings have changed, too, and need a restart');
    const before = this.#current;
    this.#current = { ...next, ...Object.fromEntries(waiting.map((name) => [name, before[name]])) };
  }
}
