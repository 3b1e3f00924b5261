/** Reduces an owner's rows by a projection: CSV in, CSV with one column per component out, streamed. */
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Projector } from '@eigenveil/projection';
import { type CsvOptions, csvLine, readFileBytes, readRows, StatisticsError } from '@eigenveil/statistics';

export interface ReducedFile {
  /** Rows that were reduced. */
  readonly rows: number;
  /** Rows that were left out, since a cell is missing. */
  readonly skippedRows: number;
}

/**
 * Writes the reduced rows of `data` to `out`; the projector counts what it clips. Columns that are kept come first, as they stand; all others
 * of the file are left out.
 * @throws ERR_CSV_COLUMNS for a kept column with the name of a component; and as `readRows`
 */
export async function reduceFile(
  projector: Projector,
  data: string,
  out: string,
  options: Omit<CsvOptions, 'ignoredColumns'> = {},
): Promise<ReducedFile> {
  const { features } = projector.task;
  const { keptColumns = [] } = options;
  const header = [...keptColumns, ...projector.componentNames];
  if (new Set(header).size < header.length)
    throw new StatisticsError(
      'ERR_CSV_COLUMNS',
      'kept columns expected once each, and none named as a component',
    );
  let rows = 0;
  let skippedRows = 0;
  const onSkippedRow = () => {
    skippedRows += 1;
  };
  async function* lines() {
    yield `${csvLine(header)}\n`;
    for await (const { values, kept = [] } of readRows(
      readFileBytes(data),
      { features, labellings: [] },
      { ...options, ignoredColumns: 'others', onSkippedRow },
    )) {
      rows += 1;
      yield `${csvLine([...kept, ...projector.transform([values])[0]!])}\n`;
    }
  }
  // Whole or not at all: rows that cannot be read must not cost an earlier result.
  const draft = `${out}.${process.pid}.tmp`;
  try {
    await pipeline(Readable.from(lines()), createWriteStream(draft));
    await rename(draft, out);
  } finally {
    await rm(draft, { force: true });
  }
  return { rows, skippedRows };
}
