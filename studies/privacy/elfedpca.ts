/**
 * ELFedPCA's own experiment in one panel: itself, DPdisPCA and the centralised Gaussian mechanism, each with the noise that is published at every nominal ε,
 * by captured energy and by the accuracy of an SVM, beside the ε that each really keeps.
 *
 * What the publication's data sets, sizes of sites and axes were is not known to us. Assumed: ten sites that grow in size, two components, and nominal ε of
 * the other studies here. Energy is that of components of all rows; the SVM has those of the training rows, so that its ε is kept for their sizes.
 */
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { beside, least, mean, most, spread } from '../instrument/figure.ts';
import { type ChartOf, defineStudy } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { trialOf } from './classification.ts';
import { dataSetsOf, rowsOf } from './data.ts';
import { COST, heldOut, scoresOf } from './held-out.ts';
import { ELFEDPCA_EXPERIMENT, identityOf, type PcaMethod, type Site } from './methods/index.ts';
import { energyRatio, truthOf } from './metrics.ts';
import { DP_DELTA, dealToSites, EPSILON_TITLES, EPSILONS, settingOf } from './setting.ts';

const SITES = 10;
const COMPONENTS = 2;
/** Documents quote figures at this ε. */
const QUOTED_EPSILON = 1;
const QUOTED_SETS = ['iris', 'pima', 'ionosphere'] as const;
const QUICK_SETS: readonly string[] = ['iris', 'ionosphere'];
const [ELFEDPCA, DPDISPCA, CENTRAL] = ELFEDPCA_EXPERIMENT.map(({ name }) => name) as [string, string, string];
const TITLES = Object.fromEntries(ELFEDPCA_EXPERIMENT.map(({ name, title }) => [name, title]));

function seedsFor(scale: Scale, features: number): number {
  if (scale === 'quick') return 10;
  return features > 20 ? 20 : 60;
}
/** An SVM takes longer than components do. */
const splitsFor = (seeds: number): number => Math.min(12, seeds);

/** The ε that a row keeps from whoever sees the components alone, for sites of these sizes; nothing where there is no noise. */
function keptBy({ promise }: PcaMethod, sites: readonly Site[], setting: ReturnType<typeof settingOf>) {
  const kept = promise.keeps(sites, setting);
  return 'none' in kept ? undefined : kept.epsilon;
}

const dealt = <Row>(rows: readonly Row[], dataset: string, seed: number): Row[][] =>
  dealToSites(rows, SITES, generator(seedOf(`elfedpca ${dataset} ${seed}`)));

/** The protection that a method keeps against whoever sees more than the components. */
const SEEN: Readonly<Record<string, Tidy>> = {
  [ELFEDPCA]: {
    site: 'nothing: each knows the seed, and subtracts the noise from every message that it sees',
    published: 'nothing: it publishes reduced rows, which carry no noise',
  },
  [DPDISPCA]: {
    site: 'the same ε: each message carries noise of its own',
    published: 'no rows are part of it',
  },
  [CENTRAL]: {
    site: 'nothing from the curator, who has all rows; the same ε from all others',
    published: 'no rows are part of it',
  },
};

const keeps = mean('keeps', { digits: 2 });
const energy = spread('energy', { digits: 1 });
const accuracy = mean('accuracy', { digits: 1 });
const PANEL_CELL = beside(' / ', energy, accuracy, keeps);

const drawn = (column: 'energy' | 'accuracy', title: string): ChartOf => ({
  caption: `{dataset}: ${title} over the nominal ε, ${COMPONENTS} components, ${SITES} sites that grow in size`,
  each: ['dataset'],
  where: (record) => record[column] !== undefined,
  mark: 'line',
  x: { column: 'epsilon', title: 'nominal ε', scale: 'log' },
  y: { figure: mean(column, { digits: 1 }), title },
  colour: 'method',
});
const atQuoted = (dataset: string, method: string) => ({ dataset, method, epsilon: QUOTED_EPSILON });
const quoted = (column: 'energy' | 'keeps') =>
  Object.fromEntries(
    QUOTED_SETS.flatMap((dataset) =>
      Object.entries({ Elfedpca: ELFEDPCA, Dpdispca: DPDISPCA, Central: CENTRAL }).map(([name, method]) => [
        `${dataset}${name}${column === 'energy' ? '' : 'Keeps'}`,
        {
          where: atQuoted(dataset, method),
          figure: mean(column, { digits: column === 'energy' || method === ELFEDPCA ? 1 : 2 }),
        },
      ]),
    ),
  );
