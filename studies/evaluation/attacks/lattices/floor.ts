/** Results of tasks with the floor, as an attacker sees them who knows one server's noise; and noise that is planted in exact tasks, for floors that are too low. */
import { type FlatResult, flatResult } from '@eigenveil/methods';
import { resultInClear } from '@eigenveil/projection';
import { drawNoise, flatten, noisedStatistics, type Statistics } from '@eigenveil/statistics';
import { floorDeviation, programOf, type Task } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import { dealtResult } from '../in-process/dealt.ts';
import { share } from '../in-process/two-party.ts';
import { garbledOfShares } from '../tasks/garbled.ts';
import { GRAIN } from './scatter.ts';

/** The number of releases that tasks have by default. */
export const RELEASES = 2;
/** The deviation of one server's noise, in products of grains. */
export const FLOOR_DEVIATION = floorDeviation({ releases: RELEASES });
export const FLOOR = FLOOR_DEVIATION.toFixed(2);

interface Computed {
  readonly task: Task;
  readonly statistics: Statistics;
}

/**
 * The result by the real protocol, from both servers' shares. Of a task with a floor the CSP alone draws noise: an attacker that knows the data user's is left with
 * that, and is better off with no other in the result at all.
 */
export function realResult({ task, statistics }: Computed, floor: Draws): Promise<FlatResult> {
  const shares = share(task, statistics, floor.source);
  return task.twoParty === 'rotated'
    ? dealtResult(task, statistics, undefined, shares)
    : garbledOfShares(task, shares, Number(statistics.owners));
}

/** The statistics that it is the result of, in the units that servers compute with. */
export function withFloor({ task, statistics }: Computed, floor: Draws): Statistics {
  return noisedStatistics(task, flatten(task, statistics), [drawNoise(task, 'csp', floor.source)]);
}

/** The same result by the clear reference, for tasks that would take too long otherwise. */
export const clearResult = (computed: Computed, floor: Draws): FlatResult =>
  flatResult(resultInClear(programOf(computed.task), withFloor(computed, floor)));

/** As fine as tasks can be: noise on products then has 2^40 units and more. */
const FINE_BITS = 20;

/** An exact task and its statistics in finer units, with noise on R. @param deviation in products of grains */
export function planted(
  { task, statistics }: Computed,
  deviation: number,
  draws: Draws,
  fractionBits = FINE_BITS,
): Computed {
  const finer = BigInt(fractionBits - task.fractionBits);
  const size = deviation * (GRAIN * 2 ** fractionBits) ** 2;
  const d = task.features.length;
  const onDiagonal = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d - i }, (__, j) => j === 0),
  ).flat();
  const R = statistics.R.map((value, place) => {
    const own = draws.normal() * size * (onDiagonal[place] ? Math.SQRT2 : 1);
    return (value << (2n * finer)) + BigInt(Math.round(own));
  });
  const labellings = statistics.labellings.map((classes) =>
    classes.map(({ V, M }) => ({ V: V.map((v) => v << finer), M })),
  );
  return { task: { ...task, fractionBits }, statistics: { ...statistics, R, labellings } };
}
