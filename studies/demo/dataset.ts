/** The demo's data: whatever file there is as a plain CSV file, and that one split into one file per owner. */

import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { COMMAND_CODES } from '@eigenveil/command';
import type { ProjectionKind } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { csvLine, readFileBytes, readRecords as recordsIn } from '@eigenveil/statistics';
import { rowsOfFiles } from '@eigenveil/statistics/files';

import { draft, type TaskSetting } from './task.ts';

/**
 * Writes the rows of the demo's file or files as CSV that needs no option to be read: their features, and the label last.
 * @param onRemark told of what looks like a mistake in them
 * @returns the settings with that file for their data
 * @throws as `draft`, and as the rows of a contribution
 */
export async function withPlainRows<Setting extends TaskSetting>(
  setting: Setting,
  methods: readonly ProjectionKind[],
  folder: string,
  onRemark: (remark: string) => void,
): Promise<Setting> {
  const { label, ignore, reading = {} } = setting;
  const labelled = methods.find((method) => method !== 'pca');
  const { features, labellings } = await draft({ ...setting, onRemark }, labelled ?? 'pca');
  const classes = labellings[0]?.classes;
  const batches = rowsOfFiles(setting.data, reading).read(
    { features, labellings },
    { ignoredColumns: ignore, ...(classes === undefined && { keptColumns: [label] }) },
  );
  async function* lines() {
    yield `${csvLine([...features.map(({ name }) => name), label])}\n`;
    for await (const batch of batches)
      yield batch
        .map(({ values, classes: [k], kept }) => [...Array.from(values), classes?.[k!] ?? kept![0]!])
        .map((cells) => `${csvLine(cells)}\n`)
        .join('');
  }
  const data = join(folder, `${datasetName(setting.data)}.csv`);
  await pipeline(Readable.from(lines()), createWriteStream(data));
  return { ...setting, data, ignore: [], reading: {} };
}

/**
 * Deals the rows of a CSV file to owners in turn and returns the paths of their files.
 * @throws Error when there are too few rows
 */
export async function splitAmongOwners(file: string, owners: number, folder: string): Promise<string[]> {
  const parts: string[][] = Array.from({ length: owners }, () => []);
  let header: string | undefined;
  let rows = 0;
  for await (const { cells } of recordsIn(readFileBytes(file))) {
    const line = csvLine(cells);
    if (header === undefined) header = line;
    else parts[rows++ % owners]!.push(line);
  }
  if (header === undefined || rows < owners)
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--owners" expected at most one per row, got ${owners} for ${rows} rows`,
    );
  return Promise.all(
    parts.map(async (part, i) => {
      const path = join(folder, `owner-${i + 1}.csv`);
      await writeFile(path, [header, ...part, ''].join('\n'));
      return path;
    }),
  );
}

/** One column of a CSV file, or several, of all its rows in their order. */
export async function readColumns(file: string, names: readonly string[]): Promise<string[][]> {
  const [header = [], ...rows] = await readRecords(file);
  const positions = names.map((name) => header.indexOf(name));
  return rows.map((cells) => positions.map((at) => cells[at] ?? ''));
}

export function datasetName(file: string): string {
  return basename(file).replace(/(\.(csv|parquet|pq))?(\.gz)?$/i, '');
}

/** All records of a CSV file, the header first. */
export async function readRecords(file: string): Promise<string[][]> {
  const records: string[][] = [];
  for await (const { cells } of recordsIn(readFileBytes(file))) records.push([...cells]);
  return records;
}
