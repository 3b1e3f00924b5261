/** Captured energy over the clipping norm, of every method that keeps its budget; measured on the rows as they are, whatever was clipped. */

import { predictableRandomness } from '@eigenveil/privacy/insides';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { Measurement, Scale, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { loadLaboratoryData } from './data.ts';
import { identityOf, PCA_METHODS, type PcaMethod } from './methods/index.ts';
import { energyRatio, truthOf } from './metrics.ts';
import { planDataSets } from './plan.ts';
import { dealToSites } from './sites.ts';
import { DP_DELTA, DRAFTED_NORM } from './utility.ts';

const CLIPPING = 'clipping';
export const CLIPPING_COMPONENTS = 2;
export const CLIPPING_EPSILONS = [0.1, 0.3, 0.5, 1, 3, 10];
/** The ε at which every method is swept; at the others Eigenveil alone. */
export const ALL_METHODS_EPSILON = 1;
/** From shorter than any row (all are scaled to one length) to longer than any, also where rows are centred first. */
export const CLIPPING_NORMS = [0, 0.3, 0.4, 0.5, DRAFTED_NORM, 0.7, 1, Infinity];
const SITES = 10;
const QUICK_SETS: readonly string[] = ['iris'];
const QUICK_EPSILONS: readonly number[] = [ALL_METHODS_EPSILON];

/** References that are there to take accounting apart say nothing about clipping. */
const LEFT_OUT: readonly string[] = ['central-zcdp', 'central-twice', 'central-triangle'];
const KEPT = PCA_METHODS.filter(
  ({ name, panel }) => panel !== 'baseline' && panel !== 'unkept' && !LEFT_OUT.includes(name),
);

export const clippedMethods = (epsilon: number): readonly PcaMethod[] =>
  KEPT.filter(({ name }) => epsilon === ALL_METHODS_EPSILON || name.startsWith('eigenveil'));

interface Case {
  readonly dataset: string;
  readonly epsilon: number;
  readonly seeds: number;
}

function seedsFor(scale: Scale, features: number): number {
  if (scale === 'quick') return 4;
  if (features > 20) return features > 40 ? 6 : 20;
  return features > 10 ? 60 : 100;
}

function unitOf(of: Case, features: number): Unit {
  const methods = clippedMethods(of.epsilon);
  return {
    id: `${CLIPPING}/${of.dataset}/${of.epsilon}`,
    title: `clipping, ${of.dataset}, ε = ${of.epsilon}`,
    parameters: {
      ...of,
      dpDelta: DP_DELTA,
      components: CLIPPING_COMPONENTS,
      sites: SITES,
      norms: CLIPPING_NORMS.join(' '),
      methods: identityOf(methods),
    },
    expectedSeconds: of.seeds * CLIPPING_NORMS.length * methods.length * (4e-7 * features ** 3 + 2e-3),
    measure: (note) => measure(of, note),
  };
}

async function measure({ dataset, epsilon, seeds }: Case, note: (text: string) => void): Promise<UnitResult> {
  const data = await loadLaboratoryData(dataset);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  const truth = truthOf(data.rows);
  const samples = new Map<string, number[]>();
  for (let seed = 0; seed < seeds; seed += 1) {
    note(`${seed} of ${seeds}`);
    const sites = dealToSites(data.rows, SITES, generator(seedOf(`clipping ${dataset} ${seed}`)));
    for (const method of clippedMethods(epsilon)) {
      for (const clippingNorm of CLIPPING_NORMS) {
        // The same noise for every C, so that they are compared by what clipping does.
        const source = predictableRandomness(`clipping ${dataset} ${epsilon} ${method.name} ${seed}`);
        const found = method.run(source, sites, {
          components: CLIPPING_COMPONENTS,
          epsilon,
          dpDelta: DP_DELTA,
          clippingNorm,
        });
        const ratio = energyRatio(found, CLIPPING_COMPONENTS, truth);
        const key = clippingSeries(method.name, clippingNorm);
        samples.set(key, [...(samples.get(key) ?? []), Number((100 * ratio).toFixed(4))]);
      }
    }
    // Lets an interruption be heard.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const series = Object.fromEntries(
    [...samples].map(([name, values]) => [name, { unit: 'points' as const, samples: values }]),
  );
  return { series, facts: {} };
}

export const clippingSeries = (method: string, clippingNorm: number): string => `${method} C ${clippingNorm}`;

export function findClipping(
  measurements: readonly Measurement[],
  dataset: string,
  epsilon: number,
): Measurement | undefined {
  return measurements.find(({ id }) => id === `${CLIPPING}/${dataset}/${epsilon}`);
}

export function clippingSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: CLIPPING,
    description: 'captured energy over the length that rows are clipped to',
    plan: (scale) =>
      planDataSets(scale, { what: 'clipping', quickSets: QUICK_SETS }, ({ name, features }) =>
        (scale === 'quick' ? QUICK_EPSILONS : CLIPPING_EPSILONS).map((epsilon) =>
          unitOf({ dataset: name, epsilon, seeds: seedsFor(scale, features) }, features),
        ),
      ),
    ...reporting,
  };
}