const overSets = (method: string) => ({ where: { method, epsilon: QUOTED_EPSILON } });

export const elfedpcaExperiment = defineStudy({
  id: 'privacy/elfedpca',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, { what: 'ELFedPCA', quickSets: QUICK_SETS });
    const cases = sets.flatMap(({ name: dataset, features, rows }) =>
      EPSILONS.map((epsilon) => ({
        ...{ dataset, epsilon, seeds: seedsFor(asked.scale, features), features, rows: rows.length },
        ...{ sites: SITES, components: COMPONENTS, dpDelta: DP_DELTA, cost: COST },
        methods: identityOf(ELFEDPCA_EXPERIMENT),
      })),
    );
    return { cases, omissions };
  },
  titleOf: ({ dataset, epsilon }) => `ELFedPCA, ${dataset}, ε = ${epsilon}`,
  expectedSeconds: ({ seeds, features, rows }) =>
    seeds * (2e-6 * features ** 3 + 5e-3) + splitsFor(seeds) * (0.05 + 1e-7 * rows * features),
  async measure({ dataset, epsilon, seeds }, { own }): Promise<Tidy[]> {
    const data = await rowsOf(dataset, own);
    const truth = truthOf(data.rows);
    // Sizes are the same at every seed.
    const [all, trained] = [data.rows, heldOut(data, 0).train.rows].map((rows) => dealt(rows, dataset, 0));
    const records: Tidy[] = ELFEDPCA_EXPERIMENT.flatMap((method) => {
      const setting = settingOf(method, COMPONENTS, epsilon);
      const [own, ofTraining] = [all!, trained!].map((sites) => keptBy(method, sites, setting));
      if (own === undefined || ofTraining === undefined) return [];
      return [{ method: method.name, keeps: own, keepsTrained: ofTraining }];
    });
    for (let seed = 0; seed < seeds; seed += 1) {
      const sites = dealt(data.rows, dataset, seed);
      for (const method of ELFEDPCA_EXPERIMENT) {
        const { name } = method;
        const source = predictableRandomness(`elfedpca ${dataset} ${epsilon} ${name} ${seed}`);
        const found = method.run(source, sites, settingOf(method, COMPONENTS, epsilon));
        const share = 100 * energyRatio(found, COMPONENTS, truth);
        records.push({ seed, method: name, energy: Number(share.toFixed(4)) });
      }
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const choice = { sites: SITES, components: COMPONENTS, epsilon };
    const trials = Array.from({ length: splitsFor(seeds) }, (_, seed) =>
      ELFEDPCA_EXPERIMENT.map((method) => trialOf(data, method, choice, seed)),
    ).flat();
    const scored = await scoresOf(trials);
    return [
      ...records,
      ...trials.map(({ seed, method }, i) => ({ seed, method, accuracy: scored[i]!.accuracy })),
    ];
  },
  columns: {
    dataset: { title: 'data set' },
    epsilon: { title: 'nominal ε', values: EPSILON_TITLES },
    method: { values: TITLES },
    site: { title: 'keeps from a site, or from who sees messages', wraps: true },
    published: { title: 'keeps from readers of published rows', wraps: true },
    remarks: { title: 'noise', wraps: true },
  },
  frames: {
    seen: () =>
      ELFEDPCA_EXPERIMENT.flatMap(({ name, promise: { remarks } }) =>
        SEEN[name] === undefined ? [] : [{ method: name, ...SEEN[name], remarks }],
      ),
    /** Energy over the ε that is kept, not over the one that is told. */
    atKept: (records) =>
      records.flatMap(({ dataset, epsilon, method, keeps: kept }) => {
        if (kept === undefined) return [];
        const own = records.filter(
          (it) => it.dataset === dataset && it.epsilon === epsilon && it.method === method,
        );
        return [{ dataset: dataset!, method: method!, kept, energy: mean('energy')(own).value! }];
      }),
  },
  tables: {
    panel: {
      caption: `{dataset}: captured energy in percent of the best, mean ± standard deviation / accuracy of an SVM in percent / the ε that is kept, over the nominal ε; ${COMPONENTS} components`,
      each: ['dataset'],
      rows: ['method'],
      across: { column: 'epsilon', cell: PANEL_CELL },
    },
    atOne: {
      caption: 'At a nominal ε = 1, by data set',
      where: { epsilon: QUOTED_EPSILON },
      rows: ['dataset', 'method'],
      cells: {
        'captured energy, %': energy,
        'accuracy, %': accuracy,
        'keeps ε': keeps,
        'keeps ε, training rows': mean('keepsTrained', { digits: 2 }),
      },
    },
    quoted: {
      caption: `At a nominal ε = 1: captured energy in percent of the best, mean ± standard deviation / accuracy of an SVM in percent / the ε that is kept`,
      where: ({ epsilon, dataset }) =>
        epsilon === QUOTED_EPSILON && (QUOTED_SETS as readonly unknown[]).includes(dataset),
      rows: ['dataset'],
      across: { column: 'method', cell: PANEL_CELL },
    },
    seen: { caption: 'Who sees what', of: 'seen', rows: ['method', 'site', 'published', 'remarks'] },
  },
  charts: {
    'elfedpca-energy': drawn('energy', 'captured energy, % of the best'),
    'elfedpca-accuracy': drawn('accuracy', 'accuracy of an SVM, %'),
    'elfedpca-kept': {
      caption: '{dataset}: captured energy over the ε that is kept',
      of: 'atKept',
      each: ['dataset'],
      mark: 'line',
      x: { column: 'kept', title: 'ε that is kept', scale: 'log' },
      y: { figure: mean('energy', { digits: 1 }), title: 'captured energy, % of the best' },
      colour: 'method',
    },
  },
  facts: {
    ...quoted('energy'),
    ...quoted('keeps'),
    energyElfedpca: { ...overSets(ELFEDPCA), figure: mean('energy', { digits: 1 }) },
    energyDpdispca: { ...overSets(DPDISPCA), figure: mean('energy', { digits: 1 }) },
    energyCentral: { ...overSets(CENTRAL), figure: mean('energy', { digits: 1 }) },
    accuracyElfedpca: { ...overSets(ELFEDPCA), figure: mean('accuracy', { digits: 1 }) },
    accuracyDpdispca: { ...overSets(DPDISPCA), figure: mean('accuracy', { digits: 1 }) },
    accuracyCentral: { ...overSets(CENTRAL), figure: mean('accuracy', { digits: 1 }) },
    leastKept: { ...overSets(ELFEDPCA), figure: least('keeps', { digits: 0 }) },
    mostKept: { ...overSets(ELFEDPCA), figure: most('keeps', { digits: 0 }) },
    keptByOthers: { ...overSets(DPDISPCA), figure: mean('keeps', { digits: 2 }) },
    keptByOthersAtTen: { where: { method: DPDISPCA, epsilon: 10 }, figure: mean('keeps', { digits: 2 }) },
  },
  holds: {
    ranksAsPublished: (fact) =>
      fact('energyElfedpca') > fact('energyCentral') && fact('energyCentral') > fact('energyDpdispca'),
    keepsLittle: (fact) =>
      fact('leastKept') > 10 &&
      fact('keptByOthers') < 1 &&
      Math.abs(fact('accuracyElfedpca') - fact('accuracyCentral')) < 1,
    noProofBeyondOne: (fact) => fact('keptByOthersAtTen') > 10,
  },
  words: new URL('elfedpca.md', import.meta.url),
});
