/** Captured energy and subspace distance of every method, for each data set, spread over sites, and ε. */
import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { type Figure, least, mean, only, spread, sum, within } from '../instrument/figure.ts';
import { defineStudy, type Omission, type TableOf } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { aim, byDealing, cases, foundMore, means, overall, PROMISED } from './compared.ts';
import { dataSetsOf, rowsOf } from './data.ts';
import { VERDICTS } from './inference.ts';
import { identityOf, type Panel, PCA_METHODS, type PcaMethod, type Site } from './methods/index.ts';
import { energyRatio, subspaceDistance, truthOf } from './metrics.ts';
import { calibrations, crossings, promises, publicRanges } from './promises.ts';
import { ROUNDS_FACTS, ROUNDS_TABLE, roundsWithoutNoise, runOf } from './rounds.ts';
import {
  componentsOf,
  DEALING_TITLES,
  DEALINGS,
  type Dealing,
  DP_DELTA,
  dealingTitle,
  dealToSites,
  EPSILON_TITLES,
  EPSILONS,
  EQUAL,
  EQUAL_SITES,
  METHOD_TITLES,
  mostSites,
  POOLED,
  RELEASED,
  settingOf,
} from './setting.ts';

/** A method that does not depend on sites needs some all the same, for its parts of noise: the fewer, the faster drawn. */
const POOLED_SITES = 2;
const QUICK_SETS: readonly string[] = ['iris', 'pima', 'breast_cancer', 'ionosphere'];
const QUICK_DEALINGS: readonly Dealing[] = [10, EQUAL];
const DISTANCE_COMPONENTS = 2;
/** In each case: rounds without noise depend on the random start alone. */
const SEEDS_WITHOUT_NOISE = 10;

/** Up to this number of features: seeds of pooled cases, and of those with sites. */
const SEEDS = [
  [4, 600, 240],
  [9, 400, 140],
  [14, 400, 90],
  [24, 200, 48],
  [34, 130, 34],
  [39, 80, 18],
  [Infinity, 20, 6],
] as const;

/** More where a run is cheap: that is where few features and rows make means spread. A full run then costs about 25 minutes of one processor, all studies together. */
function seedsFor(scale: Scale, features: number, sites: Dealing): number {
  const [, pooled, dealtRows] = SEEDS.find(([largest]) => features <= largest)!;
  const seeds = sites === POOLED ? pooled : dealtRows;
  return scale === 'quick' ? Math.min(40, Math.ceil(seeds / 4)) : seeds;
}

const sitesOf = (dealing: Dealing): number =>
  dealing === EQUAL ? EQUAL_SITES : dealing === POOLED ? POOLED_SITES : dealing;
const methodsOf = (sites: Dealing): PcaMethod[] =>
  PCA_METHODS.filter(({ dependsOnSites }) => dependsOnSites === (sites !== POOLED));

const percent = (ratio: number): number => Number((100 * ratio).toFixed(4));

/** Describes what the method keeps of the ε that it is told, or why there is none, and how much noise it adds, for sites of these sizes. */
function described(method: PcaMethod, sites: readonly Site[], k: number, epsilon: number): Tidy {
  const setting = settingOf(method, k, epsilon);
  const kept = method.promise.keeps(sites, setting);
  const noise = method.noiseDeviation?.(sites, setting);
  return {
    method: method.name,
    // JSON has no Infinity.
    keeps: 'none' in kept ? kept.none : kept.epsilon === Infinity ? 'no noise' : kept.epsilon,
    ...(noise !== undefined && { noise }),
  };
}

const panelOf = Object.fromEntries(PCA_METHODS.map(({ name, panel }) => [name, panel]));
/** A panel stands beside what no noise gives and what chance gives. */
const isIn =
  (...panels: readonly Panel[]) =>
  ({ method }: Tidy): boolean =>
    panels.includes(panelOf[String(method)]!);

/** The most lines that can be distinguished in one chart. */
const CHARTED: readonly string[] = [
  'central',
  'eigenveil',
  'eigenveil-around',
  'analyze-gauss',
  'elfedpca-repaired',
  'elfedpca-corrected',
  'dpdispca-recalibrated',
  'noisy-power',
];
const energy = spread('energy2', { digits: 1 });
const overEpsilon = (cell: Figure) => ({ column: 'epsilon', cell });

