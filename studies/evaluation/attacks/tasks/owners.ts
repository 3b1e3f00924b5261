/** Two tasks that differ in one owner, and data users that share what some owners know: the statistics of the others. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen } from '@eigenveil/projection';
import { addStatistics } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Matrix } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedOf, statisticsOf } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { curves } from '../../shown.ts';
import { attacks } from '../attack.ts';
import { explained, type Guess, type Population, populationOf, trialsOf } from './population.ts';
import { dealt, membersOf, pcaOf, rowsOf } from './scenes.ts';
import { expectedRest, grownBy, knownPart, scatterOf, toldBy } from './told.ts';

/** Number of owners, which is that of the scenes. */
const OWNER_COUNT = 8;
/** Dealings of the members to owners, each with another owner as the target. */
const DEALINGS = { quick: 80, full: 300 } as const;

/** Declares everything: S̄ itself. */
const everything = (scene: Scene): TaskProposal =>
  pcaOf(scene, {
    components: scene.proposal.features.length,
    allowFullRank: true,
    outputs: ['mean', 'sampleCount', 'spectrum'],
  });

/** Members dealt to owners: the target, and the owners that are known or in both tasks. */
interface Dealing {
  readonly target: readonly SceneRow[];
  readonly others: readonly (readonly SceneRow[])[];
}

function dealingsOf({ scene, seed, effort }: Setting): Dealing[] {
  const draws = new Draws(seed).of('dealings');
  return Array.from({ length: DEALINGS[effort] }, (_, i) => {
    const [target, ...others] = dealt(membersOf(scene), OWNER_COUNT, draws.of(i));
    return { target: target!, others };
  });
}

/** The error of D W where S̄⊥ is a guess, and where S̄ is known. */
const GUESSED = 1e-2;
const EXACT = 1e-9;

/** Guesses a target that has only this number of its rows; without a number, all of them. */
type Guesser = (dealing: Dealing, size?: number) => Guess;

/**
 * Tries an attack over all dealings.
 * @param chart of how much of a target's scatter is explained where it has only a number of its rows; `{k}` in its caption is the number of components
 */
const over =
  (
    guesserOf: (scene: Scene, task: TaskProposal) => Guesser,
    taskOf: (scene: Scene) => TaskProposal,
    chart?: { readonly name: string; readonly caption: string },
  ) =>
  async (setting: Setting): Promise<Outcome> => {
    const task = taskOf(setting.scene);
    const guessOf = guesserOf(setting.scene, task);
    const dealings = dealingsOf(setting);
    const trials = trialsOf(dealings.map((dealing) => guessOf(dealing)));
    if (chart === undefined) return trials;
    const few = dealings.slice(0, Math.ceil(dealings.length / 5));
    const least = Math.min(...few.map(({ target }) => target.length));
    const sizes = [...[1, 2, 3, 5, 8, 12, 20].filter((size) => size < least), least];
    const line = sizes.map(
      (size) => [size, mean(few.map((dealing) => explained(guessOf(dealing, size))))] as const,
    );
    const caption = chart.caption.replace('{k}', `${task.components}`);
    const lines = { explained: line };
    return {
      ...trials,
      blocks: [curves(setting.scene, { name: chart.name, caption, x: 'rows of the owner', lines })],
    };
  };

/** Infers what a number of rows add to a known scatter, from what is released over all. */
function addedTo(
  before: Matrix,
  released: FlatResult,
  rows: number,
  rounding: number,
  population: Population,
): Matrix {
  const after = toldBy(released);
  return after.values.length === before.rows
    ? Matrix.sub(knownPart(after), before)
    : grownBy(before, after, rows, rounding, population);
}

/** Guesses by what the task releases over the others, and over all owners. */
function between({ publicSample }: Scene, task: TaskProposal): Guesser {
  const population = populationOf(task, publicSample);
  return ({ target, others }, size = target.length) => {
    const known = pooledStatistics(task, others);
    const all = addStatistics(known, statisticsOf(task, target.slice(0, size)));
    const told = toldBy(releasedOf(task, known));
    const part = knownPart(told);
    const before =
      told.values.length === part.rows ? part : part.add(expectedRest(told, population, rowsOf(known)));
    return {
      guess: addedTo(before, releasedOf(task, all), size, GUESSED, population),
      blind: Matrix.mul(population.covariance, size),
      truth: Matrix.sub(scatterOf(task, all), scatterOf(task, known)),
    };
  };
}

