/** More than one answer over the same rows: by both protocols, by `rotated` again and again, and the lowest bits of one by `garbled`. */

import { symmetricEigen, totalScatter } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { answered, drawSecrets, opened, RandomBits, rotatedParameters } from '@eigenveil/two-party/insides';
import { Matrix } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedBy } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { wholeScatter } from '../../whole-scatter.ts';
import { attacks } from '../attack.ts';
import { garbledOf, tooLong } from './garbled.ts';
import { explained, populationOf, trialsOf } from './population.ts';
import { checkByRanks, pcaOf, refusal, rowsOf, runsOf } from './scenes.ts';
import { knownPart, openPart, outsideOf, restBySpectrum, scatterOf, toldBy } from './told.ts';

const RUNS = { quick: 60, full: 150 } as const;

async function bothProtocols(setting: Setting): Promise<Outcome> {
  const { scene, effort } = setting;
  const first = pcaOf(scene, { twoParty: 'rotated' });
  const second = pcaOf(scene, { components: scene.proposal.features.length - 1 });
  for (const task of [first, second]) checkByRanks(task);
  const population = populationOf(first, scene.publicSample);
  const found = runsOf(setting, RUNS[effort]).map(({ members, outsiders }) => {
    const { released, outside, blind: expected, truth } = openPart(first, members, population);
    const guessOf = (rows: readonly SceneRow[], spectrum: readonly number[] | undefined) => {
      const { vectors, values } = toldBy(releasedBy(second, [rows]));
      const last = outsideOf({ vectors });
      // The last direction is what is left; of its eigenvalue the population has an idea.
      const least = spectrum?.at(-1) ?? last.mmul(population.covariance).trace() * rows.length;
      const rest = outside.mmul(last).mmul(outside).mul(least);
      return knownPart({ vectors: outside.mmul(vectors), values }).add(rest);
    };
    const spectrum = released.spectrum!;
    const blind = restBySpectrum(expected, spectrum.slice(first.components));
    return {
      ...{ blind, truth },
      guess: guessOf(members, spectrum),
      other: guessOf(outsiders, releasedBy(first, [outsiders]).spectrum),
      alone: explained({ blind, truth, guess: guessOf(members, undefined) }),
    };
  });
  return {
    ...trialsOf(found),
    facts: {
      'explained by the task by `garbled` alone': mean(found.map(({ alone }) => alone)),
      'components by `rotated`': first.components,
      'components by `garbled`': second.components,
    },
  };
}

async function repeated(setting: Setting): Promise<Outcome> {
  const { scene, effort, seed } = setting;
  const task = pcaOf(scene, { twoParty: 'rotated' });
  const [d, k] = [task.features.length, task.components];
  const answers = Math.ceil(d / k);
  const parameters = rotatedParameters(task);
  const random = new RandomBits(new Draws(seed).of('answers').source);
  const { covariance } = populationOf(task, scene.publicSample);
  /** Adds answers up: each gives k more eigenvectors, from the largest eigenvalue on. */
  const guessOf = (rows: readonly SceneRow[]): Matrix => {
    const pooled = pooledStatistics(task, [rows]);
    const T = wholeScatter(pooled);
    const guess = Matrix.zeros(d, d);
    for (let answer = 0; answer < answers; answer += 1) {
      const secrets = drawSecrets(parameters, k, random);
      const pairs = symmetricEigen(opened(T, secrets, parameters));
      const asked = pairs.vectors.slice(answer * k, (answer + 1) * k);
      for (const [i, vector] of answered(asked, secrets, parameters).entries()) {
        const v = Matrix.columnVector(vector);
        guess.add(v.mmul(v.transpose()).mul(pairs.values[answer * k + i]!));
      }
    }
    return guess.div(rowsOf(pooled) * 4 ** task.fractionBits);
  };
  const runs = runsOf(setting, RUNS[effort]);
  const own = runs.map(({ members }) => ({
    guess: guessOf(members),
    blind: Matrix.mul(covariance, members.length),
    truth: scatterOf(task, pooledStatistics(task, [members])),
  }));
  const errors = own.map(({ guess, truth }) => Matrix.sub(guess, truth).norm() / truth.norm());
  return {
    ...trialsOf(own.map((guess, i) => ({ ...guess, other: guessOf(runs[i]!.outsiders) }))),
    facts: { answers, 'components of each': k, 'largest relative error of S̄': Math.max(...errors) },
  };
}

const TOLD_APART = { quick: 10, full: 80 } as const;

async function lowBits(setting: Setting): Promise<Outcome> {
  const { scene, seed, effort } = setting;
  const task = pcaOf(scene);
  const draws = new Draws(seed).of('turns');
  const apart: number[] = [];
  for (const { members } of runsOf(setting, TOLD_APART[effort])) {
    const pooled = pooledStatistics(task, [members]);
    const digitsOf = async (statistics: Statistics) => {
      const { vectors, eigenvalues } = await garbledOf(task, statistics);
      return [...vectors.flat(), ...eigenvalues];
    };
    const other = await digitsOf(turnedRest(pooled, task, draws.uniform() * Math.PI));
    const digits = await digitsOf(pooled);
    apart.push(Math.max(...digits.map((x, i) => Math.abs(x - other[i]!))));
  }
  return {
    kind: 'trials',
    // Equal results say nothing, and different ones which.
    attack: apart.map((difference) => (difference > 0 ? 1 : 1 / 2)),
    control: apart.map(() => 1 / 2),
    chance: true,
    baseline: 1 / 2,
    facts: { 'largest difference of both results': Math.max(...apart) },
  };
}

/** Statistics of the same sums whose scatter has the same k leading eigenpairs, and the next two eigenvectors turned in their plane. */
function turnedRest(pooled: Statistics, task: TaskProposal, angle: number): Statistics {
  const scatter = totalScatter(pooled, task.fractionBits);
  const { values, vectors } = symmetricEigen(scatter);
  const k = task.components;
  const [p, q] = [vectors[k]!, vectors[k + 1]!];
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const turned = [p.map((x, i) => c * x + s * q[i]!), p.map((x, i) => -s * x + c * q[i]!)];
  const changeAt = (i: number, j: number) =>
    turned.reduce(
      (sum, t, n) => sum + values[k + n]! * (t[i]! * t[j]! - vectors[k + n]![i]! * vectors[k + n]![j]!),
      0,
    );
  const upper = scatter.flatMap((row, i) => row.slice(i).map((_, j) => changeAt(i, i + j)));
  return { ...pooled, R: pooled.R.map((x, e) => x + BigInt(Math.round(upper[e]! * 4 ** task.fractionBits))) };
}

const attack = attacks({ attacker: 'data user', secret: 'pooled statistics', unit: 'run' });

export const ANSWERS: readonly Unworded[] = [
  attack('rotated-and-garbled', 'admitted', ['S-116', 'S-364'], ['pima', 'breast_cancer'], bothProtocols, {
    omits: (scene) => refusal(scene, { components: scene.proposal.features.length - 1 }),
  }),
  attack('rotated-repeated', 'control', ['S-57', 'S-59'], ['pima'], repeated),
  attack('garbled-low-bits', 'admitted', ['S-30', 'S-360'], ['iris'], lowBits, { omits: tooLong }),
];
