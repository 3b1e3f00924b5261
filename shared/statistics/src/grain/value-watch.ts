/**
 * Finds what looks like a mistake in the values of a feature: cells that are clipped or no numbers, and a
 * range that they do not fill.
 */
import { CodedError, type Words, words } from '@eigenveil/platform';
import { STATISTICS_CODES } from '../codes.ts';
import type { ConsentOptions } from '../csv/reading-options.ts';
import { rowTerm } from '../csv/reading-terms.ts';

interface Feature {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

/** Values that fill less of their range are told. */
const LEAST_FILLED = 1 / 1000;
/** A spread that is less of it is told: of a file's values, of a draft's sample and of a result. */
export const LEAST_SPREAD = 1 / 100;
/**
 * The least number of rows of which anything is said; of fewer than the second number, nothing is said of all
 * values but the outermost.
 */
const LEAST_ROWS = 3;
const LEAST_INNER_ROWS = 8;
/**
 * The number of rows after which, each time, features whose values spread so much of their range that it
 * would take a file of that number of rows to be told of them cost no more time.
 */
const WATCHED_ROWS = 1 << 10;
const CERTAIN_SPREAD = 4 * LEAST_SPREAD;
const CERTAIN_ROWS = 1 << 20;

/** Watches how far the values of one column spread. */
export class ColumnSpread {
  #rows = 0;
  #least = Infinity;
  /** The least value but one, so that one alone can be told; twice the same are two. */
  #secondLeast = Infinity;
  #greatest = -Infinity;
  #secondGreatest = -Infinity;
  /** The point from which differences are summed, so that their squares do not cancel. */
  #origin = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    if (this.#rows === 0) this.#origin = value;
    this.#rows += 1;
    if (value < this.#secondLeast) {
      if (value < this.#least) {
        this.#secondLeast = this.#least;
        this.#least = value;
      } else this.#secondLeast = value;
    }
    if (value > this.#secondGreatest) {
      if (value > this.#greatest) {
        this.#secondGreatest = this.#greatest;
        this.#greatest = value;
      } else this.#secondGreatest = value;
    }
    const difference = value - this.#origin;
    this.#sum += difference;
    this.#squares += difference * difference;
  }

  /** Returns what must be told of the values in this range; undefined where they fill it as values do. */
  remark(min: number, max: number): string | undefined {
    const range = max - min;
    if (this.#rows < LEAST_ROWS || !(range > 0)) return undefined;
    if (this.#greatest - this.#least < LEAST_FILLED * range)
      return 'fill less than a thousandth of its range: is the range, or the unit of the file, another one?';
    const deviation = this.#deviation();
    // Without the value at either end, which alone may have made the range.
    const inner = Math.max(0, this.#secondGreatest - this.#secondLeast);
    if (deviation < LEAST_SPREAD * range || (this.#rows >= LEAST_INNER_ROWS && inner < LEAST_SPREAD * range))
      return 'spread over less than a hundredth of its range, except for single ones: did an outlier make the range?';
    return undefined;
  }

  /**
   * Says whether further values would have to be very many to be told of: also where all are the mean, the
   * sum of the squares stays.
   */
  fills(min: number, max: number): boolean {
    const spread = this.#deviation() / (max - min);
    return spread > CERTAIN_SPREAD && this.#rows * (spread / LEAST_SPREAD) ** 2 >= CERTAIN_ROWS;
  }

  #deviation(): number {
    const mean = this.#sum / this.#rows;
    return Math.sqrt(Math.max(0, this.#squares / this.#rows - mean * mean));
  }
}

/** Watches how far the values of each feature reach into its range. */
export class ValueWatch {
  readonly #features: readonly Feature[];
  readonly #spreads: readonly ColumnSpread[];
  /** Features that may still be told of. */
  #watched: readonly number[];
  #rows = 0;

  constructor(features: readonly Feature[]) {
    this.#features = features;
    this.#spreads = features.map(() => new ColumnSpread());
    this.#watched = features.map((_, i) => i);
  }

  add(values: ArrayLike<number>): void {
    this.#rows += 1;
    for (const i of this.#watched) {
      const value = values[i]!;
      const { min, max } = this.#features[i]!;
      // A value spreads as it counts: clipped.
      if (!Number.isNaN(value)) this.#spreads[i]!.add(Math.min(max, Math.max(min, value)));
    }
    if (this.#rows % WATCHED_ROWS === 0)
      this.#watched = this.#watched.filter((i) => {
        const { min, max } = this.#features[i]!;
        return !this.#spreads[i]!.fills(min, max);
      });
  }

  /** Returns what must be told of features, one by one. */
  remarks(): string[] {
    return this.#watched.flatMap((i) => {
      const { name, min, max } = this.#features[i]!;
      const remark = this.#spreads[i]!.remark(min, max);
      return remark === undefined ? [] : [`the values of ${JSON.stringify(name)} ${remark}`];
    });
  }
}

/**
 * Refuses features of which more than half of the cells lie outside their range, unless that is empty, which
 * is told by itself.
 * @throws ERR_CLIPPED
 */
export function checkClipping(
  features: readonly Feature[],
  { rows, clippedCells }: { readonly rows: number; readonly clippedCells: readonly number[] },
  { allowClipping = [] }: Pick<ConsentOptions, 'allowClipping'>,
): void {
  const clipped = features.filter(
    ({ name, min, max }, i) => min < max && clippedCells[i]! > rows / 2 && !allowClipping.includes(name),
  );
  if (clipped.length === 0) return;
  const names = clipped.map(({ name }) => name);
  throw new CodedError(
    STATISTICS_CODES.ERR_CLIPPED,
    words`more than half of the cells of ${names.map((name) => JSON.stringify(name)).join(', ')} lie outside the range and would be clipped: is the unit of the file another one? ${rowTerm('allowClipping', `--allow-clipping ${names.join(',')} takes them so`)}`,
  );
}

/** Counts cells of a histogram that are no numbers. */
export class UnreadableCells {
  readonly #features: readonly Pick<Feature, 'name'>[];
  readonly #kinds: (Words | string | undefined)[];
  readonly counts: number[];

  constructor(features: readonly Pick<Feature, 'name'>[]) {
    this.#features = features;
    this.#kinds = features.map(() => undefined);
    this.counts = features.map(() => 0);
  }

  readonly add = (feature: number, kind: () => Words | string): void => {
    this.counts[feature]! += 1;
    this.#kinds[feature] ??= kind();
  };

  /**
   * Refuses features most of whose cells are no numbers, and tells of the others that have such cells.
   * @throws ERR_UNREADABLE_CELLS
   */
  check(
    rows: number,
    {
      countUnreadable,
      onRemark,
    }: Pick<ConsentOptions, 'countUnreadable'> & {
      onRemark?: ((remark: Words | string) => void) | undefined;
    },
  ): void {
    for (const [i, { name }] of this.#features.entries()) {
      const count = this.counts[i]!;
      if (count === 0) continue;
      const cells = words`${count === rows ? 'all' : `${count} of ${rows}`} cells of ${JSON.stringify(name)} are no numbers; the first is ${this.#kinds[i]!}`;
      if (count > rows / 2 && countUnreadable !== true)
        throw new CodedError(
          STATISTICS_CODES.ERR_UNREADABLE_CELLS,
          words`${cells} (${rowTerm('countUnreadable', '--count-unreadable counts them so')})`,
        );
      onRemark?.(words`${cells}; they are counted as unreadable`);
    }
  }
}
