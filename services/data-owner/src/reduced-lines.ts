/** Reduced rows as CSV, for Node.js and for browsers. */
import type { Projector } from '@eigenveil/projection/portable';
import { csvLine, type Row, type RowBatches, StatisticsError } from '@eigenveil/statistics/owner';

/**
 * Lines of CSV, several at a time: the header, then a line for each row, with the columns that are kept in front and a column per component.
 * The projector counts what it clips.
 * @param keptColumns what the rows keep, in this order
 * @param onRows told of the rows of each batch
 * @throws ERR_CSV_COLUMNS for a kept column with the name of a component; ERR_NOT_FINITE; and as the rows
 */
export async function* reducedLines(
  projector: Projector,
  rows: RowBatches,
  keptColumns: readonly string[],
  onRows: (rows: readonly Row[]) => void,
): AsyncGenerator<string> {
  yield `${csvLine(reducedColumns(projector, keptColumns))}\n`;
  for await (const batch of rows) {
    const reduced = projector.transform(batch.map(({ values }) => values));
    onRows(batch);
    yield batch.map(({ kept = [] }, i) => `${csvLine([...kept, ...reduced[i]!])}\n`).join('');
  }
}

/** @throws ERR_CSV_COLUMNS as `reducedLines` */
export function reducedColumns({ componentNames }: Projector, keptColumns: readonly string[]): string[] {
  const header = [...keptColumns, ...componentNames];
  if (new Set(header).size < header.length)
    throw new StatisticsError(
      'ERR_CSV_COLUMNS',
      'kept columns expected once each, and none named as a component',
    );
  return header;
}
