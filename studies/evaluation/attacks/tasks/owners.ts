/** Two tasks that differ in one owner, and data users that share what some owners know: the statistics of the others. */

import type { FlatResult } from '@eigenveil/methods';
import { symmetricEigen, totalScatter } from '@eigenveil/projection';
import { addStatistics, type Statistics } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Matrix } from 'ml-matrix';
import type { Chart } from '../../../instrument/report/document.ts';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedOf, statisticsOf } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { curves } from './pictures.ts';
import { explained, type Guess, type Population, populationOf, trialsOf } from './population.ts';
import { dealt, membersOf, pcaOf, rowsOf } from './scenes.ts';
import { expectedRest, grownBy, knownPart, type Told, toldBy } from './told.ts';

const COMMON = {
  kind: 'attack',
  secret: 'statistics of an owner',
  unit: 'owner',
} as const;

/** As many as scenes have. */
const OWNERS = 8;
/** Dealings of the members to owners, each with another owner as the target. */
const DEALINGS = { quick: 80, full: 300 } as const;

/** S̄ as a matrix. */
const scatterOf = (task: TaskProposal, statistics: Statistics): Matrix =>
  new Matrix(totalScatter(statistics, task.fractionBits));

/** Everything declared: S̄ itself. */
const everything = (scene: Scene): TaskProposal =>
  pcaOf(scene, {
    components: scene.proposal.features.length,
    allowFullRank: true,
    outputs: ['mean', 'sampleCount', 'spectrum'],
  });

/** One dealing: the target, and the owners that are known or in both tasks. */
interface Dealing {
  readonly target: readonly SceneRow[];
  readonly others: readonly (readonly SceneRow[])[];
}

function dealingsOf({ scene, seed, effort }: Setting): Dealing[] {
  const draws = new Draws(seed).of('dealings');
  return Array.from({ length: DEALINGS[effort] }, (_, i) => {
    const [target, ...others] = dealt(membersOf(scene), OWNERS, draws.of(i));
    return { target: target!, others };
  });
}

/** What the target's rows add to the scatter of others': what every attack here is after. */
function added(
  task: TaskProposal,
  others: Statistics,
  target: readonly SceneRow[],
): { all: Statistics; truth: Matrix } {
  const all = addStatistics(others, statisticsOf(task, target));
  return { all, truth: Matrix.sub(scatterOf(task, all), scatterOf(task, others)) };
}

const blindOf = ({ covariance }: Population, rows: number): Matrix => Matrix.mul(covariance, rows);

/** How well D W is known where S̄⊥ is a guess, and where S̄ is known. */
const GUESSED = 1e-2;
const EXACT = 1e-9;

/** How much of a target's scatter is explained where it has only so many of its rows. */
function bySize(
  setting: Setting,
  dealings: readonly Dealing[],
  guessOf: (dealing: Dealing, size: number) => Guess,
  named: { readonly name: string; readonly caption: string },
): Chart {
  const few = dealings.slice(0, Math.ceil(dealings.length / 5));
  const least = Math.min(...few.map(({ target }) => target.length));
  const sizes = [...[1, 2, 3, 5, 8, 12, 20].filter((size) => size < least), least];
  const points = sizes.map(
    (size) => [size, mean(few.map((dealing) => explained(guessOf(dealing, size))))] as const,
  );
  return curves(setting, { ...named, x: 'rows of the owner', lines: [{ name: 'explained', points }] });
}

/** D, from vectors and eigenvalues of two tasks. */
function ownerBetween(
  before: Told,
  after: Told,
  { rows, known, population }: { rows: number; known: number; population: Population },
): Matrix {
  const estimate = Matrix.add(knownPart(before), expectedRest(before, population, known));
  const product = Matrix.sub(
    after.vectors.mmul(Matrix.diag([...after.values])),
    estimate.mmul(after.vectors),
  );
  return grownBy(product, after, { rows, rounding: GUESSED }, population);
}

/** S̄ of a task that declares everything. */
const scatterFrom = (released: FlatResult): Matrix => knownPart(toldBy(released));

export const differencingDeclared: Unworded = {
  ...COMMON,
  id: 'differencing-owner-declared',
  attacker: 'data user',
  expectation: 'control',
  claims: ['S-143', 'S-369'],
  scenes: ['pima'],
  async run(setting) {
    const { scene } = setting;
    const task = everything(scene);
    const population = populationOf(task, scene.publicSample);
    const guesses = dealingsOf(setting).map(({ target, others }): Guess => {
      const known = pooledStatistics(task, others);
      const { all, truth } = added(task, known, target);
      const guess = Matrix.sub(scatterFrom(releasedOf(task, all)), scatterFrom(releasedOf(task, known)));
      return { guess, blind: blindOf(population, target.length), truth };
    });
    return trialsOf(guesses);
  },
};

export const differencing: Unworded = {
  ...COMMON,
  id: 'differencing-owner-vectors',
  attacker: 'data user',
  expectation: 'admitted',
  claims: ['S-143', 'S-369'],
  scenes: ['pima', 'breast_cancer'],
  async run(setting) {
    const { scene } = setting;
    const task = pcaOf(scene);
    const population = populationOf(task, scene.publicSample);
    const of = ({ target, others }: Dealing, size = target.length): Guess => {
      const own = target.slice(0, size);
      const known = pooledStatistics(task, others);
      const { all, truth } = added(task, known, own);
      const [before, after] = [known, all].map((statistics) => toldBy(releasedOf(task, statistics)));
      const sizes = { rows: own.length, known: rowsOf(known), population };
      return {
        guess: ownerBetween(before!, after!, sizes),
        blind: blindOf(population, own.length),
        truth,
      };
    };
    const dealings = dealingsOf(setting);
    return {
      ...trialsOf(dealings.map((dealing) => of(dealing))),
      blocks: [
        bySize(setting, dealings, of, {
          name: 'differencing-owner',
          caption: `An owner's scatter from ${task.components} vectors and eigenvalues of two tasks that differ in it`,
        }),
      ],
    };
  },
};

