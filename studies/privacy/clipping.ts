/** Captured energy over the clipping norm, of every method that keeps its budget; measured on the rows as they are, whatever was clipped. */

import { generator, predictableRandomness, seedOf } from '@eigenveil/testbed/random';
import { mean } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { dataSetsOf, rowsOf } from './data.ts';
import { identityOf, PCA_METHODS, type PcaMethod } from './methods/index.ts';
import { energyRatio, truthOf } from './metrics.ts';
import { DP_DELTA, DRAFTED_NORM, dealToSites, METHOD_TITLES } from './setting.ts';

const COMPONENTS = 2;
const EPSILONS = [0.1, 0.3, 0.5, 1, 3, 10];
/** The ε at which every method is swept; at the others Eigenveil alone. */
const ALL_METHODS_EPSILON = 1;
/** From shorter than any row (all are scaled to one length) to longer than any, also where rows are centred first. */
const NORMS = [0, 0.3, 0.4, 0.5, DRAFTED_NORM, 0.7, 1, Infinity];
const SITES = 10;

/** References that are there to take accounting apart say nothing about clipping. */
const LEFT_OUT: readonly string[] = ['central-zcdp', 'central-twice', 'central-triangle'];
const KEPT = PCA_METHODS.filter(
  ({ name, panel }) => panel !== 'baseline' && panel !== 'unkept' && !LEFT_OUT.includes(name),
);
const clippedMethods = (epsilon: number): readonly PcaMethod[] =>
  KEPT.filter(({ name }) => epsilon === ALL_METHODS_EPSILON || name.startsWith('eigenveil'));

function seedsFor(scale: Scale, features: number): number {
  if (scale === 'quick') return 4;
  if (features > 20) return features > 40 ? 6 : 20;
  return features > 10 ? 60 : 100;
}

const NORM_TITLES = new Map<number, string>([
  [DRAFTED_NORM, 'C = 1/√3'],
  [Infinity, 'never'],
]);

export const clipping = defineStudy({
  id: 'privacy/clipping',
  plan: async (asked) => {
    const { sets, omissions } = await dataSetsOf(asked, { what: 'clipping', quickSets: ['iris'] });
    const epsilons = asked.scale === 'quick' ? [ALL_METHODS_EPSILON] : EPSILONS;
    const cases = sets.flatMap(({ name: dataset, features }) =>
      epsilons.map((epsilon) => ({
        ...{ dataset, epsilon, seeds: seedsFor(asked.scale, features), features, dpDelta: DP_DELTA },
        ...{ components: COMPONENTS, sites: SITES, norms: NORMS.join(' ') },
        methods: identityOf(clippedMethods(epsilon)),
      })),
    );
    return { cases, omissions };
  },
  titleOf: ({ dataset, epsilon }) => `${dataset}, ε = ${epsilon}`,
  expectedSeconds: ({ seeds, epsilon, features }) =>
    seeds * NORMS.length * clippedMethods(epsilon).length * (4e-7 * features ** 3 + 2e-3),
  async *measure({ dataset, epsilon, seeds }, { own, note }): AsyncGenerator<Tidy> {
    const { rows } = await rowsOf(dataset, own);
    const truth = truthOf(rows);
    for (let seed = 0; seed < seeds; seed += 1) {
      note(`${seed} of ${seeds}`);
      const sites = dealToSites(rows, SITES, generator(seedOf(`clipping ${dataset} ${seed}`)));
      for (const method of clippedMethods(epsilon)) {
        for (const clippingNorm of NORMS) {
          // Every C has the same noise, so that they are compared by what clipping does.
          const source = predictableRandomness(`clipping ${dataset} ${epsilon} ${method.name} ${seed}`);
          const setting = { components: COMPONENTS, epsilon, dpDelta: DP_DELTA, clippingNorm };
          const found = method.run(source, sites, setting);
          const energy = Number((100 * energyRatio(found, COMPONENTS, truth)).toFixed(4));
          yield {
            seed,
            method: method.name,
            norm: NORM_TITLES.get(clippingNorm) ?? `C = ${clippingNorm}`,
            energy,
          };
        }
      }
      // Lets an interruption be heard.
      await new Promise((resolve) => setImmediate(resolve));
    }
  },
  columns: { epsilon: { title: 'ε' }, method: { values: METHOD_TITLES } },
  tables: {
    eigenveil: {
      caption: `{dataset}: captured energy of ${COMPONENTS} components in percent, Eigenveil`,
      each: ['dataset'],
      where: ({ method }) => String(method).startsWith('eigenveil'),
      rows: ['method', 'epsilon'],
      across: { column: 'norm', cell: mean('energy', { digits: 1 }) },
    },
    others: {
      caption: `{dataset}: the same of every method that keeps its budget, ε = ${ALL_METHODS_EPSILON}`,
      each: ['dataset'],
      where: { epsilon: ALL_METHODS_EPSILON },
      rows: ['method'],
      across: { column: 'norm', cell: mean('energy', { digits: 1 }) },
    },
  },
  words: new URL('clipping.md', import.meta.url),
});
