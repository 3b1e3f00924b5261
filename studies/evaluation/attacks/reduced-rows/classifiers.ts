/** An attacker guesses a label by the strongest of a few classifiers, chosen by cross-validation inside the public sample. */

import { meanOfRows } from '../../../recognition/alignment.ts';
import { estimator } from '../../../recognition/estimator.ts';
import { searchAll } from '../../../speed/accuracy/svm.ts';
import type { Draws } from '../../draws.ts';
import { type Row, squaredDistance } from './inverses.ts';

/** An attacker sees this of a row whose label shall be guessed. */
interface Seen {
  readonly input: Row;
  /** Another label that the attacker knows, where it does. */
  readonly known?: string;
}

export interface Labelled extends Seen {
  readonly label: string;
}

export interface Problem {
  /** By person: nobody is tried on what was learnt of him or her. At least FOLDS people. */
  readonly sample: readonly (readonly Labelled[])[];
  readonly targets: readonly Seen[];
}

const FOLDS = 5;
const NEIGHBOURS = [15, 45] as const;
/** γ of a support vector machine with a radial kernel, over the number of inputs, which have variance 1; its C is 1. */
const MACHINES = [0.3, 1] as const;

interface Classifier {
  readonly name: string;
  readonly learn?: (sample: Problem['sample']) => (seen: Seen) => string;
  /** γ. */
  readonly machine?: number;
}

const CLASSIFIERS: readonly Classifier[] = [
  { name: 'most frequent', learn: mostFrequentByKnown },
  { name: 'linear', learn: linear },
  ...NEIGHBOURS.map((count) => ({
    name: `${count} nearest`,
    learn: (sample: Problem['sample']) => nearest(sample.flat(), count),
  })),
  ...MACHINES.map((machine) => ({ name: `SVM (γ ${machine}/inputs)`, machine })),
];

/**
 * Guesses for several problems, each by the classifier that was right most often about people it had not seen; but by the most frequent label
 * unless that is worse by more than a standard error over people (Breiman and others 1984): who leaves it for less does worse on others.
 */
export async function guessed(problems: readonly Problem[]) {
  const prepared = problems.map(inCommonUnits);
  const folds = prepared.flatMap(({ sample }, p) =>
    Array.from({ length: FOLDS }, (_, fold) => ({
      p,
      sample: sample.filter((_own, person) => person % FOLDS !== fold),
      tried: sample.filter((_own, person) => person % FOLDS === fold),
    })),
  );
  const trials = CLASSIFIERS.flatMap((classifier, c) =>
    folds.map((fold) => ({ classifier, c, ...fold, targets: fold.tried.flat() })),
  );
  /** By problem and classifier, for each person in the order of folds. */
  const hits = problems.map(() => CLASSIFIERS.map((): number[] => []));
  for (const [t, labels] of (await answered(trials)).entries()) {
    const { p, c, tried } = trials[t]!;
    let next = 0;
    for (const own of tried) hits[p]![c]!.push(own.filter(({ label }) => labels[next++] === label).length);
  }
  const best = hits.map(chosen);
  const classifiers = best.map((c) => CLASSIFIERS[c]!);
  const answers = await answered(prepared.map((problem, p) => ({ classifier: classifiers[p]!, ...problem })));
  return answers.map((labels, p) => ({
    /** The guess of each target. */
    labels,
    classifier: classifiers[p]!.name,
    /** Share of the sample's rows that it was right about in cross-validation. */
    validated: sum(hits[p]![best[p]!]!) / problems[p]!.sample.flat().length,
  }));
}

function chosen(hits: readonly (readonly number[])[]): number {
  const totals = hits.map(sum);
  const best = totals.indexOf(Math.max(...totals));
  const gains = hits[best]!.map((count, person) => count - hits[0]![person]!);
  const mean = sum(gains) / gains.length;
  return sum(gains) > Math.sqrt(sum(gains.map((gain) => (gain - mean) ** 2))) ? best : 0;
}

