/** Accuracy of private forests over ε beside the plain algorithm and a library's forest, on the same splits. */

import { generator, predictableRandomness, seedOf, shuffled } from '@eigenveil/testbed/random';
import { RandomForestClassifier } from 'ml-random-forest';
import type { Measurement, Plan, Scale, Suite, Unit, UnitResult } from '../../instrument/unit.ts';
import type { Split } from '../../speed/accuracy/splits.ts';
import { classificationForest, largestAt } from '../classification-forest.ts';
import { picked, type SourceName, splitOf, type Table, tableOf } from './data.ts';
import { deeperShape, forestShape, STUDY_EPSILONS } from './settings.ts';

const NAME = 'accuracy';
export const CLASSIFIED: readonly SourceName[] = ['iris', 'taxi', 'taxi with tip and total'];
/** 100 for comparison with a library that is said to stay behind there. */
export const ACCURACY_EPSILONS: readonly number[] = [...STUDY_EPSILONS, 100];
/** Of the library, which takes minutes for a thousand rows: seeds, rows that it learns on, and rows that it answers. */
const LIBRARY = { seeds: 3, learnt: 250, asked: 200 };

export const findAccuracy = (measurements: readonly Measurement[], source: SourceName) =>
  measurements.find(({ id }) => id === `${NAME}/${source}`);
export const forestSeries = (epsilon: number): string => `forest ${epsilon}`;

export function accuracySuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: NAME,
    description: 'accuracy of private random forests over ε',
    plan: (scale) => plan(CLASSIFIED, 'accuracy', (source, table) => unitOf(source, table, scale)),
    ...reporting,
  };
}

/** A unit for each source that is there. */
export async function plan(
  sources: readonly SourceName[],
  what: string,
  unit: (source: SourceName, table: Table) => Unit,
): Promise<Plan> {
  const found = await Promise.all(sources.map(async (source) => ({ source, table: await tableOf(source) })));
  return {
    units: found.flatMap(({ source, table }) => (table === undefined ? [] : [unit(source, table)])),
    omissions: found
      .filter(({ table }) => table === undefined)
      .map(({ source }) => ({
        what: `${what}, ${source}`,
        why: 'its file is not in the folder EIGENVEIL_DATA',
      })),
  };
}

function unitOf(source: SourceName, table: Table, scale: Scale): Unit {
  const seeds = scale === 'quick' ? 3 : 20;
  return {
    id: `${NAME}/${source}`,
    title: `forests, ${source}`,
    parameters: { source, seeds, epsilons: ACCURACY_EPSILONS.join(' '), version: 1 },
    expectedSeconds: seeds * (0.3 + table.rows.length / 3000),
    measure: () => measure(source, table, seeds),
  };
}

async function measure(source: SourceName, table: Table, seeds: number): Promise<UnitResult> {
  const series: Record<string, { unit: 'points' | 'ms'; samples: number[] }> = {};
  const push = (name: string, unit: 'points' | 'ms', value: number) => {
    series[name] ??= { unit, samples: [] };
    series[name].samples.push(Number(value.toFixed(4)));
  };
  const classes = Math.max(...table.targets) + 1;
  const features = table.ranges.length;
  const shape = table.rows.length > 1000 ? deeperShape(features) : forestShape(features);
  for (let seed = 0; seed < seeds; seed += 1) {
    const { train, test } = splitOf(source, table.targets, seed, 'class');
    const [rows, labels] = [picked(table.rows, train), picked(table.targets, train)];
    const score = (predict: (row: readonly number[]) => number) =>
      (100 * test.filter((row) => predict(table.rows[row]!) === table.targets[row]).length) / test.length;
    for (const epsilon of [...ACCURACY_EPSILONS, Infinity]) {
      const started = performance.now();
      const { predict } = classificationForest(
        predictableRandomness(`learners accuracy ${source} ${epsilon} ${seed}`),
        rows,
        labels,
        { ...shape, ranges: table.ranges, classes, epsilon },
      );
      const time = performance.now() - started;
      push(forestSeries(epsilon), 'points', score(predict));
      if (epsilon === 100) push('time at 100', 'ms', time);
    }
    if (seed < LIBRARY.seeds) push('library', 'points', libraryScore(table, { train, test }, seed));
    const counts = Array.from({ length: classes }, (_, c) => labels.filter((label) => label === c).length);
    push(
      'majority',
      'points',
      score(() => largestAt(counts)),
    );
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { series, facts: { rows: table.rows.length, features } };
}

function libraryScore(table: Table, { train, test }: Split, seed: number): number {
  const features = table.ranges.length;
  const next = generator(seedOf(`learners library ${seed}`));
  const [learnt, asked] = [
    shuffled(train, next).slice(0, LIBRARY.learnt),
    shuffled(test, next).slice(0, LIBRARY.asked),
  ];
  const library = new RandomForestClassifier({
    seed,
    nEstimators: 10,
    maxFeatures: Math.ceil(Math.sqrt(features)),
    replacement: false,
    useSampleBagging: true,
    noOOB: true,
    treeOptions: { maxDepth: 6 },
  });
  library.train(
    learnt.map((row) => [...table.rows[row]!]),
    picked(table.targets, learnt),
  );
  const answers = library.predict(asked.map((row) => [...table.rows[row]!]));
  return (100 * asked.filter((row, i) => answers[i] === table.targets[row]).length) / asked.length;
}
