/** Weighted F1 of an SVM on encrypted, clear and no projection. */
import { count, type Figure, mean, most, only, spread, sum } from '../instrument/figure.ts';
import { MISSING } from '../instrument/quantities.ts';
import { defineStudy, type Omission } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { type Setting, scoreArms } from './accuracy/arms.ts';
import { loadDataSet, MOST_ROWS, ownDataSet } from './accuracy/data.ts';
import { dataFile } from './decompositions.ts';
import { PUBLISHED_F1 } from './published.ts';

interface Wanted {
  readonly dataset: string;
  readonly method: Setting['method'];
  /** The last is the published number, or, where that would be all features that vary, one less. */
  readonly components: readonly number[];
  readonly splits: number;
}

interface Case extends Tidy {
  readonly dataset: string;
  readonly method: Setting['method'];
  readonly split: number;
  readonly components: string;
  readonly testShare: number;
  readonly folds: number;
  readonly owners: number;
  readonly keyBits: number;
  readonly ridge: number;
  readonly costs: string;
  readonly gammas: string;
  readonly mostRows: number;
}

const powers = (...exponents: readonly number[]) => exponents.map((exponent) => 2 ** exponent).join(' ');
const numbers = (text: string) => text.split(' ').map(Number);

const PROTOCOL = { testShare: 0.3, folds: 3, owners: 10, keyBits: 2048, ridge: 1, mostRows: MOST_ROWS };
const GRIDS: Readonly<Record<Scale, Pick<Case, 'costs' | 'gammas'>>> = {
  quick: { costs: powers(-1, 3), gammas: powers(-5, -2) },
  full: { costs: powers(-1, 1, 3, 5, 7), gammas: powers(-7, -5, -3, -1, 1) },
};

const WANTED: Readonly<Record<Scale, readonly Wanted[]>> = {
  quick: [
    { dataset: 'pima', method: 'pca', components: [2, 7], splits: 2 },
    { dataset: 'pima', method: 'dca', components: [1], splits: 2 },
    { dataset: 'iris', method: 'pca', components: [1, 3], splits: 2 },
  ],
  full: [
    { dataset: 'pima', method: 'pca', components: [1, 2, 4, 7], splits: 10 },
    { dataset: 'pima', method: 'dca', components: [1], splits: 10 },
    { dataset: 'breast_cancer_10', method: 'pca', components: [1, 2, 4, 8], splits: 10 },
    { dataset: 'breast_cancer_10', method: 'dca', components: [1], splits: 10 },
    { dataset: 'australian', method: 'pca', components: [1, 2, 4, 8], splits: 10 },
    { dataset: 'australian', method: 'dca', components: [1], splits: 10 },
    { dataset: 'german', method: 'pca', components: [1, 2, 4, 8, 15], splits: 5 },
    { dataset: 'german', method: 'dca', components: [1], splits: 5 },
    { dataset: 'ionosphere', method: 'pca', components: [1, 2, 4, 8, 15], splits: 5 },
    { dataset: 'ionosphere', method: 'dca', components: [1], splits: 5 },
    { dataset: 'synthetic50', method: 'pca', components: [1, 2, 4, 8, 15], splits: 5 },
    { dataset: 'synthetic50', method: 'dca', components: [1, 2], splits: 5 },
    { dataset: 'iris', method: 'pca', components: [1, 2, 3], splits: 10 },
    { dataset: 'iris', method: 'dca', components: [1, 2], splits: 10 },
  ],
};
const OWN_COMPONENTS = [1, 2, 4, 8, 15];
const OWN_SPLITS: Readonly<Record<Scale, number>> = { quick: 2, full: 10 };
/** Points of F1 by which encrypted and clear projections may differ on average. */
const AIM = 0.3;
/** Standard deviations within which a published score counts as met. */
const NEAR = 2;

/** Encrypted beside clear, of each split and number of components. */
function pairsOf(records: readonly Tidy[]): Tidy[] {
  const keyOf = ({ dataset, method, split }: Tidy, k: unknown) => [dataset, method, split, k].join(' ');
  const scores = new Map(
    records.map((record) => [
      `${record.arm} ${keyOf(record, record.arm === 'none' ? 0 : record.k)}`,
      record.f1,
    ]),
  );
  return records
    .filter(({ arm }) => arm === 'encrypted')
    .map((record) => {
      const { f1, arm: _, ...others } = record;
      const clear = scores.get(`clear ${keyOf(record, record.k)}`);
      const none = scores.get(`none ${keyOf(record, 0)}`);
      return {
        ...others,
        encrypted: f1!,
        ...(clear !== undefined && { clear, difference: Math.abs(Number(f1) - Number(clear)) }),
        ...(none !== undefined && { none }),
      };
    });
}

