/** Describes what anybody may know of rows before a task, and how much better than that an attacker's guess is. */
import type { TaskProposal } from '@eigenveil/task';
import { Matrix } from 'ml-matrix';
import type { Trials } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';

export interface Population {
  /** Scaled rows. */
  readonly rows: readonly (readonly number[])[];
  /** The mean per scaled feature. */
  readonly mean: readonly number[];
  /** Covariance of one row (d × d). */
  readonly covariance: Matrix;
}

/** Describes a sample of at least two rows. */
export function populationOf(
  proposal: TaskProposal,
  sample: readonly Pick<SceneRow, 'values'>[],
): Population {
  const rows = scaledRows(proposal, sample);
  const all = new Matrix(rows);
  const mean = all.mean('column');
  const centred = all.subRowVector(mean);
  return {
    rows,
    mean,
    covariance: centred
      .transpose()
      .mmul(centred)
      .div(rows.length - 1),
  };
}

/** Stands for the spread of a feature that has one value in the sample, so that its others count as far away. */
const LEAST_SPREAD = 1e-3;

/** A row with each feature in units of its spread, from the population's mean. */
export function standardised({ mean, covariance }: Population, row: readonly number[]): number[] {
  return row.map((x, i) => (x - mean[i]!) / Math.max(LEAST_SPREAD, Math.sqrt(covariance.get(i, i))));
}

/** An attacker's guess of a secret, beside what it would have guessed without the task. */
export interface Guess {
  readonly guess: Matrix;
  readonly blind: Matrix;
  readonly truth: Matrix;
  /** The guess in its place from a task that does not hold whom the secret is about. Default: the guess of the next unit, which is about somebody else. */
  readonly other?: Matrix;
}

/** The guess of a row, each feature in units of its spread; the blind one is the population's mean. */
export function rowGuess(population: Population, guess: readonly number[], row: readonly number[]): Guess {
  const units = (values: readonly number[]) => Matrix.rowVector(standardised(population, values));
  return { guess: units(guess), blind: units(population.mean), truth: units(row) };
}

/** The part of the blind guess's squared error that the guess takes away: 1 where it is right, 0 where it is no better. */
export function explained({ guess, blind, truth }: Guess): number {
  const left = Matrix.sub(guess, truth).norm() ** 2;
  const open = Matrix.sub(blind, truth).norm() ** 2;
  return open === 0 ? 0 : Math.max(0, 1 - left / open);
}

/** A guess drawn back to within a distance of the blind one, given squared (James, Stein): a right one stays, of noise little is left. */
export function shrunk(guess: Matrix, blind: Matrix, squaredDistance: number): Matrix {
  const beyond = Matrix.sub(guess, blind);
  const weight = Math.min(1, squaredDistance / beyond.norm() ** 2);
  return Matrix.add(blind, beyond.mul(weight));
}

/** Successes of guesses, and of others in their place. */
export const trialsOf = (guesses: readonly Guess[]): Omit<Trials, 'facts' | 'blocks'> => ({
  kind: 'trials',
  attack: guesses.map(explained),
  control: guesses.map((own, i) =>
    explained({ ...own, guess: own.other ?? guesses[(i + 1) % guesses.length]!.guess }),
  ),
  paired: true,
  baseline: 0,
});
