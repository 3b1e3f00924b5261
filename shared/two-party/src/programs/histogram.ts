/**
 * The noisy sums of a histogram task. The strategy is linear over the integers, so each server applies it to its own
 * shares, and adds its own noise, before anything leaves it. Sums stay in the ring, whatever noise was drawn: to
 * refuse some would tell something about the rows.
 */
import {
  type HistogramParameters,
  histogramsOf,
  LINEAR_RING_BITS,
  releaseNoiseOf,
  strategyOf,
  sumsOf,
} from '@eigenveil/methods';
import { CodedError, type IntegerList } from '@eigenveil/platform';
import { coefficientsOf, noiseSampler } from '@eigenveil/release';
import type { StatisticsTask } from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../codes.ts';
import { sumsPace } from '../rotated/standard-pace.ts';
import type { Opened } from './form.ts';

export function histogramSums(method: HistogramParameters): Opened {
  return {
    shareBits: (task) => new Array<number>(sumsOf(task) + 1).fill(LINEAR_RING_BITS),
    valuesOf: (task, integers) => sumsFrom(method, task, integers),
    // One number per sum, for either server.
    drawNoise(task, _, source) {
      const sample = noiseSampler(source, releaseNoiseOf(task));
      return [...Array.from({ length: sumsOf(task) }, () => sample()), 0n];
    },
    pace: (task) => sumsPace(sumsOf(task)),
  };
}

/**
 * Returns for each histogram Ax and the count of cells that are not a number, then the number of owners.
 * @param integers one per value of the flat statistics, of any size
 * @throws ERR_TASK_RANGE for another number of them
 */
function sumsFrom(
  method: HistogramParameters,
  task: Pick<StatisticsTask, 'features'>,
  integers: IntegerList,
): bigint[] {
  const strategy = strategyOf(method);
  const size = strategy.bins + 1;
  const all = histogramsOf(task).length * size;
  if (integers.length !== all + 1)
    throw new CodedError(
      TWO_PARTY_CODES.ERR_TASK_RANGE,
      `expected ${all + 1} values, got ${integers.length}`,
    );
  const sums: bigint[] = [];
  for (let from = 0; from < all; from += size) {
    const unreadable = from + strategy.bins;
    for (const sum of coefficientsOf(strategy, [...integers.slice(from, unreadable)])) sums.push(sum);
    sums.push(integers.at(unreadable)!);
  }
  return [...sums, integers.at(all)!];
}