const publishedOf = ({ dataset, method }: Tidy) =>
  method === 'dca' ? PUBLISHED_F1.find((row) => row.dataset === dataset) : undefined;

/** One record of each data set and method, at its largest number of components, with the published score beside. */
function groupsOf(records: readonly Tidy[]): Tidy[] {
  const groups = Map.groupBy(pairsOf(records), ({ dataset, method }) => `${dataset} ${method}`);
  return [...groups.values()].map((pairs) => {
    const k = Math.max(...pairs.map((pair) => Number(pair.k)));
    const { dataset, method } = pairs[0]!;
    const largest = pairs.filter((pair) => pair.k === k);
    const published = publishedOf(pairs[0]!);
    const figure = (it: Figure, of = largest) => it(of);
    const [difference, largestDifference] = [mean('difference')(pairs), most('difference')(pairs)].map(
      ({ value }) => value,
    );
    const distance = (column: string) => {
      const { value, high } = figure(spread(column));
      return published === undefined || high === undefined || value === undefined || high === value
        ? undefined
        : (value - published.protocolPercent) / (high - value);
    };
    const cells = {
      encrypted: figure(spread('encrypted', { digits: 1 })).text,
      clear: figure(spread('clear', { digits: 1 })).text,
      none: figure(spread('none', { digits: 1 })).text,
    };
    const [encryptedDistance, clearDistance] = [distance('encrypted'), distance('clear')];
    return {
      ...{ dataset: dataset!, method: method!, k, splits: largest.length, ...cells },
      ...(difference !== undefined && { difference }),
      ...(largestDifference !== undefined && { largestDifference }),
      ...(published && { protocol: published.protocolPercent, numPy: published.numpyPercent }),
      ...(encryptedDistance !== undefined && {
        distance: encryptedDistance,
        size: Math.abs(encryptedDistance),
      }),
      ...(clearDistance !== undefined && { clearDistance }),
    };
  });
}

/** Scores over the number of components; without a projection they are the same for each. */
function curvesOf(records: readonly Tidy[]): Tidy[] {
  return pairsOf(records).flatMap(({ dataset, method, k, split, encrypted, clear, none }) =>
    Object.entries({ encrypted, clear, none }).flatMap(([arm, f1]) =>
      f1 === undefined
        ? []
        : [
            {
              ...{ dataset: dataset!, k: k!, split: split!, f1 },
              curve: arm === 'none' ? 'no projection' : `${String(method).toUpperCase()}, ${arm}`,
            },
          ],
    ),
  );
}

/** The number of splits that had other parameters. */
const otherParameters: Figure = (records) => {
  const others = records.filter(({ sameParameters }) => sameParameters === 'no').length;
  return records.length === 0
    ? { value: undefined, text: MISSING }
    : { value: others, text: `${others} of ${records.length}` };
};

const isSynthetic = ({ dataset }: Tidy) => String(dataset).startsWith('synthetic');

