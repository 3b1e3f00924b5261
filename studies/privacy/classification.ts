/** Weighted F1 and accuracy of an SVM on rows that are reduced by private components: over ε, over sites and over components. */
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { within } from '../instrument/figure.ts';
import { defineStudy, type TableOf } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { dataSetsOf, type LaboratoryData, rowsOf } from './data.ts';
import { COST, heldOut, type Labelled, scores, scoresOf } from './held-out.ts';
import { decided } from './inference.ts';
import { identityOf, PCA_METHODS, type PcaMethod, times } from './methods/index.ts';
import {
  componentsOf,
  DP_DELTA,
  dealToSites,
  EPSILON_TITLES,
  EPSILONS,
  METHOD_TITLES,
  mostSites,
  REFERENCES,
  RELEASED,
  SITES,
  settingOf,
} from './setting.ts';

const SHOWN_SITES = 10;
/** The ε at which sites and components are varied. */
const AXIS_EPSILON = 1;
/** All methods but those that are there to take accounting apart. */
const CLASSIFIED: readonly PcaMethod[] = PCA_METHODS.filter(
  ({ name }) => RELEASED.includes(name) || (!REFERENCES.includes(name) && name !== 'dpdispca'),
);
const OVER_SITES = CLASSIFIED.flatMap(({ name, dependsOnSites }) => (dependsOnSites ? [name] : []));
/** Methods whose number of components is varied: the others behave like one of these. */
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

/** Few, so that the choice of components matters. */
export const classifiedComponents = (features: number): number => (features > 20 ? 4 : 2);

interface Choice {
  readonly sites: number;
  readonly components: number;
  readonly epsilon: number;
}

function methodsOf({ sites, components }: Choice, features: number): readonly PcaMethod[] {
  if (sites !== SHOWN_SITES) return CLASSIFIED.filter(({ name }) => OVER_SITES.includes(name));
  if (components === classifiedComponents(features)) return CLASSIFIED;
  return CLASSIFIED.filter(({ name }) => OVER_COMPONENTS.includes(name));
}

/** Every ε; in full runs also every number of sites, and every number of components. */
function choicesOf(features: number, trainingRows: number, isFull: boolean): Choice[] {
  const shown = { sites: SHOWN_SITES, components: classifiedComponents(features) };
  const overEpsilon = EPSILONS.map((epsilon) => ({ ...shown, epsilon }));
  if (!isFull) return overEpsilon;
  const overSites = SITES.filter((sites) => sites !== SHOWN_SITES && sites <= mostSites(trainingRows));
  const overComponents = componentsOf(features).filter((components) => components !== shown.components);
  return [
    ...overEpsilon,
    ...overSites.map((sites) => ({ ...shown, sites, epsilon: AXIS_EPSILON })),
    ...overComponents.map((components) => ({ ...shown, components, epsilon: AXIS_EPSILON })),
  ];
}

/** Components come from the training rows alone. */
export function trialOf(data: LaboratoryData, method: PcaMethod, choice: Choice, seed: number) {
  const { sites, components, epsilon } = choice;
  const { train, learn, test } = heldOut(data, seed);
  const next = generator(seedOf(`laboratory classification ${data.name} ${sites} ${seed}`));
  const name = `classification ${data.name} ${sites} ${components} ${epsilon} ${method.name} ${seed}`;
  const dealt = dealToSites(train.rows, sites, next);
  const found = method.run(predictableRandomness(name), dealt, settingOf(method, components, epsilon));
  const reduced = (of: Labelled): Labelled => ({
    ...of,
    rows: of.rows.map((row) => times(found ?? [], row)),
  });
  return { seed, method: method.name, learn: found && reduced(learn), test: reduced(test) };
}

const hasShownSites = ({ sites }: Tidy): boolean => sites === SHOWN_SITES;
const hasShownComponents = ({ components, features }: Tidy): boolean =>
  components === classifiedComponents(Number(features));
