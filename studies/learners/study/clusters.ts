/** How well clusters of DBSCAN, plain, as the thesis has it, and on a grid, follow the classes of rows in a plane: petals of iris, over ε. */
/// <reference path="../types/density-clustering.d.ts" />

import { predictableRandomness } from '@eigenveil/testbed/random';
import { DBSCAN } from 'density-clustering';
import { mean, most, spread } from '../../instrument/figure.ts';
import type { OwnData } from '../../instrument/own-data.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { gridDbscan } from '../grid-dbscan.ts';
import { OUTLIER, thesisDbscan } from '../thesis-dbscan.ts';
import { tableOf } from './data.ts';
import { EPSILON_TITLES, STUDY_EPSILONS, told } from './settings.ts';

/** On ranges of 0 to 1. */
const DENSITY = { radius: 0.05, neighbours: 5 };
const GRID = { cells: 12, atLeast: 2 };
const UNIT = { least: 0, largest: 1 };

const indexOf = (way: string, epsilon: Tidy[string]) => ({
  where: { way, epsilon },
  figure: mean('index', { digits: 0 }),
});

export const clusters = defineStudy({
  id: 'learners/clusters',
  plan: ({ scale, own }) => {
    const seeds = scale === 'quick' ? 5 : 40;
    const of = { source: own?.name ?? 'iris', seeds, ...DENSITY, ...GRID };
    return { cases: [{ ...of, epsilons: STUDY_EPSILONS.join(' ') }] };
  },
  titleOf: ({ source }) => `clusters of ${source}`,
  expectedSeconds: ({ seeds }) => seeds * 0.05,
  async *measure({ seeds }, { own }): AsyncGenerator<Tidy> {
    const { rows, labels } = own === undefined ? await petals() : planeOf(own);
    const plain = new Array<number>(rows.length).fill(OUTLIER);
    new DBSCAN().run(rows, DENSITY.radius, DENSITY.neighbours).forEach((cluster, i) => {
      for (const row of cluster) plain[row] = i;
    });
    const index = (found: readonly number[]) => Number((100 * adjustedRand(found, labels)).toFixed(4));
    for (let seed = 0; seed < seeds; seed += 1) {
      for (const epsilon of [...STUDY_EPSILONS, Infinity]) {
        const source = predictableRandomness(`learners clusters ${epsilon} ${seed}`);
        const thesis = thesisDbscan(source, rows, { ...DENSITY, diameter: Math.SQRT2, epsilon });
        yield { seed, way: 'thesis', epsilon: told(epsilon), index: index(thesis) };
        const { clusterOf } = gridDbscan(source, rows, { ...GRID, ranges: [UNIT, UNIT], epsilon });
        yield { seed, way: 'grid', epsilon: told(epsilon), index: index(rows.map(clusterOf)) };
      }
      yield { seed, way: 'library', epsilon: 'none', index: index(plain) };
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  columns: { way: { title: 'method' }, epsilon: { values: EPSILON_TITLES } },
  tables: {
    indices: {
      caption: '{source}: adjusted Rand index in percent, over ε',
      each: ['source'],
      rows: ['way'],
      across: { column: 'epsilon', cell: spread('index', { digits: 1 }) },
    },
  },
  facts: {
    thesisAtMost: {
      where: ({ way, epsilon }) => way === 'thesis' && epsilon !== 'none',
      figure: most('index', { digits: 0 }),
    },
    gridAt1: indexOf('grid', 1),
    gridAt10: indexOf('grid', 10),
    plain: indexOf('library', 'none'),
  },
  holds: {
    thesisFindsNone: (fact) => fact('thesisAtMost') < 1,
    gridComesNear: (fact) => fact('gridAt10') > fact('gridAt1') && fact('gridAt10') > fact('plain') - 5,
  },
  words: new URL('clusters.md', import.meta.url),
});

interface Plane {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

async function petals(): Promise<Plane> {
  const table = await tableOf('iris');
  if (table === undefined) throw new Error('iris is bundled, and has gone');
  return { rows: table.rows.map((row) => [row[2]! / 10, row[3]! / 5]), labels: table.targets };
}

/** The first two columns of the user's own rows, on their ranges. */
function planeOf({ rows, ranges, labels }: OwnData): Plane {
  const [across, up] = [0, 1].map((column) => {
    const [least, largest] = ranges[column]!;
    return rows.map((row) => (Math.min(largest, Math.max(least, row[column]!)) - least) / (largest - least));
  });
  return { rows: rows.map((_row, i) => [across![i]!, up![i]!]), labels };
}

/** Hubert and Arabie, "Comparing partitions", 1985: 1 for the same partition, 0 on average for a random one. */
export function adjustedRand(labels: readonly number[], others: readonly number[]): number {
  const pairs = (n: number) => (n * (n - 1)) / 2;
  const summed = (keys: readonly string[]) =>
    [...Map.groupBy(keys, (key) => key).values()].reduce((sum, group) => sum + pairs(group.length), 0);
  const both = summed(labels.map((label, i) => `${label} ${others[i]!}`));
  const [one, other] = [summed(labels.map(String)), summed(others.map(String))];
  const expected = (one * other) / pairs(labels.length);
  const most = (one + other) / 2;
  return most === expected ? 0 : (both - expected) / (most - expected);
}