export const accuracy = defineStudy<Case>({
  id: 'speed/accuracy',
  async plan({ scale, own }) {
    const casesOf = ({ dataset, method, components, splits }: Wanted): Case[] =>
      Array.from({ length: splits }, (_, i) => ({
        ...{ dataset, method, split: i + 1, components: components.join(' ') },
        ...PROTOCOL,
        ...GRIDS[scale],
      }));
    if (own !== undefined) {
      const most = { pca: own.columns.length - 1, dca: own.classes.length - 1 };
      return {
        cases: (['pca', 'dca'] as const).flatMap((method) =>
          casesOf({
            ...{ dataset: own.name, method, splits: OWN_SPLITS[scale] },
            components: OWN_COMPONENTS.filter((k) => k <= Math.min(most[method], own.columns.length)),
          }),
        ),
      };
    }
    const omissions: Omission[] = [];
    const cases: Case[] = [];
    for (const [dataset, wanted] of Map.groupBy(WANTED[scale], (it) => it.dataset)) {
      if ((await dataFile(dataset)) !== undefined) cases.push(...wanted.flatMap(casesOf));
      else
        omissions.push({
          what: `accuracy on ${dataset}`,
          why: 'the data set is not bundled and not in the folder EIGENVEIL_DATA',
        });
    }
    return { cases, omissions };
  },
  titleOf: ({ dataset, method, split }) => `${method.toUpperCase()} of ${dataset}, split ${split}`,
  expectedSeconds: ({ method, components }) =>
    2 + (method === 'pca' ? 0.05 : 0.5) * Number(numbers(components).at(-1)) ** 2,
  async measure(
    { dataset, method, components, split, costs, gammas, mostRows: _, ...others },
    { note, own },
  ) {
    const data = own === undefined ? await loadDataSet(dataset) : ownDataSet(own);
    if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
    const grid = { costs: numbers(costs), gammas: numbers(gammas) };
    return scoreArms(data, { ...others, grid, method, components: numbers(components), split }, note);
  },
  columns: {
    dataset: { title: 'data set', values: { synthetic50: 'synthetic (50 features)' } },
    method: { values: { pca: 'PCA', dca: 'DCA' } },
    k: { title: 'components' },
  },
  frames: { pairs: pairsOf, groups: groupsOf, curves: curvesOf },
  tables: {
    overview: {
      of: 'groups',
      caption:
        'Weighted F1 (%) at the largest number of components. |Δ| is |encrypted − clear|, over all splits and numbers of components; published: "Privacy-Preserving Machine Learning" (Zhuang et al.), chapter 9, tables 9.1–9.3, for DCA; the last column is encrypted less published, in standard deviations of encrypted',
      rows: ['dataset', 'method', 'k', 'splits'],
      cells: {
        encrypted: only('encrypted'),
        clear: only('clear'),
        none: only('none'),
        'mean |Δ|': only('difference', { digits: 2 }),
        'largest |Δ|': only('largestDifference', { digits: 2 }),
        'published protocol': only('protocol', { digits: 1 }),
        'published NumPy': only('numPy', { digits: 1 }),
        'from published': only('distance', { digits: 1, signed: true, unit: 'sd' }),
      },
    },
    details: {
      of: 'pairs',
      caption:
        'By number of components. Angle: the largest principal angle between encrypted and clear subspace in any split, in radians; it is large where eigenvalues are close. Other parameters: splits in which the search chose another C or γ for the one than for the other',
      rows: ['dataset', 'method', 'k'],
      cells: {
        encrypted: spread('encrypted', { digits: 1 }),
        clear: spread('clear', { digits: 1 }),
        'mean |Δ|': mean('difference', { digits: 2 }),
        'largest angle': most('angle', { power: true }),
        'other parameters': otherParameters,
      },
    },
  },
  charts: {
    accuracy: {
      of: 'curves',
      each: ['dataset'],
      caption:
        '{dataset}: weighted F1 over the number of components, mean over splits with a standard deviation to either side; encrypted and clear lie on each other where they agree',
      mark: 'line',
      x: { column: 'k' },
      y: { figure: spread('f1'), title: 'weighted F1, %' },
      colour: 'curve',
    },
  },
  facts: {
    pairs: { of: 'pairs', where: ({ difference }) => difference !== undefined, figure: count },
    equal: { of: 'pairs', where: { difference: 0 }, figure: count },
    difference: { of: 'pairs', figure: mean('difference', { digits: 2 }) },
    largestMean: { of: 'groups', figure: most('difference', { digits: 2 }) },
    unconverged: { figure: sum('unconverged', { digits: 0 }) },
    published: { of: 'groups', where: ({ size }) => size !== undefined, figure: count },
    met: { of: 'groups', where: ({ size }) => Number(size) <= NEAR, figure: count },
    furthest: {
      of: 'groups',
      where: (group) => !isSynthetic(group),
      figure: most('size', { digits: 1 }),
    },
    synthetic: { of: 'groups', where: isSynthetic, figure: only('distance', { digits: 1, signed: true }) },
    syntheticClear: {
      of: 'groups',
      where: isSynthetic,
      figure: only('clearDistance', { digits: 1, signed: true }),
    },
  },
  holds: {
    agreement: (fact) => fact('largestMean') <= AIM,
    realScoresAreMet: (fact) => fact('furthest') <= NEAR,
    syntheticIsAnother: (fact) => Math.abs(fact('synthetic')) > NEAR,
  },
  words: new URL('accuracy.md', import.meta.url),
});
