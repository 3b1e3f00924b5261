/** One split of a set of faces: what is fitted to its training rows, and what a machine makes of reduced rows. */

import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import type { Tidy } from '../instrument/tidy.ts';
import { stratifiedFolds, stratifiedSplit } from '../speed/accuracy/splits.ts';
import { solveAll } from '../speed/accuracy/svm.ts';
import { type Components, partsOf, type Ridges } from './components.ts';
import type { FaceSet } from './faces.ts';
import type { GridOutcome, GridProblem } from './grid.ts';
import { reconstructionErrors, type Split } from './reconstruction.ts';
import { type Beyond, beyondSpan, dot, gramOf, type Matrix, type Span, spanOf } from './span.ts';

/** ρ of DCA and MDR, for grey levels from 0 to 255. */
export const RIDGE = 10;
/** ρ′ of DCA, but where it is what is varied. */
export const SIGNAL_RIDGE = -0.05;
/** The ridges of DCA, where neither is varied. */
export const RIDGES: Ridges = { ridge: RIDGE, signalRidge: SIGNAL_RIDGE };
/**
 * The most iterations of a machine for two classes: a tenth of the listing's, which takes ten times as long where classes overlap. What that
 * changes stands in docs/faces.md.
 */
export const ITERATIONS = 10_000;

const TEST_SHARE = 0.1;
const FOLDS = 3;

const SPLITTINGS = ['random', 'by person'] as const;
/** A splitting of rows, each class in proportion, or of people with all of their rows. */
export type Splitting = (typeof SPLITTINGS)[number];

const grams = new WeakMap<FaceSet, Matrix>();

/** The Gram matrix of a set, once per process. */
export function gramOfSet(set: FaceSet): Matrix {
  const known = grams.get(set) ?? gramOf(set.rows);
  grams.set(set, known);
  return known;
}

/** The labels that are told of a set, unless a study says otherwise. */
export const toldOf = ({ labels }: FaceSet): readonly number[] => Object.values(labels)[0]!;

/** The book's numbers of components that the set has pixels for, and all of them. */
export function dimensionsOf({ rows }: FaceSet, book: readonly number[]): number[] {
  const features = rows[0]!.length;
  return [...book.filter((k) => k < features), features];
}

/** Returns parts of the first splits, each with a case's number of them. */
export function partsOfSplits([splits, each]: readonly [splits: number, each: number]): {
  readonly from: number;
  readonly to: number;
}[] {
  return Array.from({ length: Math.ceil(splits / each) }, (_, i) => ({
    from: i * each + 1,
    to: Math.min(splits, (i + 1) * each),
  }));
}

export interface Trial {
  readonly gram: Matrix;
  readonly labels: readonly number[];
  readonly split: Split;
  /** The folds of training rows, in their order. */
  readonly folds: readonly number[];
  readonly span: Span;
  readonly beyond: Beyond;
}

/**
 * Returns a split, which is the same for every method, label and number of components.
 * @param number of the split: with the set and the splitting it is the seed
 */
export function trialOf(
  set: FaceSet,
  labels: readonly number[],
  splitting: Splitting,
  number: number,
): Trial {
  const gram = gramOfSet(set);
  const next = generator(seedOf(`faces ${set.name} ${splitting} ${number}`));
  const { split, folds } = splitOf(set.labels.identity ?? labels, labels, splitting, next);
  const span = spanOf(gram, split.train);
  const beyond = beyondSpan(gram, span, split.test, set.rows[0]!.length, next);
  return { gram, labels, split, folds, span, beyond };
}

/** Rows of both parts in random order, and folds of the training rows. */
export function splitOf(
  people: readonly number[],
  labels: readonly number[],
  splitting: Splitting,
  next: () => number,
): Pick<Trial, 'split' | 'folds'> {
  const { train, test } =
    splitting === 'random' ? stratifiedSplit(labels, TEST_SHARE, next) : splitByPerson(people, next);
  // The listing compares rows by their places, so that places must mean nothing.
  const split = { train: shuffled(train, next), test: shuffled(test, next) };
  const ofTrain = (values: readonly number[]) => split.train.map((row) => values[row]!);
  const folds =
    splitting === 'random'
      ? stratifiedFolds(ofTrain(labels), FOLDS, next)
      : foldsByPerson(ofTrain(people), next);
  return { split, folds };
}

