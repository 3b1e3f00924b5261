/** One-hot groups of features, whose sums everybody knows: with them k vectors and the spectrum can be the whole scatter matrix, unless the task is refused. */
import type { FlatResult } from '@eigenveil/methods';
import { isOf } from '@eigenveil/platform';
import { PROJECTION_CODES, symmetricEigen } from '@eigenveil/projection';
import { TaskProposal } from '@eigenveil/task';
import { Matrix } from 'ml-matrix';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { releasedBy } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { attacks } from '../attack.ts';
import { type Guess, populationOf, trialsOf } from './population.ts';
import { runsOf } from './scenes.ts';
import { openPart, outsideOf, restBySpectrum, toldBy } from './told.ts';

/** Features of the scene become groups of this number, by quantiles of the public sample. */
const GROUPS = [5, 4] as const;
const FEATURES = GROUPS[0] + GROUPS[1];
const RANK = FEATURES - GROUPS.length;
const RUNS = { quick: 60, full: 200 } as const;
/** A refusal that never fails needs so many to be told from one that fails now and then. */
const REFUSALS = { quick: 250, full: 400 } as const;

const distinct = ({ publicSample }: Scene, feature: number) =>
  new Set(publicSample.map(({ values }) => values[feature])).size;

/** The features that take the most values. */
function groupedFeatures(scene: Scene): number[] {
  const order = scene.proposal.features.keys().toArray();
  return order.toSorted((a, b) => distinct(scene, b) - distinct(scene, a)).slice(0, GROUPS.length);
}

const omits = (scene: Scene): string | undefined =>
  groupedFeatures(scene).length < GROUPS.length || groupedFeatures(scene).some((f) => distinct(scene, f) < 10)
    ? 'no two features of ten values to make groups of'
    : undefined;

/** Tasks over groups by their components and consent, rows of the scene as such a task has them, and their population. */
function groupsOf(scene: Scene) {
  const cuts = groupedFeatures(scene).map((feature, g) => {
    const sorted = scene.publicSample.map(({ values }) => values[feature]!).toSorted((a, b) => a - b);
    const bounds = Array.from(
      { length: GROUPS[g]! - 1 },
      (_, i) => sorted[Math.floor(((i + 1) * sorted.length) / GROUPS[g]!)]!,
    );
    return { feature, bounds };
  });
  const rowsOf = (rows: readonly SceneRow[]) =>
    rows.map((row) => ({
      ...row,
      values: cuts.flatMap(({ feature, bounds }, g) => {
        const held = bounds.filter((bound) => row.values[feature]! >= bound).length;
        return Array.from({ length: GROUPS[g]! }, (_, i) => (i === held ? 1 : 0));
      }),
    }));
  const task = (components: number, allowFullRank: boolean) =>
    TaskProposal.parse({
      ...scene.proposal,
      ...{ method: { kind: 'pca' }, labellings: [], twoParty: 'rotated', differentialPrivacy: null },
      // They count as shares of a whole do: a feature of two values is an equation more, and the rule would refuse more components.
      features: Array.from({ length: FEATURES }, (_, i) => ({
        ...{ name: `held${i}`, min: 0, max: 1, twoValued: false },
      })),
      outputs: ['spectrum', 'sampleCount'],
      ...{ components, allowFullRank },
    });
  return { task, rowsOf, population: populationOf(task(1, false), rowsOf(scene.publicSample)) };
}

/** One vector for each group, of length 1: S̄ times it is 0. */
const NULLS = new Matrix(
  GROUPS.map((size, g) =>
    Array.from({ length: FEATURES }, (_, i) => (i < GROUPS[0] === (g === 0) ? 1 / Math.sqrt(size) : 0)),
  ),
).transpose();

/** Guesses the rest with true eigenvalues, in directions that are orthogonal to vectors and groups: of one dimension, the direction itself. */
function restGuess(released: FlatResult, expected: Matrix): Matrix {
  const k = released.eigenvalues.length;
  const open = Matrix.sub(outsideOf(toldBy(released)), NULLS.mmul(NULLS.transpose()));
  const U = new Matrix(symmetricEigen(open.to2DArray()).vectors.slice(0, RANK - k)).transpose();
  const inner = restBySpectrum(U.transpose().mmul(expected).mmul(U), released.spectrum!.slice(k, RANK));
  return U.mmul(inner).mmul(U.transpose());
}

/** Undefined where the task is refused for its rank. */
function guessOf(task: TaskProposal, rows: readonly SceneRow[], expected: Matrix): Matrix | undefined {
  try {
    return restGuess(releasedBy(task, [rows]), expected);
  } catch (error) {
    if (isOf(PROJECTION_CODES, error) && error.code === 'ERR_FULL_RANK') return undefined;
    throw error;
  }
}

const attempt =
  (components: number, runs: typeof RUNS | typeof REFUSALS, consent = false) =>
  async (setting: Setting): Promise<Outcome> => {
    const { task, rowsOf, population } = groupsOf(setting.scene);
    const asked = task(components, consent);
    let refused = 0;
    const guesses = runsOf(setting, runs[setting.effort]).map(({ members, outsiders }): Guess => {
      const own = rowsOf(members);
      // The rest that shall be found does not depend on whether it is refused.
      const { blind, truth } = openPart(task(components, true), own, population);
      const guess = guessOf(asked, own, blind);
      if (guess === undefined) refused += 1;
      const other = guessOf(asked, rowsOf(outsiders), blind) ?? blind;
      return { guess: guess ?? blind, blind, truth, other };
    });
    return {
      ...trialsOf(guesses),
      facts: { refused, features: FEATURES, groups: GROUPS.length, components },
    };
  };

const attack = attacks({ attacker: 'data user', secret: 'pooled statistics', unit: 'run', omits });

const K = RANK - 1;

export const ONE_HOTS: readonly Unworded[] = [
  attack('one-hot-consent', 'control', ['S-102', 'S-103'], ['pima'], attempt(K, RUNS, true), {
    terms: { features: FEATURES, components: K },
  }),
  attack('one-hot-refused', 'holds', ['S-105'], ['pima'], attempt(K, REFUSALS), {
    terms: { features: FEATURES, components: K },
  }),
  attack('one-hot-allowed', 'admitted', ['S-105', 'S-361'], ['pima'], attempt(K - 1, RUNS), {
    terms: { features: FEATURES, components: K - 1 },
  }),
];
