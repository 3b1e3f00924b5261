/** Two tasks that differ in one row: the row, from what both tell. */

import type { FlatResult } from '@eigenveil/methods';
import type { Statistics } from '@eigenveil/statistics';
import { noisePlanOf, type TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { pooledStatistics, releasedOf, scaledRows, withoutRows } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { garbledOf, tooLong } from './garbled.ts';
import { curves } from './pictures.ts';
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

const COMMON = {
  kind: 'attack',
  attacker: 'data user',
  secret: 'values of rows',
  unit: 'row',
} as const;

/** Numbers of rows that are tried. */
const TRIED = { quick: 80, full: 200 } as const;

/** A task over all members, and what a task without one of them tells. */
interface Pair {
  readonly target: readonly number[];
  readonly after: FlatResult;
  readonly before: FlatResult;
}

interface Case {
  readonly task: TaskProposal;
  readonly pooled: Statistics;
  readonly targets: readonly SceneRow[];
  readonly population: Population;
}

function caseOf({ scene, seed }: Setting, task: TaskProposal, count: number): Case {
  const members = membersOf(scene);
  return {
    task,
    pooled: pooledStatistics(task, scene.owners),
    targets: new Draws(seed).of('targets').some(members, count),
    population: populationOf(task, scene.publicSample),
  };
}

type Release = (task: TaskProposal, pooled: Statistics) => FlatResult | Promise<FlatResult>;

async function pairsOf({ task, pooled, targets }: Case, release: Release): Promise<Pair[]> {
  const after = await release(task, pooled);
  const pairs: Pair[] = [];
  for (const row of targets) {
    const before = await release(task, withoutRows(task, pooled, [row]));
    pairs.push({ target: scaledRows(task, [row])[0]!, after, before });
  }
  return pairs;
}

/** Q′ mean′ − Q mean. */
const meansApart = ({ before, after }: Pair): number[] =>
  after.mean!.map((x, i) => after.sampleCount! * x - before.sampleCount! * before.mean![i]!);

export const declared: Unworded = {
  ...COMMON,
  id: 'differencing-row-declared',
  expectation: 'control',
  claims: ['S-143', 'S-367'],
  scenes: ['pima'],
  async run(setting) {
    const task = pcaOf(setting.scene, { outputs: ['mean', 'sampleCount'] });
    const given = caseOf(setting, task, TRIED[setting.effort]);
    const pairs = await pairsOf(given, releasedOf);
    const errors = pairs.map((pair) =>
      Math.max(...meansApart(pair).map((x, i) => Math.abs(x - pair.target[i]!))),
    );
    return {
      ...trialsOf(pairs.map((pair) => rowGuess(given.population, meansApart(pair), pair.target))),
      facts: { 'largest error of a feature in [−1, 1]': Math.max(...errors) },
    };
  },
};

/** y as found, in a frame around the public sample's mean, with either sign. */
function candidatesOf(
  { before, after }: Pair,
  { population }: Pick<Case, 'population'>,
  rows: number,
  precision: number,
): number[][] {
  const y = rowBetween(toldBy(before), toldBy(after), { population, rows, precision });
  const factor = Math.sqrt(rows / (rows - 1));
  return [factor, -factor].map((f) => population.mean.map((m, i) => m + f * y[i]!));
}

/** Of both signs the row that is nearer to one of the public sample; values outside of the ranges are no row's. */
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

/** Guesses, and the part explained where somebody tells the sign. */
function reconstructed(pairs: readonly Pair[], given: Case, precision: number) {
  const rows = rowsOf(given.pooled);
  const found = pairs.map((pair) => {
    const candidates = candidatesOf(pair, given, rows, precision);
    const guesses = candidates.map((row): Guess => rowGuess(given.population, row, pair.target));
    const chosen = candidates.indexOf(likelier(candidates, given.population));
    const successes = guesses.map(explained);
    return {
      guess: guesses[chosen]!,
      best: Math.max(...successes),
      right: successes[chosen]! >= Math.max(...successes),
    };
  });
  return {
    guesses: found.map(({ guess }) => guess),
    unsigned: mean(found.map(({ best }) => best)),
    signs: mean(found.map(({ right }) => (right ? 1 : 0))),
  };
}

const trialsWithSigns = ({ guesses, unsigned, signs }: ReturnType<typeof reconstructed>): Outcome => ({
  ...trialsOf(guesses),
  facts: { 'explained if the sign were told': unsigned, 'signs chosen right': signs },
});

/** `rotated` rounds eigenvalues to about 2^−36 of the trace, and vectors to 2^−33. */
const ROTATED_PRECISION = 1e-9;

export const rotated: Unworded = {
  ...COMMON,
  id: 'differencing-row-rotated',
  expectation: 'admitted',
  claims: ['S-143', 'S-367', 'S-59'],
  scenes: ['pima', 'breast_cancer', 'ionosphere'],
  async run(setting) {
    const { scene, effort } = setting;
    const of = async (components: number, count: number) => {
      const given = caseOf(setting, pcaOf(scene, { twoParty: 'rotated', components }), count);
      return reconstructed(await pairsOf(given, releasedOf), given, ROTATED_PRECISION);
    };
    const most = Math.min(6, scene.proposal.features.length - 2);
    const byComponents = await Promise.all(
      Array.from({ length: most }, async (_, i) => [i + 1, await of(i + 1, TRIED[effort] / 4)] as const),
    );
    const found = await of(componentsOf(scene), TRIED[effort]);
    return {
      ...trialsWithSigns(found),
      blocks: [
        curves(setting, {
          name: 'differencing-row',
          caption:
            'A row from the vectors and eigenvalues of two tasks by rotated that differ in it, by the number of components',
          x: 'components k',
          lines: [
            { name: 'sign told', points: byComponents.map(([k, { unsigned }]) => [k, unsigned]) },
            {
              name: 'sign guessed',
              points: byComponents.map(([k, { guesses }]) => [k, mean(guesses.map(explained))]),
            },
          ],
        }),
      ],
    };
  },
};

/** Entries of vectors by `garbled` are off by up to some 2^−16, eigenvalues by less. */
const GARBLED_PRECISION = 1e-6;
/** Real programs of circuits take their time. */
const IN_CIRCUITS = { quick: 8, full: 80 } as const;
/** How many times each row counts, for pictures of larger tasks. */
const COPIES = { quick: [1, 100], full: [1, 10, 100, 1000, 10_000] } as const;

export const garbled: Unworded = {
  ...COMMON,
  id: 'differencing-row-garbled',
  expectation: 'admitted',
  claims: ['S-143', 'S-367', 'S-368'],
  scenes: ['pima'],
  async run(setting) {
    const { scene, effort } = setting;
    const of = async (task: TaskProposal, copies: number, count: number, release: Release) => {
      const once = caseOf(setting, task, count);
      const given = { ...once, pooled: repeated(once.pooled, copies) };
      return reconstructed(
        await pairsOf(given, release),
        given,
        release === garbledOf ? GARBLED_PRECISION : ROTATED_PRECISION,
      );
    };
    const found = await of(pcaOf(scene), 1, IN_CIRCUITS[effort], garbledOf);
    const few = IN_CIRCUITS[effort] / 4;
    const larger = async (copies: number, release: Release) => {
      const { maximumSamplesPerOwner: most } = scene.proposal;
      const task = { ...pcaOf(scene), maximumSamplesPerOwner: most * copies };
      const { unsigned } = await of(task, copies, few, release);
      return [copies * membersOf(scene).length, unsigned] as const;
    };
    const points = async (release: Release) => {
      const all: (readonly [number, number])[] = [];
      for (const copies of COPIES[effort]) all.push(await larger(copies, release));
      return all;
    };
    return {
      ...trialsWithSigns(found),
      blocks: [
        curves(setting, {
          name: 'differencing-row-garbled',
          caption:
            'The same, with the sign told, by the number of rows: every member counts several times, the row that makes the difference once',
          x: 'rows of the tasks',
          lines: [
            { name: 'garbled', points: await points(garbledOf) },
            { name: 'exact results', points: await points(releasedOf) },
          ],
        }),
      ],
    };
  },
  omits: tooLong,
};

/** Statistics in which each row counts so many times. */
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

const GUARANTEE = { epsilon: 1, delta: 1e-6 } as const;
const IN_PRIVATE = { quick: 250, full: 500 } as const;

export const withPrivacy: Unworded = {
  ...COMMON,
  id: 'differencing-row-private',
  terms: { epsilon: GUARANTEE.epsilon },
  expectation: 'holds',
  claims: ['P-12', 'P-17', 'P-18'],
  scenes: ['pima', 'breast_cancer'],
  async run(setting) {
    const { scene, seed, effort } = setting;
    const d = scene.proposal.features.length;
    const task = pcaOf(scene, {
      outputs: ['mean', 'sampleCount'],
      differentialPrivacy: {
        ...GUARANTEE,
        ...{ neighbours: 'add-remove', clippingNorm: Math.sqrt(d / 3), noise: 'servers' },
        ...{ honestOwners: null, dataIndependentRanges: true },
      },
    });
    const given = caseOf(setting, task, IN_PRIVATE[effort]);
    const draws = new Draws(seed).of('noise');
    const pairs = await pairsOf(given, (of, pooled) => releasedOf(of, pooled, draws));
    const noise = noisePlanOf(task)!.deviations.V * 2 ** -task.fractionBits;
    const { population } = given;
    const guesses = pairs.map((pair) => {
      const apart = meansApart(pair);
      // Shrunk to the size that rows have (James, Stein): the row itself where there is no noise.
      const size = standardised(population, apart).reduce((sum, x) => sum + x ** 2, 0);
      const weight = Math.min(1, d / size);
      const guess = population.mean.map((m, i) => m + weight * (apart[i]! - m));
      return rowGuess(population, guess, pair.target);
    });
    return { ...trialsOf(guesses), facts: { 'deviation of the noise of one task on a sum': noise } };
  },
};
