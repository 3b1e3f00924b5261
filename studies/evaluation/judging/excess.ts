/**
 * The certainty that an attack is better than its control by more than a bound, or by less: one-sided p-values and intervals of
 * excess = (attack − control)/(1 − control), for units of any distribution on [0, 1].
 *
 * excess ≤ e says the same as A − (1 − e) C − e ≤ 0 for the true means A and C: a sum of means, which needs no quotient of estimates.
 *
 * Why no percentile bootstrap: of 20 successes in 20 units every resample is 1, so it would be certain, and tails of 10⁻⁵, which a run of dozens of
 * experiments needs, would take millions of resamples. Student's t has the same fault where a sample does not vary, and is wrong in the tails of
 * skewed fractions. Here every unit gets a Dirichlet weight (the Bayesian bootstrap), computed to the last tail (weighted-mean.ts), and each sample gets
 * **one more unit that is the worst possible against what shall be shown**: an attack of 0, a control of 1. That is the bound of Gaffke ("Three test
 * statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable", 2005) and of Learned-Miller and Thomas ("A new confidence
 * interval for the mean of a bounded random variable", 2019). For units of 0 and 1 it **is** Clopper and Pearson's exact bound. For others its
 * coverage is conjectured: no counterexample is known, and the tests beside this file look for one among few, skewed and lumpy units.
 *
 * Two samples meet by melding (Fay, Proschan and Brittain, "Combining one-sample confidence procedures for inference in the two-sample case", 2015): their
 * weights are independent. For 0/1 units and e = 0 that is Fisher's exact test. Pairs are drawn together: one sample of a − (1 − e) c. A public chance is no sample.
 */
import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Trials } from '../experiment.ts';
import { type Counted, counted, probabilityBelow } from './weighted-mean.ts';

/** Cells into which the distribution of a mean is cut; p-values are right to about a hundredth of themselves. */
const CELLS = 128;
/** The probability that may lie beyond the cells; no p-value of two samples is smaller. */
const TAIL = 1e-12;
const HALVINGS = 30;

interface Excess {
  /** 0 where nothing can be better than the control. */
  readonly value: number;
  /** The probability of so large an excess, or a larger one, if it were `bound`. */
  pAbove(bound: number): number;
  /** The probability of so small an excess, or a smaller one, if it were `bound`. */
  pBelow(bound: number): number;
  /** Two-sided; within [−1, 1]. @param level probability to be outside */
  interval(level: number): [low: number, high: number];
}

/** @throws RangeError for trials that checkTrials refuses */
export function excessOf(trials: Trials): Excess {
  checkTrials(trials);
  const { attack, control } = trials;
  const [a, c] = [mean(attack), mean(control)];
  const below = tailOf(trials);
  const shortfall = (values: readonly number[]) => values.map((value) => 1 - value);
  const above = below(attack, control);
  // Excess ≥ e is (1 − A) ≤ (1 − e)(1 − C).
  const opposite = below(shortfall(attack), shortfall(control));
  const pAbove = (bound: number) => above(bound, 1 - bound);
  const pBelow = (bound: number) => opposite(0, 1 - bound);
  return {
    value: c < 1 ? Math.max(-1, (a - c) / (1 - c)) : 0,
    pAbove,
    pBelow,
    interval: (level) => [
      edge((bound) => pAbove(bound) <= level / 2, -1, 1),
      edge((bound) => pBelow(bound) <= level / 2, 1, -1),
    ],
  };
}

/** Two-sided interval of a mean of units in [0, 1]. @param level probability to be outside */
export function meanInterval(values: readonly number[], level: number): [low: number, high: number] {
  const low = counted([...values, 0]);
  const high = counted([...values, 1]);
  return [
    edge((t) => probabilityBelow(low, t) <= level / 2, 0, 1),
    edge((t) => 1 - probabilityBelow(high, t) <= level / 2, 1, 0),
  ];
}

/** P(A ≤ offset + slope · C) over weights, with the worst unit added to each side. */
type Tail = (offset: number, slope: number) => number;

function tailOf({ paired, chance }: Trials): (attack: readonly number[], control: readonly number[]) => Tail {
  if (chance) return chanceTail;
  return paired ? pairedTail : meldedTail;
}

function chanceTail(attack: readonly number[], [chance]: readonly number[]): Tail {
  const values = counted([...attack, 0]);
  return (offset, slope) => probabilityBelow(values, offset + slope * chance!);
}

function pairedTail(attack: readonly number[], control: readonly number[]): Tail {
  return (offset, slope) =>
    probabilityBelow(counted([...attack.map((a, i) => a - slope * control[i]!), -slope]), offset);
}

function meldedTail(attack: readonly number[], control: readonly number[]): Tail {
  const a = distributionOf(counted([...attack, 0]));
  const c = distributionOf(counted([...control, 1]));
  return (offset, slope) => {
    let sum = 0;
    for (let i = 0; i < CELLS; i += 1) {
      const middle = c.low + (i + 0.5) * c.width;
      sum += (c.below[i + 1]! - c.below[i]!) * probabilityOf(a, offset + slope * middle);
    }
    // The part that is beyond the cells counts as a control of 1.
    return Math.min(1, sum + (1 - c.below[CELLS]! + c.below[0]!) * probabilityOf(a, offset + slope));
  };
}

/** The distribution of a mean over weights: its cumulative probabilities at the ends of cells of equal width. */
interface Distribution {
  readonly low: number;
  readonly width: number;
  readonly below: readonly number[];
}

function distributionOf(values: Counted): Distribution {
  const low = edge((t) => probabilityBelow(values, t) <= TAIL, 0, 1, HALVINGS / 2);
  const high = edge((t) => 1 - probabilityBelow(values, t) <= TAIL, 1, 0, HALVINGS / 2);
  const width = (high - low) / CELLS;
  return {
    low,
    width,
    below: Array.from({ length: CELLS + 1 }, (_, i) => probabilityBelow(values, low + i * width)),
  };
}

/** Never below TAIL; between the ends of a cell geometric, as tails are. */
function probabilityOf({ low, width, below }: Distribution, t: number): number {
  const at = (t - low) / width;
  if (at >= CELLS) return 1;
  if (at < 0) return TAIL;
  const cell = Math.floor(at);
  const [from, to] = [Math.max(TAIL, below[cell]!), Math.max(TAIL, below[cell + 1]!)];
  return from * (to / from) ** (at - cell);
}

/** The last point between `from`, where something is taken to hold, and `to`, up to which it holds; by bisection. */
function edge(holds: (t: number) => boolean, from: number, to: number, halvings = HALVINGS): number {
  let [inside, outside] = [from, to];
  for (let i = 0; i < halvings; i += 1) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}

/** @throws RangeError for trials without units, with successes that are not in [0, 1], or with pairs that are not */
export function checkTrials({ attack, control, chance, paired, baseline }: Trials): void {
  for (const [name, values] of Object.entries({ attack, control, baseline: [baseline] })) {
    if (values.length === 0) throw new RangeError(`"${name}" expected at least one unit, got none`);
    if (!values.every((value) => value >= 0 && value <= 1))
      throw new RangeError(`"${name}" expected successes in [0, 1], got others`);
  }
  if (chance && control.some((value) => value !== control[0]))
    throw new RangeError('"control" expected one public chance, got several values');
  if (paired && attack.length !== control.length)
    throw new RangeError(
      `"control" expected ${attack.length} units, since they are paired, got ${control.length}`,
    );
}
