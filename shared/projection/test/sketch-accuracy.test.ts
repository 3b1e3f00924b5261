/** How much variance sketches lose on images: the figures of docs/sketches.md, where the data is (EIGENVEIL_DATA). */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Discretiser, StatisticsAccumulator, sketchMatrix } from '@eigenveil/statistics';
import { expect, test } from 'vitest';
import { sketchEigen, sketchOf, symmetricEigen } from '../src/index.ts';

const folder = process.env.EIGENVEIL_DATA ?? new URL('../../../../shared/data', import.meta.url).pathname;
const COMPONENTS = 20;
const COLUMNS = 60;

/** Rows of features in their own ranges, as integers of 14 fraction bits. */
function imagesOf(file: string) {
  const [header, ...lines] = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const rows = lines.map((line) => line.split(',').slice(0, -1).map(Number));
  const features = header!
    .split(',')
    .slice(0, -1)
    .map((name, i) => {
      const cells = rows.map((row) => row[i]!);
      return { name, min: Math.min(...cells), max: Math.max(...cells), twoValued: false };
    });
  const discretiser = new Discretiser({ features, fractionBits: 14 });
  return { features, rows: rows.map((row) => discretiser.discretise(row)) };
}

function inner(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, entry, i) => sum + entry * other[i]!, 0);
}

/** Of a scatter or of products of rows, whichever is smaller. */
function exactVariance(centred: readonly number[][], d: number): number {
  const columns = () => Array.from({ length: d }, (_, i) => centred.map((row) => row[i]!));
  const vectors = centred.length < d ? centred : columns();
  const { values } = symmetricEigen(vectors.map((one) => vectors.map((other) => inner(one, other))));
  return values.slice(0, COMPONENTS).reduce((sum, value) => sum + value, 0);
}

const fileOf = (name: string) => `${folder}/${name}.csv.gz`;

test.skipIf(!existsSync(fileOf('mnist2000'))).each([
  ['yale16', 0.001, 0.002],
  ['olivetti16', 0.002, 0.005],
  ['mnist2000', 0.012, 0.025],
])(
  '20 components of %s lose from %s to %s of what exact ones capture',
  { tags: ['long'] },
  (name, least, most) => {
    const { features, rows } = imagesOf(fileOf(name));
    const task = {
      method: { kind: 'pca' },
      features,
      labellings: [],
      sketch: { columns: COLUMNS },
      fractionBits: 14,
      maximumOwners: 1,
      maximumSamplesPerOwner: rows.length,
      keyBits: 2048,
      statisticalSecurityBits: 40,
    } as const;
    const signs = sketchMatrix(new Uint8Array(32).fill(1), task);
    const accumulator = new StatisticsAccumulator(task, signs);
    for (const row of rows) accumulator.add(row, []);
    const { vectors } = sketchEigen(sketchOf(accumulator.statistics(), signs, task));
    const mean = features.map((_, i) => rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length);
    const centred = rows.map((row) => row.map((cell, i) => cell - mean[i]!));
    const captured = vectors
      .slice(0, COMPONENTS)
      .reduce((sum, vector) => sum + centred.reduce((of, row) => of + inner(row, vector) ** 2, 0), 0);
    const lost = 1 - captured / exactVariance(centred, features.length);
    expect(lost).toBeGreaterThan(least);
    expect(lost).toBeLessThan(most);
  },
);
