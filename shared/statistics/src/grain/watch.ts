/** How far the values of an owner's features lie apart, found while its rows are summed. */
import type { Feature } from '@eigenveil/task';
import { GrainFinder, LEAST_GRID_ROWS } from './grain.ts';

/** After the first rows one of so many is looked at, as the others say the same: a prime, so that rows of any order come in turn. */
const FIRST_ROWS = 4096;
const ONE_OF = 17;

/** Per feature in its unit; undefined where its values lie on no grid, as measured ones do. */
export type FoundGrains = readonly (number | undefined)[];

export class GrainWatch {
  readonly #features: readonly Feature[];
  readonly #finders: readonly GrainFinder[];
  #rows = 0;

  constructor(features: readonly Feature[]) {
    this.#features = features;
    this.#finders = features.map(() => new GrainFinder(features.length));
  }

  /** @param values of one row, finite and as they are written */
  add(values: ArrayLike<number>): void {
    this.#rows += 1;
    if (this.#rows > FIRST_ROWS && this.#rows % ONE_OF !== 0) return;
    for (const [i, finder] of this.#finders.entries()) finder.add(values[i]!);
  }

  /** Undefined of too few rows to tell. */
  found(): FoundGrains | undefined {
    if (this.#rows < LEAST_GRID_ROWS) return undefined;
    return this.#finders.map((finder, i) => finder.grain(this.#features[i]!));
  }
}
