/** More than one answer over the same rows: by both protocols, by `rotated` again and again, and the lowest bits of one by `garbled`. */

import { symmetricEigen, totalScatter } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { answered, drawSecrets, opened, RandomBits, rotatedParameters } from '@eigenveil/two-party/insides';
import { Matrix } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedBy } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { wholeScatter } from '../../whole-scatter.ts';
import { garbledOf, tooLong } from './garbled.ts';
import { explained, type Guess, populationOf, trialsBeside } from './population.ts';
import { checkByRanks, pcaOf, refusal, rowsOf, runsOf } from './scenes.ts';
import { restBySpectrum, trueRest } from './spectrum.ts';
import { expectedRest, outsideOf, toldBy } from './told.ts';

const COMMON = {
  kind: 'attack',
  attacker: 'data user',
  secret: 'pooled statistics',
  unit: 'run',
} as const;

const RUNS = { quick: 60, full: 150 } as const;

export const bothProtocols: Unworded = {
  ...COMMON,
  id: 'rotated-and-garbled',
  expectation: 'admitted',
  claims: ['S-116', 'S-364'],
  scenes: ['pima', 'breast_cancer'],
  omits: (scene) => refusal(scene, { components: scene.proposal.features.length - 1 }),
  async run(setting) {
    const { scene, effort } = setting;
    const d = scene.proposal.features.length;
    const first = pcaOf(scene, { twoParty: 'rotated' });
    const second = pcaOf(scene, { components: d - 1 });
    for (const task of [first, second]) checkByRanks(task);
    const population = populationOf(first, scene.publicSample);
    const alone: number[] = [];
    const found = runsOf(setting, RUNS[effort]).map(({ members, outsiders }) => {
      const told = toldBy(releasedBy(first, [members]));
      const outside = outsideOf(told);
      const expected = expectedRest(told, population, members.length);
      const guessOf = (rows: readonly SceneRow[], spectrum: readonly number[] | undefined) => {
        const { vectors, eigenvalues } = releasedBy(second, [rows]);
        const last = outsideOf({ vectors: new Matrix(vectors).transpose() });
        // The last direction is what is left; of its eigenvalue the population has an idea.
        const least = spectrum?.at(-1) ?? last.mmul(population.covariance).trace() * rows.length;
        const V = outside.mmul(new Matrix(vectors).transpose());
        return V.mmul(Matrix.diag([...eigenvalues]))
          .mmul(V.transpose())
          .add(outside.mmul(last).mmul(outside).mul(least));
      };
      const spectrum = releasedBy(first, [members]).spectrum!;
      const blind = restBySpectrum(expected, spectrum.slice(first.components));
      const own = { guess: guessOf(members, spectrum), blind, truth: trueRest(first, members, outside) };
      alone.push(explained({ ...own, guess: guessOf(members, undefined) }));
      return { own, other: guessOf(outsiders, releasedBy(first, [outsiders]).spectrum) };
    });
    return {
      ...trialsBeside(
        found.map(({ own }) => own),
        found.map(({ other }) => other),
      ),
      facts: {
        'explained by the task by `garbled` alone': mean(alone),
        'components by `rotated`': first.components,
        'components by `garbled`': second.components,
      },
    };
  },
};

export const repeated: Unworded = {
  ...COMMON,
  id: 'rotated-repeated',
  expectation: 'control',
  claims: ['S-57', 'S-59'],
  scenes: ['pima'],
  async run(setting) {
    const { scene, effort, seed } = setting;
    const task = pcaOf(scene, { twoParty: 'rotated' });
    const [d, k] = [task.features.length, task.components];
    const parameters = rotatedParameters(task);
    const random = new RandomBits(new Draws(seed).of('answers').source);
    const population = populationOf(task, scene.publicSample);
    /** After so many answers: each gives k more eigenvectors, from the largest eigenvalue on. */
    const guessOf = (rows: readonly SceneRow[], answers: number): Matrix => {
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
    const most = Math.ceil(d / k);
    const runs = runsOf(setting, RUNS[effort]);
    const guesses = runs.map(
      ({ members }): Guess => ({
        guess: guessOf(members, most),
        blind: Matrix.mul(population.covariance, members.length),
        truth: new Matrix(totalScatter(pooledStatistics(task, [members]), task.fractionBits)),
      }),
    );
    const errors = guesses.map(({ guess, truth }) => Matrix.sub(guess, truth).norm() / truth.norm());
    return {
      ...trialsBeside(
        guesses,
        runs.map(({ outsiders }) => guessOf(outsiders, most)),
      ),
      facts: { answers: most, 'components of each': k, 'largest relative error of S̄': Math.max(...errors) },
    };
  },
};

const TOLD_APART = { quick: 10, full: 80 } as const;

export const lowBits: Unworded = {
  ...COMMON,
  id: 'garbled-low-bits',
  expectation: 'admitted',
  claims: ['S-30', 'S-360'],
  scenes: ['iris'],
  omits: tooLong,
  async run(setting) {
    const { scene, seed, effort } = setting;
    const task = pcaOf(scene);
    const draws = new Draws(seed).of('turns');
    const apart: number[] = [];
    const right: number[] = [];
    for (const { members } of runsOf(setting, TOLD_APART[effort])) {
      const pooled = pooledStatistics(task, [members]);
      const other = turnedRest(pooled, task, draws.uniform() * Math.PI);
      const [one, two] = [await garbledOf(task, pooled), await garbledOf(task, other)];
      const digits = ({ vectors, eigenvalues }: typeof one) => [...vectors.flat(), ...eigenvalues];
      const differences = digits(one).map((x, i) => Math.abs(x - digits(two)[i]!));
      apart.push(Math.max(...differences));
      // Equal results say nothing, and different ones which.
      right.push(differences.some((x) => x > 0) ? 1 : 1 / 2);
    }
    return {
      kind: 'trials',
      attack: right,
      control: right.map(() => 1 / 2),
      chance: true,
      baseline: 1 / 2,
      facts: { 'largest difference of both results': Math.max(...apart) },
    };
  },
};

/** Statistics of the same sums whose scatter has the same k leading eigenpairs, and the next two eigenvectors turned in their plane. */
function turnedRest(pooled: Statistics, task: ReturnType<typeof pcaOf>, angle: number): Statistics {
  const scatter = totalScatter(pooled, task.fractionBits);
  const { values, vectors } = symmetricEigen(scatter);
  const k = task.components;
  const [p, q] = [vectors[k]!, vectors[k + 1]!];
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const turned = [p.map((x, i) => c * x + s * q[i]!), p.map((x, i) => -s * x + c * q[i]!)];
  const change = scatter.map((row, i) =>
    row.map((_, j) =>
      [0, 1].reduce(
        (sum, n) =>
          sum +
          values[k + n]! * (turned[n]![i]! * turned[n]![j]! - vectors[k + n]![i]! * vectors[k + n]![j]!),
        0,
      ),
    ),
  );
  const upper = change.flatMap((row, i) => row.slice(i));
  return { ...pooled, R: pooled.R.map((x, e) => x + BigInt(Math.round(upper[e]! * 4 ** task.fractionBits))) };
}
