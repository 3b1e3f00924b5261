/** One-hot groups of features, whose sums everybody knows: with them k vectors and the spectrum can be the whole scatter matrix, unless the task is refused. */
import type { FlatResult } from '@eigenveil/methods';
import { isOf } from '@eigenveil/platform';
import { PROJECTION_CODES, symmetricEigen } from '@eigenveil/projection';
import { TaskProposal } from '@eigenveil/task';
import { Matrix } from 'ml-matrix';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { releasedBy } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { type Population, populationOf, trialsBeside } from './population.ts';
import { type Run, runsOf } from './scenes.ts';
import { restBySpectrum, trueRest } from './spectrum.ts';
import { expectedRest, outsideOf, toldBy } from './told.ts';

/** Features of the scene become groups of so many, by quantiles of the public sample. */
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

interface Groups {
  readonly task: (components: number, allowFullRank: boolean) => TaskProposal;
  readonly rowsOf: (rows: readonly SceneRow[]) => SceneRow[];
  readonly population: Population;
}

function groupsOf(scene: Scene): Groups {
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
      features: Array.from({ length: FEATURES }, (_, i) => ({ name: `held${i}`, min: 0, max: 1 })),
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

/** The rest with true eigenvalues, in directions that are orthogonal to vectors and groups: of one dimension, the direction itself. */
function restGuess({ vectors, eigenvalues, spectrum }: FlatResult, expected: Matrix): Matrix {
  const known = new Matrix(vectors).transpose();
  const open = Matrix.sub(outsideOf({ vectors: known }), NULLS.mmul(NULLS.transpose()));
  const space = symmetricEigen(open.to2DArray()).vectors.slice(0, RANK - eigenvalues.length);
  const U = new Matrix(space).transpose();
  const inner = restBySpectrum(
    U.transpose().mmul(expected).mmul(U),
    spectrum!.slice(eigenvalues.length, RANK),
  );
  return U.mmul(inner).mmul(U.transpose());
}

function releasedOrRefused(task: TaskProposal, rows: readonly SceneRow[]): FlatResult | undefined {
  try {
    return releasedBy(task, [rows]);
  } catch (error) {
    if (isOf(PROJECTION_CODES, error) && error.code === 'ERR_FULL_RANK') return undefined;
    throw error;
  }
}

function attempt(
  setting: Setting,
  { components, consent, count }: { components: number; consent: boolean; count: number },
): Outcome {
  const { task, rowsOf, population } = groupsOf(setting.scene);
  const asked = task(components, consent);
  let refusals = 0;
  const found = runsOf(setting, count).map(({ members, outsiders }: Run) => {
    const own = rowsOf(members);
    // What there is to be found does not depend on whether it is refused.
    const told = toldBy(releasedBy(task(components, true), [own]));
    const blind = expectedRest(told, population, own.length);
    const guessOf = (rows: readonly SceneRow[]) => {
      const released = releasedOrRefused(asked, rows);
      return released === undefined ? undefined : restGuess(released, blind);
    };
    const guess = guessOf(own);
    if (guess === undefined) refusals += 1;
    return {
      own: { guess: guess ?? blind, blind, truth: trueRest(asked, own, outsideOf(told)) },
      other: guessOf(rowsOf(outsiders)) ?? blind,
    };
  });
  return {
    ...trialsBeside(
      found.map(({ own }) => own),
      found.map(({ other }) => other),
    ),
    facts: { refused: refusals, features: FEATURES, groups: GROUPS.length, components },
  };
}

const COMMON = {
  kind: 'attack',
  attacker: 'data user',
  secret: 'pooled statistics',
  unit: 'run',
  scenes: ['pima'],
  omits,
} as const;

const K = RANK - 1;

export const withConsent: Unworded = {
  ...COMMON,
  id: 'one-hot-consent',
  terms: { features: FEATURES, components: K },
  expectation: 'control',
  claims: ['S-102', 'S-103'],
  run: async (setting) => attempt(setting, { components: K, consent: true, count: RUNS[setting.effort] }),
};

export const withoutConsent: Unworded = {
  ...COMMON,
  id: 'one-hot-refused',
  expectation: 'holds',
  claims: ['S-105'],
  run: async (setting) =>
    attempt(setting, { components: K, consent: false, count: REFUSALS[setting.effort] }),
};

export const mostAllowed: Unworded = {
  ...COMMON,
  id: 'one-hot-allowed',
  terms: { features: FEATURES, components: K - 1 },
  expectation: 'admitted',
  claims: ['S-105', 'S-361'],
  run: async (setting) =>
    attempt(setting, { components: K - 1, consent: false, count: RUNS[setting.effort] }),
};
