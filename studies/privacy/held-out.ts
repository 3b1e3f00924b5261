/** Scores of an SVM on rows that were held out: what is left for who learns on rows that a method reduced. */

import { generator, seedOf } from '@eigenveil/testbed/random';
import { type Figure, mean, spread } from '../instrument/figure.ts';
import { stratifiedSplit } from '../speed/accuracy/splits.ts';
import { searchAll } from '../speed/accuracy/svm.ts';
import { weightedF1 } from '../speed/accuracy/weighted-f1.ts';
import type { LaboratoryData } from './data.ts';
import type { Row } from './methods/index.ts';

/** Class indices from 0. */
export interface Labelled {
  readonly rows: readonly Row[];
  readonly labels: readonly number[];
}

const TEST_SHARE = 0.3;
const MOST_LEARNT = 560;
const MOST_TESTED = 240;
/** C of the SVM, fixed beforehand as γ = 1/k is: a search over the rows would be one more question to them. */
export const COST = 8;

/**
 * Splits rows alike for every method, ε and way at one seed. The private part takes all of `train`, of which an SVM takes no more than it can learn on,
 * `learn`; no row of `test` is among them.
 */
export function heldOut({ name, rows, labels }: LaboratoryData, seed: number) {
  const next = generator(seedOf(`laboratory split ${name} ${seed}`));
  const of = (indices: readonly number[]): Labelled => ({
    rows: indices.map((i) => rows[i]!),
    labels: indices.map((i) => labels[i]!),
  });
  /** About this number of these rows, of each class in proportion. */
  const some = (indices: readonly number[], most: number): readonly number[] => {
    if (indices.length <= most) return indices;
    const own = indices.map((i) => labels[i]!);
    return stratifiedSplit(own, most / indices.length, next).test.map((i) => indices[i]!);
  };
  const { train, test } = stratifiedSplit(labels, TEST_SHARE, next);
  return {
    train: of(train),
    learn: of(some(train, MOST_LEARNT)),
    test: of(some(test, MOST_TESTED)),
    classes: Math.max(...labels) + 1,
  };
}

/** One learner; `learn` is undefined where a method gave up. */
export interface Trial {
  readonly learn: Labelled | undefined;
  readonly test: Labelled;
}

/** Weighted F1 and accuracy in percent. Whoever gave up has 0 in both, as in captured energy, and says so. */
type Score = { readonly f1: number; readonly accuracy: number; readonly gaveUp?: 1 };

/** Weighted F1 with its spread, and accuracy after a stroke, of records that have both. */
export const scores: Figure = (records) => {
  const f1 = spread('f1', { digits: 1 })(records);
  if (f1.value === undefined) return f1;
  return { ...f1, text: `${f1.text} / ${mean('accuracy', { digits: 1 })(records).text}` };
};

/** The scores of trials, in their order. */
export async function scoresOf(trials: readonly Trial[]): Promise<Score[]> {
  const predictions = await predicted(trials);
  const percent = (value: number) => Number((100 * value).toFixed(4));
  return trials.map(({ test: { labels } }, i) => {
    const answers = predictions[i];
    if (answers === undefined) return { f1: 0, accuracy: 0, gaveUp: 1 };
    const right = answers.filter((label, row) => label === labels[row]).length;
    return { f1: percent(weightedF1(labels, answers)), accuracy: percent(right / labels.length) };
  });
}

async function predicted(trials: readonly Trial[]): Promise<(readonly number[] | undefined)[]> {
  // One class leaves nothing to learn.
  const learners = trials.flatMap(({ learn, test }) =>
    learn === undefined || new Set(learn.labels).size === 1 ? [] : [{ learn, test }],
  );
  const outcomes = await searchAll(
    learners.map(({ learn, test }) => ({
      train: learn,
      test: test.rows,
      folds: learn.labels.map(() => 0),
      grid: { costs: [COST], gammas: [1 / learn.rows[0]!.length] },
    })),
  );
  return trials.map(({ learn, test }) => {
    const at = learners.findIndex((learner) => learner.learn === learn);
    return at >= 0 ? outcomes[at]!.predicted : learn && test.labels.map(() => learn.labels[0]!);
  });
}
