/** What the sweeps of the suite `scaling` share: their tasks, their files of rows, and samples that are named and timed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileBytes, type Statistics, statisticsOfCsv } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import type { Series } from '../../instrument/unit.ts';
import { exampleTask } from '../example-task.ts';
import { writeRows } from '../rows.ts';
import type { StepsTask } from '../steps.ts';

export interface SweepBounds {
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

/** What an owner does before it encrypts: reads its file, discretises and sums. */
export async function sumRows(task: StatisticsTask, file: string): Promise<Statistics> {
  return (await statisticsOfCsv(readFileBytes(file), task)).statistics;
}

/** Runs repetitions after one uncounted warm-up and keeps what they timed. */
export class Samples {
  readonly #series = new Map<string, number[]>();

  /** `repeat` returns the milliseconds of each quantity; repetition 0 is the warm-up. */
  async repeat(
    repetitions: number,
    repeat: (repetition: number) => Promise<Readonly<Record<string, number>>>,
  ): Promise<void> {
    for (let repetition = 0; repetition <= repetitions; repetition += 1) {
      const times = await repeat(repetition);
      if (repetition === 0) continue;
      for (const [name, milliseconds] of Object.entries(times)) {
        const samples = this.#series.get(name) ?? [];
        samples.push(milliseconds);
        this.#series.set(name, samples);
      }
    }
  }

  series(): Record<string, Series> {
    return Object.fromEntries([...this.#series].map(([name, samples]) => [name, { unit: 'ms', samples }]));
  }
}

export async function timed<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly result: T; readonly milliseconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, milliseconds: performance.now() - start };
}
