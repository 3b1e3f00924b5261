/** A file of rows that was chosen: its columns, and how it seems to be written. */
import { readBlobBytes, readRecords } from '@eigenveil/statistics/owner';
import type { ReadingOptions } from './jobs.ts';

/** How a file is written; columns and what is done with them are asked for beside it. */
type Told = 'separator' | 'decimal' | 'trim' | 'missing' | 'numericLabels' | 'strict';
export type Form = { readonly [Name in Told]: NonNullable<ReadingOptions[Name]> };

export interface RowFile {
  readonly file: File;
  /** Of its header row, by the separator that is chosen. */
  readonly columns: readonly string[];
}

export const USUAL_FORM: Form = {
  separator: 'comma',
  decimal: 'point',
  trim: false,
  missing: 'error',
  numericLabels: false,
  strict: false,
};

export const SEPARATORS = ['comma', 'semicolon', 'tab'] as const satisfies readonly Form['separator'][];

/** Where the header is sought. */
const FIRST_BYTES = 1 << 20;

/** The names in the header row, as they stand; nothing else of the file is looked at. */
export async function columnsOf(
  file: File,
  separator: Form['separator'] = 'comma',
): Promise<readonly string[]> {
  const isPacked = file.name.toLowerCase().endsWith('.gz');
  const start = isPacked ? file : file.slice(0, FIRST_BYTES);
  for await (const { cells } of readRecords(readBlobBytes(start, file.name), { separator })) return cells;
  return [];
}

/** The separator by which the header has most columns: people see at once what it is taken for. */
export async function guessSeparator(file: File): Promise<Form['separator']> {
  const widths = await Promise.all(
    SEPARATORS.map(async (separator) => ({
      separator,
      width: (await columnsOf(file, separator).catch(() => [])).length,
    })),
  );
  return widths.reduce((best, it) => (it.width > best.width ? it : best)).separator;
}