function splitByPerson(people: readonly number[], next: () => number): Split {
  const everybody = shuffled([...new Set(people)], next);
  const tested = new Set(everybody.slice(0, Math.round(TEST_SHARE * everybody.length)));
  const rows = [...people.keys()];
  return {
    train: rows.filter((row) => !tested.has(people[row]!)),
    test: rows.filter((row) => tested.has(people[row]!)),
  };
}

function foldsByPerson(people: readonly number[], next: () => number): number[] {
  const order = shuffled([...new Set(people)], next);
  return people.map((person) => order.indexOf(person) % FOLDS);
}

export interface Asked {
  /** The question of a case, such as a split and a method: columns of all records that come back. */
  readonly of: Tidy;
  readonly trial: Trial;
  readonly components: Components;
  /** Numbers of components. */
  readonly dimensions: readonly number[];
  /** Default: the trial's. */
  readonly labels?: readonly number[];
  /** Default: ITERATIONS. */
  readonly iterations?: number;
  /** True if errors of reconstruction stand beside accuracy. */
  readonly withErrors?: boolean;
}

export const rounded = (value: number): number => Number(value.toFixed(4));

/**
 * A record for each number of components `k`, with the share of the test rows that the machine is right about, in percent.
 * Numbers of components of which the training rows have the same need one search: they differ in test rows alone.
 */
export async function recordsOf(asked: readonly Asked[]): Promise<Tidy[]> {
  const searches = asked.flatMap((one) => {
    const parts = one.dimensions.map((k) => ({
      k,
      ...partsOf(one.components, k, one.trial.beyond.directions),
    }));
    return [...Map.groupBy(parts, ({ inside }) => inside)].map(([inside, group]) => ({
      one,
      group,
      problem: problemOf(one, inside, group),
    }));
  });
  const outcomes = await solveGrids(searches.map(({ problem }) => problem));
  return asked.flatMap((one) => {
    const { trial, components, dimensions, labels = trial.labels } = one;
    const accuracy = new Map(
      searches.flatMap((search, s) =>
        search.one !== one
          ? []
          : search.group.map(({ k }, variant) => [
              k,
              accuracyOf(outcomes[s]!.predicted[variant]!, trial.split.test, labels),
            ]),
      ),
    );
    const errors = one.withErrors
      ? reconstructionErrors(trial.gram, { ...trial, components }, trial.split, dimensions)
      : [];
    return dimensions.map((k, i) => ({
      ...one.of,
      k,
      accuracy: accuracy.get(k)!,
      ...Object.fromEntries(Object.entries(errors[i] ?? {}).map(([name, value]) => [name, rounded(value)])),
    }));
  });
}

export const solveGrids = (problems: readonly GridProblem[]): Promise<GridOutcome[]> =>
  solveAll(problems, new URL('./grid-worker.ts', import.meta.url));

/** The accuracy in percent. */
export function accuracyOf(
  predicted: readonly number[],
  test: readonly number[],
  labels: readonly number[],
): number {
  return rounded((100 * test.filter((row, i) => predicted[i] === labels[row]).length) / test.length);
}

function problemOf(
  { trial, components, labels = trial.labels, iterations = ITERATIONS }: Asked,
  inside: number,
  group: readonly { readonly beyond: number }[],
): GridProblem {
  const { span, beyond, split, folds } = trial;
  const vectors = components.vectors.slice(0, inside);
  const reduced = (rows: readonly number[]) =>
    Float64Array.from(
      rows.flatMap((row) => {
        const centred = span.coordinates[row]!.map((value, a) => value - span.centre[a]!);
        return vectors.map((vector) => dot(vector, centred));
      }),
    );
  const scale = (components.lengthBeyond ?? 0) ** 2;
  return {
    train: reduced(split.train),
    test: reduced(split.test),
    width: inside,
    labels: split.train.map((row) => labels[row]!),
    folds,
    iterations,
    apart: group.map(({ beyond: count }) =>
      Float64Array.from(split.test, (row) => {
        const part = beyond.rows.get(row)!;
        let square = 0;
        for (let i = 0; i < count; i += 1) square += (part[i]! - beyond.centre[i]!) ** 2;
        return scale * square;
      }),
    ),
  };
}
