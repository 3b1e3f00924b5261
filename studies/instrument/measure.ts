/**
 * Timing for the benchmarks: contestants take turns within one run, so that a change of clock speed or of load hits all
 * of them.
 */

import { median } from './statistics.ts';

interface Contestant {
  /** Untimed work before each repetition; repetition 0 is the warm-up. */
  prepare?: (repetition: number) => unknown;
  /** The timed work. */
  run: (repetition: number) => unknown;
}

/**
 * Milliseconds of each contestant in each repetition, after one uncounted warm-up. Every other repetition goes through
 * the contestants backwards, so that none of them always runs in another's wake.
 */
export async function interleavedSamples<Name extends string>(
  contestants: Record<Name, Contestant>,
  repetitions: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let repetition = 0; repetition <= repetitions; repetition += 1) {
    for (const name of repetition % 2 === 0 ? names : names.toReversed()) {
      const { prepare, run } = contestants[name];
      await prepare?.(repetition);
      const start = performance.now();
      await run(repetition);
      const elapsed = performance.now() - start;
      if (repetition > 0) times[name].push(elapsed);
    }
  }
  return times;
}

/** The medians of `interleavedSamples`. */
export async function interleavedMedians<Name extends string>(
  contestants: Record<Name, Contestant>,
  repetitions: number,
): Promise<Record<Name, number>> {
  const samples = await interleavedSamples(contestants, repetitions);
  const medians = Object.entries<number[]>(samples).map(([name, times]) => [name, median(times)]);
  return Object.fromEntries(medians) as Record<Name, number>;
}
