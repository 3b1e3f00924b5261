/** The part that the sweeps of the study `scaling` share: their tasks, their files of rows, and what they time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileBytes, type Statistics, statisticsOfCsv } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { exampleTask } from '../example-task.ts';
import { writeRows } from '../rows.ts';
import type { StepsTask } from '../steps.ts';

interface SweepBounds {
  readonly features: number;
  readonly owners: number;
  readonly samplesPerOwner: number;
}

export const KEY_BITS = 2048;
/** As many features as the data set ionosphere, where a sweep does not vary them. */
export const FEATURES = 34;

/** The example task within other bounds. */
export function sweepTask({ features, owners, samplesPerOwner }: SweepBounds): StepsTask {
  return {
    ...exampleTask(features, KEY_BITS),
    maximumOwners: owners,
    maximumSamplesPerOwner: samplesPerOwner,
  };
}

/** Does work with a CSV file of so many rows that is gone afterwards. */
export async function withRows<T>(
  { rows, features }: { readonly rows: number; readonly features: number },
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-rows-'));
  try {
    const file = join(folder, 'rows.csv');
    await writeRows(file, rows, features);
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The work of an owner before it encrypts: it reads its file, discretises and sums. */
export async function sumRows(task: StatisticsTask, file: string): Promise<Statistics> {
  return (await statisticsOfCsv(readFileBytes(file), task)).statistics;
}

/** Milliseconds of each quantity in each repetition; repetition 0 is a warm-up that does not count. */
export async function repeated<Times extends Readonly<Record<string, number>>>(
  repetitions: number,
  repeat: (repetition: number) => Promise<Times>,
): Promise<(Times & { readonly repetition: number })[]> {
  const all: (Times & { readonly repetition: number })[] = [];
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    const times = await repeat(repetition);
    if (repetition > 0) all.push({ ...times, repetition });
  }
  return all;
}

export async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - start };
}
