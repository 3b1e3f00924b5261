/** The people whose rows are reconstructed, by which attacks, and what counts as success. */

import type { Draws } from '../../draws.ts';
import type { Setting } from '../../experiment.ts';
import { scaledRows } from '../../released.ts';
import { byPerson, type Person, type Scene } from '../../scene.ts';
import {
  type Inverse,
  learnedInverse,
  linearInverse,
  momentsOf,
  type People,
  pseudoInverse,
  type Row,
} from './inverses.ts';
import { meansByPerson, type Reduction, somePeople } from './reductions.ts';

/** An estimate is right that is off by no more than this share of what the feature spans in the public sample. Fixed before any attack ran. */
const TOLERANCE = 0.05;
const LIMITS = { quick: { people: 60, rows: 5 }, full: { people: 400, rows: 20 } } as const;

/** The attacker has this, and its estimates are judged by it. Features on [−1, 1]. */
export interface Target {
  readonly scene: Scene;
  /** The members by person. */
  readonly members: readonly Person[];
  readonly outsiders: readonly Person[];
  readonly sample: readonly Person[];
  readonly tolerances: Row;
  /** Deviations of features that vary in the public sample: the others are left out. */
  readonly deviations: ReadonlyMap<number, number>;
  readonly mean: Row;
}

export type Attack = (reduction: Reduction, target: Target) => Inverse;

export const ATTACKS = {
  'pseudo-inverse': ({ projection }) => pseudoInverse(projection),
  linear: (reduction, target) => linearInverse(reduction.projection, examples(reduction, target)),
  learned: (reduction, target) =>
    learnedInverse(reduction.projection, examples(reduction, target), target.tolerances),
} as const satisfies Record<string, Attack>;

function examples(reduction: Reduction, { scene, sample }: Target): People {
  return sample.map((own) => {
    const rows = scaledRows(scene.proposal, own);
    return reduction.reduce(own).map((input, i) => ({ input, output: rows[i]! }));
  });
}

export function targetOf({ scene, effort }: Pick<Setting, 'scene' | 'effort'>, draws: Draws): Target {
  const rows = scaledRows(scene.proposal, scene.publicSample);
  const { mean, deviations } = momentsOf(rows);
  const spans = mean.map((_, f) => {
    const column = rows.map((row) => row[f]!);
    return Math.max(...column) - Math.min(...column);
  });
  return {
    scene,
    members: somePeople(scene.owners.flat(), LIMITS[effort], draws.of('members')),
    outsiders: somePeople(scene.outsiders, LIMITS[effort], draws.of('outsiders')),
    sample: byPerson(scene.publicSample),
    tolerances: spans.map((span) => TOLERANCE * span),
    deviations: new Map(deviations.entries().filter(([f]) => spans[f]! > 0)),
    mean,
  };
}

/** Gives for each person the mean over rows of the share of features that are right. */
function successes(target: Target, people: readonly Person[], estimates: readonly Row[]): number[] {
  const { scene, tolerances, deviations } = target;
  const features = [...deviations.keys()];
  const shares = scaledRows(scene.proposal, people.flat()).map((row, i) => {
    const right = features.filter((f) => Math.abs(estimates[i]![f]! - row[f]!) <= tolerances[f]!);
    return right.length / features.length;
  });
  return meansByPerson(people, shares);
}

/** 1 less the squared error over that of guessing the public mean: over all features in standard units, and by feature. */
export function variance(target: Target, rows: readonly Row[], estimates: readonly Row[]) {
  const squares = [...target.deviations].map(([f, unit]) => {
    const of = (said: (i: number) => number) =>
      rows.reduce((sum, row, i) => sum + ((row[f]! - said(i)) / unit) ** 2, 0);
    return { attack: of((i) => estimates[i]![f]!), guess: of(() => target.mean[f]!) };
  });
  const total = (part: 'attack' | 'guess') => squares.reduce((sum, one) => sum + one[part], 0);
  return {
    share: 1 - total('attack') / total('guess'),
    nearlyWhole: squares.filter(({ attack, guess }) => attack <= 0.1 * guess).length,
  };
}

/** Attacks these people's rows, reduced so. */
export function attacked(attack: Attack, reduction: Reduction, target: Target, people: readonly Person[]) {
  const estimates = attack(reduction, target)(reduction.reduce(people.flat()));
  return { estimates, successes: successes(target, people, estimates) };
}

/** Successes of a guess that sees no reduced row, of these people. */
export function guessed(target: Target, people: readonly Person[], guess: Row): number[] {
  const estimates = people.flat().map(() => guess);
  return successes(target, people, estimates);
}
