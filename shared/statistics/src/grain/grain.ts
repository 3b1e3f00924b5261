/**
 * The spacing of a column's values as they are written. A table of a limited number of different values is
 * kept: where there are more of them, or more rows, every other row of the table is forgotten and every other
 * one of the rows to come is passed over, so that it stays a fair sample of all rows.
 */

import type { Feature } from '@eigenveil/methods';
import { spacingOfGrid } from './grid.ts';
import { type CountedValues, spacingOfValues } from './values.ts';

/**
 * The least number of rows; fewer lie on a grid by chance: what they are written with says more of a grain
 * than where they lie.
 */
export const LEAST_GRID_ROWS = 60;
/** Different values that a column keeps. */
const MOST_VALUES = 4096;
/** Different values that all columns of a table keep together, as long as each has the least of them. */
const MOST_OF_ALL = 1 << 20;
const LEAST_VALUES = 64;
/** Rows that a column keeps: enough for shares of a hundredth. */
const MOST_ROWS = 1 << 16;
/** Draws are the same each time, so that the same rows have the same grain. */
const SEED = 0x9e3779b9;
/**
 * Values nearer than this part of the range, or than doubles of their size resolve, are one: 0.1 + 0.2 and
 * 0.3.
 */
const SAME = 1e-9;
const RESOLVED = 2 ** -50;
/** Differences of numbers with a few decimals have such digits: 0.3 - 0.2. */
const DIGITS = 12;

interface Range {
  readonly min: number;
  readonly max: number;
}

export class GrainFinder {
  readonly #mostValues: number;
  readonly #counts = new Map<number, number>();
  /** Rows of the table. */
  rows = 0;
  /** One of 2^halvings rows is looked at. */
  #halvings = 0;
  #state = SEED;

  /** @param columns how many there are of the table, which share its memory */
  constructor(columns = 1) {
    this.#mostValues = Math.max(LEAST_VALUES, Math.min(MOST_VALUES, Math.floor(MOST_OF_ALL / columns)));
  }

  /** @param value a finite number, as it is written */
  add(value: number): void {
    if (this.#halvings > 0 && (this.#draw() & ((1 << this.#halvings) - 1)) !== 0) return;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    this.rows += 1;
    while (this.rows >= MOST_ROWS || this.#counts.size > this.#mostValues) this.#halve();
  }

  /** The unit of the last digit that any value is written with: 1 of whole numbers, 0.01 of two decimals. */
  get lastDigit(): number {
    let digits = 0;
    for (const value of this.#counts.keys())
      while (digits < DIGITS && Number(value.toFixed(digits)) !== value) digits += 1;
    return Number(`1e-${digits}`);
  }

  /** Rows that do not have the most frequent value, as far as they were looked at. */
  get varyingRows(): number {
    let most = 0;
    for (const count of this.#counts.values()) most = Math.max(most, count);
    return this.rows - most;
  }

  /**
   * The larger one of the spacing of a grid that the values lie on and of that of a few common values;
   * undefined where there is neither, as of measured values.
   * @param range to which values are moved that lie beyond it
   */
  grain({ min, max }: Range): number | undefined {
    if (!(min < max)) return undefined;
    const counted = this.#counted({ min, max });
    const inner = counted.values.flatMap((value, i) => (value > min && value < max ? [i] : []));
    const found = [
      spacingOfValues(counted, max - min),
      spacingOfGrid({
        values: inner.map((i) => counted.values[i]!),
        counts: inner.map((i) => counted.counts[i]!),
      }),
    ].filter((spacing) => spacing !== undefined);
    return found.length === 0 ? undefined : Number(Math.max(...found).toPrecision(DIGITS));
  }

  #counted({ min, max }: Range): CountedValues {
    const values: number[] = [];
    const counts: number[] = [];
    const clipped = [...this.#counts].map(
      ([value, count]) => [Math.min(max, Math.max(min, value)), count] as const,
    );
    const same = Math.max(SAME * (max - min), RESOLVED * Math.max(Math.abs(min), Math.abs(max)));
    for (const [value, count] of clipped.sort(([a], [b]) => a - b)) {
      const last = values.length - 1;
      if (last >= 0 && value - values[last]! <= same) counts[last]! += count;
      else {
        values.push(value);
        counts.push(count);
      }
    }
    return { values, counts };
  }

  #halve(): void {
    this.#halvings += 1;
    this.rows = 0;
    for (const [value, count] of this.#counts) {
      const left = (count >> 1) + (count & 1 & this.#draw());
      if (left === 0) this.#counts.delete(value);
      else this.#counts.set(value, left);
      this.rows += left;
    }
  }

  /** Marsaglia's xorshift of 32 bits; the lowest bits are good enough for a sample. */
  #draw(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state >>> 8;
  }
}

/**
 * The number of first rows, all of which are looked at; after them every few rows one is, as the others say
 * the same: a prime, so that rows of any order come in turn.
 */
const FIRST_ROWS = 4096;
const ONE_OF = 17;

/** The grain of each feature in its unit; undefined where its values lie on no grid, as measured ones do. */
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

  /** Returns undefined for too few rows to tell. */
  found(): FoundGrains | undefined {
    if (this.#rows < LEAST_GRID_ROWS) return undefined;
    return this.#finders.map((finder, i) => finder.grain(this.#features[i]!));
  }
}
