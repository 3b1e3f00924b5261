/** A file of rows that was chosen: its columns, and its probable form. */
import { readBlobBytes, readRecords } from '@eigenveil/statistics/owner';
import type { ReadingOptions } from './jobs.ts';

/** The form of a file; columns and their uses are asked for separately. */
type Told = 'separator' | 'decimal' | 'trim' | 'missing' | 'numericLabels' | 'strict';
export type Form = { readonly [Name in Told]: NonNullable<ReadingOptions[Name]> };

export interface RowFile {
  readonly file: File;
  /** The columns of its header row, by the separator that is chosen. */
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

/** The part of the file in which the header is sought. */
const FIRST_BYTES = 1 << 20;

/** Returns the names in the header row, unchanged; no other part of the file is read. */
export async function columnsOf(
  file: File,
  separator: Form['separator'] = 'comma',
): Promise<readonly string[]> {
  const isPacked = file.name.toLowerCase().endsWith('.gz');
  const start = isPacked ? file : file.slice(0, FIRST_BYTES);
  for await (const { cells } of readRecords(readBlobBytes(start, file.name), { separator })) return cells;
  return [];
}

/** Returns the separator by which the header has most columns: people see at once which one was guessed. */
export async function guessSeparator(file: File): Promise<Form['separator']> {
  const widths = await Promise.all(
    SEPARATORS.map(async (separator) => ({
      separator,
      width: (await columnsOf(file, separator).catch(() => [])).length,
    })),
  );
  return widths.reduce((best, it) => (it.width > best.width ? it : best)).separator;
}
