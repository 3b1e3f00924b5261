/** Says in words how far a two-party computation is. */
import type { TaskStatus } from '@eigenveil/wire';

type Progress = NonNullable<TaskStatus['progress']>;

const MILLION = 1e6;

/** Says, for example: 37.2 of 105.2 million AND gates, 7.9 million/s, 9 s left. */
export function describeProgress(progress: Progress): string {
  const { unit, planned, seconds } = progress;
  const done = (progress.done / MILLION).toFixed(1);
  const rate = seconds > 0 ? progress.done / seconds : 0;
  const speed = `${(rate / MILLION).toFixed(1)} million/s`;
  if (planned === undefined) return `${done} million ${unit}, ${speed}`;
  const left = secondsLeft(progress);
  return `${done} of ${(planned / MILLION).toFixed(1)} million ${unit}, ${speed}${left === null ? '' : `, ${Math.ceil(left)} s left`}`;
}

/**
 * Returns the seconds left at the speed so far; null while that is not known, or not how much there is to do.
 */
export function secondsLeft({ done, planned, seconds }: Progress): number | null {
  if (planned === undefined || done === 0 || seconds === 0) return null;
  return (Math.max(0, planned - done) * seconds) / done;
}
