/** The contributions to a task over time, as points of a staircase. */
import type { TaskProgress } from '@eigenveil/wire/console';

export interface ArrivalPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly contributions: number;
}

/** From when the task was opened, as far as that is known, until now or until it was closed. Ascending in time. */
export function arrivalPoints({ arrivals, stages, at, status }: TaskProgress): ArrivalPoint[] {
  const points = arrivals.map((it) => ({ at: Date.parse(it.at), contributions: it.contributions }));
  const opening = stages.find(({ state }) => state === 'open');
  const begin = opening === undefined ? undefined : Date.parse(opening.startedAt);
  const end = Date.parse(opening?.endedAt ?? at);
  if (begin !== undefined && begin <= (points[0]?.at ?? end)) points.unshift({ at: begin, contributions: 0 });
  const last = points.at(-1);
  if (status.state !== 'cancelled' && last !== undefined && last.at < end)
    points.push({ at: end, contributions: last.contributions });
  return points;
}

/**
 * Whether a bound is drawn: one that lies far above would flatten the rest.
 * @param count the largest number that is drawn anyway
 */
export function isDrawn(bound: number, count: number): boolean {
  return bound <= 5 * Math.max(1, count);
}
