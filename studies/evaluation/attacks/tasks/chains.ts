/** A second task that stands on a basis of the data user's own making: what that tells beyond one on the first task's true result, which tells nothing new. */
import { type Link, statisticsThrough, symmetricEigen } from '@eigenveil/projection';
import { basisFeatures, checkBasis, type TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Matrix } from 'ml-matrix';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { releasedOf } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { attacks } from '../attack.ts';
import { explained, type Guess, type Population, populationOf, trialsOf } from './population.ts';
import { attempted, checkByRanks, pcaOf, refusal, runsOf } from './scenes.ts';
import { knownPart, openPart, outsideOf } from './told.ts';

/** Signed as the result of a task that it is not the result of: nobody else sees that. */
const DIGEST = 'd'.repeat(43);

type Vectors = readonly (readonly number[])[];

/** Links a task to these vectors, each turned so that its largest entry is positive. */
function linkOf(task: TaskProposal, vectors: Vectors, eigenvalues: readonly number[]): Link {
  const turned = vectors.map((vector) => {
    const largest = vector.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
    return vector.map((entry) => Math.sign(largest) * entry);
  });
  // No outputs: what is declared is about rows, and only vectors are used here.
  const plain: TaskProposal = { ...task, outputs: [], maximumSamplesPerOwner: 1_000_000 };
  return { task: plain, projection: { ...plain, vectors: turned, eigenvalues: [...eigenvalues] } };
}

/** Proposes a PCA by `garbled` of the components, of which it gives as many as the rule of ranks lets it, all except one at most. */
function pcaOn(link: Link): TaskProposal {
  const basis = link.task as TaskProposal;
  const most = link.projection.vectors.length - 1;
  const proposals = Array.from(
    { length: most },
    (_, i): TaskProposal => ({
      ...basis,
      twoParty: 'garbled',
      features: [...basisFeatures(basis)],
      basis: DIGEST,
      components: most - i,
      outputs: [],
    }),
  );
  const check = (second: TaskProposal) => {
    checkBasis(second, [basis]);
    checkByRanks(second);
    return second;
  };
  return proposals.find((second) => attempted(() => check(second)).value) ?? check(proposals.at(-1)!);
}

/** Reads from the second task what it tells of the scatter, in scaled features: the part in the span of the basis that its vectors have. */
async function toldOn(link: Link, rows: readonly SceneRow[]): Promise<{ part: Matrix; directions: Matrix }> {
  const second = pcaOn(link);
  async function* batches() {
    yield rows.map(({ values }) => ({ values, classes: [] }));
  }
  const { statistics } = await statisticsThrough(second, [link], {}, batches);
  const { vectors, eigenvalues } = releasedOf(second, statistics);
  const directions = new Matrix(vectors as number[][])
    .mmul(new Matrix(link.projection.vectors as number[][]))
    .transpose();
  const range = second.features[0]!.max;
  const values = eigenvalues.map((value) => value * range ** 2);
  return { part: knownPart({ vectors: directions, values }), directions };
}

/** The population's leading directions outside of those that were told. */
function nextDirections(population: Population, outside: Matrix, count: number): number[][] {
  const { vectors } = symmetricEigen(outside.mmul(population.covariance).mmul(outside).to2DArray());
  return vectors.slice(0, count).map((vector) => [...vector]);
}

const RUNS = { quick: 60, full: 150 } as const;

async function restOfScatter(setting: Setting): Promise<Outcome> {
  const { scene, effort } = setting;
  const first = pcaOf(scene);
  const population = populationOf(first, scene.publicSample);
  const honest: number[] = [];
  const guesses: Guess[] = [];
  for (const { members, outsiders } of runsOf(setting, RUNS[effort])) {
    const { released, outside, blind, truth } = openPart(first, members, population);
    const guessOn = async (vectors: Vectors, rows: readonly SceneRow[]) => {
      const { part, directions } = await toldOn(linkOf(first, vectors, released.eigenvalues), rows);
      // The part that the second task tells replaces the population's expectation there.
      const beyond = outsideOf({ vectors: directions });
      return outside.mmul(beyond.mmul(blind).mmul(beyond).add(part)).mmul(outside);
    };
    const own = nextDirections(population, outside, first.components);
    honest.push(explained({ guess: await guessOn(released.vectors, members), blind, truth }));
    guesses.push({
      ...{ guess: await guessOn(own, members), blind, truth },
      other: await guessOn(own, outsiders),
    });
  }
  return {
    ...trialsOf(guesses),
    facts: { components: first.components, 'on the first task’s true result': mean(honest) },
  };
}

const attack = attacks({ attacker: 'data user', secret: 'pooled statistics', unit: 'run' });

export const CHAINS: readonly Unworded[] = [
  attack('chain-rest', 'admitted', ['S-608'], ['pima', 'breast_cancer', 'ionosphere'], restOfScatter, {
    omits: (scene) =>
      pcaOf(scene).components < 2 ? 'a task of one component is no basis for a PCA' : refusal(scene),
  }),
];
