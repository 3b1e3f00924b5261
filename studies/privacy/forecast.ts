/** The study of forecasts: noise that drafts forecast beside what seeds show, and captured variance that is told beside the truth, as docs/privacy.md has both. */
import { USUAL_DELTA } from '@eigenveil/task';
import { type Figure, least, mean, most, only } from '../instrument/figure.ts';
import { setting, wholeNumber } from '../instrument/settings.ts';
import { type Asked, defineStudy, type Omission } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { type LaboratoryData, loadLaboratoryData, ownLaboratoryData, rowsOf } from './data.ts';
import { checkForecast, checkShares } from './forecasts.ts';

const DATA_SETS = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german'];
const BUDGETS = [0.5, 1, 4];
/** Data sets, budgets and components of which shares of the variance are told. */
const SHARES = [
  ['optdigits', 1, 3],
  ['optdigits', 0.5, 3],
  ['german', 1, 1],
  ['german', 2, 3],
  ['german', 4, 3],
  ['ionosphere', 4, 1],
  ['ionosphere', 6, 3],
  ['breast_cancer', 2, 1],
  ['breast_cancer', 4, 3],
  ['pima', 4, 1],
] as const;
const OWN_COMPONENTS = [1, 3];

const SEEDS = setting({
  name: 'seeds',
  says: 'draws of the noise, for each data set and budget',
  parse: wholeNumber(),
  quick: 50,
  full: 200,
});

/** Noise is forecast for a data set as a whole, shares for this number of its components. */
interface Case {
  readonly [column: string]: number | string;
  readonly question: 'noise' | 'shares';
  readonly dataset: string;
  readonly features: number;
  readonly rows: number;
  readonly epsilon: number;
  /** 0 where the question is for none. */
  readonly components: number;
  readonly seeds: number;
  readonly delta: number;
}

type Question = Pick<Case, 'question' | 'epsilon' | 'components'>;
const noiseOf = (epsilon: number): Question => ({ question: 'noise', epsilon, components: 0 });

const sharesOf = (epsilon: number, components: number): Question => ({
  ...{ question: 'shares', epsilon, components },
});

/** The questions to each data set: the user's own, or those that are there. */
async function questionsOf(own: Asked['own']): Promise<{
  readonly asked: readonly (Question & { readonly data: LaboratoryData })[];
  readonly omissions: readonly Omission[];
}> {
  if (own !== undefined) {
    const data = ownLaboratoryData(own);
    const components = OWN_COMPONENTS.filter((k) => k < data.features);
    const shares = components.flatMap((k) => BUDGETS.map((epsilon) => sharesOf(epsilon, k)));
    return { asked: [...BUDGETS.map(noiseOf), ...shares].map((it) => ({ ...it, data })), omissions: [] };
  }
  const questions = [
    ...DATA_SETS.flatMap((name) => BUDGETS.map((epsilon) => [name, noiseOf(epsilon)] as const)),
    ...SHARES.map(([name, epsilon, components]) => [name, sharesOf(epsilon, components)] as const),
  ];
  const names = [...new Set(questions.map(([name]) => name))];
  const sets = new Map<string, LaboratoryData>();
  const omissions: Omission[] = [];
  for (const name of names) {
    const data = await loadLaboratoryData(name);
    if (data !== undefined) sets.set(name, data);
    else
      omissions.push({ what: `the forecast, ${name}`, why: `${name} is not in the folder EIGENVEIL_DATA` });
  }
  const asked = questions
    .filter(([name]) => sets.has(name))
    .map(([name, question]) => ({ ...question, data: sets.get(name)! }));
  return { asked, omissions };
}

/** Means over seeds that give nothing are no figures. */
const finite = (figures: object): Tidy =>
  Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value)));

const percent = (column: string): Figure => mean(column, { percent: true, digits: 0, unit: '%' });
const points = (column: string): Figure => mean(column, { percent: true, digits: 1 });
const whole = (column: string): Figure => mean(column, { digits: 0 });

export const forecast = defineStudy<Case>({
  id: 'privacy/forecast',
  isApart: true,
  settings: [SEEDS],
  plan: async ({ settings, own }) => {
    const { asked, omissions } = await questionsOf(own);
    const seeds = settings.of(SEEDS);
    const cases = asked.map(({ data: { name: dataset, features, rows }, ...question }) => ({
      ...{ ...question, dataset, features, rows: rows.length, seeds, delta: USUAL_DELTA },
    }));
    return { cases, omissions };
  },
  titleOf: ({ question, dataset, epsilon, components }) =>
    question === 'noise'
      ? `the noise on ${dataset}, ε = ${epsilon}`
      : `what is told of ${dataset}, ε = ${epsilon}, ${components} components`,
  expectedSeconds: ({ seeds, features }) => seeds * (1e-3 + 1e-6 * features ** 3),
  async measure({ question, dataset, epsilon, components, delta, seeds }, { own }): Promise<Tidy[]> {
    const data = await rowsOf(dataset, own);
    const setting = { epsilon, delta, seeds, components };
    return [finite(question === 'noise' ? checkForecast(data, setting) : checkShares(data, setting))];
  },
  columns: { dataset: { title: 'data set' }, features: { title: 'd' }, epsilon: { title: 'ε' } },
  frames: {
    /** Ratios of what was seen to what was forecast, for the noise and for the rows. */
    ratios: (records) =>
      records
        .filter(({ question, noiseSeen }) => question === 'noise' && noiseSeen !== undefined)
        .flatMap(({ noiseForecast, noiseSeen, rowsForecast, rowsSeen }) => [
          { ratio: Number(noiseSeen) / Number(noiseForecast) },
          { ratio: Number(rowsSeen) / Number(rowsForecast) },
        ]),
  },
  tables: {
    noise: {
      caption: 'The noise and the rows to stand out: forecast, and seen',
      where: { question: 'noise' },
      rows: ['dataset', 'features', 'epsilon'],
      cells: {
        clipped: percent('clipped'),
        '‖μ‖/C': mean('mean', { digits: 2 }),
        'noise, forecast': whole('noiseForecast'),
        'noise, seen': whole('noiseSeen'),
        'first share': percent('share'),
        'rows, forecast': whole('rowsForecast'),
        'rows, seen': whole('rowsSeen'),
      },
    },
    shares: {
      caption: 'The share of the variance that components have, in percent: told, and true',
      where: { question: 'shares' },
      rows: ['dataset', 'rows', 'epsilon', 'components'],
      cells: {
        true: points('truth'),
        'λ over trace': points('uncorrected'),
        told: points('told'),
        'error of λ over trace': points('errorUncorrected'),
        'error of what is told': points('errorTold'),
        '±': points('reach'),
        'within ±': percent('covered'),
        'told at all': percent('answered'),
      },
    },
  },
  facts: {
    seeds: { figure: only('seeds') },
    leastRatio: { of: 'ratios', figure: least('ratio') },
    mostRatio: { of: 'ratios', figure: most('ratio') },
    leastCovered: { where: { question: 'shares' }, figure: least('covered', { percent: true, digits: 0 }) },
  },
  holds: {
    withinTwo: (fact) => fact('leastRatio') > 1 / 2 && fact('mostRatio') < 2,
    intervalsHold: (fact) => fact('leastCovered') >= 0.95,
  },
  words: new URL('forecast.md', import.meta.url),
});
