/** How well clusters of DBSCAN, plain, as the thesis has it, and on a grid, follow the species of iris: petals, over ε. */
/// <reference path="../types/density-clustering.d.ts" />

import { predictableRandomness } from '@eigenveil/testbed/random';
import { DBSCAN } from 'density-clustering';
import type { Measurement, Suite, UnitResult } from '../../instrument/unit.ts';
import { gridDbscan } from '../grid-dbscan.ts';
import { OUTLIER, thesisDbscan } from '../thesis-dbscan.ts';
import { tableOf } from './data.ts';
import { STUDY_EPSILONS } from './settings.ts';

const NAME = 'clusters';
/** Of petals, on ranges of 0 to 1. */
const DENSITY = { radius: 0.05, neighbours: 5 };
const GRID = { cells: 12, atLeast: 2 };
export const WAYS = ['thesis', 'grid'] as const;
export const clusterSeries = (way: (typeof WAYS)[number], epsilon: number): string => `${way} ${epsilon}`;
export const findClusters = (measurements: readonly Measurement[]) =>
  measurements.find(({ id }) => id === `${NAME}/iris`);

export function clustersSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'DBSCAN of the thesis and on a grid, on petals of iris',
    plan: async (scale) => {
      const seeds = scale === 'quick' ? 5 : 40;
      return {
        units: [
          {
            id: `${NAME}/iris`,
            title: 'clusters of iris',
            parameters: { seeds, ...DENSITY, ...GRID, epsilons: STUDY_EPSILONS.join(' ') },
            expectedSeconds: seeds * 0.05,
            measure: () => measure(seeds),
          },
        ],
        omissions: [],
      };
    },
    ...reporting,
  };
}

async function measure(seeds: number): Promise<UnitResult> {
  const table = await tableOf('iris');
  if (table === undefined) throw new Error('iris is bundled, and has gone');
  const rows = table.rows.map((row) => [row[2]! / 10, row[3]! / 5]);
  const series: Record<string, { unit: 'points'; samples: number[] }> = {};
  const score = (name: string, labels: readonly number[]) => {
    series[name] ??= { unit: 'points', samples: [] };
    series[name].samples.push(Number((100 * adjustedRand(labels, table.targets)).toFixed(4)));
  };
  const plain = new Array<number>(rows.length).fill(OUTLIER);
  new DBSCAN().run(rows, DENSITY.radius, DENSITY.neighbours).forEach((cluster, i) => {
    for (const row of cluster) plain[row] = i;
  });
  const unit = { least: 0, largest: 1 };
  for (let seed = 0; seed < seeds; seed += 1) {
    score('library', plain);
    for (const epsilon of [...STUDY_EPSILONS, Infinity]) {
      const source = predictableRandomness(`learners clusters ${epsilon} ${seed}`);
      score(
        clusterSeries('thesis', epsilon),
        thesisDbscan(source, rows, { ...DENSITY, diameter: Math.SQRT2, epsilon }),
      );
      const { clusterOf } = gridDbscan(source, rows, { ...GRID, ranges: [unit, unit], epsilon });
      score(clusterSeries('grid', epsilon), rows.map(clusterOf));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { series, facts: {} };
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
