/**
 * The part of raw features that comes back from windows and from a template's mean, with the frame known, guessed and not known.
 *
 * An attacker has the projection, which owners get; rows of other people, never the victim's (4 folds of people); and what its name says. Whatever it
 * makes of the victim's windows goes through one linear estimator, ridge regression of raw features on the same things made of other
 * people's windows: so an attack that found nothing falls back to the mean of other people, which is the baseline.
 */
import { quantile } from '../../instrument/statistics.ts';
import { times } from '../../privacy/methods/matrix.ts';
import {
  alignedByMoments,
  dot,
  meanOfRows,
  moved,
  procrustes,
  type Reference,
  referenceOf,
  refined,
} from '../alignment.ts';
import { estimator } from '../estimator.ts';
import { bootstrapped, type Interval, type Verdict, verdictOf } from '../intervals.ts';
import type { Row } from '../people.ts';
import { type Kind, type Projection, projectionOf, reduced } from './projections.ts';
import { folds, framed, frameOf, type Scene, type Subject } from './scene.ts';

/** The summaries of windows, in place of the windows themselves. */
interface Made {
  readonly own: readonly Row[];
  /** The rows of the others, by person. */
  readonly others: readonly (readonly Row[])[];
}

interface Prior {
  readonly projection: Projection;
  /** Other people's raw rows and windows, by person. */
  readonly raw: readonly (readonly Row[])[];
  readonly windows: readonly (readonly Row[])[];
  readonly reference: Reference;
  /** The rows that are made of other people's windows once each of them is given a frame, by attacks that do not depend on the victim. */
  readonly rehearsed: Map<string, readonly (readonly Row[])[]>;
  /** Means of other people's known rows, once for each of them. */
  readonly alone: Map<Attack, readonly (readonly Row[])[]>;
  readonly estimators: WeakMap<readonly (readonly Row[])[], (input: Row) => number[]>;
}

interface Victim {
  /** In the projection's coordinates: what a frame hides. */
  readonly windows: readonly Row[];
  /** The rows in the device's frame. */
  readonly seen: readonly Row[];
}

interface Attack {
  readonly name: string;
  /** The frame has a translation. */
  readonly translated?: true;
  /** The number of the victim's windows, the first ones, that the attacker has in raw form: they are not counted. */
  readonly known?: (components: number, windows: number) => number;
  readonly make: (prior: Prior, victim: Victim, attack: Attack) => Made;
}

/** Far beyond any window, so that nothing of where the origin was is left. */
export const TRANSLATION = 10;

const norms = (rows: readonly Row[]): number[][] => rows.map((row) => [Math.hypot(...row), dot(row, row)]);

/** The same done to each of the other people's windows, in a frame of its own. */
function rehearse(
  prior: Prior,
  { name, translated }: Attack,
  make: (windows: readonly Row[], person: number) => readonly Row[],
) {
  const found = prior.rehearsed.get(name);
  if (found !== undefined) return found;
  const rows = prior.windows.map((windows, p) =>
    make(
      framed(frameOf(`rehearsal ${name} ${p}`, windows[0]!.length, translated ? TRANSLATION : 0), windows),
      p,
    ),
  );
  prior.rehearsed.set(name, rows);
  return rows;
}

function blind(refine: boolean): Attack['make'] {
  return (prior, { seen }, attack) => {
    const made = (windows: readonly Row[]): number[][] => {
      const guess = alignedByMoments(windows, prior.reference, attack.translated ?? false);
      const motion = refine ? refined(windows, prior.reference, guess) : guess;
      return windows.map((row) => moved(motion, row));
    };
    return { own: made(seen), others: rehearse(prior, attack, made) };
  };
}

function knownOf({ known }: Attack, windows: readonly Row[]): number {
  return known === undefined ? 0 : Math.min(known(windows[0]!.length, windows.length), windows.length - 1);
}

/** Known windows give directions of the frame; other people's windows are seen along the same ones. */
const withPairs: Attack['make'] = ({ windows }, victim, attack) => {
  const t = knownOf(attack, victim.windows);
  const { known, seen } = procrustes(
    Array.from({ length: t }, (_, i) => ({ known: victim.windows[i]!, seen: victim.seen[i]! })),
  );
  return {
    own: victim.seen.map((row) => times(seen, row)),
    others: windows.map((rows) => rows.map((row) => times(known, row))),
  };
};

