/** What the floor costs a PCA and an LDA. */
import { only } from '../../instrument/figure.ts';
import { setting, wholeNumbers } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { setsThere } from '../planned-sets.ts';
import { DRAWS, floorCost } from './measure.ts';
import { type FloorSet, METHODS, nameOf, summed, titleOf } from './sets.ts';

const BUNDLED = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german'];
const QUICK = ['iris'];
/** Parts of the rows that hold the first and the last made-up feature. */
const HELD = [
  [0.1, 0.9],
  [0.03, 0.03],
] as const;

const ROWS = setting({
  name: 'rows',
  says: 'numbers of rows of made-up data sets',
  parse: wholeNumbers,
  quick: [300],
  full: [300, 1000, 10_000, 100_000],
});

const PERCENT = { percent: true, digits: 2, unit: '%' } as const;
const POWER = { power: true } as const;

/** `dataset`, or made-up rows whose features are held by `first` to `last` of `count` rows. */
type Chosen = { readonly set: string; readonly method: (typeof METHODS)[number]; readonly draws: number } & (
  | { readonly dataset: string }
  | { readonly count: number; readonly first: number; readonly last: number }
);

const setOf = (chosen: Chosen): FloorSet =>
  'dataset' in chosen
    ? { kind: 'bundled', name: chosen.dataset }
    : { kind: 'made up', rows: chosen.count, held: [chosen.first, chosen.last] };

export const floor = defineStudy<Chosen>({
  id: 'speed/floor',
  isApart: true,
  settings: [ROWS],
  plan: async ({ scale, settings, own }) => {
    const names = scale === 'quick' ? QUICK : BUNDLED;
    const { sets, omissions } = await setsThere(names.map((dataset) => ({ dataset })));
    const madeUp = HELD.flatMap(([first, last]) =>
      settings.of(ROWS).map((count) => ({ count, first, last })),
    );
    const wanted = own === undefined ? [...sets, ...madeUp] : [{ dataset: own.name }];
    return {
      cases: wanted.flatMap((it) =>
        METHODS.map((method) => {
          const chosen = { ...it, method, draws: DRAWS };
          return { set: titleOf(setOf({ set: '', ...chosen })), ...chosen };
        }),
      ),
      omissions: own === undefined ? omissions : [],
    };
  },
  titleOf: (chosen) => `${chosen.method.toUpperCase()} of ${nameOf(setOf(chosen))}`,
  expectedSeconds: (chosen) => ('count' in chosen ? 0.5 + chosen.count / 30_000 : 1),
  async measure(chosen, { own }): Promise<Tidy[]> {
    const set = setOf(chosen);
    const { task, statistics, rows } = await summed(set, chosen.method, own);
    const cost = floorCost(task, statistics, `${nameOf(set)} ${chosen.method}`);
    return [{ rows, components: task.components, ...cost }];
  },
  columns: {
    set: { title: 'rows' },
    rows: { title: 'number', form: { grouped: true } },
    method: { values: { pca: 'PCA', lda: 'LDA' } },
  },
  tables: {
    cost: {
      caption: 'What is kept without and with the floor',
      rows: ['set', 'rows', 'method'],
      cells: {
        k: only('components'),
        'kept, exact': only('exact', PERCENT),
        'with the floor': only('floor', PERCENT),
        angle: only('angle', POWER),
        '|Δλ|/λ₁': only('eigenvalue', POWER),
      },
    },
  },
  words: new URL('floor.md', import.meta.url),
});