const isShown = ({ sites }: Tidy): boolean => sites === POOLED || sites === 10;
const isCharted = ({ method }: Tidy): boolean => CHARTED.includes(String(method));

const energyTable = (panel: Panel): TableOf => ({
  caption:
    '{dataset}: captured energy of 2 components in percent of the best, mean ± standard deviation over seeds, and in how many runs a method gave up',
  each: ['dataset'],
  where: (record) => isIn('baseline', panel)(record) && (isShown(record) || record.sites === EQUAL),
  rows: ['method', 'sites'],
  across: overEpsilon(energy),
  cells: { 'gave up': sum('gaveUp', { digits: 0 }) },
});
const energyChart = (isOf: (record: Tidy) => boolean) => ({
  caption: '{dataset}: captured energy over ε, 2 components, 10 sites that grow in size; means',
  each: ['dataset'],
  where: (record: Tidy) => isOf(record) && isShown(record),
  mark: 'line' as const,
  x: { column: 'epsilon', scale: 'log' as const },
  y: { figure: mean('energy2', { digits: 1 }), title: 'captured energy, % of the best' },
  colour: 'method',
});

const difference = within('difference', 'low', 'high', { digits: 1, signed: true });
/** A difference with its interval, its verdict, and the dealing where it is least. */
const decided: Figure = (records) => {
  const told = difference(records);
  const [{ verdict, at } = {}] = records;
  if (told.value === undefined) return told;
  const place = at === POOLED ? '' : ` at ${dealingTitle(at as Dealing)}`;
  return { ...told, text: `${told.text} ${verdict}${place}` };
};
const counts = Object.fromEntries(VERDICTS.map((verdict) => [verdict, only(verdict)]));
const lead = (of: string, against: string) => ({
  of: 'overall',
  where: { of, against },
  figure: difference,
});
const behind = (of: string) => ({ of: 'aim', where: { of }, figure: only('behind') });