/** Collects what a coalition knows: its own owners' statistics and scatter, and rows to guess the others' by. */
function coalitionOf(scene: Scene, task: TaskProposal, owners: readonly (readonly SceneRow[])[]) {
  const own = pooledStatistics(task, owners);
  const population = populationOf(task, [...owners.flat(), ...scene.publicSample]);
  return { own, known: scatterOf(task, own), population };
}

/** Guesses the target where `left` owners have not told what they know, the target among them: as their average. */
const collusion =
  (scene: Scene, task: TaskProposal, left = 1): Guesser =>
  ({ target, others }, size = target.length) => {
    const rows = target.slice(0, size);
    const { own, known, population } = coalitionOf(scene, task, others.slice(left - 1));
    const silent = [...others.slice(0, left - 1), rows].flat().length;
    const released = releasedOf(task, pooledStatistics(task, [...others, rows]));
    return {
      guess: addedTo(known, released, silent, EXACT, population).mul(size / silent),
      blind: Matrix.mul(population.covariance, size),
      truth: Matrix.sub(scatterOf(task, addStatistics(own, statisticsOf(task, rows))), known),
    };
  };

/** The number of owners that are left, which the least number of owners is for. */
const LEFT = 3;

async function fewLeft(setting: Setting): Promise<Outcome> {
  const { scene } = setting;
  const all = everything(scene);
  const dealings = dealingsOf(setting);
  const successes = (task: TaskProposal, left: number, of: readonly Dealing[]) =>
    trialsOf(of.map((dealing) => collusion(scene, task, left)(dealing)));
  const few = dealings.slice(0, Math.ceil(dealings.length / 4));
  // One colludes at least.
  const points = (task: TaskProposal) =>
    Array.from({ length: OWNER_COUNT - 1 }, (_, i) => i + 1).map(
      (left) => [left, mean(successes(task, left, few).attack)] as const,
    );
  return {
    ...successes(all, LEFT, dealings),
    blocks: [
      curves(scene, {
        name: 'collusion',
        caption: `An owner's scatter to a data user to which others of ${OWNER_COUNT} owners tell what they know, by the number of owners left`,
        x: 'owners left, the target among them',
        lines: { 'everything declared': points(all), 'vectors and eigenvalues alone': points(pcaOf(scene)) },
      }),
    ],
  };
}

async function ownersTogether(setting: Setting): Promise<Outcome> {
  const { scene } = setting;
  const task = pcaOf(scene);
  const half = OWNER_COUNT / 2;
  const guesses = dealingsOf(setting).map(({ target, others }): Guess => {
    const silent = [target, ...others.slice(0, half - 1)].flat();
    const { known, population } = coalitionOf(scene, task, others.slice(half - 1));
    const released = releasedOf(task, pooledStatistics(task, [target, ...others]));
    return {
      guess: leading(addedTo(known, released, silent.length, EXACT, population)),
      blind: leading(population.covariance),
      truth: leading(scatterOf(task, statisticsOf(task, silent))),
    };
  });
  return trialsOf(guesses);
}

/** v vᵀ of the leading eigenvector, which has no sign. */
function leading(matrix: Matrix): Matrix {
  const v = Matrix.columnVector(symmetricEigen(matrix.to2DArray()).vectors[0]!);
  return v.mmul(v.transpose());
}

const COMMON = { secret: 'statistics of an owner', unit: 'owner' } as const;
const twoTasks = attacks({ ...COMMON, attacker: 'data user' });
const coalition = attacks({ ...COMMON, attacker: 'coalition' });

const BOTH = ['pima', 'breast_cancer'] as const;

export const OWNERS: readonly Unworded[] = [
  twoTasks('differencing-owner-declared', 'control', ['S-143', 'S-369'], ['pima'], over(between, everything)),
  twoTasks(
    'differencing-owner-vectors',
    'admitted',
    ['S-143', 'S-369'],
    BOTH,
    over(between, pcaOf, {
      name: 'differencing-owner',
      caption: "An owner's scatter from {k} vectors and eigenvalues of two tasks that differ in it",
    }),
  ),
  coalition('collusion-last-owner', 'control', ['S-138'], ['pima'], over(collusion, everything)),
  coalition(
    'collusion-last-owner-vectors',
    'admitted',
    ['S-138', 'S-365'],
    BOTH,
    over(collusion, pcaOf, {
      name: 'collusion-last-owner',
      caption:
        "The last owner's scatter from {k} vectors and eigenvalues, to a data user to which all other owners tell what they know",
    }),
  ),
  coalition('collusion-three-left', 'admitted', ['S-138', 'S-365'], BOTH, fewLeft),
  coalition('collusion-owners', 'admitted', ['S-14', 'S-366'], BOTH, ownersTogether),
];
