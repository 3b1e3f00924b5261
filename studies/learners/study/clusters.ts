/** The fit of clusters of DBSCAN, plain, as the thesis prints it, with recursion, and on a grid, to the classes of rows in a plane: petals of iris, over ε. */
/// <reference path="../types/density-clustering.d.ts" />

import { predictableRandomness } from '@eigenveil/testbed/random';
import { DBSCAN } from 'density-clustering';
import { mean, most, spread } from '../../instrument/figure.ts';
import type { OwnData } from '../../instrument/own-data.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { OUTLIER } from '../expanded.ts';
import { gridDbscan } from '../grid-dbscan.ts';
import { recursiveDbscan } from '../recursive-dbscan.ts';
import { thesisDbscan } from '../thesis-dbscan.ts';
import { tableOf } from './data.ts';
import { EPSILON_TITLES, STUDY_EPSILONS, told } from './settings.ts';

/** The radii, on ranges of 0 to 1. Plain DBSCAN distinguishes the petals of iris at the first radius; without recursion clusters are few enough at the second. */
const RADII = [0.05, 0.2] as const;
const NEIGHBOURS = 5;
const GRID = { cells: 12, atLeast: 2 };
const UNIT = { least: 0, largest: 1 };

/** The thesis has these, as it is printed and in a reading. Neither keeps an ε. */
const OF_THESIS = { 'as printed': thesisDbscan, 'with recursion': recursiveDbscan };

const indexOf = (way: string, of: Tidy) => ({
  where: { way, ...of },
  figure: mean('index', { digits: 0 }),
});
const ofThesis = (way: keyof typeof OF_THESIS, radius: number, epsilon: Tidy[string] = 'none') =>
  indexOf(way, { radius, epsilon });

export const clusters = defineStudy({
  id: 'learners/clusters',
  plan: ({ scale, own }) => {
    const seeds = scale === 'quick' ? 5 : 40;
    const of = {
      source: own?.name ?? 'iris',
      seeds,
      radii: RADII.join(' '),
      neighbours: NEIGHBOURS,
      ...GRID,
    };
    return { cases: [{ ...of, epsilons: STUDY_EPSILONS.join(' ') }] };
  },
  titleOf: ({ source }) => `clusters of ${source}`,
  expectedSeconds: ({ seeds }) => seeds * 0.3,
  async *measure({ seeds }, { own }): AsyncGenerator<Tidy> {
    const { rows, labels } = own === undefined ? await petals() : planeOf(own);
    const index = (found: readonly number[]) => Number((100 * adjustedRand(found, labels)).toFixed(4));
    for (let seed = 0; seed < seeds; seed += 1) {
      for (const epsilon of [...STUDY_EPSILONS, Infinity]) {
        const noisy = { seed, epsilon: told(epsilon) };
        const random = (name: string) =>
          predictableRandomness(`learners clusters ${name} ${epsilon} ${seed}`);
        for (const [way, dbscan] of Object.entries(OF_THESIS)) {
          for (const radius of RADII) {
            const setting = { radius, neighbours: NEIGHBOURS, diameter: Math.SQRT2, epsilon };
            const found = dbscan(random(`${way} ${radius}`), rows, setting);
            yield { ...noisy, way, radius, index: index(found) };
          }
        }
        const grid = gridDbscan(random('grid'), rows, { ...GRID, ranges: [UNIT, UNIT], epsilon });
        yield { ...noisy, way: 'grid', index: index(rows.map(grid.clusterOf)) };
      }
      for (const radius of RADII)
        yield { seed, way: 'library', radius, epsilon: 'none', index: index(libraryClusters(rows, radius)) };
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  columns: {
    way: {
      title: 'method',
      values: { 'as printed': 'thesis, as printed', 'with recursion': 'thesis, with recursion' },
    },
    epsilon: { values: EPSILON_TITLES },
  },
  tables: {
    indices: {
      caption: '{source}: adjusted Rand index in percent, over ε',
      each: ['source'],
      rows: ['way', 'radius'],
      across: { column: 'epsilon', cell: spread('index', { digits: 1 }) },
    },
  },
  facts: {
    printedAt1: ofThesis('as printed', 0.2, 1),
    printedAt10: ofThesis('as printed', 0.2, 10),
    recursiveAtMost: {
      where: ({ way, epsilon }) => way === 'with recursion' && epsilon !== 'none',
      figure: most('index', { digits: 0 }),
    },
    printedWide: ofThesis('as printed', 0.2),
    recursiveWide: ofThesis('with recursion', 0.2),
    printedNarrow: ofThesis('as printed', 0.05),
    recursiveNarrow: ofThesis('with recursion', 0.05),
    gridAt1: indexOf('grid', { epsilon: 1 }),
    gridAt10: indexOf('grid', { epsilon: 10 }),
    plain: indexOf('library', { radius: 0.05 }),
  },
  holds: {
    printedNeedsMuch: (fact) =>
      fact('printedAt1') < 5 &&
      fact('printedAt10') > fact('printedAt1') + 10 &&
      fact('printedAt10') < fact('printedWide') - 10,
    recursionFindsNone: (fact) => fact('recursiveAtMost') < 1,
    recursionMatters: (fact) =>
      fact('printedWide') > fact('recursiveWide') && fact('printedNarrow') < fact('recursiveNarrow'),
    gridComesNear: (fact) => fact('gridAt10') > fact('gridAt1') && fact('gridAt10') > fact('plain') - 5,
  },
  words: new URL('clusters.md', import.meta.url),
});

interface Plane {
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

/** Petals of iris, on ranges of 10 and of 5 cm. */
export async function petals(): Promise<Plane> {
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

function libraryClusters(rows: Plane['rows'], radius: number): number[] {
  const labels = rows.map(() => OUTLIER);
  new DBSCAN().run(rows, radius, NEIGHBOURS).forEach((cluster, i) => {
    for (const row of cluster) labels[row] = i;
  });
  return labels;
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
