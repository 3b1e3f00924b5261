/** Captured energy and subspace distance of every method: one unit per data set, spread over sites, and ε. */

import { defaultClippingNorm } from '@eigenveil/privacy';
import { predictableRandomness } from '@eigenveil/privacy/insides';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { Measurement, Scale, Series, Suite, Unit, UnitResult } from '../instrument/unit.ts';
import { loadLaboratoryData } from './data.ts';
import { identityOf, PCA_METHODS, type PcaMethod, type PcaSetting, type Row } from './methods/index.ts';
import { energyRatio, subspaceDistance, type Truth, truthOf } from './metrics.ts';
import { planDataSets } from './plan.ts';
import { dealToSites } from './sites.ts';

const UTILITY = 'utility';
export const EPSILONS = [0.1, 0.5, 1, 3, 10];
export const DP_DELTA = 1e-5;
/**
 * What a method is told. C was chosen by how rows are centred, on iris, pima, australian and optdigits (clipping.ts): methods that centre them by their exact
 * mean do best when they divide every row by its length then, C = 0; others take what drafts of a task take.
 */
export const settingOf = ({ promise }: PcaMethod, components: number, epsilon: number): PcaSetting => ({
  components,
  epsilon,
  dpDelta: DP_DELTA,
  clippingNorm: promise.means === 'not protected' ? 0 : DRAFTED_NORM,
});
/** Of drafts, in the laboratory's units: rows on [−1, 1]^d divided by √d. The same for every d. */
export const DRAFTED_NORM = defaultClippingNorm(1);
/** Of sites that grow in size: site i has about i times the rows of the first. */
export const SITES = [5, 10, 50];
/** Sites of one size, which is best for methods that weigh sites alike, or whose noise follows from the smallest. */
export const EQUAL = '10-equal';
const EQUAL_SITES = 10;
/** Of methods whose result does not depend on how rows are spread, and which hold all rows as they are. */
export const POOLED = 'pooled';
/** How rows are spread. */
export type Dealing = number | typeof EQUAL | typeof POOLED;
/** All that methods which depend on sites are measured with. */
export const DEALINGS: readonly Dealing[] = [...SITES, EQUAL];
export const dealingTitle = (dealing: Dealing): string => {
  if (dealing === POOLED) return POOLED;
  return dealing === EQUAL ? `${EQUAL_SITES} equal sites` : `${dealing} sites`;
};
/** Where a method that does not depend on sites needs some all the same, for its parts of noise: the fewer, the faster drawn. */
const POOLED_SITES = 2;

const QUICK_SETS: readonly string[] = ['iris', 'pima', 'breast_cancer', 'ionosphere'];
const QUICK_DEALINGS: readonly Dealing[] = [10, EQUAL];
const COMPONENTS = [1, 2, 4, 8];
export const DISTANCE_COMPONENTS = 2;

/** Up to so many features: seeds of pooled units, and of those with sites. */
const SEEDS = [
  [4, 600, 240],
  [9, 400, 140],
  [14, 400, 90],
  [24, 200, 48],
  [34, 130, 34],
  [39, 80, 18],
  [64, 20, 6],
] as const;

interface Case {
  readonly dataset: string;
  readonly features: number;
  readonly sites: Dealing;
  readonly epsilon: number;
  readonly seeds: number;
}

/** More where a run is cheap: that is where few features and rows make means spread. A full run then costs about 25 minutes of one processor, all suites together. */
function seedsFor(scale: Scale, features: number, sites: Dealing): number {
  const [pooled, spread] = SEEDS.find(([largest]) => features <= largest)!.slice(1) as [number, number];
  const seeds = sites === POOLED ? pooled : spread;
  return scale === 'quick' ? Math.min(40, Math.ceil(seeds / 4)) : seeds;
}

export function componentsOf(features: number): number[] {
  return COMPONENTS.filter((k) => k < features);
}

export function methodsOf(sites: Dealing): PcaMethod[] {
  return PCA_METHODS.filter(({ dependsOnSites }) => dependsOnSites === (sites !== POOLED));
}

function unitOf(of: Case): Unit {
  const { dataset, features, sites, epsilon, seeds } = of;
  const methods = methodsOf(sites);
  const eigen = 2e-7 * features ** 3 + 1e-3;
  return {
    id: `${UTILITY}/${dataset}/${sites}/${epsilon}`,
    title: `${dataset}, ${dealingTitle(sites)}, ε = ${epsilon}`,
    parameters: {
      dataset,
      sites,
      epsilon,
      dpDelta: DP_DELTA,
      seeds,
      components: componentsOf(features).join(' '),
      methods: identityOf(methods),
    },
    expectedSeconds:
      seeds *
      methods.length *
      eigen *
      (sites === POOLED ? 2 : 1 + (sites === EQUAL ? EQUAL_SITES : sites) / 3),
    measure: (note) => measure(of, note),
  };
}