export const ATTACKS: readonly Attack[] = [
  {
    name: 'frame known',
    make: ({ windows }, victim) => ({ own: victim.windows, others: windows }),
  },
  ...[1, 5].map((t) => ({
    name: `${t} known window${t > 1 ? 's' : ''}`,
    known: () => t,
    make: withPairs,
  })),
  {
    name: 'k known windows',
    known: (k) => k,
    make: withPairs,
  },
  {
    name: 'lengths alone',
    make: (prior, { seen }, attack) => ({ own: norms(seen), others: rehearse(prior, attack, norms) }),
  },
  {
    name: 'blind, moments',
    make: blind(false),
  },
  {
    name: 'blind, moments and nearest windows',
    make: blind(true),
  },
  {
    name: 'blind, moments, translated frame',
    translated: true,
    make: blind(false),
  },
  {
    name: 'blind, with raw rows of the victim',
    known: (_k, windows) => Math.round(windows * 0.6),
    make: (prior, victim, attack) => {
      const made = (own: readonly Row[], seen: readonly Row[]): number[][] => {
        const t = knownOf(attack, own);
        const reference = referenceOf([own.slice(0, t)]);
        const late = seen.slice(t);
        const motion = refined(late, reference, alignedByMoments(late, reference, false));
        return seen.map((row) => moved(motion, row));
      };
      return {
        own: made(victim.windows, victim.seen),
        others: rehearse(prior, attack, (seen, p) => made(prior.windows[p]!, seen)),
      };
    },
  },
  {
    name: 'frame taken for none',
    make: (prior, { seen }, attack) => ({ own: seen, others: rehearse(prior, attack, (windows) => windows) }),
  },
];

/** Squared errors in standard units over one person's windows, of a feature. */
interface Squares {
  readonly attack: number;
  /** The error of guessing the mean of other people. */
  readonly guess: number;
  /** The error of what the attacker would say without seeing any window. */
  readonly alone: number;
}

/** The errors by feature. */
interface Errors {
  readonly windows: readonly Squares[];
  /** The errors of the person's mean. */
  readonly mean: readonly Squares[];
}

export interface Reconstruction {
  readonly dataset: string;
  readonly method: Kind['method'];
  readonly components: number;
  readonly attack: string;
  /** True if the victims' rows had a part in the projection. */
  readonly enrolled: boolean;
  /** Share of variance in standard units, 1 less squared error over that of guessing other people's mean. */
  readonly windows: Interval;
  readonly mean: Interval;
  /** The same without any window seen, from the victim's raw rows that the attacker has: 0 where it has none. */
  readonly alone: Interval;
  /** The part of windows that comes back beyond what comes back without them. */
  readonly gain: Interval;
  /** The part of features, in windows: the least, middle and largest share. */
  readonly byFeature: { readonly least: number; readonly median: number; readonly most: number };
  /** Features of which at least nine tenths come back, in windows. */
  readonly nearlyWhole: number;
  readonly features: number;
  /** The verdict on the gain. */
  readonly verdict: Verdict;
}

