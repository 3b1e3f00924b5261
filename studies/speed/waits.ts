/** Public waits of `rotated`, as the code reckons them from the sizes of a task: nothing is measured. */
import { pencilPaces, sketchPaces, standardPaceOf } from '@eigenveil/two-party/plan';
import { type Figure, only } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';

/** Columns where a sketch has them, classes where a pencil has them, components where the wait depends on them. */
interface Case extends Tidy {
  readonly wait: 'PCA' | 'pencil' | 'sketch';
  readonly features: number;
}

const CASES: readonly Case[] = [
  { wait: 'PCA', features: 34, components: 15 },
  { wait: 'PCA', features: 50, components: 15 },
  { wait: 'PCA', features: 100, components: 15 },
  { wait: 'PCA', features: 200, components: 15 },
  { wait: 'PCA', features: 200, components: 198 },
  { wait: 'pencil', features: 34, classes: 2, components: 1 },
  { wait: 'pencil', features: 71, classes: 56, components: 55 },
  { wait: 'pencil', features: 100, classes: 2, components: 1 },
  { wait: 'pencil', features: 200, classes: 2, components: 1 },
  { wait: 'sketch', features: 1024, columns: 60, components: 20 },
  { wait: 'sketch', features: 4096, columns: 60, components: 20 },
];

/** Two digits: a wait is a bound, not a measurement. */
const seconds =
  (column: string, unit: ' s' | ''): Figure =>
  (records) => {
    const { value, text } = only(column)(records);
    return { value, text: value === undefined ? text : `${Number((value / 1000).toPrecision(2))}${unit}` };
  };
const of = (where: Tidy, column = 'ms', unit: ' s' | '' = ' s') => ({ where, figure: seconds(column, unit) });

export const waits = defineStudy<Case>({
  id: 'speed/waits',
  isApart: true,
  plan() {
    return { cases: CASES };
  },
  expectedSeconds: () => 0.01,
  async measure({ wait, features, columns, classes, components }) {
    if (wait === 'PCA') {
      const names = Array.from({ length: features }, (_, i) => ({ name: `f${i}`, min: 0, max: 1 }));
      const task = { features: names, components: Number(components), method: { kind: 'pca' } } as const;
      return [{ ms: standardPaceOf({ ...task, sketch: undefined }) }];
    }
    if (wait === 'pencil') {
      const { contrasts, root, decomposition } = pencilPaces(
        features,
        [Number(classes)],
        false,
        Number(components),
      );
      return [{ first: contrasts, root, decomposition, ms: contrasts + root + decomposition }];
    }
    const { centring, root, decomposition } = sketchPaces(features, Number(columns), Number(components));
    return [{ first: centring, root, decomposition }];
  },
  tables: {
    waits: {
      caption: 'Public waits of rotated',
      rows: ['wait', 'features', 'columns', 'classes', 'components'],
      cells: {
        wait: seconds('ms', ' s'),
        'after the numbers of rows': seconds('first', ' s'),
        'after the first matrix': seconds('root', ' s'),
        'after the second': seconds('decomposition', ' s'),
      },
    },
  },
  facts: {
    pca34: of({ wait: 'PCA', features: 34 }),
    pca50: of({ wait: 'PCA', features: 50 }),
    pca100: of({ wait: 'PCA', features: 100 }),
    pca200: of({ wait: 'PCA', features: 200, components: 15 }),
    pca200Whole: of({ wait: 'PCA', features: 200, components: 198 }),
    pencil34: of({ wait: 'pencil', features: 34 }),
    pencil71: of({ wait: 'pencil', features: 71 }),
    pencil100: of({ wait: 'pencil', features: 100 }),
    pencil200: of({ wait: 'pencil', features: 200 }),
    sketchCentring: of({ wait: 'sketch', features: 1024 }, 'first'),
    sketchRoot: of({ wait: 'sketch', features: 1024 }, 'root'),
    sketchDecomposition: of({ wait: 'sketch', features: 1024 }, 'decomposition'),
    wideCentring: of({ wait: 'sketch', features: 4096 }, 'first', ''),
    wideRoot: of({ wait: 'sketch', features: 4096 }, 'root', ''),
    wideDecomposition: of({ wait: 'sketch', features: 4096 }, 'decomposition'),
  },
  words: new URL('waits.md', import.meta.url),
});
