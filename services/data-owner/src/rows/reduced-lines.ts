/** Rows reduced by a projection, or predicted by a regression, as CSV: for Node.js and for browsers. */
import { CodedError } from '@eigenveil/platform';
import type { Reducer } from '@eigenveil/projection/portable';
import { csvLine, type Row, type RowBatches, STATISTICS_CODES } from '@eigenveil/statistics/owner';

/**
 * Yields lines of CSV, several at a time: the header, then a line for each row, with the columns that are
 * kept in front and those that come out after them.
 * @param keptColumns what the rows keep, in this order
 * @param onRows told of the rows of each batch
 * @throws ERR_CSV_COLUMNS for a kept column with the name of one that comes out; ERR_NOT_FINITE; and as the
 *   rows
 */
export async function* reducedLines(
  reducer: Reducer,
  rows: RowBatches,
  keptColumns: readonly string[],
  onRows: (rows: readonly Row[]) => void,
): AsyncGenerator<string> {
  yield `${csvLine(reducedColumns(reducer, keptColumns))}\n`;
  for await (const batch of rows) {
    const reduced = reducer.apply(batch.map(({ values }) => values));
    onRows(batch);
    yield batch.map(({ kept = [] }, i) => `${csvLine([...kept, ...reduced[i]!])}\n`).join('');
  }
}

/**
 * Returns the names of all columns in order.
 * @throws ERR_CSV_COLUMNS as `reducedLines`
 */
export function reducedColumns({ names }: Reducer, keptColumns: readonly string[]): string[] {
  const header = [...keptColumns, ...names];
  if (new Set(header).size < header.length)
    throw new CodedError(
      STATISTICS_CODES.ERR_CSV_COLUMNS,
      'kept columns expected once each, and none named as a column that comes out',
    );
  return header;
}
