/** The rows behind the contributions of a load: few different ones, each of which many owners send. */
import { addStatistics, type Statistics, StatisticsAccumulator } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';

/** Different statistics; owner i sends those of number i mod this. */
export const KINDS = 8;
/** Owners differ in the number of their rows, so that most mistakes change their sum. */
const FEWEST_ROWS = 50;
const USUAL_FEATURES = 34;
export const MOST_ROWS = FEWEST_ROWS + KINDS - 1;

/**
 * Statistics of pseudo-random rows whose features have different spreads, so that components are well apart.
 * @param signs of a task with a sketch: Ω
 */
export function statisticsOfKind(task: StatisticsTask, kind: number, signs?: Int32Array): Statistics {
  const accumulator = new StatisticsAccumulator(task, signs);
  const next = generator(kind + 1);
  // If there were many features, most would be 0, and a sketch of fewer dimensions than it has columns.
  const steps = Math.min(1, USUAL_FEATURES / task.features.length);
  const cell = (i: number) => Math.round((next() - 0.5) * 2 ** (task.fractionBits + 1) * 0.9 ** (steps * i));
  for (let row = 0; row < FEWEST_ROWS + kind; row += 1)
    accumulator.add(
      Int32Array.from(task.features, (_, i) => cell(i)),
      [],
    );
  return accumulator.statistics();
}

/** The sum over all owners, in the clear. */
export function sumOf(task: StatisticsTask, owners: number, signs?: Int32Array): Statistics {
  const sums = Array.from({ length: Math.min(KINDS, owners) }, (_, kind) =>
    times(statisticsOfKind(task, kind, signs), Math.floor((owners - 1 - kind) / KINDS) + 1),
  );
  return sums.reduce(addStatistics);
}

/** By doubling: an addition per owner would take longer than the load. */
function times(statistics: Statistics, count: number): Statistics {
  if (count === 1) return statistics;
  const half = times(statistics, Math.floor(count / 2));
  const even = addStatistics(half, half);
  return count % 2 === 0 ? even : addStatistics(even, statistics);
}
