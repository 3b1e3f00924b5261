/** The cost of the floor for a PCA and an LDA, and what lattice reduction finds with it and without. */
import { mean, only } from '../../instrument/figure.ts';
import { setting, wholeNumbers } from '../../instrument/settings.ts';
import { defineStudy, type Fact } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { setsThere } from '../planned-sets.ts';
import { type Attacked, attackRuns } from './attack.ts';
import { DRAWS, floorCost, statisticsOf, toldWith } from './measure.ts';
import { COMPONENTS, type FloorSet, METHODS, nameOf, readSet, taskOf, titleOf, withHeldOut } from './sets.ts';

const BUNDLED = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german'];
const QUICK = ['iris'];
/** Parts of the rows that hold the first and the last made-up feature. */
const HELD = [
  [0.1, 0.9],
  [0.03, 0.03],
] as const;
/** The number of features of made-up sets, where it is not what is swept. */
const FEATURES = 20;
const COUNT = 1000;

const ROWS = setting({
  name: 'rows',
  says: 'numbers of rows of made-up data sets',
  parse: wholeNumbers,
  quick: [300],
  full: [300, 1000, 10_000, 100_000],
});
/** Numbers of features and of components of made-up sets. */
const SWEPT = {
  quick: { features: [10], components: [2] },
  full: { features: [10, 20, 40, 80], components: [1, 2, 4, 8, 16] },
} as const;

/** The values of the attack, of which one at a time is swept. */
const ATTACKED: Attacked = { features: 8, components: 2, rows: 110 };
const ATTACKS = {
  quick: { features: [5], components: [], rows: [] },
  full: { features: [5, 6, 8, 10, 12], components: [1, 2, 3, 4], rows: [30, 60, 110] },
} as const;
const RUNS = { quick: 3, full: 20 } as const;

const PERCENT = { percent: true, digits: 2, unit: '%' } as const;
const SHARE = { percent: true, digits: 1, unit: '%' } as const;
const POWER = { power: true } as const;

type Chosen = {
  readonly set: string;
  readonly swept: string;
  /** Where it is swept: its value. */
  readonly at?: number;
} & (
  | { readonly method: (typeof METHODS)[number]; readonly draws: number; readonly dataset: string }
  | {
      readonly method: (typeof METHODS)[number];
      readonly draws: number;
      readonly count: number;
      readonly features: number;
      readonly asked: number;
      readonly first: number;
      readonly last: number;
    }
  | (Attacked & { readonly runs: number })
);
type Cost = Exclude<Chosen, Attacked & { readonly runs: number }>;

const setOf = (chosen: Cost): FloorSet =>
  'dataset' in chosen
    ? { kind: 'bundled', name: chosen.dataset }
    : {
        kind: 'made up',
        rows: chosen.count,
        features: chosen.features,
        held: [chosen.first, chosen.last],
      };

/** The PCA of the fewest rows whose features are rare: what costs most. */
const rare = (column: string): Fact => ({
  of: 'costs',
  where: ({ swept, method, first, at }) =>
    swept === 'rows' && method === 'pca' && first === HELD[1][0] && at === 300,
  figure: only(column, SHARE),
});

/** Over all sizes that were attacked: the one that all sweeps have in common counts in the first alone. */
const attackedOnce = (arm: string, column: string): Fact => ({
  where: (record) =>
    record.arm === arm &&
    (record.swept === 'features' || record.at !== ATTACKED[record.swept as keyof Attacked]),
  figure: mean(column, SHARE),
});

/** Made-up sets of which one size is swept, by method: an LDA of two classes has one component. */
function sweeps(swept: 'rows' | 'features' | 'components', values: readonly number[]): Cost[] {
  return HELD.flatMap(([first, last]) =>
    values.flatMap((at) =>
      METHODS.filter((method) => swept !== 'components' || method === 'pca').map((method) => {
        const size = { count: COUNT, features: FEATURES, asked: COMPONENTS };
        const sizes = {
          ...size,
          ...(swept === 'rows' && { count: at }),
          ...(swept === 'features' && { features: at }),
          ...(swept === 'components' && { asked: at }),
        };
        const chosen = { set: '', swept, at, method, draws: DRAWS, ...sizes, first, last };
        return { ...chosen, set: titleOf(setOf(chosen)) };
      }),
    ),
  );
}

