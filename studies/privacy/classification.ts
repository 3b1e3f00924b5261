/** Weighted F1 and accuracy of an SVM on rows that are reduced by private components: over ε, over sites and over components. */

import { predictableRandomness } from '@eigenveil/privacy/insides';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { Measurement, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { type LaboratoryData, loadLaboratoryData } from './data.ts';
import { COST, heldOut, type Labelled, scored, type Trial } from './held-out.ts';
import { identityOf, PCA_METHODS, type PcaMethod, times } from './methods/index.ts';
import { planDataSets } from './plan.ts';
import { dealToSites } from './sites.ts';
import { REFERENCES, RELEASED } from './statements.ts';
import { componentsOf, DP_DELTA, EPSILONS, SITES, settingOf } from './utility.ts';

const CLASSIFICATION = 'classification';
export const CLASSIFICATION_SITES = 10;
/** Of the axes of sites and components. */
export const AXIS_EPSILON = 1;
/** But for those that are there to take accounting apart. */
export const CLASSIFIED: readonly PcaMethod[] = PCA_METHODS.filter(
  ({ name }) => RELEASED.includes(name) || (!REFERENCES.includes(name) && name !== 'dpdispca'),
);
/** Of the axis of components: the others behave like one of these. */
const OVER_COMPONENTS: readonly string[] = [
  'non-private',
  'random-directions',
  'eigenveil',
  'eigenveil-around',
  'analyze-gauss',
  'elfedpca-repaired',
  'elfedpca-corrected',
  'dpdispca-recalibrated',
];

const QUICK_SETS: readonly string[] = ['iris', 'breast_cancer'];

export interface Case {
  readonly dataset: string;
  readonly sites: number;
  readonly components: number;
  readonly epsilon: number;
}

/** Few, so that the choice of components matters. */
export const classifiedComponents = (features: number): number => (features > 20 ? 4 : 2);

function methodsOf({ sites, components }: Case, features: number): readonly PcaMethod[] {
  if (sites !== CLASSIFICATION_SITES) return CLASSIFIED.filter(({ dependsOnSites }) => dependsOnSites);
  if (components === classifiedComponents(features)) return CLASSIFIED;
  return CLASSIFIED.filter(({ name }) => OVER_COMPONENTS.includes(name));
}

const idOf = ({ dataset, sites, components, epsilon }: Case): string =>
  `${CLASSIFICATION}/${dataset}/${sites}/${components}/${epsilon}`;

function unitOf(of: Case, { features, rows }: LaboratoryData, seeds: number): Unit {
  const methods = methodsOf(of, features);
  return {
    id: idOf(of),
    title: `SVM, ${of.dataset}, ${of.sites} sites, k = ${of.components}, ε = ${of.epsilon}`,
    parameters: {
      ...of,
      seeds,
      dpDelta: DP_DELTA,
      cost: COST,
      methods: identityOf(methods),
    },
    expectedSeconds: 0.2 + seeds * methods.length * (0.005 + 2e-8 * rows.length * features),
    measure: () => measure(of, methods, seeds),
  };
}

async function measure(of: Case, methods: readonly PcaMethod[], seeds: number): Promise<UnitResult> {
  const data = await loadLaboratoryData(of.dataset);
  if (data === undefined) throw new Error(`the data set ${of.dataset} has gone`);
  const trials: Trial[] = [];
  for (let seed = 0; seed < seeds; seed += 1) {
    for (const method of methods) trials.push(trialOf(data, method, of, seed));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return scored(trials);
}

/** Components come from the training rows alone. */
function trialOf(data: LaboratoryData, method: PcaMethod, of: Case, seed: number): Trial {
  const { dataset, sites, components, epsilon } = of;
  const { train, learn, test } = heldOut(data, seed);
  const next = generator(seedOf(`laboratory classification ${dataset} ${sites} ${seed}`));
  const source = predictableRandomness(
    `classification ${dataset} ${sites} ${components} ${epsilon} ${method.name} ${seed}`,
  );
  const found = method.run(
    source,
    dealToSites(train.rows, sites, next),
    settingOf(method, components, epsilon),
  );
  const reduced = ({ rows, labels }: Labelled): Labelled => ({
    rows: rows.map((row) => times(found ?? [], row)),
    labels,
  });
  return {
    name: method.name,
    learn: found && reduced(learn),
    test: reduced(test),
  };
}

export function findClassification(measurements: readonly Measurement[], of: Case): Measurement | undefined {
  return measurements.find(({ id }) => id === idOf(of));
}

export function classificationSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: CLASSIFICATION,
    description: 'weighted F1 and accuracy of an SVM on rows reduced by each method',
    plan: (scale) =>
      planDataSets(scale, { what: 'classification', quickSets: QUICK_SETS }, (data) => {
        const { name: dataset, features } = data;
        const shown = { dataset, sites: CLASSIFICATION_SITES, components: classifiedComponents(features) };
        const overEpsilon = EPSILONS.map((epsilon) =>
          unitOf({ ...shown, epsilon }, data, scale === 'quick' ? 5 : 12),
        );
        if (scale === 'quick') return overEpsilon;
        const axes = [
          ...SITES.filter((sites) => sites !== shown.sites).map((sites) => ({ ...shown, sites })),
          ...componentsOf(features)
            .filter((components) => components !== shown.components)
            .map((components) => ({ ...shown, components })),
        ];
        return [...overEpsilon, ...axes.map((of) => unitOf({ ...of, epsilon: AXIS_EPSILON }, data, 6))];
      }),
    ...reporting,
  };
}
