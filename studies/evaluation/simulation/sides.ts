/** Both ways to a view, and the leaks that can be planted into the real one. */
import type { Draws } from '../draws.ts';
import type { Values } from './classifier.ts';

export interface Leak {
  readonly id: string;
  /** What goes wrong, as a short sentence. */
  readonly title: string;
  /** What its size counts, for an axis. */
  readonly size: string;
  /** Ascending; the last is the control's. */
  readonly sizes: readonly number[];
}

export interface Planted {
  readonly leak: string;
  readonly size: number;
}

/** Both ways to a view, each call a whole run with draws of its own. */
export interface Sides {
  real(draws: Draws, planted?: Planted): Promise<Values> | Values;
  simulated(draws: Draws): Promise<Values> | Values;
}

/** One after the other, each with its own stream. */
export async function viewsOf(
  draws: Draws,
  runs: number,
  run: (draws: Draws) => Promise<Values> | Values,
): Promise<Values[]> {
  const views: Values[] = [];
  for (let i = 0; i < runs; i += 1) views.push(await run(draws.of(i)));
  return views;
}

/** Remembers runs by their draws: where a leak is planted into what a run left, one run serves all sizes of it. */
export function once<T>(run: (draws: Draws) => Promise<T>): (draws: Draws) => Promise<T> {
  const runs = new Map<string, Promise<T>>();
  return (draws) => {
    const name = Buffer.from(draws.of('name').source(16)).toString('hex');
    const known = runs.get(name) ?? run(draws);
    runs.set(name, known);
    return known;
  };
}