export const floor = defineStudy<Chosen>({
  id: 'speed/floor',
  isApart: true,
  settings: [ROWS],
  plan: async ({ scale, settings, own }) => {
    const names = own ? [own.name] : scale === 'quick' ? QUICK : BUNDLED;
    const { sets, omissions } = await setsThere(names.map((dataset) => ({ dataset })));
    const there = own ? [{ dataset: own.name }] : sets;
    const ofSets = there.flatMap(({ dataset }) =>
      METHODS.map((method) => ({
        ...{ set: titleOf({ kind: 'bundled', name: dataset }), swept: 'none', method, draws: DRAWS, dataset },
      })),
    );
    if (own !== undefined) return { cases: ofSets };
    const { features, components } = SWEPT[scale];
    const attacks = Object.entries(ATTACKS[scale]).flatMap(([swept, values]) =>
      values.map((at: number) => ({
        ...{ set: 'ionosphere, two-valued', swept, at, ...ATTACKED, [swept]: at, runs: RUNS[scale] },
      })),
    );
    return {
      cases: [
        ...ofSets,
        ...sweeps('rows', settings.of(ROWS)),
        ...sweeps('features', features),
        ...sweeps('components', components),
        ...attacks,
      ],
      omissions,
    };
  },
  titleOf: (chosen) =>
    'runs' in chosen
      ? `lattice reduction, ${chosen.features} features, ${chosen.components} components, ${chosen.rows} rows`
      : `${chosen.method.toUpperCase()} of ${nameOf(setOf(chosen))}`,
  expectedSeconds: (chosen) => {
    if ('runs' in chosen) return (chosen.runs * 2 ** (chosen.features - 8)) / 3;
    return 'count' in chosen ? 2 + chosen.count / 15_000 : 2;
  },
  async measure(chosen, { own }): Promise<Tidy[]> {
    if ('runs' in chosen) {
      const { features, components, rows, runs } = chosen;
      return attackRuns({ features, components, rows }, runs);
    }
    const set = setOf(chosen);
    const read = await readSet(set, own);
    const asked = 'asked' in chosen ? chosen.asked : COMPONENTS;
    const task = taskOf(read, chosen.method, asked);
    const name = `${nameOf(set)} ${chosen.method}`;
    const cost = floorCost(task, statisticsOf(task, read), name);
    const told = await toldWith(withHeldOut(read, name), chosen.method, asked, name);
    const lost = { lostKept: cost.exact - cost.floor, lostTold: told.told - told.toldFloor };
    return [{ rows: read.rows.length, components: task.components, ...cost, ...told, ...lost }];
  },
  columns: {
    set: { title: 'rows' },
    rows: { title: 'number', form: { grouped: true } },
    method: { values: { pca: 'PCA', lda: 'LDA' } },
    at: { title: 'swept' },
    arm: { values: { exact: 'without a floor', floor: 'with the floor' } },
  },
  frames: {
    costs: (records) => records.filter(({ exact }) => exact !== undefined),
    curves: (records) =>
      records
        .filter(({ exact, at }) => exact !== undefined && at !== undefined)
        .map((record) => ({
          ...record,
          series: `${String(record.method).toUpperCase()}, ${record.set}`.replace(/, \d+ two-valued/, ''),
        })),
    attacks: (records) =>
      records
        .filter(({ arm }) => arm !== undefined)
        .flatMap((record) => [
          {
            ...record,
            how: `${record.arm === 'exact' ? 'without a floor' : 'with the floor'}`,
            right: record.found!,
          },
          ...(record.arm === 'floor'
            ? [{ ...record, how: 'with the floor, by rounding alone', right: record.rounding! }]
            : []),
        ]),
  },
  tables: {
    cost: {
      caption: 'What is kept, and how often labels of held-out rows are told, without and with the floor',
      of: 'costs',
      where: ({ swept }) => swept === 'none' || swept === 'rows',
      rows: ['set', 'rows', 'method'],
      cells: {
        k: only('components'),
        'kept, exact': only('exact', PERCENT),
        'with the floor': only('floor', PERCENT),
        'told, exact': only('told', SHARE),
        'with the floor ': only('toldFloor', SHARE),
        angle: only('angle', POWER),
        '|Δλ|/λ₁': only('eigenvalue', POWER),
      },
    },
    swept: {
      caption: 'What is lost of made-up rows over {swept}',
      of: 'costs',
      where: ({ swept }) => swept === 'features' || swept === 'components',
      each: ['swept'],
      rows: ['set', 'at', 'method'],
      cells: {
        'kept, exact': only('exact', PERCENT),
        'with the floor': only('floor', PERCENT),
        'told, exact': only('told', SHARE),
        'with the floor ': only('toldFloor', SHARE),
      },
    },
    attack: {
      caption: 'Numbers of rows with two features that come out right, over {swept}',
      of: 'attacks',
      each: ['swept'],
      rows: ['at'],
      across: { column: 'how', cell: mean('right', SHARE) },
    },
  },
  charts: {
    kept: {
      caption: 'Points of kept variance (LDA: of what classes explain) that the floor costs, over {swept}',
      of: 'curves',
      each: ['swept'],
      mark: 'line',
      x: { column: 'at', scale: 'log' },
      y: { figure: mean('lostKept', { percent: true }), title: 'points lost' },
      colour: 'series',
      isKept: true,
    },
    told: {
      caption: 'Points of accuracy on held-out rows that the floor costs, over {swept}',
      of: 'curves',
      each: ['swept'],
      mark: 'line',
      x: { column: 'at', scale: 'log' },
      y: { figure: mean('lostTold', { percent: true }), title: 'points lost' },
      colour: 'series',
    },
    attack: {
      caption: 'Part of the numbers of rows with two features that lattice reduction finds, over {swept}',
      of: 'attacks',
      each: ['swept'],
      mark: 'line',
      x: { column: 'at', scale: 'category' },
      y: { figure: mean('right', { percent: true }), title: 'right, in percent', upTo: 100 },
      colour: 'how',
      isKept: true,
    },
  },
  facts: {
    rareExact: rare('exact'),
    rareFloor: rare('floor'),
    foundExact: attackedOnce('exact', 'found'),
    foundFloor: attackedOnce('floor', 'found'),
    roundingFloor: attackedOnce('floor', 'rounding'),
    lostOfSets: {
      of: 'costs',
      where: ({ swept, method }) => swept === 'none' && method === 'pca',
      figure: mean('lostKept', PERCENT),
    },
    lostToldOfSets: {
      of: 'costs',
      where: ({ swept }) => swept === 'none',
      figure: mean('lostTold', PERCENT),
    },
  },
  holds: {
    hides: (fact) => fact('foundExact') > 0.95 && fact('foundFloor') < fact('roundingFloor') + 0.05,
  },
  words: new URL('floor.md', import.meta.url),
});
