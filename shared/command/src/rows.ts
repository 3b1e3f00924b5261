/** Texts of commands about how files of rows are read, and about the rows that they have read. */
import type { Command } from 'commander';
import { printNote } from './command.ts';

export const CSV_HELP = `
The file has a header row, and commas between cells. What other programs write takes an option each, and an error names the one that
would read the cell: --separator semicolon, --decimal comma, --thousands point, --encoding windows-1252, --trim. An empty cell, or NA, N/A, NaN, nan,
NULL, null or ? to the letter, is a missing one, and so is what --missing-values names: the file is refused, or with --missing skip the row is left out and
counted. What a file is, its first bytes say: CSV (also in a gzip archive) or Parquet; a folder or a pattern is read as all files in it. docs/rows.md has all of it.`;

/** Warns about rows that look like a mistake but may not be one. */
export function warnOfRemarks(command: Command, remarks: readonly string[]): void {
  for (const remark of remarks) printNote(command, `warning: ${remark}`);
}

/**
 * Warns about clipped cells.
 * @param cells the number of clipped cells per feature
 */
export function warnOfClipped(command: Command, cells: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(cells)) {
    printNote(
      command,
      `warning: ${count === 1 ? '1 cell' : `${count} cells`} of ${JSON.stringify(name)} lay outside the range of the task and ${count === 1 ? 'was' : 'were'} clipped`,
    );
  }
}

/** Returns the features of which cells were clipped, with their number. */
export function clippedByName(
  names: readonly string[],
  clippedCells: readonly number[],
): Record<string, number> {
  return Object.fromEntries(
    names.map((name, i) => [name, clippedCells[i]!] as const).filter(([, cells]) => cells > 0),
  );
}