export const utility = defineStudy({
  id: 'privacy/utility',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, { what: 'captured energy', quickSets: QUICK_SETS });
    const dealings = [POOLED, ...(asked.scale === 'quick' ? QUICK_DEALINGS : DEALINGS)] as const;
    const left: Omission[] = [...omissions];
    const cases = sets.flatMap(({ name: dataset, features, rows }) =>
      dealings.flatMap((sites) => {
        if (sitesOf(sites) > mostSites(rows.length)) {
          const what = `captured energy, ${dataset}, ${dealingTitle(sites)}`;
          left.push({ what, why: 'it has too few rows' });
          return [];
        }
        return EPSILONS.map((epsilon) => ({
          ...{ dataset, sites, epsilon, seeds: seedsFor(asked.scale, features, sites) },
          ...{ features, dpDelta: DP_DELTA, components: componentsOf(features).join(' ') },
          methods: identityOf(methodsOf(sites)),
        }));
      }),
    );
    return { cases, omissions: left };
  },
  titleOf: ({ dataset, sites, epsilon }) => `${dataset}, ${dealingTitle(sites)}, ε = ${epsilon}`,
  expectedSeconds: ({ sites, seeds, features }) =>
    seeds *
    methodsOf(sites).length *
    (2e-7 * features ** 3 + 1e-3) *
    (sites === POOLED ? 2 : 1 + sitesOf(sites) / 3),
  async *measure({ dataset, sites, epsilon, seeds, features }, { own, note }): AsyncGenerator<Tidy> {
    const { rows } = await rowsOf(dataset, own);
    const truth = truthOf(rows);
    const components = componentsOf(features);
    const most = components.at(-1)!;
    for (let seed = 0; seed < seeds; seed += 1) {
      if (seed % 10 === 0) note(`${seed} of ${seeds}`);
      // Rows are dealt alike for all methods of a seed, and for all ε.
      const next = generator(seedOf(`laboratory ${dataset} ${sites} ${seed}`));
      const spreadRows = dealToSites(rows, sitesOf(sites), next, sites === EQUAL ? 'equal' : 'growing');
      // Sizes are the same at every seed.
      if (seed === 0)
        for (const method of methodsOf(sites)) yield described(method, spreadRows, most, epsilon);
      for (const method of methodsOf(sites)) {
        const { name } = method;
        const seeded = () =>
          predictableRandomness(`laboratory ${dataset} ${sites} ${epsilon} ${name} ${seed}`);
        const setting = settingOf(method, most, epsilon);
        const { found, seen } = runOf(method, seeded(), spreadRows, setting);
        const given = components.filter((k) => k <= (method.mostComponents ?? k));
        yield {
          ...{ seed, method: name, ...seen },
          ...(seed < SEEDS_WITHOUT_NOISE && roundsWithoutNoise(method, seeded(), spreadRows, setting)),
          // A method that refuses to give components has no energy, and the average counts it so.
          ...(found === undefined && { gaveUp: 1 }),
          ...Object.fromEntries(given.map((k) => [`energy${k}`, percent(energyRatio(found, k, truth))])),
          ...(components.includes(DISTANCE_COMPONENTS) && {
            distance: percent(subspaceDistance(found, DISTANCE_COMPONENTS, truth)),
          }),
        };
      }
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  columns: {
    dataset: { title: 'data set' },
    epsilon: { title: 'ε', values: EPSILON_TITLES },
    ...{
      method: { values: METHOD_TITLES },
      of: { values: METHOD_TITLES },
      against: { values: METHOD_TITLES },
    },
    ...{ sites: { values: DEALING_TITLES }, at: { values: DEALING_TITLES } },
    promised: { title: 'promises', values: PROMISED },
    trust: { title: 'trusts' },
    ...{ means: { title: 'mean' }, counts: { title: 'number of rows' } },
    ...{ reference: { title: 'after' }, dealings: { title: 'at' } },
  },
  frames: {
    ...{ aim, overall, means, byDealing, cases, foundMore },
    ...{ promises, calibrations, crossings, publicRanges },
  },
  tables: {
    aim: {
      caption:
        'The aim: to be behind no method with (ε, δ) without a curator by more than 1 point, on no data set, from ε = 0.5 on; cases of all these methods, corrected together',
      of: 'aim',
      rows: ['of'],
      cells: { cases: only('cases'), ...counts, 'as a whole': only('worst') },
    },
    overall: {
      caption:
        'Eigenveil beside each method: numbers of cases over all ε; and the mean over data sets, ε ≥ 0.5, corrected over the lines of one promise',
      of: 'overall',
      rows: ['of', 'against', 'promised'],
      cells: {
        ...counts,
        'mean, ε ≥ 0.5': decided,
        'sets with more': only('setsAhead'),
        'of sets': only('sets'),
      },
    },
    byDealing: {
      caption:
        'The mean over data sets, ε ≥ 0.5, beside methods with (ε, δ) without a curator, at each dealing',
      of: 'byDealing',
      where: { promised: 'distributed' },
      rows: ['of', 'against'],
      across: { column: 'at', cell: difference },
    },
    means: {
      caption: 'The mean over data sets at each ε, corrected over ε',
      of: 'means',
      rows: ['of', 'against'],
      across: overEpsilon(decided),
    },
    cases: {
      caption: 'Less {against}, in points; where it depends on sites, at the dealing where it is least',
      each: ['against'],
      of: 'cases',
      rows: ['dataset', 'of'],
      across: overEpsilon(decided),
    },
    foundMore: {
      caption: 'On how many data sets a method is ahead of random directions',
      of: 'foundMore',
      rows: ['method', 'dealings'],
      across: overEpsilon(only('sets')),
    },
    promises: {
      caption: 'Promises, trust, and the part of the computation that they cover',
      of: 'promises',
      rows: ['method', 'neighbours', 'promised', 'trust', 'means', 'counts', 'remarks', 'reference'],
    },
    calibrations: {
      caption: 'Deviation of Gaussian noise for sensitivity 1, by calibration',
      of: 'calibrations',
      rows: ['epsilon'],
      cells: {
        analytic: only('analytic', { digits: 2 }),
        'by zCDP': only('zcdp', { digits: 2 }),
        classic: only('classic', { digits: 2 }),
      },
    },
    approximate: energyTable('approximate'),
    pure: energyTable('pure'),
    local: energyTable('local'),
    unkept: energyTable('unkept'),
    rounds: ROUNDS_TABLE,
    kept: {
      caption: 'ε that is kept by methods that are told ε = 1',
      where: (record) => record.epsilon === 1 && isIn('unkept')(record),
      rows: ['dataset', 'method'],
      across: { column: 'sites', cell: mean('keeps') },
    },
    noise: {
      caption: 'Deviation of the noise at ε = 1',
      where: ({ epsilon, noise }) => epsilon === 1 && noise !== undefined,
      rows: ['dataset', 'method'],
      across: { column: 'sites', cell: mean('noise') },
    },
    crossings: {
      caption:
        'The largest number of features at which Laplace noise (δ = 0) on Σ x xᵀ is less than Eigenveil’s',
      of: 'crossings',
      rows: ['epsilon'],
      cells: { 'than both servers’': only('both'), 'than one server’s': only('one') },
    },
    sites: {
      caption: 'Captured energy in percent at ε = 1, 2 components, mean ± standard deviation',
      where: (record) =>
        record.epsilon === 1 &&
        (record.sites !== POOLED || RELEASED.includes(String(record.method)) || isIn('baseline')(record)),
      rows: ['dataset', 'method'],
      across: { column: 'sites', cell: energy },
    },
    components: {
      caption:
        'Captured energy in percent at ε = 1, 10 sites that grow in size, mean ± standard deviation, by the number of components',
      where: (record) =>
        record.epsilon === 1 && isShown(record) && (isIn('baseline')(record) || isCharted(record)),
      rows: ['dataset', 'method'],
      cells: Object.fromEntries(
        componentsOf(Infinity).map((k) => [`k = ${k}`, spread(`energy${k}`, { digits: 1 })]),
      ),
    },
    distances: {
      caption:
        '{dataset}: √(Σ sin² θ/k) over the principal angles to the best subspace, in percent, k = 2, 10 sites that grow in size, mean ± standard deviation',
      each: ['dataset'],
      where: isShown,
      rows: ['method'],
      across: overEpsilon(spread('distance', { digits: 1 })),
    },
    ranges: {
      caption: 'Ranges that the features are scaled by: from what they are, not from the rows',
      of: 'publicRanges',
      rows: ['dataset', 'features', 'ranges'],
    },
  },
  charts: {
    energy: energyChart(isCharted),
    'energy-pure': energyChart(isIn('baseline', 'pure')),
    'energy-local': energyChart(isIn('baseline', 'local')),
    'energy-unkept': energyChart(isIn('baseline', 'unkept')),
  },
  facts: {
    aimCases: { of: 'aim', figure: least('cases', { digits: 0 }) },
    behindOneTask: behind('eigenveil'),
    behindTwoTasks: behind('eigenveil-around'),
    behindCspAlone: behind('eigenveil-around-one'),
    correctedOneTask: lead('eigenveil', 'elfedpca-corrected'),
    correctedTwoTasks: lead('eigenveil-around', 'elfedpca-corrected'),
    oneServer: lead('eigenveil-one', 'central'),
    bothServers: lead('eigenveil', 'central-twice'),
    shape: lead('eigenveil-one', 'central-triangle'),
    chanceOneTask: lead('eigenveil', 'random-directions'),
    chanceTwoTasks: lead('eigenveil-around', 'random-directions'),
    ...ROUNDS_FACTS,
  },
  holds: {
    behindSome: (fact) => Math.min(fact('behindOneTask'), fact('behindTwoTasks'), fact('behindCspAlone')) > 0,
    correctedHasMore: (fact) => Math.max(fact('correctedOneTask'), fact('correctedTwoTasks')) < 0,
    noiseCostsTheSame: (fact) => Math.max(Math.abs(fact('oneServer')), Math.abs(fact('bothServers'))) < 1,
    shapePays: (fact) => fact('shape') > 0,
    aheadOfChance: (fact) => Math.min(fact('chanceOneTask'), fact('chanceTwoTasks')) > 0,
    thresholdActs: (fact) =>
      fact('fewestRounds') >= 3 && fact('mostRounds') <= 14 && fact('stoppedAtTen') > fact('stoppedAtTenth'),
  },
  words: new URL('utility.md', import.meta.url),
});
