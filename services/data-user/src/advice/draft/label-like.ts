/** Whether a column of a sample looks like class labels: a feature that tells the classes makes every other component worthless. */

/** The last word of a label column's name. */
const WORDS: ReadonlySet<string> = new Set(
  'label labels class classes target outcome diagnosis category species y'.split(' '),
);
/** So few values has a column of labels; a quantity that is written in whole numbers has more. */
const MOST_LABELS = 20;

/** By its name alone: `label`, `true_class` and `ClassLabel`, but not `classical` or `class_size`. */
export function isNamedLikeLabels(column: string): boolean {
  const words = column.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => word !== '');
  return WORDS.has(words.at(-1)?.toLowerCase() ?? '');
}

/** The values of a column that is named like labels: at most twenty different ones, all whole numbers. */
export class LabelLike {
  readonly #values = new Set<number>();
  #holds = true;

  add(value: number): void {
    if (!this.#holds) return;
    this.#values.add(value);
    this.#holds = Number.isInteger(value) && this.#values.size <= MOST_LABELS;
  }

  /** How many labels there are; undefined where these are no labels. */
  get count(): number | undefined {
    return this.#holds ? this.#values.size : undefined;
  }
}
