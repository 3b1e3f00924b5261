/** Noise from a seed that all sites share, as ELFedPCA has it, which is known to be broken; and the same attempt against the stage of this project. */

import { predictableRandomness } from '@eigenveil/testbed/random';
import { Matrix } from 'ml-matrix';
import {
  eigenveil,
  fromUpperTriangle,
  type Row,
  recoverCovariances,
  runElfedpca,
  stageRelease,
  subtractOwnNoise,
} from '../../../privacy/methods/index.ts';
import { settingOf } from '../../../privacy/setting.ts';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import { type Guess, shrunk, trialsOf } from './population.ts';
import { dealt, membersOf } from './scenes.ts';

/** Rows of an owner: few enough that the noise of a guarantee for one row hides them, too. */
const ROWS = 3;
const EPSILON = 1;
const SITES = { quick: 250, full: 400 } as const;

const SEED = {
  kind: 'attack',
  secret: 'statistics of an owner',
  unit: 'owner',
  scenes: ['pima'],
} as const;

/** Members dealt to owners of three rows, in the units of `studies/privacy`. */
function sitesOf({ scene, seed }: Setting, dealing: number): Row[][] {
  const members = membersOf(scene);
  const scale = Math.sqrt(scene.proposal.features.length);
  const owners = dealt(members, Math.floor(members.length / ROWS), new Draws(seed).of('sites').of(dealing));
  return owners.map((rows) => scaledRows(scene.proposal, rows).map((row) => row.map((x) => x / scale)));
}

const privacy = settingOf(eigenveil, 1, EPSILON);
const meanOf = (matrices: readonly Matrix[]): Matrix =>
  matrices.reduce((sum, matrix) => Matrix.add(sum, matrix)).div(matrices.length);

export const sharedSeed: Unworded = {
  ...SEED,
  id: 'elfedpca-seed',
  attacker: 'data owner',
  expectation: 'control',
  claims: ['P-14'],
  async run(setting) {
    const guesses: Guess[] = [];
    for (let dealing = 0; guesses.length < SITES[setting.effort]; dealing += 1) {
      const source = predictableRandomness(`${setting.seed}/elfedpca/${dealing}`);
      const run = runElfedpca(source, sitesOf(setting, dealing), privacy, 'corrected');
      const truths = run.covariances.map((matrix) => new Matrix(matrix));
      const blind = meanOf(truths);
      guesses.push(
        ...recoverCovariances(run).map((matrix, i) => ({
          guess: new Matrix(matrix),
          blind,
          truth: truths[i]!,
        })),
      );
    }
    return trialsOf(guesses.slice(0, SITES[setting.effort]));
  },
};

export const ownNoise: Unworded = {
  ...SEED,
  id: 'stage-own-noise',
  terms: { epsilon: EPSILON },
  attacker: 'coalition',
  expectation: 'holds',
  claims: ['P-14', 'P-41'],
  async run(setting) {
    const d = setting.scene.proposal.features.length;
    const triangle = (d * (d + 1)) / 2;
    const moments = (values: readonly bigint[]) =>
      new Matrix(fromUpperTriangle(values.slice(0, triangle).map(Number), d));
    const source = predictableRandomness(`${setting.seed}/stage`);
    const sites = Array.from({ length: Math.ceil(SITES[setting.effort] / 50) }, (_, i) =>
      sitesOf(setting, i),
    );
    const guesses = sites.flatMap((owners) => {
      const exact = owners.map(
        (site) => stageRelease(source, [site], { ...privacy, epsilon: Number.POSITIVE_INFINITY }, 0).exact,
      );
      const truths = exact.map(moments);
      const blind = meanOf(truths);
      const spread =
        truths.reduce((sum, truth) => sum + Matrix.sub(truth, blind).norm() ** 2, 0) / truths.length;
      return owners.slice(0, 50).map((_, target): Guess => {
        const release = stageRelease(source, owners, privacy, 2);
        const others = exact.reduce(
          (sum, values, i) => (i === target ? sum : Matrix.add(sum, moments(values))),
          Matrix.zeros(d, d),
        );
        const left = Matrix.sub(moments(subtractOwnNoise(release, release.noises[0]!)), others);
        return {
          // As far as owners' moments differ from their mean.
          guess: shrunk(left, blind, spread),
          blind,
          truth: truths[target]!,
        };
      });
    });
    return trialsOf(guesses.slice(0, SITES[setting.effort]));
  },
};
