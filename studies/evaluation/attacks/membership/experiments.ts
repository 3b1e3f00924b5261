/** Membership inference from what tasks release, without differential privacy and with it. */

import type { ProjectionKind } from '@eigenveil/methods';
import type { TaskProposal } from '@eigenveil/task';
import { dot, meanOfRows, minus } from '../../../recognition/alignment.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import type { Person, Scene } from '../../scene.ts';
import { variantOf } from '../../scenes/split.ts';
import { privacyOf } from '../private.ts';
import { type Inference, runInference } from './inference.ts';
import { likelihoodRatio } from './likelihood-ratio.ts';
import { shownToCsp } from './shown-to-csp.ts';
import { byReconstructionError } from './statistics.ts';
import { omits, omitsGroups, omitsPrivate, rowsOf } from './worlds.ts';

/** Half of the rows at most, so that few rows do not have the task refused for its rank. */
const componentsOf = ({ proposal }: Scene, rows: number): number =>
  Math.max(1, Math.min(proposal.components, Math.floor(rows / 2) - 1));

const outputs: TaskProposal['outputs'] = ['mean', 'sampleCount'];

const released =
  (method: ProjectionKind) =>
  (scene: Scene, rows: number): TaskProposal =>
    variantOf(scene, { method, outputs, components: componentsOf(scene, rows) });

/** A decomposition costs the third power of the features. */
const WIDE = 16;
const isWide = ({ proposal }: Scene): boolean => proposal.features.length > WIDE;

const SIZES = [20, 50, 100, 200, 500, 1000];

/** From 20 rows up to those of the scene, which decide. */
function sizesOf({ scene, effort }: Pick<Setting, 'scene' | 'effort'>): number[] {
  const all = rowsOf(scene);
  // Nearer to all they say the same.
  const fewer = SIZES.filter((rows) => rows < 0.8 * all);
  return [...fewer.slice(0, effort === 'full' ? fewer.length : isWide(scene) ? 0 : 1), all];
}

function trialsOf({ scene, effort }: Pick<Setting, 'scene' | 'effort'>) {
  if (effort === 'quick') return isWide(scene) ? { deciding: 30, others: 15 } : { deciding: 60, others: 30 };
  return isWide(scene) ? { deciding: 300, others: 150 } : { deciding: 1000, others: 400 };
}

/** Few candidates cost almost nothing once their shadow tasks are there. */
const trialsOfFew = ({ effort }: Pick<Setting, 'effort'>) =>
  effort === 'quick' ? { deciding: 100, others: 50 } : { deciding: 1000, others: 300 };

const UNUSUAL = 10;

/** The people whose rows lie farthest from the mean of the public sample: an attacker would begin with them. */
function mostUnusual(scene: Scene, pool: readonly Person[]): Person[] {
  const mean = meanOfRows(scaledRows(scene.proposal, scene.publicSample));
  const away = (person: Person) =>
    Math.max(...scaledRows(scene.proposal, person).map((row) => dot(minus(row, mean), minus(row, mean))));
  const distances = new Map(pool.map((person) => [person, away(person)]));
  return pool.toSorted((a, b) => distances.get(b)! - distances.get(a)!).slice(0, UNUSUAL);
}

/** Each needs shadow tasks of its own. */
const COMPARED = 30;
const SHADOWS = { without: 150, with: 40 };
const SHADOWS_OF_FEW = { without: 200, with: 60 };

/** Makes an experiment of the kind that most of these are: the likelihood ratio of a PCA, over the scene's rows and fewer, which the documents admit. */
const experiment = (
  id: string,
  scenes: Unworded['scenes'],
  inference: Partial<Inference> = {},
  of: Partial<Unworded> = {},
): Unworded => ({
  id,
  kind: 'attack',
  attacker: 'recipient',
  secret: 'membership',
  expectation: 'admitted',
  claims: ['S-145', 'S-380'],
  unit: 'run',
  scenes,
  omits,
  run: (setting) =>
    runInference(
      {
        ...{ id, attack: likelihoodRatio(SHADOWS), compared: COMPARED },
        ...{ proposalOf: released('pca'), sizesOf, trialsOf },
        ...inference,
      },
      setting,
    ),
  ...of,
});

/** Others are not as unusual, and each candidate has many shadow tasks: nobody is compared with them. */
const OF_UNUSUAL: Partial<Inference> = {
  attack: likelihoodRatio(SHADOWS_OF_FEW),
  compared: 0,
  candidatesOf: mostUnusual,
};

export const INFERENCES: readonly Unworded[] = [
  experiment('membership-reconstruction-error', ['pima', 'ionosphere'], {
    attack: byReconstructionError,
    compared: Infinity,
  }),
  experiment('membership-likelihood-ratio', ['pima', 'breast_cancer', 'ionosphere']),
  experiment('membership-unusual-row', ['pima', 'breast_cancer', 'ionosphere'], {
    ...OF_UNUSUAL,
    trialsOf: trialsOfFew,
  }),
  experiment(
    'membership-discriminant',
    ['pima', 'breast_cancer'],
    // LDA of the same ridge has the same vectors, and eigenvalues that follow from these.
    { proposalOf: released('dca') },
    { omits: (scene) => (scene.utilityLabel === undefined ? 'no label to discriminate by' : omits(scene)) },
  ),
  experiment(
    'membership-single-rows',
    ['pima', 'breast_cancer'],
    // Owners of one row each, as few as the task allows.
    { sizesOf: ({ scene }) => [Math.max(4, scene.proposal.minimumOwners)] },
    { attacker: 'data user', omits: omitsGroups },
  ),
  experiment(
    'membership-under-privacy',
    ['pima'],
    {
      ...OF_UNUSUAL,
      proposalOf: (scene, rows) =>
        variantOf(scene, {
          ...{ method: 'pca', outputs, components: componentsOf(scene, rows) },
          differentialPrivacy: privacyOf(scene),
        }),
      sizesOf: ({ scene }) => [rowsOf(scene)],
      trialsOf: ({ effort }) => ({ deciding: effort === 'quick' ? 600 : 2000, others: 0 }),
    },
    // The most excess that there can be: (e·0.01 + δ − 0.01) / 0.99 is 0.017, and the margin is 0.05.
    { expectation: 'holds', claims: ['P-12', 'P-120'], omits: omitsPrivate },
  ),
  experiment('membership-shown-to-csp', ['pima'], undefined, {
    ...{ attacker: 'CSP', claims: ['P-77', 'S-159'], omits: omitsPrivate, run: shownToCsp },
  }),
  experiment(
    'membership-full-rank',
    ['pima'],
    {
      // There are as many components as these few rows have directions: more than any task releases without consent.
      proposalOf: (scene, rows) =>
        variantOf(scene, { method: 'pca', outputs, components: rows - 1, allowFullRank: true }),
      sizesOf: ({ scene }) => [Math.min(6, scene.proposal.features.length)],
      trialsOf: ({ effort }) => ({ deciding: effort === 'quick' ? 60 : 300, others: 0 }),
    },
    {
      expectation: 'control',
      omits: (scene) =>
        scene.proposal.features.length < 4 ? 'fewer than four features' : omitsGroups(scene),
    },
  ),
];
