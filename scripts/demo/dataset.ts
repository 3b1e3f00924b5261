/** The demo's data: a CSV file split into one file per owner, and the drafts of its tasks. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';

/** Deals the rows of a file to owners in turn and returns the paths of their files. Throws when there are too few rows. */
export async function splitAmongOwners(file: string, owners: number, folder: string): Promise<string[]> {
  const bytes = createReadStream(file);
  const parser = (file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes).pipe(
    parse({ bom: true, skip_empty_lines: true }),
  );
  const parts: string[][][] = Array.from({ length: owners }, () => []);
  let header: string[] | undefined;
  let rows = 0;
  for await (const record of parser as AsyncIterable<string[]>) {
    if (header === undefined) header = record;
    else parts[rows++ % owners]!.push(record);
  }
  if (header === undefined || rows < owners)
    throw new Error(`"--owners" expected at most one per row, got ${owners} for ${rows} rows`);
  return Promise.all(
    parts.map(async (part, i) => {
      const path = join(folder, `owner-${i + 1}.csv`);
      await writeFile(path, stringify([header, ...part]));
      return path;
    }),
  );
}

export function datasetName(file: string): string {
  return basename(file).replace(/\.csv(\.gz)?$/, '');
}
