/** The contributions to a task over time, as points of a staircase. */
import type { TaskProgress } from '@eigenveil/wire/console';

export interface ArrivalPoint {
  /** The time in milliseconds since 1970. */
  readonly at: number;
  readonly contributions: number;
}

/**
 * Returns points from the opening of the task, as far as it is known, until now or until it was closed, in
 * the order of time.
 */
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

export interface Bound {
  readonly name: string;
  readonly value: number;
  /** True if the name stands below the line, since another line is close above. */
  readonly isNamedBelow: boolean;
}

/** If two bounds are closer than this share of the drawing's height, their names would overlap. */
const CLOSE = 0.15;

/**
 * Returns the bounds that are drawn: a maximum that lies far above would flatten the rest.
 * @param contributions how many there are
 */
export function boundsDrawn(minimum: number, maximum: number, contributions: number): readonly Bound[] {
  if (minimum === maximum) return [{ name: 'minimum and maximum', value: minimum, isNamedBelow: false }];
  const most = Math.max(1, minimum, contributions);
  if (maximum > 5 * most) return [{ name: 'minimum', value: minimum, isNamedBelow: false }];
  const isNamedBelow = maximum - minimum < CLOSE * Math.max(most, maximum);
  return [
    { name: 'minimum', value: minimum, isNamedBelow },
    { name: 'maximum', value: maximum, isNamedBelow: false },
  ];
}
