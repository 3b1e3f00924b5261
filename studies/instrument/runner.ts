/** Takes the units of all suites in turn, keeping each in the journal as soon as it is measured. */
import type { Journal } from './journal.ts';
import type { StudyProgress } from './progress.ts';
import type { Measurement, Omission, Plan, Scale, Suite, Unit } from './unit.ts';

export interface PlannedSuite extends Plan {
  readonly suite: Suite;
}

export interface Outcome {
  readonly measurements: readonly Measurement[];
  /** Units that failed, named as what is missing. */
  readonly failures: readonly Omission[];
}

/** @throws Error when two units have one id */
export async function planSuites(suites: readonly Suite[], scale: Scale): Promise<PlannedSuite[]> {
  const plans: PlannedSuite[] = [];
  for (const suite of suites) plans.push({ suite, ...(await suite.plan(scale)) });
  const ids = plans.flatMap(({ units }) => units.map(({ id }) => id));
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new Error(`two units are called ${twice}`);
  return plans;
}

/** The units that the journal does not have yet. */
export function unitsLeft(units: readonly Unit[], journal: Journal): Unit[] {
  return units.filter((unit) => journal.find(unit) === undefined);
}

/** Measures what is left; a unit that throws is named in the outcome, and the others go on. */
export async function measureUnits(
  units: readonly Unit[],
  journal: Journal,
  progress: StudyProgress,
  folder?: string,
): Promise<Outcome> {
  const failures: Omission[] = [];
  for (const unit of unitsLeft(units, journal)) {
    progress.begin(unit);
    const startedAt = new Date().toISOString();
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    try {
      const result = await unit.measure((text) => progress.note(text), folder);
      const { id, parameters } = unit;
      await journal.add({ id, parameters, startedAt, seconds: seconds(), ...result });
    } catch (error) {
      failures.push({
        what: unit.title,
        why: `it failed: ${error instanceof Error ? error.message : error}`,
      });
    }
    progress.done(unit, seconds());
  }
  return { measurements: measuredOf(units, journal), failures };
}

/** What the journal has of these units, in their order. */
export function measuredOf(units: readonly Unit[], journal: Journal): Measurement[] {
  return units.map((unit) => journal.find(unit)).filter((measurement) => measurement !== undefined);
}
