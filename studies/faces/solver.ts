/** The effect of the machine's bound on iterations, and of the scale of its rows, on accuracy on few components. */
import { distinct, mean, spread } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import { type Components, dcaComponents, pcaComponents } from './components.ts';
import { KINDS } from './dimensions.ts';
import { loadFaces, madeUpOf } from './faces.ts';
import { ITERATIONS, RIDGES, recordsOf, type Trial, toldOf, trialOf } from './trials.ts';

const DIMENSIONS = [2, 5];
const SET = 'yale';

interface Arm {
  readonly name: string;
  readonly method: 'pca' | 'dca';
  readonly iterations: number;
  /** Rows are divided by one number, so that their variance is 1 on average over the components. */
  readonly unit?: true;
}

const ARMS: readonly Arm[] = [
  { name: 'PCA, 1,000 iterations', method: 'pca', iterations: 1000 },
  { name: 'PCA, 10,000 iterations, as elsewhere', method: 'pca', iterations: ITERATIONS },
  { name: 'PCA, 100,000 iterations, as the listing', method: 'pca', iterations: 100_000 },
  { name: 'PCA, rows of variance 1', method: 'pca', iterations: ITERATIONS, unit: true },
  { name: 'DCA, 10,000 iterations, as elsewhere', method: 'dca', iterations: ITERATIONS },
  { name: 'DCA, rows of variance 1', method: 'dca', iterations: ITERATIONS, unit: true },
];
const withBound = (most: number) => ARMS.filter(({ iterations }) => iterations <= most);
const [few, usual, many, scaled] = ARMS.map(({ name: machine }) => ({ machine, k: 5 }));

export const solver = defineStudy({
  id: 'faces/solver',
  plan: async ({ scale, own }) => {
    const set = await loadFaces(SET, own);
    const most = scale === 'full' ? 100_000 : ITERATIONS;
    const dimensions = DIMENSIONS.filter((k) => k <= set.rows[0]!.length).join(' ');
    const cases = Array.from({ length: scale === 'full' ? 6 : 1 }, (_, i) => ({
      set: set.name,
      split: i + 1,
      machines: withBound(most)
        .map(({ name }) => name)
        .join('; '),
      most,
      dimensions,
      ...RIDGES,
      kind: set.kind,
    }));
    return { cases, omissions: madeUpOf([set], 'the machine') };
  },
  titleOf: ({ set, split }) => `the machine on ${set}, split ${split}`,
  expectedSeconds: ({ most }) =>
    withBound(most).reduce((sum, { iterations }) => sum + 1 + iterations / 3000, 0),
  async measure({ split, most, dimensions }, { own }) {
    const set = await loadFaces(SET, own);
    const trial = trialOf(set, toldOf(set), 'random', split);
    const components = {
      pca: pcaComponents(trial.span),
      dca: dcaComponents(trial.span, trial.split.train, trial.labels, RIDGES),
    };
    return recordsOf(
      dimensions
        .split(' ')
        .map(Number)
        .flatMap((k) =>
          withBound(most).map(({ name, method, iterations, unit }) => ({
            of: { machine: name },
            trial,
            components: unit ? ofVarianceOne(trial, components[method], k) : components[method],
            dimensions: [k],
            iterations,
          })),
        ),
    );
  },
  columns: {
    kind: { values: KINDS },
    k: { values: Object.fromEntries(DIMENSIONS.map((k) => [k, `${k} components`])) },
  },
  tables: {
    machines: {
      caption: '{set}{kind}: accuracy in percent',
      each: ['set', 'kind'],
      rows: ['machine'],
      across: { column: 'k', cell: spread('accuracy', { digits: 1 }) },
      cells: { splits: distinct('split') },
    },
  },
  facts: {
    fewIterations: { where: few!, figure: mean('accuracy', { digits: 1 }) },
    usualIterations: { where: usual!, figure: mean('accuracy', { digits: 1 }) },
    manyIterations: { where: many!, figure: mean('accuracy', { digits: 1 }) },
    ofVarianceOne: { where: scaled!, figure: spread('accuracy', { digits: 1 }) },
  },
  holds: {
    scaleMatters: (fact) =>
      fact('ofVarianceOne') > fact('manyIterations') && fact('manyIterations') > fact('fewIterations'),
  },
  words: new URL('solver.md', import.meta.url),
});

/** Scales the training rows to variance 1 in the first k components. */
function ofVarianceOne({ span, split }: Trial, { vectors, ...rest }: Components, k: number): Components {
  const squares = vectors
    .slice(0, k)
    .reduce((sum, vector) => sum + vector.reduce((s, v, a) => s + v * v * span.eigenvalues[a]!, 0), 0);
  const scale = Math.sqrt((k * split.train.length) / squares);
  return { ...rest, vectors: vectors.map((vector) => vector.map((entry) => entry * scale)) };
}
