/**
 * What reduced rows are worth once something covers them: an SVM learns on what is published, and is scored on rows that were held out.
 *
 * Every way spends (ε, δ) in all, on the projection and on the rows, for rows of which one may be replaced with its class. With Eigenveil's projection half of
 * both goes into it; random directions look at no row and leave all of it to the rows. Rows that are published as they are spend nothing and
 * are covered by nothing.
 */

import { predictableRandomness } from '@eigenveil/privacy/insides';
import type { Measurement, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { classifiedComponents } from './classification.ts';
import { type LaboratoryData, loadLaboratoryData } from './data.ts';
import { COST, heldOut, type Labelled, scored, type Trial } from './held-out.ts';
import { boundedRow, type Row, randomDirections, times } from './methods/index.ts';
import { planDataSets } from './plan.ts';
import { type Budget, noisyRows, projectionOf, syntheticRows } from './reduced-rows.ts';
import { DP_DELTA, DRAFTED_NORM, EPSILONS, settingOf } from './utility.ts';

const PUBLISHING = 'publishing';

/** What is published, reduced by which projection, and what that promises. */
export const WAYS = [
  { name: 'bare', title: 'rows as they are, Eigenveil’s projection', promise: 'nothing' },
  { name: 'noisy', title: 'noisy rows, Eigenveil’s projection', promise: '(ε, δ), each row by itself' },
  { name: 'synthetic', title: 'synthetic rows, Eigenveil’s projection', promise: '(ε, δ)' },
  { name: 'random bare', title: 'rows as they are, random directions', promise: 'nothing' },
  { name: 'random noisy', title: 'noisy rows, random directions', promise: '(ε, δ), each row by itself' },
  { name: 'random synthetic', title: 'synthetic rows, random directions', promise: '(ε, δ)' },
  { name: 'majority', title: 'no row, always the most frequent class', promise: 'nothing of that class' },
] as const;

const QUICK_SETS: readonly string[] = ['iris', 'breast_cancer'];

interface Case {
  readonly dataset: string;
  readonly components: number;
  readonly epsilon: number;
  readonly seeds: number;
}

const idOf = ({ dataset, epsilon }: Pick<Case, 'dataset' | 'epsilon'>): string =>
  `${PUBLISHING}/${dataset}/${epsilon}`;

function unitOf(of: Case, { features, rows }: LaboratoryData): Unit {
  return {
    id: idOf(of),
    title: `published rows, ${of.dataset}, ε = ${of.epsilon}`,
    parameters: { ...of, dpDelta: DP_DELTA, cost: COST, ways: WAYS.map(({ name }) => name).join(', ') },
    expectedSeconds: 0.2 + of.seeds * (0.04 + 4e-8 * rows.length * features),
    measure: () => measure(of),
  };
}

async function measure(of: Case): Promise<UnitResult> {
  const data = await loadLaboratoryData(of.dataset);
  if (data === undefined) throw new Error(`the data set ${of.dataset} has gone`);
  const trials: Trial[] = [];
  for (let seed = 0; seed < of.seeds; seed += 1) {
    trials.push(...trialsOf(data, of, seed));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return scored(trials);
}

function trialsOf(data: LaboratoryData, { dataset, components, epsilon }: Case, seed: number): Trial[] {
  const split = heldOut(data, seed);
  const source = (way: string) => predictableRandomness(`publishing ${dataset} ${epsilon} ${way} ${seed}`);
  const clipped = (of: Labelled): Labelled => ({
    ...of,
    rows: of.rows.map((row) => boundedRow(row, DRAFTED_NORM, 1)),
  });
  const [train, learn, test] = [clipped(split.train), clipped(split.learn), clipped(split.test)];
  const ways = (prefix: '' | 'random ', projection: readonly Row[], left: Budget): Trial[] => {
    const reduced = (of: Labelled): Labelled => ({
      ...of,
      rows: of.rows.map((row) => times(projection, row)),
    });
    const noisy = noisyRows(source(`${prefix}noisy`), reduced(learn), split.classes, left);
    const synthetic = syntheticRows(source(`${prefix}synthetic`), reduced(train), {
      classes: split.classes,
      count: learn.rows.length,
      ...left,
    });
    const published = { bare: reduced(learn), noisy, synthetic };
    return Object.entries(published).map(([name, rows]) => ({
      name: `${prefix}${name}`,
      learn: rows,
      test: reduced(test),
    }));
  };
  const half = { epsilon: epsilon / 2, dpDelta: DP_DELTA / 2 };
  const random = randomDirections.run(
    source('random'),
    [train.rows],
    settingOf(randomDirections, components, epsilon),
  )!;
  return [
    ...ways('', projectionOf(source('projection'), train.rows, components, half), half),
    ...ways('random ', random, { epsilon, dpDelta: DP_DELTA }),
    { name: 'majority', learn: constant(train.labels), test },
  ];
}

/** A learner that knows only which class is the most frequent one. */
function constant(labels: readonly number[]): Labelled {
  const counts = [...Map.groupBy(labels, (label) => label)].sort(([, a], [, b]) => b.length - a.length);
  return { rows: [[0]], labels: [counts[0]![0]] };
}

export function findPublishing(
  measurements: readonly Measurement[],
  dataset: string,
  epsilon: number,
): Measurement | undefined {
  return measurements.find(({ id }) => id === idOf({ dataset, epsilon }));
}

export function publishingSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: PUBLISHING,
    description: 'an SVM that learns on reduced rows that are published privately',
    plan: (scale) =>
      planDataSets(scale, { what: 'published rows', quickSets: QUICK_SETS }, (data) =>
        EPSILONS.map((epsilon) => {
          const components = classifiedComponents(data.features);
          const seeds = scale === 'quick' ? 5 : 20;
          return unitOf({ dataset: data.name, components, epsilon, seeds }, data);
        }),
      ),
    ...reporting,
  };
}
