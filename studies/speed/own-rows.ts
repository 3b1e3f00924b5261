/** The use that the studies of this folder make of the user's own rows. */
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnData } from '../instrument/own-data.ts';
import { dataFile } from './decompositions.ts';

const written = new WeakMap<OwnData, Promise<string>>();

/** The file of a data set, with a column `label`: the user's own rows, cut to their ranges, or as `dataFile` finds it. */
function fileOf(dataset: string, own: OwnData | undefined): Promise<string | undefined> {
  if (own === undefined) return dataFile(dataset);
  const file = written.get(own) ?? writeOwn(own);
  written.set(own, file);
  return file;
}

/** @throws Error where the file has gone since the run was planned */
export async function fileOfCase(dataset: string, own: OwnData | undefined): Promise<string> {
  const file = await fileOf(dataset, own);
  if (file === undefined) throw new Error(`the data set ${dataset} has gone`);
  return file;
}

/** Rows are their owner's: nobody else may read the file, and it goes with this process. */
async function writeOwn({ ranges, rows, labels }: OwnData): Promise<string> {
  const header = [...ranges.map((_, i) => `x${i + 1}`), 'label'];
  const lines = rows.map((row, i) => [
    ...row.map((value, j) => Math.min(ranges[j]![1], Math.max(ranges[j]![0], value))),
    labels[i]!,
  ]);
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-own-rows-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'rows.csv');
  await writeFile(file, [header, ...lines].map((cells) => `${cells.join(',')}\n`).join(''), { mode: 0o600 });
  return file;
}