export function reconstruct(scene: Scene, kind: Kind, attack: Attack, enrolled = true): Reconstruction {
  const all = scene.subjects.map(({ early }) => early);
  const errors = folds(scene.subjects).flatMap(({ victims, others }) => {
    const projection = projectionOf(kind, enrolled ? all : others.map(({ early }) => early));
    const prior = priorOf(scene, projection, others);
    return victims.map((subject) => errorsOf(scene, prior, subject, attack));
  });
  const sum = (people: readonly number[], of: (errors: Errors) => readonly Squares[], part: keyof Squares) =>
    people.reduce((total, p) => total + of(errors[p]!).reduce((all, squares) => all + squares[part], 0), 0);
  const seed = `${scene.dataset} ${kind.method} ${kind.components} ${attack.name} ${enrolled}`;
  /** 1 less squared error over that of the guess; and what one kind of error has less than another. */
  const interval = (of: (errors: Errors) => readonly Squares[], less: keyof Squares, more: keyof Squares) =>
    bootstrapped(
      errors.length,
      seed,
      (people) => (sum(people, of, more) - sum(people, of, less)) / sum(people, of, 'guess'),
    );
  const inWindows = ({ windows }: Errors) => windows;
  const everyone = errors.map((_, p) => p);
  const byFeature = errors[0]!.windows.map((_, f) => {
    const feature = ({ windows }: Errors) => [windows[f]!];
    return 1 - sum(everyone, feature, 'attack') / sum(everyone, feature, 'guess');
  });
  const gain = interval(inWindows, 'attack', 'alone');
  return {
    dataset: scene.dataset,
    ...kind,
    attack: attack.name,
    enrolled,
    windows: interval(inWindows, 'attack', 'guess'),
    mean: interval(({ mean }) => mean, 'attack', 'guess'),
    alone: interval(inWindows, 'alone', 'guess'),
    gain,
    byFeature: {
      least: quantile(byFeature, 0),
      median: quantile(byFeature, 0.5),
      most: quantile(byFeature, 1),
    },
    nearlyWhole: byFeature.filter((value) => value >= 0.9).length,
    features: byFeature.length,
    verdict: verdictOf(gain, 0),
  };
}

/** Returns rows in standard units; features that do not vary are left out. */
function standard({ deviations }: Scene, rows: readonly Row[]): number[][] {
  return rows.map((row) => row.flatMap((x, f) => (deviations[f]! > 0 ? [x / deviations[f]!] : [])));
}

function priorOf(scene: Scene, projection: Projection, others: readonly Subject[]): Prior {
  const windows = others.map(({ rows }) => reduced(projection, rows));
  return {
    projection,
    raw: others.map(({ rows }) => standard(scene, rows)),
    windows,
    reference: referenceOf(windows),
    rehearsed: new Map(),
    alone: new Map(),
    estimators: new WeakMap(),
  };
}

function estimatorOf({ raw, estimators }: Prior, others: Made['others']): (input: Row) => number[] {
  const found = estimators.get(others);
  if (found !== undefined) return found;
  const made = estimator(others.map((rows, p) => rows.map((input, i) => ({ input, output: raw[p]![i]! }))));
  estimators.set(others, made);
  return made;
}

function errorsOf(scene: Scene, prior: Prior, subject: Subject, attack: Attack): Errors {
  const windows = reduced(prior.projection, subject.rows);
  const k = windows[0]!.length;
  const frame = frameOf(`${subject.name} for ${attack.name}`, k, attack.translated ? TRANSLATION : 0);
  const { own, others } = attack.make(prior, { windows, seen: framed(frame, windows) }, attack);
  const estimate = estimatorOf(prior, others);
  const known = knownOf(attack, windows);
  const truth = standard(scene, subject.rows).slice(known);
  const estimates = own.slice(known).map(estimate);
  const guess = meanOfRows(prior.raw.flat());
  const alone = known === 0 ? guess : withoutWindows(prior, attack, windows);
  const squares = (rows: readonly Row[], found: readonly Row[]) =>
    guess.map((_, f): Squares => {
      const of = (said: (i: number) => number) =>
        rows.reduce((sum, row, i) => sum + (row[f]! - said(i)) ** 2, 0);
      return {
        attack: of((i) => found[i]![f]!),
        guess: of(() => guess[f]!),
        alone: of(() => alone[f]!),
      };
    });
  return { windows: squares(truth, estimates), mean: squares([meanOfRows(truth)], [meanOfRows(estimates)]) };
}

/** The part of the victim's other rows that the known ones say: the estimator from the mean of as many rows of other people. */
function withoutWindows(prior: Prior, attack: Attack, windows: readonly Row[]): number[] {
  const knownMean = (own: readonly Row[]) => meanOfRows(own.slice(0, knownOf(attack, own)));
  const others = prior.alone.get(attack) ?? prior.windows.map((own) => own.map(() => knownMean(own)));
  prior.alone.set(attack, others);
  return estimatorOf(prior, others)(knownMean(windows));
}