/** Scores at the one ε over another column, where records have the usual value of the third. */
const overAxis = (
  column: 'sites' | 'components',
  methods: readonly string[],
  isUsual: (record: Tidy) => boolean,
): TableOf => ({
  caption: `Weighted F1 and accuracy in percent at ε = 1, over the number of ${column}`,
  where: (record) =>
    record.epsilon === AXIS_EPSILON && isUsual(record) && methods.includes(String(record.method)),
  rows: ['dataset', 'method'],
  across: { column, cell: scores },
});
const isShown = (record: Tidy): boolean => hasShownSites(record) && hasShownComponents(record);

const difference = within('difference', 'low', 'high', { digits: 1, signed: true });
/** Accuracy with directions of two tasks less that with another method's. */
const accuracyLead = (against: string) => ({
  of: 'differences',
  where: { of: 'eigenveil-around', against, epsilon: AXIS_EPSILON },
  figure: difference,
});

export const classification = defineStudy({
  id: 'privacy/classification',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, { what: 'classification', quickSets: QUICK_SETS });
    const cases = sets.flatMap((data) => {
      const { name: dataset, features, rows } = data;
      return choicesOf(features, heldOut(data, 0).train.rows.length, asked.scale === 'full').map(
        (choice, i) => ({
          ...{ dataset, ...choice, seeds: asked.scale === 'quick' ? 5 : i < EPSILONS.length ? 12 : 6 },
          ...{ features, rows: rows.length, dpDelta: DP_DELTA, cost: COST },
          methods: identityOf(methodsOf(choice, features)),
        }),
      );
    });
    return { cases, omissions };
  },
  titleOf: ({ dataset, sites, components, epsilon }) =>
    `SVM, ${dataset}, ${sites} sites, k = ${components}, ε = ${epsilon}`,
  expectedSeconds: ({ seeds, features, rows, ...choice }) =>
    0.2 + seeds * methodsOf(choice, features).length * (0.005 + 2e-8 * rows * features),
  async measure({ dataset, seeds, features, ...choice }, { own }): Promise<Tidy[]> {
    const data = await rowsOf(dataset, own);
    const trials: ReturnType<typeof trialOf>[] = [];
    for (let seed = 0; seed < seeds; seed += 1) {
      for (const method of methodsOf(choice, features)) trials.push(trialOf(data, method, choice, seed));
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const scored = await scoresOf(trials);
    return trials.map(({ seed, method }, i) => ({ seed, method, ...scored[i] }));
  },
  columns: {
    dataset: { title: 'data set' },
    epsilon: { title: 'ε', values: EPSILON_TITLES },
    sites: { values: Object.fromEntries(SITES.map((sites) => [sites, `${sites} sites`])) },
    components: { values: Object.fromEntries(componentsOf(Infinity).map((k) => [k, `k = ${k}`])) },
    ...{
      method: { values: METHOD_TITLES },
      of: { values: METHOD_TITLES },
      against: { values: METHOD_TITLES },
    },
  },
  frames: {
    /** Eigenveil less each other method in accuracy, over data sets. */
    differences: (records) =>
      RELEASED.flatMap((of) =>
        CLASSIFIED.filter(({ name }) => !RELEASED.includes(name)).flatMap(({ name: against }) =>
          decided(records.filter(isShown), {
            ...{ column: 'accuracy', of: { method: of }, against: { method: against } },
          }).means.map((mean) => ({ of, against, ...mean })),
        ),
      ),
  },
  tables: {
    differences: {
      caption:
        'Accuracy with Eigenveil less that with another method, in points: mean over data sets with its 95 % interval, not corrected',
      of: 'differences',
      rows: ['of', 'against'],
      across: { column: 'epsilon', cell: difference },
    },
    scores: {
      caption: '{dataset}: weighted F1 and accuracy in percent',
      each: ['dataset'],
      where: isShown,
      rows: ['method', 'components'],
      across: { column: 'epsilon', cell: scores },
    },
    sites: overAxis('sites', OVER_SITES, hasShownComponents),
    components: overAxis('components', OVER_COMPONENTS, hasShownSites),
  },
  facts: {
    overChance: accuracyLead('random-directions'),
    overCorrected: accuracyLead('elfedpca-corrected'),
  },
  holds: { overChance: (fact) => fact('overChance') > 0 },
  words: new URL('classification.md', import.meta.url),
});
