/** What of the values of a feature looks like a mistake: cells that are clipped or no numbers, and a range that they do not fill. */
import { StatisticsError } from './errors.ts';
import type { ConsentOptions } from './reading-options.ts';

interface Feature {
  readonly name: string;
  readonly min: number;
  readonly max: number;
}

/** Values that fill less of their range are told. */
const LEAST_FILLED = 1 / 1000;
/** So is a spread that is less of it. */
const LEAST_SPREAD = 1 / 100;
/** Of fewer rows nothing is said, and of fewer than the second number nothing of all values but the outermost. */
const LEAST_ROWS = 3;
const LEAST_INNER_ROWS = 8;

/** Sums and ends of one feature's values. */
interface Spread {
  least: number;
  /** The least but one value, so that one alone can be told. */
  secondLeast: number;
  greatest: number;
  secondGreatest: number;
  sum: number;
  squares: number;
}

/** How far the values of each feature reach into its range. */
export class ValueWatch {
  readonly #features: readonly Feature[];
  readonly #spreads: readonly Spread[];
  #rows = 0;

  constructor(features: readonly Feature[]) {
    this.#features = features;
    this.#spreads = features.map(() => ({
      least: Infinity,
      secondLeast: Infinity,
      greatest: -Infinity,
      secondGreatest: -Infinity,
      sum: 0,
      squares: 0,
    }));
  }

  add(values: ArrayLike<number>): void {
    this.#rows += 1;
    for (let i = 0; i < this.#spreads.length; i += 1) {
      const value = values[i]!;
      const { min, max } = this.#features[i]!;
      if (Number.isNaN(value)) continue;
      // As it counts: clipped, and in units of the range.
      const x = (Math.min(max, Math.max(min, value)) - min) / (max - min);
      const spread = this.#spreads[i]!;
      if (x < spread.secondLeast) {
        if (x < spread.least) {
          spread.secondLeast = spread.least;
          spread.least = x;
        } else spread.secondLeast = x;
      }
      if (x > spread.secondGreatest) {
        if (x > spread.greatest) {
          spread.secondGreatest = spread.greatest;
          spread.greatest = x;
        } else spread.secondGreatest = x;
      }
      spread.sum += x;
      spread.squares += x * x;
    }
  }

  /** What is to be told of features, one by one. */
  remarks(): string[] {
    if (this.#rows < LEAST_ROWS) return [];
    return this.#features.flatMap(({ name, min, max }, i) => {
      if (min >= max) return [];
      const remark = this.#remarkOf(this.#spreads[i]!);
      return remark === undefined ? [] : [`the values of ${JSON.stringify(name)} ${remark}`];
    });
  }

  #remarkOf(spread: Spread): string | undefined {
    const { least, greatest, secondLeast, secondGreatest, sum, squares } = spread;
    if (greatest - least < LEAST_FILLED)
      return 'fill less than a thousandth of its range: is the range, or the unit of the file, another one?';
    const mean = sum / this.#rows;
    const deviation = Math.sqrt(Math.max(0, squares / this.#rows - mean * mean));
    // Without the value at either end, which alone may have made the range.
    const inner = Math.max(0, secondGreatest - secondLeast);
    if (deviation < LEAST_SPREAD || (this.#rows >= LEAST_INNER_ROWS && inner < LEAST_SPREAD))
      return 'spread over less than a hundredth of its range, but for single ones: did an outlier make the range?';
    return undefined;
  }
}

/**
 * Refuses features of which more than half of the cells lie outside their range.
 * @throws ERR_CLIPPED
 */
export function checkClipping(
  features: readonly Pick<Feature, 'name'>[],
  { rows, clippedCells }: { readonly rows: number; readonly clippedCells: readonly number[] },
  { allowClipping = [] }: Pick<ConsentOptions, 'allowClipping'>,
): void {
  const clipped = features.filter(
    ({ name }, i) => clippedCells[i]! > rows / 2 && !allowClipping.includes(name),
  );
  if (clipped.length === 0) return;
  const names = clipped.map(({ name }) => name);
  throw new StatisticsError(
    'ERR_CLIPPED',
    `more than half of the cells of ${names.map((name) => JSON.stringify(name)).join(', ')} lie outside the range and would be clipped: is the unit of the file another one? --allow-clipping ${names.join(',')} takes them so`,
  );
}

/** Counts cells of a histogram that are no numbers. */
export class UnreadableCells {
  readonly #features: readonly Pick<Feature, 'name'>[];
  readonly #kinds: (string | undefined)[];
  readonly counts: number[];

  constructor(features: readonly Pick<Feature, 'name'>[]) {
    this.#features = features;
    this.#kinds = features.map(() => undefined);
    this.counts = features.map(() => 0);
  }

  readonly add = (feature: number, kind: () => string): void => {
    this.counts[feature]! += 1;
    this.#kinds[feature] ??= kind();
  };

  /**
   * Refuses features most of whose cells are no numbers, and tells of the others that have such cells.
   * @throws ERR_UNREADABLE_CELLS
   */
  check(
    rows: number,
    { countUnreadable, onRemark }: Pick<ConsentOptions, 'countUnreadable'> & { onRemark?: ((remark: string) => void) | undefined },
  ): void {
    for (const [i, { name }] of this.#features.entries()) {
      const count = this.counts[i]!;
      if (count === 0) continue;
      const cells = `${count === rows ? 'all' : `${count} of ${rows}`} cells of ${JSON.stringify(name)} are no numbers; the first is ${this.#kinds[i]}`;
      if (count > rows / 2 && countUnreadable !== true)
        throw new StatisticsError(
          'ERR_UNREADABLE_CELLS',
          `${cells} (--count-unreadable counts them so)`,
        );
      onRemark?.(`${cells}; they are counted as unreadable`);
    }
  }
}
