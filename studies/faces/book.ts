/** The figures that section 9.3 of the book has of its one run on Yale, beside what is measured. */
import type { Tidy } from '../instrument/tidy.ts';

const DIMENSIONS = [5, 14, 50, 160];
const FIGURES = {
  pca: { accuracy: [58.8, 82.4, 94.1, 94.1], listing: [3987.9, 4048.2, 4142, 4190.1] },
  dca: { accuracy: [88.2, 94.1, 94.1, 94.1], listing: [7157, 7164.3, 6710.2, 4189.3] },
} as const;

/** Titles of its records' methods. */
export const BOOK_METHODS = {
  'book pca': 'PCA, one run of the book',
  'book dca': 'DCA, one run of the book',
};

const YALE = { set: 'yale', splitting: 'random', kind: 'faces' };
const isOfYale = (record: Tidy) => Object.entries(YALE).every(([column, value]) => record[column] === value);

/** The book's records, where there are some of the same faces. */
export function besideBook(records: readonly Tidy[]): readonly Tidy[] {
  if (!records.some(isOfYale)) return records;
  const book = Object.entries(FIGURES).flatMap(([method, { accuracy, listing }]) =>
    DIMENSIONS.map((k, i) => ({
      ...YALE,
      method: `book ${method}`,
      k,
      accuracy: accuracy[i]!,
      listing: listing[i]!,
    })),
  );
  return [...records, ...book];
}

/** Returns 1 for a split that was told as well as the book's, and 0 for another. */
export function againstBook(records: readonly Tidy[]): readonly Tidy[] {
  return records.filter(isOfYale).flatMap(({ method, k, accuracy }) => {
    const book = FIGURES[method as keyof typeof FIGURES]?.accuracy[DIMENSIONS.indexOf(Number(k))];
    return book === undefined ? [] : [{ method: method!, k: k!, asGood: Number(Number(accuracy) >= book) }];
  });
}
