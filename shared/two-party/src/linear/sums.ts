/**
 * The strategy of a histogram task, applied to shares: linear over the integers, so that each server does it
 * by itself.
 */
import type { IntegerList } from '@eigenveil/platform';
import { CodedError } from '@eigenveil/platform';
import { coefficientsOf } from '@eigenveil/release';
import { histogramsOf, type StatisticsTask, strategyOf, sumsOf } from '@eigenveil/task';
import { TWO_PARTY_CODES } from '../codes.ts';

/** Ring elements of one server: the sums, and the number of owners. */
export function sumCount(task: Pick<StatisticsTask, 'method' | 'features'>): number {
  return sumsOf(task) + 1;
}

/**
 * Returns for each histogram Ax and the count of cells that are not a number, then the number of owners.
 * @param integers one per value of the flat statistics, of any size: the caller must reduce the result
 * @throws ERR_TASK_RANGE for another task
 */
export function sumShares(
  task: Pick<StatisticsTask, 'method' | 'features'>,
  integers: IntegerList,
): bigint[] {
  const { method } = task;
  if (method.kind !== 'histogram')
    throw new CodedError(TWO_PARTY_CODES.ERR_TASK_RANGE, `"method" expected histogram, got ${method.kind}`);
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
