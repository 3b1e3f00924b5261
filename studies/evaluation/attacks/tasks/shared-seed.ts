/** Noise from a seed that all sites share, as ELFedPCA has it, which is known to be broken; and the same attempt against the stage of this project. */

import { mean } from '@eigenveil/testbed/goodness/mean';
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
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import { attacks } from '../attack.ts';
import { type Guess, shrunk, trialsOf } from './population.ts';
import { dealt, membersOf } from './scenes.ts';

/** Rows of an owner: few enough that the noise of a guarantee for one row hides them, too. */
const ROWS = 3;
const EPSILON = 1;
const SITES = { quick: 250, full: 400 } as const;

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

async function sharedSeed(setting: Setting): Promise<Outcome> {
  const guesses: Guess[] = [];
  for (let dealing = 0; guesses.length < SITES[setting.effort]; dealing += 1) {
    const source = predictableRandomness(`${setting.seed}/elfedpca/${dealing}`);
    const run = runElfedpca(source, sitesOf(setting, dealing), privacy, 'corrected');
    const truths = run.covariances.map((matrix) => new Matrix(matrix));
    const blind = meanOf(truths);
    for (const [i, matrix] of recoverCovariances(run).entries())
      guesses.push({ guess: new Matrix(matrix), blind, truth: truths[i]! });
  }
  return trialsOf(guesses.slice(0, SITES[setting.effort]));
}

/** Targets of one dealing. */
const TARGETS = 50;

async function ownNoise(setting: Setting): Promise<Outcome> {
  const d = setting.scene.proposal.features.length;
  const moments = (values: readonly bigint[]) => new Matrix(fromUpperTriangle(values.map(Number), d));
  const source = predictableRandomness(`${setting.seed}/stage`);
  const dealings = Array.from({ length: Math.ceil(SITES[setting.effort] / TARGETS) }, (_, i) =>
    sitesOf(setting, i),
  );
  const guesses = dealings.flatMap((owners) => {
    const truths = owners.map((site) =>
      moments(stageRelease(source, [site], { ...privacy, epsilon: Number.POSITIVE_INFINITY }, 0).exact),
    );
    const blind = meanOf(truths);
    const spread = mean(truths.map((truth) => Matrix.sub(truth, blind).norm() ** 2));
    return truths.slice(0, TARGETS).map((truth, target): Guess => {
      const release = stageRelease(source, owners, privacy, 2);
      const others = truths.toSpliced(target, 1).reduce((sum, other) => Matrix.add(sum, other));
      const left = Matrix.sub(moments(subtractOwnNoise(release, release.noises[0]!)), others);
      // The guess shrinks as far as owners' moments differ from their mean.
      return { guess: shrunk(left, blind, spread), blind, truth };
    });
  });
  return trialsOf(guesses.slice(0, SITES[setting.effort]));
}

const attack = attacks({ attacker: 'data owner', secret: 'statistics of an owner', unit: 'owner' });

export const SEEDS: readonly Unworded[] = [
  attack('elfedpca-seed', 'control', ['P-14'], ['pima'], sharedSeed),
  attack('stage-own-noise', 'holds', ['P-14', 'P-41'], ['pima'], ownNoise, {
    attacker: 'coalition',
    terms: { epsilon: EPSILON },
  }),
];
