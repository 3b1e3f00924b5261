/** Both servers' additive shares, in the ring of the task's two-party protocol. */

import { type IntegerList, Integers } from '@eigenveil/platform';
import type { RandomSource } from '@eigenveil/privacy';
import { noiseSampler } from '@eigenveil/release';
import { drawNoise } from '@eigenveil/statistics';
import { computedValues, releaseNoiseOf, type StatisticsTask, shiftOf, sumsOf } from '@eigenveil/task';
import { sumShares, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';

/** The members of a task on which its shares depend. */
export type SharedTask = StatisticsTask & { readonly twoParty: keyof typeof TWO_PARTY_PROTOCOLS };

/**
 * The CSP's additive shares: what it reads from the slots, which are values with their blinding, in the units
 * that servers compute with, and its noise. Of a histogram those of its sums.
 * @param signs of a task with `sketch`: Ω
 * @throws as `drawNoise`
 */
export function sharesAtCsp(
  task: SharedTask,
  slots: IntegerList,
  randomness: RandomSource,
  signs?: Int32Array,
): Integers {
  if (task.method.kind === 'histogram') return noisySums(task, slots, drawSumNoise(task, randomness));
  const noise = drawNoise(task, 'csp', randomness, signs);
  return inRing(task, computedValues(task, slots), (value, i) => value + noise[i]!);
}

/**
 * The data user's additive shares: with the CSP's they add up to the statistics, the servers' noise and the
 * public shift (`computedValues`).
 * @throws ERR_DP_PARAMETER
 */
export function sharesAtDataUser(
  task: SharedTask,
  { blinding, noise }: Readonly<Record<'blinding' | 'noise', IntegerList>>,
): Integers {
  if (task.method.kind === 'histogram') {
    const integers = blinding.map((value) => -value);
    return noisySums(task, integers, noise);
  }
  const shift = computedValues(task, shiftOf(task));
  return inRing(task, computedValues(task, blinding), (value, i) => noise.at(i)! + shift[i]! - value);
}

/** The bits of each of a server's shares. */
export function shareBits(task: SharedTask): readonly number[] {
  return TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task);
}

/**
 * Returns the shares of a histogram's sums: the strategy is linear, so each server applies it to its own, and
 * adds its own noise, before anything leaves it. They stay in the ring, whatever noise was drawn: to refuse
 * some would tell something about the rows.
 */
function noisySums(task: SharedTask, integers: IntegerList, noise: IntegerList): Integers {
  return inRing(task, sumShares(task, integers), (sum, i) => sum + noise.at(i)!);
}

/**
 * Shares that are made of these values, reduced one by one: of a sketch, integers of which they are reduced
 * would be tens of megabytes.
 */
function inRing(
  task: SharedTask,
  values: Iterable<bigint>,
  shareOf: (value: bigint, index: number) => bigint,
): Integers {
  const bits = shareBits(task);
  function* shares() {
    let i = 0;
    for (const value of values) {
      yield BigInt.asUintN(bits[i]!, shareOf(value, i));
      i += 1;
    }
  }
  return Integers.of(shares(), bits);
}

/**
 * One number per sum, and 0 for the number of owners, which is no secret. The mean of several draws is closer
 * to the counts, so whoever draws keeps it.
 * @throws ERR_DP_PARAMETER for no histogram with differential privacy
 */
export function drawSumNoise(task: StatisticsTask, source: RandomSource): bigint[] {
  const sample = noiseSampler(source, releaseNoiseOf(task));
  return [...Array.from({ length: sumsOf(task) }, () => sample()), 0n];
}
