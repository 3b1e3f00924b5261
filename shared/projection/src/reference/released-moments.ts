/** The result of a task of moments: the opened sums, and what follows from them. */
import type { ResultOf } from '@eigenveil/methods';
import { placesOf, type StatisticsTask } from '@eigenveil/task';
import { type AgreedTask, type ClaimedProjection, expect } from '../claims/claimed.ts';
import { checkCount, OPENED, type Reference } from './form.ts';
import { momentsOf, openedSums, TOLD_UNIT } from './moments.ts';

type Released = ResultOf<'moments'>;

export const MOMENTS: Reference = {
  ...OPENED,
  fromSums: releasedMoments,
  check: checkMoments,
  longest({ features: { length: d } }, longest) {
    const many = <T>(count: number, value: T) => new Array<T>(count).fill(value);
    const told = { value: longest, from: longest, to: longest };
    const pairs = (d * (d - 1)) / 2;
    return {
      moments: {
        sums: many(pairs + 2 * d + 1, Number.MIN_SAFE_INTEGER),
        rows: told,
        ...{ means: many(d, told), variances: many(d, told), correlations: many(pairs, told) },
        covariances: many(pairs + d, longest),
      },
    };
  },
  forecast: () => [],
  withoutVectors: 'it has moments, and no vectors',
};

/**
 * @param sums R, V and the number of rows, with noise
 * @throws ERR_PROGRAM_INVALID for another number of sums, ERR_DP_PARAMETER
 */
function releasedMoments(task: StatisticsTask, sums: readonly bigint[]): Released {
  checkCount(sums, countOfSums(task));
  return { kind: 'moments', moments: { sums: sums.map(Number), ...momentsOf(openedSums(task, sums)) } };
}

/** Checks that everything follows from the sums, except for the last digit, which may round otherwise elsewhere. */
function checkMoments(task: AgreedTask, { moments }: ClaimedProjection): void {
  const { sums = [] } = moments ?? {};
  expect(
    sums.length === countOfSums(task) && sums.every(Number.isSafeInteger),
    'moments',
    'all sums of the task, integers',
  );
  const follows = releasedMoments(task, sums.map(BigInt)).moments;
  expect(isNear(moments, follows), 'moments', 'what follows from their sums');
}

/** All statistics but the number of owners. */
const countOfSums = (task: StatisticsTask): number => placesOf(task).owners.from;

/** Returns whether two values have the same members, with numbers that differ by the last digit at most. */
function isNear(claimed: unknown, agreed: unknown): boolean {
  if (typeof claimed === 'number' && typeof agreed === 'number')
    return Math.abs(claimed - agreed) <= TOLD_UNIT; // false for NaN
  if (typeof claimed !== 'object' || typeof agreed !== 'object' || claimed === null || agreed === null)
    return claimed === agreed;
  const [own, others] = [Object.entries(claimed), new Map(Object.entries(agreed))];
  return (
    own.length === others.size && own.every(([name, it]) => others.has(name) && isNear(it, others.get(name)))
  );
}
