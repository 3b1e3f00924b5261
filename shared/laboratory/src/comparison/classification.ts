/** Weighted F1 of an SVM on rows that are reduced by private components: what is left for who uses the projection. */

import { type Split, stratifiedSplit } from '@eigenveil/bench/accuracy/splits';
import { type SvmProblem, searchAll } from '@eigenveil/bench/accuracy/svm';
import { weightedF1 } from '@eigenveil/bench/accuracy/weighted-f1';
import type { Measurement, Suite, Unit, UnitResult } from '@eigenveil/bench/unit';
import { predictableRandomness } from '@eigenveil/privacy';
import { generator, seedOf } from '@eigenveil/testbed/random';
import { PCA_METHODS, type PcaMethod } from '../methods/index.ts';
import { type LaboratoryData, loadLaboratoryData } from './data.ts';
import { planDataSets } from './plan.ts';
import { dealToSites } from './sites.ts';
import { DP_DELTA, EPSILONS, settingAt } from './utility.ts';

export const CLASSIFICATION = 'classification';
export const CLASSIFICATION_SITES = 10;
/** The references that are there to take accounting apart are left out. */
const LEFT_OUT: readonly string[] = [
  'central-zcdp',
  'central-twice',
  'central-triangle',
  'eigenveil-one',
  'dpdispca-recalibrated',
  'elfedpca',
];
export const CLASSIFIED: readonly PcaMethod[] = PCA_METHODS.filter(({ name }) => !LEFT_OUT.includes(name));

const QUICK_SETS: readonly string[] = ['iris', 'breast_cancer'];
const TEST_SHARE = 0.3;
const MOST_ROWS = 800;
/** Fixed beforehand: a search over the rows would be one more question to them. */
const COST = 8;

interface Case {
  readonly dataset: string;
  readonly components: number;
  readonly epsilon: number;
  readonly seeds: number;
}

function unitOf(of: Case, rows: number): Unit {
  return {
    id: `${CLASSIFICATION}/${of.dataset}/${of.epsilon}`,
    title: `weighted F1, ${of.dataset}, ε = ${of.epsilon}`,
    parameters: {
      ...of,
      dpDelta: DP_DELTA,
      sites: CLASSIFICATION_SITES,
      cost: COST,
      methods: CLASSIFIED.map(({ name }) => name).join(' '),
    },
    expectedSeconds: 1 + of.seeds * CLASSIFIED.length * 3e-8 * Math.min(rows, MOST_ROWS) ** 2,
    measure: () => measure(of),
  };
}

async function measure(of: Case): Promise<UnitResult> {
  const data = await loadLaboratoryData(of.dataset);
  if (data === undefined) throw new Error(`the data set ${of.dataset} has gone`);
  const problems: { readonly method: string; readonly actual: number[]; readonly problem: SvmProblem }[] = [];
  const refused: Record<string, number> = {};
  for (let seed = 0; seed < of.seeds; seed += 1) {
    const split = splitOf(data, seed);
    for (const method of CLASSIFIED) {
      const problem = problemOf(data, split, method, of, seed);
      if (problem === undefined)
        refused[`${method.name} refused`] = (refused[`${method.name} refused`] ?? 0) + 1;
      else
        problems.push({ method: method.name, actual: split.test.map((row) => data.labels[row]!), problem });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const outcomes = await searchAll(problems.map(({ problem }) => problem));
  const series: Record<string, { unit: 'points'; samples: number[] }> = {};
  problems.forEach(({ method, actual }, i) => {
    series[method] ??= { unit: 'points', samples: [] };
    series[method].samples.push(100 * weightedF1(actual, outcomes[i]!.predicted));
  });
  return { series, facts: refused };
}

/** Of at most MOST_ROWS rows of each seed's own choice. */
function splitOf({ name, labels }: LaboratoryData, seed: number): Split {
  const next = generator(seedOf(`laboratory split ${name} ${seed}`));
  if (labels.length <= MOST_ROWS) return stratifiedSplit(labels, TEST_SHARE, next);
  const { test: chosen } = stratifiedSplit(labels, MOST_ROWS / labels.length, next);
  const { train, test } = stratifiedSplit(
    chosen.map((row) => labels[row]!),
    TEST_SHARE,
    next,
  );
  return { train: train.map((i) => chosen[i]!), test: test.map((i) => chosen[i]!) };
}

/** Components come from the training rows alone; undefined where the method gives none. */
function problemOf(
  { rows, labels }: LaboratoryData,
  { train, test }: Split,
  method: PcaMethod,
  { dataset, components, epsilon }: Case,
  seed: number,
): SvmProblem | undefined {
  const next = generator(seedOf(`laboratory classification ${dataset} ${seed}`));
  const sites = dealToSites(
    train.map((row) => rows[row]!),
    CLASSIFICATION_SITES,
    next,
  );
  const source = predictableRandomness(`classification ${dataset} ${epsilon} ${method.name} ${seed}`);
  const found = method.run(source, sites, settingAt(components, epsilon));
  if (found === undefined) return undefined;
  const project = (row: number) =>
    found.map((w) => w.reduce((sum, entry, i) => sum + entry * rows[row]![i]!, 0));
  return {
    train: { rows: train.map(project), labels: train.map((row) => labels[row]!) },
    test: test.map(project),
    folds: train.map(() => 0),
    grid: { costs: [COST], gammas: [1 / components] },
  };
}

export function findClassification(
  measurements: readonly Measurement[],
  dataset: string,
  epsilon: number,
): Measurement | undefined {
  return measurements.find(({ id }) => id === `${CLASSIFICATION}/${dataset}/${epsilon}`);
}

export function classificationSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: CLASSIFICATION,
    description: 'weighted F1 of an SVM on rows reduced by each method',
    plan: (scale) =>
      planDataSets(scale, { what: 'weighted F1', quickSets: QUICK_SETS }, ({ name, features, rows }) => {
        const seeds = scale === 'quick' ? 5 : 20;
        // Few, so that the choice of components matters.
        const components = features > 20 ? 4 : 2;
        return EPSILONS.map((epsilon) => unitOf({ dataset: name, components, epsilon, seeds }, rows.length));
      }),
    ...reporting,
  };
}
