/** The demo's data: a CSV file split into one file per owner, and the drafts of its tasks. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { compose } from 'node:stream';
import { ConfigurationError } from '@eigenveil/command';
import { isParquetName } from '@eigenveil/data-owner';
import { readFileBytes } from '@eigenveil/statistics';
import { writeCsv } from '@eigenveil/statistics/duckdb';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';

/**
 * Deals the rows of a file to owners in turn and returns the paths of their files.
 * @throws Error when there are too few rows
 */
export async function splitAmongOwners(file: string, owners: number, folder: string): Promise<string[]> {
  const parts: string[][][] = Array.from({ length: owners }, () => []);
  let header: string[] | undefined;
  let rows = 0;
  for await (const record of recordsOf(file)) {
    if (header === undefined) header = record;
    else parts[rows++ % owners]!.push(record);
  }
  if (header === undefined || rows < owners)
    throw new ConfigurationError(`"--owners" expected at most one per row, got ${owners} for ${rows} rows`);
  return Promise.all(
    parts.map(async (part, i) => {
      const path = join(folder, `owner-${i + 1}.csv`);
      await writeFile(path, stringify([header, ...part]));
      return path;
    }),
  );
}

/** One column of a CSV file, or several, of all its rows in their order. */
export async function readColumns(file: string, names: readonly string[]): Promise<string[][]> {
  const parser = compose(readFileBytes(file), parse({ bom: true, columns: true, skip_empty_lines: true }));
  const rows: string[][] = [];
  for await (const record of parser as AsyncIterable<Record<string, string>>)
    rows.push(names.map((name) => record[name] ?? ''));
  return rows;
}

/** The file itself, or where it is Parquet, a copy of it as CSV in the folder. */
export async function asCsv(file: string, folder: string): Promise<string> {
  if (!isParquetName(file)) return file;
  const csv = join(folder, basename(file).replace(/parquet$/i, 'csv'));
  await writeCsv(file, csv);
  return csv;
}

export function datasetName(file: string): string {
  return basename(file).replace(/\.csv(\.gz)?$/, '');
}

/** All records of a CSV file, the header first. */
export async function readRecords(file: string): Promise<string[][]> {
  const records: string[][] = [];
  for await (const record of recordsOf(file)) records.push(record);
  return records;
}

function recordsOf(file: string): AsyncIterable<string[]> {
  return compose(readFileBytes(file), parse({ bom: true, skip_empty_lines: true }));
}
