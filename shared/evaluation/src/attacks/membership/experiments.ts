/** Membership inference from what tasks release, without differential privacy and with it. */
import { defaultClippingNorm } from '@eigenveil/privacy';
import type { MethodName, TaskProposal } from '@eigenveil/task';
import type { Experiment, Setting } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import type { Scene } from '../../scene.ts';
import { variantOf } from '../../scenes/split.ts';
import { type Inference, runInference } from './inference.ts';
import { likelihoodRatio } from './likelihood-ratio.ts';
import { PRIVATE_SETTING } from './private-setting.ts';
import { byReconstructionError } from './reconstruction-error.ts';
import { shownToCsp } from './shown-to-csp.ts';
import { dot, meanOf, minus } from './statistics.ts';
import { type Person, poolOf } from './worlds.ts';

/** Half of the rows at most, so that few rows do not have the task refused for its rank. */
const componentsOf = ({ proposal }: Scene, rows: number): number =>
  Math.max(1, Math.min(proposal.components, Math.floor(rows / 2) - 1));

const released =
  (method: MethodName) =>
  (scene: Scene, rows: number): TaskProposal =>
    variantOf(scene, { method, outputs: ['mean', 'sampleCount'], components: componentsOf(scene, rows) });

const rowsOf = ({ owners }: Scene): number => owners.flat().length;

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

/** Few candidates cost next to nothing once their shadow tasks are there. */
const trialsOfFew = ({ effort }: Pick<Setting, 'effort'>) =>
  effort === 'quick' ? { deciding: 100, others: 50 } : { deciding: 1000, others: 300 };

const UNUSUAL = 10;

/** Whose rows lie farthest from the mean of the public sample: an attacker would begin with them. */
function mostUnusual(scene: Scene, pool: readonly Person[]): Person[] {
  const mean = meanOf(scaledRows(scene.proposal, scene.publicSample));
  const away = (person: Person) =>
    Math.max(...scaledRows(scene.proposal, person).map((row) => dot(minus(row, mean), minus(row, mean))));
  const byDistance = pool
    .map((person) => ({ person, distance: away(person) }))
    .sort((a, b) => b.distance - a.distance);
  return byDistance.slice(0, UNUSUAL).map(({ person }) => person);
}

/** The fewer people the sample has, the less of a spread their results have. */
const LEAST_SAMPLE = 20;
const LEAST_ROWS = 8;

function omits(scene: Scene): string | undefined {
  const largest = Math.max(...poolOf(scene).map((person) => person.length));
  if (scene.publicSample.length < LEAST_SAMPLE) return `a public sample of fewer than ${LEAST_SAMPLE} rows`;
  if (rowsOf(scene) < Math.max(LEAST_ROWS, 2 * largest)) return 'too few rows';
  if (scene.outsiders.length <= largest) return 'too few outsiders';
  return undefined;
}

/** Each needs shadow tasks of its own. */
const COMPARED = 30;
const SHADOWS = { without: 150, with: 40 };
const SHADOWS_OF_FEW = { without: 200, with: 60 };

const KNOWS =
  'a public sample of the population, the candidate’s row, the task and its number of rows; nothing of who is in it';
const WORLDS =
  'each trial draws its people anew from members and outsiders, with the candidate and with somebody else in place: what is said is about such draws, and the control is the same candidate in the second world';

const experiment = (
  inference: Inference,
  of: Pick<Experiment, 'title' | 'attacker' | 'expectation' | 'claims' | 'sees' | 'scenes'> &
    Partial<Experiment>,
): Experiment => ({
  kind: 'attack',
  secret: 'membership',
  knows: KNOWS,
  control: WORLDS,
  baseline:
    'one in a hundred: whoever takes candidates for members at random, as often as the attack may be wrong',
  unit: 'run',
  omits,
  ...of,
  id: inference.id,
  run: (setting) => runInference(inference, setting),
});

const RESULT = 'vectors, eigenvalues, the mean and the number of rows';

const reconstruction = experiment(
  {
    id: 'membership-reconstruction-error',
    attack: byReconstructionError,
    compared: Infinity,
    proposalOf: released('pca'),
    sizesOf,
    trialsOf,
  },
  {
    title: 'Takes a row for a member’s if the released components reconstruct it well (Zari and others 2022)',
    attacker: 'recipient',
    expectation: 'admitted',
    claims: ['S-145'],
    sees: 'the vectors and the mean of a PCA',
    scenes: ['pima', 'ionosphere'],
  },
);

const likelihood = experiment(
  {
    id: 'membership-likelihood-ratio',
    attack: likelihoodRatio(SHADOWS),
    compared: COMPARED,
    proposalOf: released('pca'),
    sizesOf,
    trialsOf,
  },
  {
    title: 'Likelihood ratio of a PCA’s result with a row and without it (Carlini and others 2022)',
    attacker: 'recipient',
    expectation: 'admitted',
    claims: ['S-145'],
    sees: RESULT,
    scenes: ['pima', 'breast_cancer', 'ionosphere'],
  },
);

