/** Two tasks that differ in one row: the row, from what both tell. */

import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { noisePlanOf, type TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedOf, scaledRows, withoutRows } from '../../released.ts';
import { curves } from '../../shown.ts';
import { attacks } from '../attack.ts';
import { EPSILON, privacyOf } from '../private.ts';
import { garbledOf, tooLong } from './garbled.ts';
import {
  explained,
  type Guess,
  type Population,
  populationOf,
  rowGuess,
  standardised,
  trialsOf,
} from './population.ts';
import { componentsOf, membersOf, pcaOf, rowsOf } from './scenes.ts';
import { rowBetween, toldBy } from './told.ts';

/** Numbers of rows that are tried. */
const TRIED = { quick: 80, full: 200 } as const;

/** Results of the task over all members, and over all except the target. */
interface Pair {
  readonly target: readonly number[];
  readonly after: FlatResult;
  readonly before: FlatResult;
}

type Release = (task: TaskProposal, pooled: Statistics) => FlatResult | Promise<FlatResult>;

/**
 * Pairs of a task, with its number of rows and what is known of their population.
 * @param copies how many times each member counts; the target, which makes the difference, once
 */
async function caseOf(
  { scene, seed }: Setting,
  task: TaskProposal,
  count: number,
  release: Release = releasedOf,
  copies = 1,
) {
  const pooled = repeated(pooledStatistics(task, scene.owners), copies);
  const after = await release(task, pooled);
  const pairs: Pair[] = [];
  for (const row of new Draws(seed).of('targets').some(membersOf(scene), count)) {
    const before = await release(task, withoutRows(task, pooled, [row]));
    pairs.push({ target: scaledRows(task, [row])[0]!, after, before });
  }
  return { population: populationOf(task, scene.publicSample), rows: rowsOf(pooled), pairs };
}

type Case = Awaited<ReturnType<typeof caseOf>>;

/** Statistics in which each row counts this number of times. */
function repeated(pooled: Statistics, copies: number): Statistics {
  const times = (values: readonly bigint[]) => values.map((value) => value * BigInt(copies));
  return {
    R: times(pooled.R),
    labellings: pooled.labellings.map((classes) =>
      classes.map(({ V, M }) => ({ V: times(V), M: M * BigInt(copies) })),
    ),
    owners: pooled.owners,
  };
}

/** Q′ mean′ − Q mean. */
const meansApart = ({ before, after }: Pair): number[] =>
  after.mean!.map((x, i) => after.sampleCount! * x - before.sampleCount! * before.mean![i]!);

async function declared(setting: Setting): Promise<Outcome> {
  const task = pcaOf(setting.scene, { outputs: ['mean', 'sampleCount'] });
  const { population, pairs } = await caseOf(setting, task, TRIED[setting.effort]);
  const found = pairs.map((pair) => ({ target: pair.target, row: meansApart(pair) }));
  const errors = found.flatMap(({ target, row }) => row.map((x, i) => Math.abs(x - target[i]!)));
  return {
    ...trialsOf(found.map(({ target, row }) => rowGuess(population, row, target))),
    facts: { 'largest error of a feature in [−1, 1]': Math.max(...errors) },
  };
}

/** y as found, in a frame around the public sample's mean, with either sign. */
function candidatesOf({ before, after }: Pair, { population, rows }: Case, precision: number): number[][] {
  const y = rowBetween(toldBy(before), toldBy(after), { population, rows, precision });
  const factor = Math.sqrt(rows / (rows - 1));
  return [factor, -factor].map((f) => population.mean.map((m, i) => m + f * y[i]!));
}

/** Chooses of both signs the row that is nearer to one of the public sample; values outside of the ranges are no row's. */
function likelier(candidates: readonly number[][], population: Population): number[] {
  const distance = (row: readonly number[]) => {
    const own = standardised(population, row.map(inRange));
    const nearest = population.rows.map((other) =>
      standardised(population, other).reduce((sum, x, i) => sum + (x - own[i]!) ** 2, 0),
    );
    const beyond = standardised(population, row).map((x, i) => Math.abs(x - own[i]!));
    return Math.min(...nearest) + OUTSIDE * beyond.filter((x) => x > slack).length;
  };
  // The row is set against the sample's mean, not the members', and may seem to be outside by as much as these differ.
  const slack = 3 * Math.sqrt(2 / population.rows.length);
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0]!;
}
const inRange = (x: number) => Math.max(-1, Math.min(1, x));
const OUTSIDE = 1e3;

/** Successes of guesses, and the part explained where somebody tells the sign. */
function reconstructed(given: Case, precision: number) {
  const { population } = given;
  const found = given.pairs.map((pair) => {
    const candidates = candidatesOf(pair, given, precision);
    const guesses = candidates.map((row): Guess => rowGuess(population, row, pair.target));
    const guess = guesses[candidates.indexOf(likelier(candidates, population))]!;
    const best = Math.max(...guesses.map(explained));
    return { guess, best, right: Number(explained(guess) >= best) };
  });
  const trials = trialsOf(found.map(({ guess }) => guess));
  const unsigned = mean(found.map(({ best }) => best));
  const signs = mean(found.map(({ right }) => right));
  return {
    signed: mean(trials.attack),
    unsigned,
    outcome: {
      ...trials,
      facts: { 'explained if the sign were told': unsigned, 'signs chosen right': signs },
    },
  };
}

