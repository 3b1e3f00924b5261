/** The part that all attacks on whole numbers share: their words, their runs, and how these are scored beside rounding. */
import { mean } from '@eigenveil/testbed/goodness/mean';
import { Draws } from '../../draws.ts';
import type { Setting, Unworded } from '../../experiment.ts';
import { exactly } from '../in-process/exact.ts';
import { FLOOR } from './floor.ts';
import type { Reading } from './reader.ts';

/** The unknowns that a reader got right. */
export interface Scored {
  /** Part of the numbers that come out. */
  readonly attack: number;
  /** Part that the best estimate in real numbers gives, rounded. */
  readonly control: number;
  readonly pointsLeft: number;
}

export function scoreOf({ whole, real, pointsLeft }: Reading, truth: readonly number[]): Scored {
  const right = (guess: readonly number[]) =>
    truth.filter((value, place) => Math.round(guess[place]!) === value).length / truth.length;
  return { attack: right(whole), control: right(real), pointsLeft };
}

/** The number of runs that a verdict among all experiments needs. */
const RUNS = { quick: 22, full: 40 } as const;
const FLOORED_RUNS = { quick: 10, full: 50 } as const;
/** Part of the entries that rounding gets wrong which a run must get right to be an exception: by chance it is a tenth at most. */
const EXCEPTION = 0.5;

/** The members that all attacks on whole numbers have in common. */
export const COMMON = {
  terms: { floor: FLOOR },
  kind: 'attack',
  attacker: 'recipient',
  secret: 'pooled statistics',
  unit: 'run',
  scenes: ['ionosphere'],
} as const satisfies Partial<Unworded>;

/** Runs of an attack, one after the other, each with draws of its own. */
async function scored(
  { effort, seed }: Setting,
  runs: Readonly<Record<Setting['effort'], number>>,
  run: (draws: Draws) => Promise<Scored>,
): Promise<Scored[]> {
  const draws = new Draws(seed);
  const all: Scored[] = [];
  for (let i = 0; i < runs[effort]; i += 1) all.push(await run(draws.of(i)));
  return all;
}

const rounded = (values: readonly number[], digits: number) => Number(mean(values).toFixed(digits));

const factsOf = (all: readonly Scored[]) => ({
  'right by lattice reduction': rounded(
    all.map(({ attack }) => attack),
    3,
  ),
  'right by rounding': rounded(
    all.map(({ control }) => control),
    3,
  ),
  'log₂ of lattice points left per entry': rounded(
    all.map(({ pointsLeft }) => pointsLeft),
    2,
  ),
});

/** All or nothing: many numbers are right by rounding where few are open. */
const wholly = ({ attack, control, pointsLeft }: Scored): Scored => ({
  attack: Math.floor(attack),
  control: Math.floor(control),
  pointsLeft,
});

interface Asked {
  readonly runs?: Readonly<Record<Setting['effort'], number>> | undefined;
  /** A run counts by its part that is right, and not only if all is. */
  readonly byPart?: true;
}

/** Measures a known leak: the reader beside rounding, run by run. */
export async function found(
  setting: Setting,
  facts: Readonly<Record<string, number | string>>,
  run: (draws: Draws) => Promise<Scored>,
  { runs = RUNS, byPart }: Asked = {},
) {
  const all = await scored(setting, runs, run);
  const counted = byPart ? all : all.map(wholly);
  const control = counted.map((own) => own.control);
  return {
    kind: 'trials' as const,
    ...{
      attack: counted.map(({ attack }) => attack),
      control,
      paired: true as const,
      baseline: mean(control),
    },
    facts: { ...facts, ...factsOf(all) },
  };
}

/** Measures a promise: one run in which the reader gets most of what rounding gets wrong refutes it. */
export async function notFound(
  setting: Setting,
  facts: Readonly<Record<string, number | string>>,
  run: (draws: Draws) => Promise<Scored>,
) {
  const all = await scored(setting, FLOORED_RUNS, run);
  return exactly(
    all.map(({ attack, control }) => attack - control > EXCEPTION * (1 - control)),
    'a matrix of which lattice reduction finds half of what rounding gets wrong',
    { facts: { ...facts, ...factsOf(all) } },
  );
}
