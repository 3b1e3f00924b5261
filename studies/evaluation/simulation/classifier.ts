/**
 * The classifier test of two samples: learn on some whole runs which side they are of, and count how many others it places well (Lopez-Paz and Oquab,
 * "Revisiting classifier two-sample tests", ICLR 2017). The classifier is kernel ridge regression of the side, over all values and their products.
 */
import { logChoose } from '@eigenveil/testbed/goodness/smirnov';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';

/** A run's values, the same in all runs. */
type Values = readonly number[];

interface Placed {
  /** Runs that the classifier had not seen, and how many of them it placed well. */
  readonly held: number;
  readonly right: number;
  /** The share of the ways to deal the sides to the held-out runs, given what it says of them, that would be placed as well or better. */
  readonly p: number;
}

/** A share of the mean of the kernel's diagonal. */
const RIDGE = 0.3;

/** Half of the runs of each side, at least two, teach it: the first. */
export function placed(real: readonly Values[], simulated: readonly Values[]): Placed {
  const scores = normalScores([...real, ...simulated]);
  const half = Math.floor(real.length / 2);
  const ofReal = scores.slice(0, real.length);
  const ofSimulated = scores.slice(real.length);
  const score = taught(ofReal.slice(0, half), ofSimulated.slice(0, half));
  const said = (runs: readonly Values[]) => runs.filter((run) => score(run) > 0).length;
  const [heldReal, heldSimulated] = [ofReal.slice(half), ofSimulated.slice(half)];
  const hits = said(heldReal);
  const falseAlarms = said(heldSimulated);
  return {
    held: heldReal.length + heldSimulated.length,
    right: hits + heldSimulated.length - falseAlarms,
    p: hypergeometricTail(hits, heldReal.length, heldSimulated.length, hits + falseAlarms),
  };
}

/** The side of a run: above 0 is real. Kernel (1 + x·y/v)², v values. */
function taught(real: readonly Values[], simulated: readonly Values[]): (run: Values) => number {
  const runs = [...real, ...simulated];
  const kernel = (x: Values, y: Values) => {
    let sum = 0;
    for (let i = 0; i < x.length; i += 1) sum += x[i]! * y[i]!;
    return (1 + sum / x.length) ** 2;
  };
  const gram = new Matrix(runs.map((x) => runs.map((y) => kernel(x, y))));
  const ridge = (RIDGE * gram.trace()) / runs.length;
  const sides = Matrix.columnVector(runs.map((_, i) => (i < real.length ? 1 : -1)));
  const weights = new CholeskyDecomposition(gram.add(Matrix.eye(runs.length).mul(ridge)))
    .solve(sides)
    .to1DArray();
  return (run) => runs.reduce((sum, other, i) => sum + weights[i]! * kernel(run, other), 0);
}

/**
 * Each value's place among those of all runs of both sides, as a normal number; so neither units nor outliers count. It does not see who is of which side.
 * Equal values have one place; a value that all runs have is 0.
 */
function normalScores(runs: readonly Values[]): number[][] {
  const n = runs.length;
  const scored = runs.map((run) => new Array<number>(run.length).fill(0));
  for (const v of runs[0]!.keys()) {
    const order = runs.map((_, i) => i).sort((a, b) => runs[a]![v]! - runs[b]![v]!);
    for (let from = 0; from < n; ) {
      let to = from + 1;
      while (to < n && runs[order[to]!]![v] === runs[order[from]!]![v]) to += 1;
      const place = (from + to) / 2 / n;
      for (let i = from; i < to; i += 1) scored[order[i]!]![v] = roughNormal(place);
      from = to;
    }
  }
  return scored;
}

/** The normal quantile, to two digits (Tukey's lambda): its form is all that counts. */
function roughNormal(probability: number): number {
  return 4.91 * (probability ** 0.14 - (1 - probability) ** 0.14);
}

/** The probability of at least `hits` real ones among `chosen` that are drawn from both sides without looking. */
function hypergeometricTail(hits: number, real: number, simulated: number, chosen: number): number {
  const all = logChoose(real + simulated, chosen);
  let sum = 0;
  for (let h = hits; h <= Math.min(real, chosen); h += 1) {
    sum += Math.exp(logChoose(real, h) + logChoose(simulated, chosen - h) - all);
  }
  return Math.min(1, sum);
}