const unusual = experiment(
  {
    id: 'membership-unusual-row',
    attack: likelihoodRatio(SHADOWS_OF_FEW),
    // Others are not as unusual, and each candidate has many shadow tasks.
    compared: 0,
    proposalOf: released('pca'),
    sizesOf,
    trialsOf: trialsOfFew,
    candidatesOf: mostUnusual,
  },
  {
    title: 'The same about the ten most unusual rows, the worst case',
    attacker: 'recipient',
    expectation: 'admitted',
    claims: ['S-145'],
    sees: RESULT,
    scenes: ['pima', 'breast_cancer', 'ionosphere'],
  },
);

const noLabel = (scene: Scene): string | undefined =>
  scene.utilityLabel === undefined ? 'no label to discriminate by' : omits(scene);

const discriminant = experiment(
  {
    id: 'membership-discriminant',
    attack: likelihoodRatio(SHADOWS),
    compared: COMPARED,
    // LDA of the same ridge has the same vectors, and eigenvalues that follow from these.
    proposalOf: released('dca'),
    sizesOf,
    trialsOf,
  },
  {
    title: 'Likelihood ratio of a DCA’s result with a row and without it',
    attacker: 'recipient',
    expectation: 'admitted',
    claims: ['S-145'],
    sees: RESULT,
    scenes: ['pima', 'breast_cancer'],
    omits: noLabel,
  },
);

/** Owners of one row each, as few as the task allows. */
const fewestRows = ({ scene }: Pick<Setting, 'scene'>): number[] => [
  Math.max(4, scene.proposal.minimumOwners),
];

const singleRows = experiment(
  {
    id: 'membership-single-rows',
    attack: likelihoodRatio(SHADOWS),
    compared: COMPARED,
    proposalOf: released('pca'),
    sizesOf: fewestRows,
    trialsOf,
  },
  {
    title: 'Whether a row is that of an owner who has no other, in a task of as few owners as it allows',
    attacker: 'data user',
    expectation: 'admitted',
    claims: ['S-145'],
    sees: `${RESULT}; who contributed`,
    knows: `${KNOWS}; that each owner has one row`,
    scenes: ['pima', 'breast_cancer'],
  },
);

/** As many components as so few rows have directions: more than any task releases without consent. */
const fullRank = experiment(
  {
    id: 'membership-full-rank',
    attack: likelihoodRatio(SHADOWS),
    compared: COMPARED,
    proposalOf: (scene, rows) =>
      variantOf(scene, {
        method: 'pca',
        outputs: ['mean', 'sampleCount'],
        components: rows - 1,
        allowFullRank: true,
      }),
    sizesOf: ({ scene }) => [Math.min(6, scene.proposal.features.length)],
    trialsOf: ({ effort }) =>
      effort === 'quick' ? { deciding: 60, others: 0 } : { deciding: 300, others: 0 },
  },
  {
    title:
      'The same where all components of a few rows are released, among which a member’s row lies exactly',
    attacker: 'recipient',
    expectation: 'control',
    claims: ['S-145'],
    sees: RESULT,
    scenes: ['pima'],
    omits: (scene) => (scene.proposal.features.length < 4 ? 'fewer than four features' : omits(scene)),
  },
);

/** Noise of the number of rows is about 15: with fewer rows than this, results are noise and refusals. */
const LEAST_PRIVATE = 150;

const underPrivacy = experiment(
  {
    id: 'membership-under-privacy',
    attack: likelihoodRatio(SHADOWS_OF_FEW),
    // Others are not as unusual, and each candidate has many shadow tasks.
    compared: 0,
    proposalOf: (scene, rows) =>
      variantOf(scene, {
        method: 'pca',
        outputs: ['mean', 'sampleCount'],
        components: componentsOf(scene, rows),
        differentialPrivacy: {
          ...PRIVATE_SETTING,
          clippingNorm: defaultClippingNorm(scene.proposal.features.length),
        },
      }),
    sizesOf: ({ scene }) => [rowsOf(scene)],
    trialsOf: ({ effort }) =>
      effort === 'quick' ? { deciding: 150, others: 0 } : { deciding: 2000, others: 0 },
    candidatesOf: mostUnusual,
  },
  {
    title: 'The ten most unusual rows once more, with differential privacy (ε = 1, δ = 10⁻⁶)',
    attacker: 'recipient',
    expectation: 'holds',
    claims: ['P-12', 'S-146'],
    sees: `${RESULT}, of noisy statistics`,
    knows: `${KNOWS}; how the noise is distributed`,
    scenes: ['pima', 'breast_cancer'],
    omits: (scene) => (rowsOf(scene) < LEAST_PRIVATE ? `fewer than ${LEAST_PRIVATE} rows` : omits(scene)),
  },
);

export const INFERENCES: readonly Experiment[] = [
  reconstruction,
  likelihood,
  unusual,
  discriminant,
  singleRows,
  underPrivacy,
  shownToCsp,
  fullRank,
];
