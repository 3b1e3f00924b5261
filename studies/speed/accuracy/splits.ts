/** Stratified splits and folds: every class goes into each part in proportion. */
import { shuffled } from '@eigenveil/testbed/random';

export interface Split {
  /** Indices of rows. */
  readonly train: readonly number[];
  readonly test: readonly number[];
}

/**
 * A random split of all rows. Of each class the test part gets its share, rounded, but at least one row and never all of
 * them; a class with a single row stays in the training part.
 * @param testShare in (0, 1)
 */
export function stratifiedSplit(labels: readonly number[], testShare: number, next: () => number): Split {
  const parts = membersOfClasses(labels).map((members) => {
    const rows = shuffled(members, next);
    const count = Math.min(rows.length - 1, Math.max(1, Math.round(testShare * rows.length)));
    return { test: rows.slice(0, count), train: rows.slice(count) };
  });
  return {
    train: parts.flatMap(({ train }) => train),
    test: parts.flatMap(({ test }) => test),
  };
}

/**
 * The fold of each row, in [0, count): the rows of a class are dealt out one at a time, and the next class goes on where the
 * last one ended, so that both classes and folds differ by one row at most.
 */
export function stratifiedFolds(labels: readonly number[], count: number, next: () => number): number[] {
  const folds = new Array<number>(labels.length);
  membersOfClasses(labels)
    .flatMap((members) => shuffled(members, next))
    .forEach((row, dealt) => {
      folds[row] = dealt % count;
    });
  return folds;
}

/** Indices of the rows of each class, by ascending label. */
function membersOfClasses(labels: readonly number[]): number[][] {
  const classes = [...new Set(labels)].sort((a, b) => a - b);
  return classes.map((label) => labels.flatMap((value, row) => (value === label ? [row] : [])));
}
