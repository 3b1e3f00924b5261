/** Does the jobs of a run, as many at a time as there are lanes, and keeps what came of each in the journal as soon as it is done. */
import { CodedError } from '@eigenveil/platform';
import { STUDY_CODES } from './codes.ts';
import type { Journal } from './journal.ts';
import { readPage } from './page.ts';
import { showProgress } from './progress.ts';
import { type MeasuredCase, packed } from './results.ts';
import type { Asked, Bench, Omission, Plan, Study } from './study.ts';
import type { Tidy } from './tidy.ts';

/** The least that is done, and kept, as a whole. */
export interface Job {
  readonly id: string;
  readonly title: string;
  /** All that its outcome depends on, beside what the run says of itself. */
  readonly parameters: Tidy;
  readonly expectedSeconds: number;
  /** Jobs of one word share work: one lane does them, one after the other. */
  readonly together?: string | undefined;
}

/** The journal's record of a job, beside its outcome. */
interface Done {
  readonly id: string;
  readonly parameters: Tidy;
  readonly startedAt: string;
  readonly seconds: number;
}

interface Failure<J extends Job> {
  readonly job: J;
  readonly why: string;
}

interface Doing<J extends Job, Came extends object> {
  readonly journal: Journal<Done & Came>;
  readonly lanes?: number;
  /** Once it is aborted no job is begun, and nothing more is kept of those at work. */
  readonly signal: AbortSignal;
  work(job: J, at: { readonly lane: number; note(text: string): void }): Promise<Came>;
  /** Asked when all jobs are done: those to do beside, such as the same on a fresh seed where their outcome must be confirmed. */
  again?(): readonly J[];
}

/** Does what the journal does not have yet; jobs that throw are among the failures, and the others go on. */
export async function doJobs<J extends Job, Came extends object>(
  jobs: readonly J[],
  doing: Doing<J, Came>,
): Promise<Failure<J>[]> {
  const failures = await doAll(jobs, doing);
  return [...failures, ...(await doAll(doing.again?.() ?? [], doing))];
}

async function doAll<J extends Job, Came extends object>(
  jobs: readonly J[],
  { journal, lanes = 1, signal, work }: Doing<J, Came>,
): Promise<Failure<J>[]> {
  const left = jobsLeft(jobs, journal);
  if (left.length === 0) return [];
  const progress = showProgress(left, { resumed: jobs.length - left.length, lanes });
  signal.addEventListener('abort', () => progress.stop());
  const note = (text: string) => progress.note(text);
  const failures: Failure<J>[] = [];
  const groups = groupsOf(left);
  const doOne = async (job: J, lane: number) => {
    progress.begin(job);
    const startedAt = new Date().toISOString();
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1000;
    try {
      const came = await work(job, { lane, note });
      const { id, parameters } = job;
      if (!signal.aborted) await journal.add({ id, parameters, startedAt, seconds: seconds(), ...came });
    } catch (error) {
      if (!signal.aborted)
        failures.push({ job, why: error instanceof Error ? error.message : String(error) });
    }
    if (!signal.aborted) progress.done(job, seconds());
  };
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let group = groups.shift(); group !== undefined; group = groups.shift())
        for (const job of group) if (!signal.aborted) await doOne(job, lane);
    }),
  );
  progress.stop();
  return failures;
}

/** Jobs that share work make a group; every other one is its own. */
function groupsOf<J extends Job>(jobs: readonly J[]): J[][] {
  return [...Map.groupBy(jobs, (job) => job.together ?? job).values()];
}

/** The jobs that the journal does not have yet. */
export function jobsLeft<J extends Job>(jobs: readonly J[], journal: Pick<Journal<Done>, 'find'>): J[] {
  return jobs.filter((job) => journal.find(job) === undefined);
}

/** A case of a study on its way. */
interface StudyJob extends Job {
  readonly study: Study;
}

interface PlannedRun {
  readonly jobs: readonly StudyJob[];
  readonly omissions: readonly Omission[];
}

/**
 * A study that does not take its user's rows is left out where others do.
 * @throws ERR_STUDY_DATA where none of them does
 * @throws Error when two cases are of the same values
 */
export async function planRun(studies: readonly Study[], asked: Asked): Promise<PlannedRun> {
  const jobs: StudyJob[] = [];
  const omissions: Omission[] = [];
  const leftOut: Omission[] = [];
  for (const study of studies) {
    const plan = await plannedOrRefused(study, asked);
    if (typeof plan === 'string') {
      leftOut.push({ what: study.id, why: plan });
      continue;
    }
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
  if (leftOut.length === studies.length)
    throw new CodedError(
      STUDY_CODES.ERR_STUDY_DATA,
      leftOut.map(({ what, why }) => `${what}: ${why}`).join('\n'),
    );
  const ids = jobs.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw new Error(`two cases are called ${twice}`);
  return { jobs, omissions: [...omissions, ...leftOut] };
}

/** The plan of a study, or why it does not take the rows of its user. */
async function plannedOrRefused(study: Study, asked: Asked): Promise<Plan<Tidy> | string> {
  if (asked.own === undefined) return study.plan(asked);
  const { measures } = await readPage(study.words);
  if (measures !== undefined) return `it takes no rows, as it measures ${measures}`;
  try {
    return await study.plan(asked);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'ERR_STUDY_DATA') return error.message;
    throw error;
  }
}

/** Measures cases. @returns those that failed, named as what is missing */
export async function measureJobs(
  jobs: readonly StudyJob[],
  journal: Journal<MeasuredCase>,
  signal: AbortSignal,
  bench: Omit<Bench, 'note'>,
): Promise<Omission[]> {
  const failures = await doJobs(jobs, {
    journal,
    signal,
    work: async (job, { note }) => ({
      study: job.study.id,
      ...packed(await measured(job, { ...bench, note })),
    }),
  });
  return failures.map(({ job, why }) => ({ what: job.title, why: `it failed: ${why}` }));
}

/**
 * Returns the records of a case.
 * @throws what its measuring function throws, and RangeError for a figure that JSON has no number for
 */
export async function measured(
  { study, parameters }: Pick<StudyJob, 'study' | 'parameters'>,
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
