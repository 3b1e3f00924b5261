/** The bundled data sets are what data/README.md says they are, and what their authors want beside them is there. */
import { readdir, readFile } from 'node:fs/promises';
import { readFileBytes } from '@eigenveil/statistics';
import { expect, test } from 'vitest';

const folder = new URL('../data/', import.meta.url);
const isData = (name: string) => /\.csv(\.gz)?$/.test(name);

async function recordsOf(name: string): Promise<string[][]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readFileBytes(new URL(name, folder).pathname)) pieces.push(piece);
  const lines = Buffer.concat(pieces).toString().trim().split('\n');
  return lines.map((line) => line.split(','));
}

test('the page on bundled data has a line for every file, with its rows and features', async () => {
  const page = await readFile(new URL('README.md', folder), 'utf8');
  const told = [...page.matchAll(/^\| `(\S+)` *\| (\d+) × (\d+) /gm)].map(
    ([, name, rows, features]) => [name!, { rows: Number(rows), features: Number(features) }] as const,
  );
  const names = (await readdir(folder)).filter(isData);
  const found = await Promise.all(
    names.map(async (name) => {
      const [header, ...rows] = await recordsOf(name);
      expect(header!.at(-1)).toBe('label');
      return [name, { rows: rows.length, features: header!.length - 1 }] as const;
    }),
  );
  expect(new Map(told)).toEqual(new Map(found));
});

test('the readme of the WISDM Lab is beside its data, as the lab asks', async () => {
  const readme = await readFile(new URL('WISDM_readme.txt', folder), 'utf8');
  expect(readme).toContain('this readme.txt file is always included');
});
