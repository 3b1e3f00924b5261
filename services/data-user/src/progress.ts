/** How far a two-party computation is, in words. */
import type { TaskStatus } from '@eigenveil/wire';

const MILLION = 1e6;

/** For example: 37.2 of 105.2 million AND gates, 7.9 million/s, 9 s left. */
export function describeProgress({
  andGates,
  plannedGates,
  seconds,
}: NonNullable<TaskStatus['progress']>): string {
  const done = (andGates / MILLION).toFixed(1);
  const rate = seconds > 0 ? andGates / seconds : 0;
  const speed = `${(rate / MILLION).toFixed(1)} million/s`;
  if (plannedGates === undefined) return `${done} million AND gates, ${speed}`;
  const left = rate > 0 ? `, ${Math.ceil((plannedGates - andGates) / rate)} s left` : '';
  return `${done} of ${(plannedGates / MILLION).toFixed(1)} million AND gates, ${speed}${left}`;
}
