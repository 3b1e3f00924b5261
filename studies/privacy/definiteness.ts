/** The frequency, and the amount, with which second moments with symmetric noise cease to be positive semidefinite, beside Wishart noise, which keeps them so. */
import { predictableRandomness } from '@eigenveil/testbed/random';
import { beside, mean, most } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { dataSetsOf, rowsOf } from './data.ts';
import { identityOf, NOISY_MOMENTS } from './methods/index.ts';
import { eigenpairs, type Square } from './methods/matrix.ts';
import { DP_DELTA, EPSILON_TITLES, EPSILONS, METHOD_TITLES, settingOf } from './setting.ts';

const LAPLACE = 'ppdp';
const GAUSSIAN = 'analyze-gauss';
/** An eigenvalue counts as negative below this share of the largest: less is rounding. */
const ROUNDING = 1e-12;
/** No component is asked for. */
const COMPONENTS = 1;

/** Every data set has as many, so that all count alike in what is said of all runs. */
const SEEDS: Readonly<Record<Scale, number>> = { quick: 20, full: 40 };

/** Returns whether a symmetric matrix has a negative eigenvalue, and the share of the negative ones in the sum of all magnitudes. */
export function negativeMass(matrix: Square): { readonly lost: 0 | 1; readonly mass: number } {
  const values = eigenpairs(matrix).map(({ value }) => value);
  const sizes = values.map(Math.abs);
  const bound = ROUNDING * Math.max(...sizes);
  const negative = values.reduce((sum, value) => (value < -bound ? sum - value : sum), 0);
  return { lost: negative > 0 ? 1 : 0, mass: negative === 0 ? 0 : negative / sizes.reduce((a, b) => a + b) };
}

const howOften = mean('lost', { percent: true, digits: 0, unit: '%' });
const howMuch = mean('mass', { percent: true, digits: 1, unit: '%' });
const isWishart = ({ method }: Tidy): boolean => String(method).startsWith('wishart');
const at = (method: string, epsilon: number) => ({ where: { method, epsilon } });
const share = (column: 'lost' | 'mass') => mean(column, { percent: true, digits: column === 'lost' ? 0 : 1 });

export const definiteness = defineStudy({
  id: 'privacy/definiteness',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, {
      what: 'definiteness',
      quickSets: ['iris', 'pima'],
    });
    const cases = sets.flatMap(({ name: dataset, features }) =>
      EPSILONS.map((epsilon) => ({
        ...{ dataset, epsilon, features, seeds: SEEDS[asked.scale], dpDelta: DP_DELTA },
        methods: identityOf(NOISY_MOMENTS),
      })),
    );
    return { cases, omissions };
  },
  titleOf: ({ dataset, epsilon }) => `definiteness, ${dataset}, ε = ${epsilon}`,
  expectedSeconds: ({ seeds, features }) =>
    0.1 + seeds * NOISY_MOMENTS.length * (1e-3 + 2e-7 * features ** 3),
  async measure({ dataset, epsilon, seeds }, { own }): Promise<Tidy[]> {
    const { rows } = await rowsOf(dataset, own);
    const records: Tidy[] = [];
    for (let seed = 0; seed < seeds; seed += 1) {
      for (const method of NOISY_MOMENTS) {
        const { name } = method;
        const source = predictableRandomness(`definiteness ${dataset} ${epsilon} ${name} ${seed}`);
        const noisy = method.noisyMoments(source, [rows], settingOf(method, COMPONENTS, epsilon));
        const { lost, mass } = negativeMass(noisy);
        records.push({ seed, method: name, lost, mass: Number(mass.toFixed(5)) });
      }
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return records;
  },
  columns: {
    dataset: { title: 'data set' },
    epsilon: { title: 'ε', values: EPSILON_TITLES },
    method: { values: METHOD_TITLES },
    features: { title: 'd' },
  },
  tables: {
    laplace: {
      caption:
        'Symmetric Laplace noise: in how many runs the matrix has a negative eigenvalue / what share of the sum of |λ| is negative, mean over runs',
      where: { method: LAPLACE },
      rows: ['dataset', 'features'],
      across: { column: 'epsilon', cell: beside(' / ', howOften, howMuch) },
    },
    all: {
      caption: '{dataset}: the same of all noises',
      each: ['dataset'],
      rows: ['method'],
      across: { column: 'epsilon', cell: beside(' / ', howOften, howMuch) },
    },
  },
  charts: {
    'negative-mass': {
      caption: '{dataset}: share of negative eigenvalues in the sum of |λ|, in percent, over ε',
      each: ['dataset'],
      mark: 'line',
      x: { column: 'epsilon', scale: 'log' },
      y: { figure: share('mass'), title: 'negative share of Σ |λ|' },
      colour: 'method',
    },
  },
  facts: {
    lostAtTenth: { ...at(LAPLACE, 0.1), figure: share('lost') },
    lostAtOne: { ...at(LAPLACE, 1), figure: share('lost') },
    lostAtTen: { ...at(LAPLACE, 10), figure: share('lost') },
    massAtTenth: { ...at(LAPLACE, 0.1), figure: share('mass') },
    massAtOne: { ...at(LAPLACE, 1), figure: share('mass') },
    massAtTen: { ...at(LAPLACE, 10), figure: share('mass') },
    lostByGaussianAtOne: { ...at(GAUSSIAN, 1), figure: share('lost') },
    massByGaussianAtOne: { ...at(GAUSSIAN, 1), figure: share('mass') },
    lostByWishart: { where: isWishart, figure: most('lost', { digits: 0 }) },
  },
  holds: {
    laplaceLoses: (fact) => fact('lostAtTenth') > 0.5 && fact('massAtTenth') > fact('massAtTen'),
    wishartNever: (fact) => fact('lostByWishart') === 0,
  },
  words: new URL('definiteness.md', import.meta.url),
});