/** `rotated` rounds eigenvalues to about 2^−36 of the trace, and vectors to 2^−33. */
const ROTATED_PRECISION = 1e-9;

async function rotated(setting: Setting): Promise<Outcome> {
  const { scene, effort } = setting;
  const of = async (components: number, count: number) =>
    reconstructed(
      await caseOf(setting, pcaOf(scene, { twoParty: 'rotated', components }), count),
      ROTATED_PRECISION,
    );
  const most = Math.min(6, scene.proposal.features.length - 2);
  const byComponents = await Promise.all(
    Array.from({ length: most }, async (_, i) => ({ k: i + 1, ...(await of(i + 1, TRIED[effort] / 4)) })),
  );
  const { outcome } = await of(componentsOf(scene), TRIED[effort]);
  return {
    ...outcome,
    blocks: [
      curves(scene, {
        name: 'differencing-row',
        caption:
          'A row from the vectors and eigenvalues of two tasks by rotated that differ in it, by the number of components',
        x: 'components k',
        lines: {
          'sign told': byComponents.map(({ k, unsigned }) => [k, unsigned]),
          'sign guessed': byComponents.map(({ k, signed }) => [k, signed]),
        },
      }),
    ],
  };
}

/** Entries of vectors by `garbled` are off by up to some 2^−16, eigenvalues by less. */
const GARBLED_PRECISION = 1e-6;
/** Real programs of circuits take their time. */
const IN_CIRCUITS = { quick: 8, full: 80 } as const;
/** The number of times that each row counts, for pictures of larger tasks. */
const COPIES = { quick: [1, 100], full: [1, 10, 100, 1000, 10_000] } as const;

async function garbled(setting: Setting): Promise<Outcome> {
  const { scene, effort } = setting;
  const { maximumSamplesPerOwner } = scene.proposal;
  const of = async (count: number, release: Release, copies = 1) => {
    const task = { ...pcaOf(scene), maximumSamplesPerOwner: maximumSamplesPerOwner * copies };
    const given = await caseOf(setting, task, count, release, copies);
    return reconstructed(given, release === garbledOf ? GARBLED_PRECISION : ROTATED_PRECISION);
  };
  const pointsOf = async (release: Release) => {
    const points: [number, number][] = [];
    for (const copies of COPIES[effort]) {
      const { unsigned } = await of(IN_CIRCUITS[effort] / 4, release, copies);
      points.push([copies * membersOf(scene).length, unsigned]);
    }
    return points;
  };
  const { outcome } = await of(IN_CIRCUITS[effort], garbledOf);
  return {
    ...outcome,
    blocks: [
      curves(scene, {
        name: 'differencing-row-garbled',
        caption:
          'The same, with the sign told, by the number of rows: every member counts several times, the row that makes the difference once',
        x: 'rows of the tasks',
        lines: { garbled: await pointsOf(garbledOf), 'exact results': await pointsOf(releasedOf) },
      }),
    ],
  };
}

const IN_PRIVATE = { quick: 250, full: 500 } as const;

async function withPrivacy(setting: Setting): Promise<Outcome> {
  const { scene, seed, effort } = setting;
  const task = pcaOf(scene, { outputs: ['mean', 'sampleCount'], differentialPrivacy: privacyOf(scene) });
  const draws = new Draws(seed).of('noise');
  const { population, pairs } = await caseOf(setting, task, IN_PRIVATE[effort], (of, pooled) =>
    releasedOf(of, pooled, draws),
  );
  const noise = noisePlanOf(task)!.deviations.V * 2 ** -task.fractionBits;
  const guesses = pairs.map((pair) => {
    const apart = meansApart(pair);
    // Shrunk to the size that rows have (James, Stein): the row itself where there is no noise.
    const size = standardised(population, apart).reduce((sum, x) => sum + x ** 2, 0);
    const weight = Math.min(1, apart.length / size);
    const guess = population.mean.map((m, i) => m + weight * (apart[i]! - m));
    return rowGuess(population, guess, pair.target);
  });
  return { ...trialsOf(guesses), facts: { 'deviation of the noise of one task on a sum': noise } };
}

const attack = attacks({ attacker: 'data user', secret: 'values of rows', unit: 'row' });
const SCENES = ['pima', 'breast_cancer', 'ionosphere'] as const;

export const ROWS: readonly Unworded[] = [
  attack('differencing-row-declared', 'control', ['S-143', 'S-367'], ['pima'], declared),
  attack('differencing-row-rotated', 'admitted', ['S-143', 'S-367', 'S-59'], SCENES, rotated),
  attack('differencing-row-garbled', 'admitted', ['S-143', 'S-367', 'S-368'], ['pima'], garbled, {
    omits: tooLong,
  }),
  attack('differencing-row-private', 'holds', ['P-12', 'P-17', 'P-18'], SCENES.slice(0, 2), withPrivacy, {
    terms: { epsilon: EPSILON },
  }),
];
