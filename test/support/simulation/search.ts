/** Looks for a scenario that the services do not survive, and shrinks it. */
import * as fc from 'fast-check';
import { OWNERS, type Scenario, scenarios } from './operations.ts';
import { type Finished, run } from './run.ts';
import { type DataUserSettings, Services } from './services.ts';

export interface SearchOptions {
  readonly seed: number;
  readonly runs: number;
  /** The most operations of a run, about. */
  readonly length: number;
  /** How long to look for a smaller scenario that fails, too; 0 for not at all. */
  readonly shrinkMilliseconds: number;
  readonly onRun?: (finished: Finished) => void;
}

export interface Finding {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly fault: string;
}

/** The services of one run after another; those that have failed are never used again. */
export class ServicesPool {
  readonly #dataUser: () => Promise<DataUserSettings>;
  #services: Services | undefined;

  /** `dataUser` gives the settings of each new data user, such as a database that no other has used. */
  constructor(dataUser: () => Promise<DataUserSettings> = async () => ({})) {
    this.#dataUser = dataUser;
  }

  async run(scenario: Scenario): Promise<Finished> {
    this.#services ??= await Services.start(OWNERS, await this.#dataUser());
    try {
      return await run(this.#services, scenario);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const services = this.#services;
    this.#services = undefined;
    await services?.close();
  }
}

/** The smallest scenario found that fails; undefined if all runs were good. */
export async function search(pool: ServicesPool, options: SearchOptions): Promise<Finding | undefined> {
  const { seed, runs, length, shrinkMilliseconds, onRun } = options;
  let shrinksUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(scenarios(length), async (scenario) => {
    fc.pre(Date.now() < shrinksUntil);
    try {
      const finished = await pool.run(scenario);
      onRun?.(finished);
    } catch (error) {
      shrinksUntil = Math.min(shrinksUntil, Date.now() + shrinkMilliseconds);
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: shrinkMilliseconds === 0 });
  if (!details.failed) return undefined;
  const [scenario] = details.counterexample!;
  return { seed, scenario, fault: String(details.errorInstance) };
}
