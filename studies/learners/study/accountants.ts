/** The ε that the printed moments accountant and the Rényi accountant state for the same steps of noisy gradients. */

import { least, most, only } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { epsilonByMoments } from '../moments.ts';
import { epsilonOfSteps, noiseOfSteps, type SampledGaussian } from '../renyi.ts';
import { DESCENT, DP_DELTA, STUDY_EPSILONS } from './settings.ts';

const { rate, steps } = DESCENT;

/** Mechanisms by what they are known for, with the ε that was published for them, if any. */
export const ACCOUNTED: Readonly<Record<string, SampledGaussian & { readonly published?: number }>> = {
  'Abadi et al. 2016, section 3.2': { rate: 0.01, noise: 4, steps: 10_000, published: 1.26 },
  // "Deep learning with Gaussian differential privacy": 20 epochs of 60,000 rows.
  'Bu et al. 2020, figure 4': {
    ...{ rate: 256 / 60_000, noise: 1.3, steps: Math.round((20 * 60_000) / 256) },
    published: 1.34,
  },
  'steps of this study, σ = 2': { rate, steps, noise: 2 },
  'smaller lots, less noise': { rate: 0.05, noise: 1.1, steps: 200 },
};
/** Steps of this study with the least noise that keeps an ε by Rényi. */
const calibrated = () =>
  STUDY_EPSILONS.map((epsilon) => ({
    mechanism: `steps of this study, ε = ${epsilon}`,
    ...{ rate, steps, noise: noiseOfSteps({ rate, steps }, { epsilon, dpDelta: DP_DELTA }) },
  }));

const FORM = { digits: 3 };
const epsilonOf = (column: 'moments' | 'renyi', mechanism: keyof typeof ACCOUNTED) => ({
  where: { mechanism },
  figure: only(column, FORM),
});

export const accountants = defineStudy({
  id: 'learners/accountants',
  plan: () => ({
    cases: [
      ...Object.entries(ACCOUNTED).map(([mechanism, of]) => ({ mechanism, ...of })),
      ...calibrated(),
    ].map((one) => ({ ...one, dpDelta: DP_DELTA })),
  }),
  titleOf: ({ mechanism }) => mechanism,
  expectedSeconds: () => 0.1,
  measure: ({ dpDelta, ...mechanism }): Promise<Tidy[]> => {
    const [moments, renyi] = [epsilonByMoments(mechanism, dpDelta), epsilonOfSteps(mechanism, dpDelta)];
    return Promise.resolve([{ moments, renyi, surplus: moments / renyi - 1 }]);
  },
  columns: {
    mechanism: { title: 'steps' },
    rate: { title: 'share of rows in a lot', form: { digits: 4 } },
    noise: { title: 'σ', form: { digits: 3 } },
    steps: { title: 'number of steps' },
  },
  tables: {
    stated: {
      caption: `The ε that is stated, δ = ${DP_DELTA}`,
      rows: ['mechanism', 'rate', 'noise', 'steps'],
      cells: {
        published: only('published', { digits: 2 }),
        'moments, as printed': only('moments', FORM),
        Rényi: only('renyi', FORM),
      },
    },
  },
  facts: {
    abadiByMoments: epsilonOf('moments', 'Abadi et al. 2016, section 3.2'),
    abadiByRenyi: epsilonOf('renyi', 'Abadi et al. 2016, section 3.2'),
    buByMoments: epsilonOf('moments', 'Bu et al. 2020, figure 4'),
    buByRenyi: epsilonOf('renyi', 'Bu et al. 2020, figure 4'),
    leastSurplus: { figure: least('surplus', { percent: true, digits: 0 }) },
    mostSurplus: { figure: most('surplus', { percent: true, digits: 0 }) },
  },
  holds: {
    repeatsAbadi: (fact) => Math.abs(fact('abadiByMoments') - 1.26) < 0.005,
    comesNearBu: (fact) => Math.abs(fact('buByMoments') - 1.34) < 0.015,
    renyiStatesLess: (fact) => fact('leastSurplus') > 0,
  },
  words: new URL('accountants.md', import.meta.url),
});
