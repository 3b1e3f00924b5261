/** Measures the cases of studies, as many at a time as there are lanes, and keeps each in the journal as soon as it is done. */
import type { Journal } from './journal.ts';
import type { StudyProgress } from './progress.ts';
import { type MeasuredCase, packed } from './results.ts';
import type { Asked, Bench, Omission, Study } from './study.ts';
import type { Tidy } from './tidy.ts';

/** A case of a study on its way. */
export interface Job {
  readonly study: Study;
  readonly id: string;
  readonly title: string;
  readonly parameters: Tidy;
  readonly expectedSeconds: number;
}

export interface PlannedRun {
  readonly jobs: readonly Job[];
  readonly omissions: readonly Omission[];
}

/** @throws Error when two cases are of the same values */
export async function planRun(studies: readonly Study[], asked: Asked): Promise<PlannedRun> {
  const jobs: Job[] = [];
  const omissions: Omission[] = [];
  for (const study of studies) {
    const plan = await study.plan(asked);
    omissions.push(...(plan.omissions ?? []));
    for (const parameters of plan.cases) {
      const values = Object.values(parameters).join('/');
      jobs.push({
        study,
        id: `${study.id}/${values}`,
        title: `${study.id}: ${study.titleOf?.(parameters) ?? values}`,
        parameters,
        expectedSeconds: study.expectedSeconds(parameters),
      });
    }
  }
  const ids = jobs.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new Error(`two cases are called ${twice}`);
  return { jobs, omissions };
}

/** The jobs that the journal does not have yet. */
export function jobsLeft(jobs: readonly Job[], journal: Journal<MeasuredCase>): Job[] {
  return jobs.filter((job) => journal.find(job) === undefined);
}

/**
 * Measures what is left.
 * @returns the cases that failed, named as what is missing: the others go on
 */
export async function measureJobs(
  jobs: readonly Job[],
  journal: Journal<MeasuredCase>,
  progress: StudyProgress,
  bench: Omit<Bench, 'note'>,
): Promise<Omission[]> {
  const failures: Omission[] = [];
  for (const job of jobsLeft(jobs, journal)) {
    progress.begin(job);
    const startedAt = new Date().toISOString();
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    try {
      const records = await measured(job, { ...bench, note: (text) => progress.note(text) });
      const { id, parameters } = job;
      await journal.add({
        ...{ study: job.study.id, id, parameters, startedAt, seconds: seconds() },
        ...packed(records),
      });
    } catch (error) {
      failures.push({ what: job.title, why: `it failed: ${error instanceof Error ? error.message : error}` });
    }
    progress.done(job, seconds());
  }
  return failures;
}

/**
 * What a case gives.
 * @throws what its measuring function throws, and RangeError for a figure that JSON has no number for
 */
export async function measured(
  { study, parameters }: Pick<Job, 'study' | 'parameters'>,
  bench: Bench,
): Promise<Tidy[]> {
  const given = study.measure(parameters, bench);
  const records: Tidy[] = [];
  if (Symbol.asyncIterator in given) for await (const record of given) records.push(record);
  else records.push(...(await given));
  for (const record of records)
    for (const [column, value] of Object.entries(record))
      if (typeof value === 'number' && !Number.isFinite(value))
        throw new RangeError(`"${column}" of ${study.id} expected a finite number, got ${value}`);
  return records;
}
