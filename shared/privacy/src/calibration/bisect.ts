/** The edge of a monotone predicate over the positive numbers. */

/** The relative width at which a bracket counts as closed. */
const CLOSED = 1e-13;

/** A predicate that holds even here is taken to hold everywhere. */
const LEAST = 1e-200;

/**
 * A number that holds, at most 1e-13 of itself above the least that does; `holds` is false up to some x > 0
 * and true beyond. What comes back has itself been tried, so a caller never relies on a number next to the
 * one that was checked.
 */
export function leastThatHolds(holds: (x: number) => boolean, start: number): number {
  let above = start;
  while (!holds(above)) above *= 2;
  let below = above / 2;
  while (holds(below)) {
    if (below < LEAST) return below;
    above = below;
    below /= 2;
  }
  while (above - below > CLOSED * above) {
    const middle = (above + below) / 2;
    if (holds(middle)) above = middle;
    else below = middle;
  }
  return above;
}