/** Labels that each trial's classifier gives its targets. LIBSVM takes all of its trials at once, on threads of its own. */
async function answered(
  trials: readonly (Problem & { readonly classifier: Classifier })[],
): Promise<readonly (readonly string[])[]> {
  const machines = trials.flatMap(({ sample, targets, classifier: { machine } }) => {
    if (machine === undefined) return [];
    const rows = sample.flat();
    return [{ rows, targets, machine, names: [...new Set(rows.map(({ label }) => label))] }];
  });
  const outcomes = await searchAll(
    machines.map(({ rows, targets, machine, names }) => ({
      train: { rows: rows.map(({ input }) => input), labels: rows.map(({ label }) => names.indexOf(label)) },
      test: targets.map(({ input }) => input),
      folds: [],
      grid: { costs: [1], gammas: [machine / rows[0]!.input.length] },
    })),
  );
  const byMachines = outcomes.map(({ predicted }, m) => predicted.map((index) => machines[m]!.names[index]!));
  return trials.map(({ sample, targets, classifier: { learn } }) =>
    learn === undefined ? byMachines.shift()! : targets.map(learn(sample)),
  );
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Less the mean, over one number for all: inputs of variance 1 on average, whose shape stays as the projection made it. The known label stands
 * beside them, a number for each.
 */
function inCommonUnits({ sample, targets }: Problem): Problem {
  const inputs = sample.flat().map(({ input }) => input);
  const centre = meanOfRows(inputs);
  const squares = inputs.map((input) => squaredDistance(input, centre));
  const unit = Math.sqrt(sum(squares) / (inputs.length * centre.length)) || 1;
  const names = [...new Set(sample.flat().flatMap(({ known }) => known ?? []))];
  const prepared = <T extends Seen>(seen: T): T => ({
    ...seen,
    input: [
      ...seen.input.map((value, i) => (value - centre[i]!) / unit),
      ...names.map((name) => (name === seen.known ? 1 : 0)),
    ],
  });
  return { sample: sample.map((own) => own.map(prepared)), targets: targets.map(prepared) };
}

function mostFrequent(sample: readonly Labelled[]): string {
  const groups = [...Map.groupBy(sample, ({ label }) => label)];
  return groups.reduce((best, group) => (group[1].length > best[1].length ? group : best))[0];
}

/** The label that most have of those with the same known one; where nobody has it, of all. */
export function mostFrequentByKnown(sample: Problem['sample']): (seen: Seen) => string {
  const rows = sample.flat();
  const byKnown = new Map(
    [...Map.groupBy(rows, ({ known }) => known)].map(([known, own]) => [known, mostFrequent(own)]),
  );
  const ofAll = mostFrequent(rows);
  return ({ known }) => byKnown.get(known) ?? ofAll;
}

/** Ridge regression of a number for each class; with two classes a regularised linear discriminant (Bishop 2006, 4.1.5). */
function linear(sample: Problem['sample']): (seen: Seen) => string {
  const classes = [...new Set(sample.flat().map(({ label }) => label))];
  const estimate = estimator(
    sample.map((own) =>
      own.map(({ input, label }) => ({ input, output: classes.map((name) => (name === label ? 1 : 0)) })),
    ),
  );
  return ({ input }) => {
    const values = estimate(input);
    return classes[values.indexOf(Math.max(...values))]!;
  };
}

const nearest =
  (sample: readonly Labelled[], count: number) =>
  ({ input }: Seen): string =>
    mostFrequent(nearestOf(sample, input, count));

function nearestOf(sample: readonly Labelled[], input: Row, count: number): Labelled[] {
  const distances = sample.map((other) => squaredDistance(other.input, input));
  const order = [...distances.keys()].sort((a, b) => distances[a]! - distances[b]!);
  return order.slice(0, count).map((i) => sample[i]!);
}

/** An attacker takes a probability from this number of rows of the sample. */
const NEAREST = 45;

/** |Pr(+|z) − Pr(−|z)| of an attacker, on average over the targets. */
interface Certainty {
  readonly seen: number;
  /** The sample's labels are dealt to its rows at random here: shares of few rows differ by chance. */
  readonly chance: number;
}

/**
 * The certainty of an attacker about a label with two classes that has seen this of a row: |Pr(+|z) − Pr(−|z)|, the measure of figure 9.1 of
 * Zhuang and others, "Privacy-Preserving Machine Learning". Probabilities are shares of the 45 nearest rows of the sample. Undefined of other numbers of classes.
 */
export function certainty(problem: Problem, draws: Draws): Certainty | undefined {
  const { sample, targets } = inCommonUnits(problem);
  const rows = sample.flat();
  const labels = rows.map(({ label }) => label);
  const [first, second, ...others] = new Set(labels);
  if (second === undefined || others.length > 0) return undefined;
  const dealt = draws.shuffled(labels);
  const places = rows.map((row, place) => ({ ...row, label: `${place}` }));
  const gaps = targets.map(({ input }) => {
    const near = nearestOf(places, input, NEAREST).map(({ label }) => Number(label));
    const gap = (own: readonly string[]) =>
      Math.abs((2 * near.filter((place) => own[place] === first).length) / near.length - 1);
    return { seen: gap(labels), chance: gap(dealt) };
  });
  const mean = (of: keyof Certainty) => sum(gaps.map((gap) => gap[of])) / gaps.length;
  return { seen: mean('seen'), chance: mean('chance') };
}
