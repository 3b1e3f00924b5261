/** How a command is told to read a file of rows, and what it says of the rows that it has read. */
import type { Command } from 'commander';
import { z } from 'zod';
import { printNote } from './command.ts';

/** How a file of rows is written; the names of these settings are those of the reader's options. */
export const CSV_SETTINGS = {
  missing: {
    schema: z.enum(['error', 'skip']),
    description: 'what to do with rows that lack a cell: refuse the file, or leave them out and count them',
    default: 'error',
    placeholder: 'error|skip',
  },
  separator: {
    schema: z.enum(['comma', 'semicolon', 'tab']),
    description: 'what stands between cells: comma, semicolon or tab',
    default: 'comma',
    placeholder: 'NAME',
  },
  decimal: {
    schema: z.enum(['point', 'comma']),
    description: "what stands before a number's fraction: point or comma",
    default: 'point',
    placeholder: 'NAME',
  },
  trim: {
    schema: z.boolean(),
    description: 'pass over blanks around names, numbers and labels',
    default: false,
  },
} as const;

export const CSV_HELP = `
The file has a header row, and commas between cells. What other programs write takes an option each, and an error names the one that
would read the cell: --separator semicolon, --decimal comma, --trim. An empty cell, or NA, N/A, NaN, nan, NULL, null or ? to the letter, is a missing
one: the file is refused, or with --missing skip the row is left out and counted.`;

export function warnOfSkipped(command: Command, skippedRows: number): void {
  if (skippedRows > 0)
    printNote(
      command,
      `warning: ${skippedRows === 1 ? '1 row was' : `${skippedRows} rows were`} left out, since a cell is missing`,
    );
}

/** @param cells per feature, how many were clipped */
export function warnOfClipped(command: Command, cells: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(cells)) {
    printNote(
      command,
      `warning: ${count} cells of ${JSON.stringify(name)} lay outside the range of the task and were clipped`,
    );
  }
}

/** The features of which cells were clipped, with their number. */
export function clippedByName(
  names: readonly string[],
  clippedCells: readonly number[],
): Record<string, number> {
  return Object.fromEntries(
    names.map((name, i) => [name, clippedCells[i]!] as const).filter(([, cells]) => cells > 0),
  );
}