/** What a coalition knows: its own owners' statistics, and rows to guess the others' by. */
interface Coalition {
  readonly task: TaskProposal;
  readonly own: Statistics;
  readonly population: Population;
}

function coalitionOf(scene: Scene, task: TaskProposal, owners: readonly (readonly SceneRow[])[]): Coalition {
  return {
    task,
    own: pooledStatistics(task, owners),
    population: populationOf(task, [...owners.flat(), ...scene.publicSample]),
  };
}

/** What others than the coalition's owners add to its scatter, from what is released over all. */
function addedByOthers({ task, own, population }: Coalition, released: FlatResult, rows: number): Matrix {
  const known = scatterOf(task, own);
  const told = toldBy(released);
  if (told.values.length === known.rows) return Matrix.sub(knownPart(told), known);
  const product = Matrix.sub(told.vectors.mmul(Matrix.diag([...told.values])), known.mmul(told.vectors));
  return grownBy(product, told, { rows, rounding: EXACT }, population);
}

/** The guess of the target where `left` owners have not told what they know, the target among them: their average. */
function collusion(
  scene: Scene,
  task: TaskProposal,
  { target, others }: Dealing,
  left: number,
  size = target.length,
): Guess {
  const own = target.slice(0, size);
  const coalition = coalitionOf(scene, task, others.slice(left - 1));
  const silent = [...others.slice(0, left - 1), own];
  const released = releasedOf(task, pooledStatistics(task, [...others, own]));
  const rows = silent.flat().length;
  const together = addedByOthers(coalition, released, rows);
  return {
    guess: together.mul(own.length / rows),
    blind: blindOf(coalition.population, own.length),
    truth: added(task, coalition.own, own).truth,
  };
}

const COALITION = {
  ...COMMON,
  attacker: 'coalition',
  scenes: ['pima', 'breast_cancer'],
} as const;

export const lastOwner: Unworded = {
  ...COALITION,
  id: 'collusion-last-owner',
  expectation: 'control',
  claims: ['S-138'],
  scenes: ['pima'],
  async run(setting) {
    const task = everything(setting.scene);
    return trialsOf(dealingsOf(setting).map((dealing) => collusion(setting.scene, task, dealing, 1)));
  },
};

export const lastOwnerByVectors: Unworded = {
  ...COALITION,
  id: 'collusion-last-owner-vectors',
  expectation: 'admitted',
  claims: ['S-138', 'S-365'],
  async run(setting) {
    const { scene } = setting;
    const task = pcaOf(scene);
    const dealings = dealingsOf(setting);
    const of = (dealing: Dealing, size?: number) => collusion(scene, task, dealing, 1, size);
    return {
      ...trialsOf(dealings.map((dealing) => of(dealing))),
      blocks: [
        bySize(setting, dealings, of, {
          name: 'collusion-last-owner',
          caption: `The last owner's scatter from ${task.components} vectors and eigenvalues, to a data user to which all other owners tell what they know`,
        }),
      ],
    };
  },
};

/** What the least number of owners is for: so many are left. */
const LEFT = 3;

export const fewLeft: Unworded = {
  ...COALITION,
  id: 'collusion-three-left',
  expectation: 'admitted',
  claims: ['S-138', 'S-365'],
  async run(setting) {
    const { scene } = setting;
    const all = everything(scene);
    const dealings = dealingsOf(setting);
    const few = dealings.slice(0, Math.ceil(dealings.length / 4));
    const line = (name: string, task: TaskProposal) => ({
      name,
      // One colludes at least.
      points: Array.from({ length: OWNERS - 1 }, (_, i) => i + 1).map(
        (left) =>
          [left, mean(few.map((dealing) => explained(collusion(scene, task, dealing, left))))] as const,
      ),
    });
    return {
      ...trialsOf(dealings.map((dealing) => collusion(scene, all, dealing, LEFT))),
      blocks: [
        curves(setting, {
          name: 'collusion',
          caption: `An owner's scatter to a data user to which others of ${OWNERS} owners tell what they know, by the number of owners left`,
          x: 'owners left, the target among them',
          lines: [line('everything declared', all), line('vectors and eigenvalues alone', pcaOf(scene))],
        }),
      ],
    };
  },
};

export const ownersTogether: Unworded = {
  ...COALITION,
  id: 'collusion-owners',
  expectation: 'admitted',
  claims: ['S-14', 'S-366'],
  async run(setting) {
    const { scene } = setting;
    const task = pcaOf(scene);
    const half = OWNERS / 2;
    const guesses = dealingsOf(setting).map(({ target, others }): Guess => {
      const silent = [target, ...others.slice(0, half - 1)].flat();
      const coalition = coalitionOf(scene, task, others.slice(half - 1));
      const released = releasedOf(task, pooledStatistics(task, [target, ...others]));
      return {
        guess: leading(addedByOthers(coalition, released, silent.length)),
        blind: leading(coalition.population.covariance),
        truth: leading(scatterOf(task, statisticsOf(task, silent))),
      };
    });
    return trialsOf(guesses);
  },
};

/** v vᵀ of the leading eigenvector, which has no sign. */
function leading(matrix: Matrix): Matrix {
  const v = Matrix.columnVector(symmetricEigen(matrix.to2DArray()).vectors[0]!);
  return v.mmul(v.transpose());
}
