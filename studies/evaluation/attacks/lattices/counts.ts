/** Whole numbers behind eigenpairs: how many rows have two features together, for all pairs of two-valued features, from a PCA. */
import { type FlatResult, METHODS } from '@eigenveil/methods';
import { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Matrix } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { pooledStatistics } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { dealtResult } from '../in-process/dealt.ts';
import { agreed } from '../in-process/small-task.ts';
import { type Population, populationOf } from '../tasks/population.ts';
import { expectedRest, knownPart, toldBy } from '../tasks/told.ts';
import { nearest, reduce } from './lll.ts';
import { dividedBy } from './two-valued.ts';

/** The release beside vectors and eigenvalues. */
type Result = Required<Pick<FlatResult, 'vectors' | 'eigenvalues' | 'mean' | 'sampleCount'>>;

/** Equations are right to this many bits of a count, and an estimate as real numbers to some counts. */
const EQUATION_BITS = 18;

/** The number of rows that have 1 at each feature. */
const singlesOf = ({ mean: means, sampleCount }: Result) =>
  means.map((value) => Math.round((sampleCount * (value + 1)) / 2));

/** The scatter of −1 and 1 is 4·(n_ij − n_i n_j/Q). */
function countsOf(scatter: Matrix, result: Result): number[][] {
  const singles = singlesOf(result);
  return scatter
    .to2DArray()
    .map((row, i) => row.map((entry, j) => entry / 4 + (singles[i]! * singles[j]!) / result.sampleCount));
}

const ROUNDS = 300;

/**
 * The mean of all matrices that a result and the population allow: the one that is nearest to what the population lets expect, among those with the eigenpairs
 * and the variances that are told. Alternating projections end there (von Neumann).
 */
function realCounts(result: Result, population: Population): number[][] {
  const told = toldBy(result);
  const singles = singlesOf(result);
  const P = Matrix.sub(Matrix.eye(singles.length), told.vectors.mmul(told.vectors.transpose()));
  const known = knownPart(told);
  let scatter = Matrix.add(known, expectedRest(told, population, result.sampleCount));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, n] of singles.entries()) scatter.set(i, i, 4 * (n - n ** 2 / result.sampleCount));
    scatter = Matrix.add(known, P.mmul(scatter).mmul(P));
  }
  return countsOf(scatter, result);
}

/**
 * The counts that fit best: each row is whole numbers n with Σ_m w_m·4·n_m = λ w_i + Σ_m w_m·4·n_i n_m/Q for each eigenpair. Of all rows that do, reduction finds the
 * one that is nearest to the estimate in real numbers.
 */
export function wholeCounts(result: Result, estimate: readonly (readonly number[])[]): number[][] {
  const { vectors, eigenvalues, sampleCount } = result;
  const singles = singlesOf(result);
  const unit = 2 ** EQUATION_BITS;
  const scaled = (value: number) => BigInt(Math.round(value * unit));
  const basis = reduce(
    singles.map((_, m) => [
      ...singles.map((__, i) => BigInt(i === m)),
      ...vectors.map((vector) => scaled(vector[m]!)),
    ]),
  );
  return singles.map((own, i) => {
    const near = estimate[i]!.map(Math.round);
    const left = vectors.map((vector, j) => {
      const right = vector.reduce((sum, w, m) => sum + w * ((own * singles[m]!) / sampleCount - near[m]!), 0);
      return scaled((eigenvalues[j]! * vector[i]!) / 4 + right);
    });
    const beyond = nearest(basis, [...singles.map(() => 0n), ...left]);
    return near.map((count, m) => count + Number(beyond[m]));
  });
}

/** The share of pairs whose count is right. */
function rightOf(counts: readonly (readonly number[])[], truth: readonly (readonly number[])[]): number {
  return mean(
    counts.flatMap((row, i) =>
      row.flatMap((count, j) => (i === j ? [] : [Number(Math.round(count) === truth[i]![j])])),
    ),
  );
}

const COMPONENTS = 10;
const LEAST_FEATURES = 20;
const RUNS = { quick: 24, full: 40 } as const;

/** Every feature as whether it is at least the public sample's median, where that divides the sample. */
function twoValuedOf(scene: Scene) {
  const cuts = dividedBy(scene);
  const rowsOf = (rows: readonly SceneRow[]) =>
    rows.map((row) => ({
      ...row,
      values: cuts.map(({ feature, bound }) => Number(row.values[feature]! >= bound)),
    }));
  const task = TaskProposal.parse({
    ...scene.proposal,
    ...{ method: { kind: 'pca' }, labellings: [], twoParty: 'rotated', components: COMPONENTS },
    features: cuts.map(({ feature }) => ({ name: `held${feature}`, min: 0, max: 1 })),
    outputs: ['mean', ...METHODS.pca.revealedByRotation],
  });
  return { task, rowsOf };
}

export const pairs: Unworded = {
  id: 'whole-counts',
  terms: { components: COMPONENTS },
  kind: 'attack',
  attacker: 'recipient',
  secret: 'pooled statistics',
  expectation: 'control',
  claims: ['S-103', 'S-105'],
  unit: 'run',
  scenes: ['ionosphere'],
  omits: (scene) =>
    twoValuedOf(scene).task.features.length < LEAST_FEATURES
      ? `fewer than ${LEAST_FEATURES} features that a median divides`
      : undefined,
  async run(setting) {
    const { scene, seed, effort } = setting;
    const { task, rowsOf } = twoValuedOf(scene);
    const population = populationOf(task, rowsOf(scene.publicSample));
    const members = rowsOf(scene.owners.flat());
    const draws = new Draws(seed).of('rows');
    const attack: number[] = [];
    const control: number[] = [];
    for (let run = 0; run < RUNS[effort]; run += 1) {
      const rows = draws.of(run).some(members, Math.ceil(0.8 * members.length));
      const statistics = { ...pooledStatistics(task, [rows]), owners: BigInt(task.minimumOwners) };
      const result = (await dealtResult(agreed(task), statistics)) as Result;
      const truth = task.features.map((_, i) =>
        task.features.map((__, j) => rows.filter(({ values }) => values[i] === 1 && values[j] === 1).length),
      );
      const estimate = realCounts(result, population);
      attack.push(rightOf(wholeCounts(result, estimate), truth));
      control.push(rightOf(estimate, truth));
    }
    return {
      kind: 'trials',
      ...{ attack, control, baseline: mean(control) },
      facts: { features: task.features.length, components: COMPONENTS },
    };
  },
};
