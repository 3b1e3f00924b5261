/**
 * Reduces an owner's rows by a projection, as a stream, to CSV or Parquet with one column per component; or
 * predicts one column by a regression.
 */
import { createWriteStream, rmSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { byProjector, type Projector, type Reducer } from '@eigenveil/projection';
import { type ConsentOptions, checkClipping, type RowOptions, ValueWatch } from '@eigenveil/statistics';
import { reducedColumns, reducedLines } from './reduced-lines.ts';
import { isParquetName, type RowSettings, type Rows, rowsOf } from './sources.ts';

/** The files that become `out` once they are whole. */
function draftsOf(out: string) {
  const draft = `${out}.${process.pid}.tmp`;
  return { draft, parquet: `${draft}.parquet` };
}

/** Removes what `reduceRows` has written so far, for a process that ends in the middle of it. */
export function removeDrafts(out: string): void {
  for (const file of Object.values(draftsOf(out))) rmSync(file, { force: true });
}

export interface ReducedFile {
  /** The number of rows that were reduced. */
  readonly rows: number;
  /** The number of rows that were left out, since a cell is missing. */
  readonly skippedRows: number;
}

type ReducingOptions = Omit<RowOptions, 'ignoredColumns' | 'onSkippedRow'> &
  Pick<ConsentOptions, 'allowClipping'> &
  Pick<RowSettings, 'memory'>;

/**
 * Writes the reduced rows of the file `data` (CSV or Parquet) to `out`: Parquet if its name says so,
 * otherwise CSV. The projector counts what it clips. Columns that are kept come first, as they are; all
 * others of the file are left out.
 * @throws ERR_CSV_COLUMNS for a kept column with the name of a component; ERR_CLIPPED for features of which
 *   more than half of the cells are clipped, unless `allowClipping` names them; and as `rowsOf` and its rows
 */
export function reduceFile(
  projector: Projector,
  data: string,
  out: string,
  options: ReducingOptions & Omit<RowSettings, 'data' | 'query' | 'database'> = {},
): Promise<ReducedFile> {
  return reduceRows(byProjector(projector), rowsOf({ ...options, data }), out, options);
}

/** Does what `reduceFile` does for rows from anywhere, by a projection or a regression. */
export async function reduceRows(
  reducer: Reducer,
  source: Rows,
  out: string,
  options: ReducingOptions = {},
): Promise<ReducedFile> {
  const { features } = reducer;
  const { keptColumns = [] } = options;
  const header = reducedColumns(reducer, keptColumns);
  let rows = 0;
  let skippedRows = 0;
  const onSkippedRow = () => {
    skippedRows += 1;
  };
  const batches = source.read(
    { features, labellings: [] },
    { ...options, ignoredColumns: 'others', onSkippedRow },
  );
  const watch = new ValueWatch(features);
  const lines = reducedLines(reducer, batches, keptColumns, (batch) => {
    rows += batch.length;
    for (const { values } of batch) watch.add(values);
  });
  // The file is written as a whole or not at all: rows that cannot be read must not cost an earlier result.
  const { draft, parquet } = draftsOf(out);
  try {
    await pipeline(Readable.from(lines), createWriteStream(draft));
    checkClipping(features, { rows, clippedCells: reducer.clippedCells() }, options);
    for (const remark of watch.remarks()) options.onRemark?.(remark);
    if (isParquetName(out)) {
      const { writeParquet } = await import('@eigenveil/statistics/duckdb');
      const columns = header.map((name, k) => ({
        name,
        type: k < keptColumns.length ? ('VARCHAR' as const) : ('DOUBLE' as const),
      }));
      await writeParquet(draft, parquet, columns, options.memory);
      await rename(parquet, out);
    } else await rename(draft, out);
  } finally {
    removeDrafts(out);
  }
  return { rows, skippedRows };
}