async function measure(of: Case, note: (text: string) => void): Promise<UnitResult> {
  const { dataset, features, sites, seeds } = of;
  const data = await loadLaboratoryData(dataset);
  if (data === undefined) throw new Error(`the data set ${dataset} has gone`);
  const truth = truthOf(data.rows);
  const scores = new Scores(componentsOf(features), truth);
  for (let seed = 0; seed < seeds; seed += 1) {
    if (seed % 10 === 0) note(`${seed} of ${seeds}`);
    const spread = dealt(data.rows, dataset, sites, seed);
    // Sizes are the same at every seed.
    if (seed === 0) for (const method of methodsOf(sites)) scores.describe(method, spread, of);
    for (const method of methodsOf(sites)) scores.add(method, runOf(method, spread, of, seed));
    // Lets an interruption be heard.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return scores.result();
}

/** The same for all methods of a seed, and for all ε. */
function dealt(
  rows: readonly (readonly number[])[],
  dataset: string,
  sites: Dealing,
  seed: number,
): (readonly number[])[][] {
  const next = generator(seedOf(`laboratory ${dataset} ${sites} ${seed}`));
  if (sites === EQUAL) return dealToSites(rows, EQUAL_SITES, next, 'equal');
  return dealToSites(rows, sites === POOLED ? POOLED_SITES : sites, next);
}

function runOf(
  method: PcaMethod,
  spread: readonly (readonly (readonly number[])[])[],
  { dataset, features, sites, epsilon }: Case,
  seed: number,
): number[][] | undefined {
  const source = predictableRandomness(`laboratory ${dataset} ${sites} ${epsilon} ${method.name} ${seed}`);
  const components = componentsOf(features).at(-1)!;
  return method.run(source, spread, settingOf(method, components, epsilon));
}

class Scores {
  readonly #components: readonly number[];
  readonly #truth: Truth;
  readonly #series = new Map<string, number[]>();
  readonly #facts = new Map<string, number | string>();

  constructor(components: readonly number[], truth: Truth) {
    this.#components = components;
    this.#truth = truth;
  }

  /** What a method refuses to give has no energy, and counts so in the mean. */
  add({ name }: PcaMethod, found: readonly (readonly number[])[] | undefined): void {
    const refused = refusedFact(name);
    if (found === undefined) this.#facts.set(refused, Number(this.#facts.get(refused) ?? 0) + 1);
    for (const k of this.#components) {
      this.#push(energySeries(name, k), energyRatio(found, k, this.#truth));
      if (k === DISTANCE_COMPONENTS)
        this.#push(distanceSeries(name), subspaceDistance(found, k, this.#truth));
    }
  }

  /** What the method keeps of the ε that it is told, and how much noise it adds, for sites of these sizes. */
  describe(method: PcaMethod, spread: readonly (readonly Row[])[], { epsilon, features }: Case): void {
    const { name, promise } = method;
    const setting = settingOf(method, componentsOf(features).at(-1)!, epsilon);
    const kept = promise.keeps(spread, setting);
    this.#facts.set(keptFact(name), 'none' in kept ? kept.none : finite(kept.epsilon));
    const deviation = method.noiseDeviation?.(spread, setting);
    if (deviation !== undefined) this.#facts.set(noiseFact(name), deviation);
  }

  result(): UnitResult {
    const series: Record<string, Series> = {};
    for (const [name, samples] of this.#series) series[name] = { unit: 'points', samples };
    return { series, facts: Object.fromEntries(this.#facts) };
  }

  /** In percent, to four digits after the point. */
  #push(name: string, ratio: number): void {
    const samples = this.#series.get(name) ?? [];
    samples.push(Number((100 * ratio).toFixed(4)));
    this.#series.set(name, samples);
  }
}

export const energySeries = (method: string, k: number): string => `${method} energy ${k}`;
export const distanceSeries = (method: string): string => `${method} distance`;
/** The ε that is kept, or why there is none. */
export const keptFact = (method: string): string => `${method} keeps`;
/** noiseDeviation of the method. */
export const noiseFact = (method: string): string => `${method} noise`;
/** JSON has no Infinity. */
const finite = (epsilon: number): number | string => (epsilon === Infinity ? 'no noise' : epsilon);
export const refusedFact = (method: string): string => `${method} refused`;

/** The unit of this data set, spread and ε, if it was measured. */
export function findUtility(
  measurements: readonly Measurement[],
  dataset: string,
  sites: Dealing,
  epsilon: number,
): Measurement | undefined {
  return measurements.find(({ id }) => id === `${UTILITY}/${dataset}/${sites}/${epsilon}`);
}

export function utilitySuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: UTILITY,
    description: 'captured energy and subspace distance of all methods',
    plan: (scale) =>
      planDataSets(scale, { what: 'captured energy', quickSets: QUICK_SETS }, ({ name, features }) =>
        ([POOLED, ...(scale === 'quick' ? QUICK_DEALINGS : DEALINGS)] as const).flatMap((sites) =>
          EPSILONS.map((epsilon) =>
            unitOf({ dataset: name, features, sites, epsilon, seeds: seedsFor(scale, features, sites) }),
          ),
        ),
      ),
    ...reporting,
  };
}
