/**
 * Has a user's behaviour moved away from the template? A two-sample test of means on moments alone, the same
 * in every frame.
 *
 * The statistic is ‖m₁ − m₂‖², as in Bai and Saranadasa, "Effect of high dimension: by an example of a two
 * sample problem", Statistica Sinica 6, 1996: it needs no inverse of a spread, so k may be near the number of
 * windows or above. For independent normal windows it is a sum of χ² numbers with the eigenvalues of Ω =
 * S₁/n₁ + S₂/n₂ as weights. Bai and Saranadasa's normal limit rejects up to 30 times too often at a level of
 * 0.001, with as few windows as here. So the first three cumulants are matched instead (Pearson 1959; Imhof,
 * "Computing the distribution of quadratic forms in normal variables", Biometrika 48, 1961), and an F
 * distribution in place of χ² allows for Ω being an estimate. Figures: docs/authentication-decisions.md.
 *
 * Windows are taken as independent of each other, and people as moving a little all the time: halves of one
 * sitting differ at a level of 0.001 for every second user of both data sets that we measured. So a share of
 * the spread, `movement`, is what a mean may move from one time to another without being counted, on average.
 * It also takes up that neighbours in time are alike.
 */

import { CodedError } from '@eigenveil/platform';
import { AUTHENTICATION_CODES } from './codes.ts';
import { type Moments, squaredNorm, traceOf } from './moments.ts';

/** Far below what rounding leaves of any rows; sixth powers of less would be 0. */
const LEAST_SPREAD = 1e-40;

/**
 * The probability that windows of a user who has not moved otherwise have means this far apart, or farther.
 * @param movement as movementOf measures it, 0 or more; 0 tests whether all windows have one mean
 * @throws ERR_TEMPLATE_INVALID when widths differ; RangeError on a negative movement
 */
export function driftProbability(reference: Moments, recent: Moments, movement: number): number {
  if (!(movement >= 0 && movement < Number.POSITIVE_INFINITY))
    throw new RangeError(`"movement" expected a share of 0 or more, got ${movement}`);
  const distance = squaredDistance(reference, recent);
  if (distance === 0) return 1;
  const k = reference.mean.length;
  const [a, b] = [1 / reference.count + movement, 1 / recent.count + movement];
  const omega = reference.spread.map((entry, i) => a * entry + b * recent.spread[i]!);
  const first = traceOf(omega, k);
  // Windows that never vary, and then are others.
  if (first < LEAST_SPREAD) return 0;
  // tr Ω² without what estimating adds to it; it is at least what equal eigenvalues give.
  const surplus = a ** 2 * excess(reference) + b ** 2 * excess(recent);
  const second = Math.max(squaredNorm(omega, k) - surplus, first ** 2 / k);
  const freedom = Math.min(second ** 3 / cubedTrace(omega, k) ** 2, k);
  const scale = Math.sqrt(second * freedom);
  // Satterthwaite's degrees of freedom of the estimate tr Ω.
  const estimate = first ** 2 / (a ** 2 * variance(reference) + b ** 2 * variance(recent));
  return fTail(Math.max((distance - first + scale) / scale, 0), freedom, estimate);
}

/**
 * Tells how far means of users move from one time to another without a cause for worry: the share c of their
 * spread S for which such a pair has E ‖m₁ − m₂‖² = tr (S₁ (1/n₁ + c) + S₂ (1/n₂ + c)), over all pairs
 * together.
 * @param pairs moments of one user at two times, such as the halves of an enrolment, in each pair: at least
 *   20
 * @returns 0 where they move no more than chance does
 * @throws ERR_CALIBRATION_INVALID when there are fewer, or their windows do not vary; ERR_TEMPLATE_INVALID
 *   when widths differ
 */
export function movementOf(pairs: readonly (readonly [Moments, Moments])[]): number {
  if (pairs.length < FEWEST_PAIRS)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_CALIBRATION_INVALID,
      `"pairs" expected at least ${FEWEST_PAIRS}, got ${pairs.length}: let more users enrol first`,
    );
  const shares = pairs.map(([one, other]) => {
    const k = one.mean.length;
    const [s, t] = [traceOf(one.spread, k), traceOf(other.spread, k)];
    return (squaredDistance(one, other) - s / one.count - t / other.count) / (s + t);
  });
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  if (!Number.isFinite(mean))
    throw new CodedError(AUTHENTICATION_CODES.ERR_CALIBRATION_INVALID, '"pairs" expected windows that vary');
  return Math.max(mean, 0);
}

/** The fewest pairs: from fewer, how far users move would be a guess. */
export const FEWEST_PAIRS = 20;

function squaredDistance(one: Moments, other: Moments): number {
  if (one.mean.length !== other.mean.length)
    throw new CodedError(
      AUTHENTICATION_CODES.ERR_TEMPLATE_INVALID,
      `expected moments of windows of ${one.mean.length} numbers, got ${other.mean.length}`,
    );
  return one.mean.reduce((sum, entry, i) => sum + (entry - other.mean[i]!) ** 2, 0);
}

/** Tells by how much ‖S‖² is larger than ‖Σ‖² on average, under normal windows (Bai and Saranadasa, 1996). */
function excess({ count: n, mean, spread }: Moments): number {
  const k = mean.length;
  const norm = squaredNorm(spread, k);
  const f = n - 1;
  if (!(f > 1)) return 0;
  return norm - (f ** 2 / ((f + 2) * (f - 1))) * (norm - traceOf(spread, k) ** 2 / f);
}

/** Half the variance of tr S. */
function variance({ count: n, mean, spread }: Moments): number {
  return squaredNorm(spread, mean.length) / Math.max(n - 1, 1);
}

/** tr M³ of the symmetric matrix with this upper triangle. */
function cubedTrace(triangle: Float64Array, k: number): number {
  const full = new Float64Array(k * k);
  for (let i = 0, at = 0; i < k; i += 1)
    for (let j = i; j < k; j += 1, at += 1) full[i * k + j] = full[j * k + i] = triangle[at]!;
  let trace = 0;
  for (let i = 0; i < k; i += 1) {
    for (let j = 0; j < k; j += 1) {
      let square = 0;
      for (let l = 0; l < k; l += 1) square += full[i * k + l]! * full[l * k + j]!;
      trace += square * full[i * k + j]!;
    }
  }
  return trace;
}

/**
 * The level of the look with this number, so that all looks together, however many, flag a user who has not
 * moved with at most `level`: level / (j (j + 1)) adds up to it. Looks are counted from the enrolment, over
 * all versions of its template.
 * @param level in (0, 1)
 * @param look 1, 2, …
 * @throws RangeError on others
 */
export function lookLevel(level: number, look: number): number {
  checkLevel('level', level);
  if (!(Number.isInteger(look) && look >= 1)) throw new RangeError(`"look" expected 1, 2, …, got ${look}`);
  return level / (look * (look + 1));
}

/**
 * The number of flagged users at which a new projection is due: the least that false flags alone reach with
 * at most the probability `falseAlarm`, when each of that number of users is flagged falsely with at most the
 * probability `level`.
 * @param users 1 or more, who were looked at
 * @param level of all looks at one user, in (0, 1)
 * @param falseAlarm in (0, 1)
 * @throws RangeError on others
 */
export function flagBound(users: number, level: number, falseAlarm: number): number {
  if (!(Number.isInteger(users) && users >= 1))
    throw new RangeError(`"users" expected 1, 2, …, got ${users}`);
  checkLevel('level', level);
  checkLevel('falseAlarm', falseAlarm);
  let [from, to] = [1, users + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (binomialTail(middle, users, level) <= falseAlarm) to = middle;
    else from = middle + 1;
  }
  return from;
}

function checkLevel(name: string, level: number): void {
  if (!(level > 0 && level < 1))
    throw new RangeError(`"${name}" expected a probability in (0, 1), got ${level}`);
}

/**
 * Tails of the F and the binomial distribution, by the incomplete beta function: Abramowitz and Stegun,
 * "Handbook of Mathematical Functions", 26.5.
 */

/** Terms of the continued fraction at most; about the root of the larger parameter is enough. */
const MOST_TERMS = 10_000;

/** P(F > x) for F with these degrees of freedom, which need not be whole: x >= 0, both above 0. */
export function fTail(x: number, numerator: number, denominator: number): number {
  return incompleteBeta(denominator / (denominator + numerator * x), denominator / 2, numerator / 2);
}

/** P(at least `hits` of `trials`) where each hits with this probability. */
export function binomialTail(hits: number, trials: number, probability: number): number {
  return hits <= 0 ? 1 : hits > trials ? 0 : incompleteBeta(probability, hits, trials - hits + 1);
}

/** I_x(a, b): the share of the beta distribution below x. To about 1e-12. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction settles fast on this side of the mean; the other side is what is left.
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(x, a, b)) / a
    : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** The continued fraction 26.5.8, by Lentz's method: its numerators come in pairs. */
function fraction(x: number, a: number, b: number): number {
  const tiny = Number.MIN_VALUE / Number.EPSILON;
  const off = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / off(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MOST_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const numerator of [even, odd]) {
      d = 1 / off(1 + numerator * d);
      c = off(1 + numerator / c);
      step = c * d;
      value *= step;
    }
    if (Math.abs(step - 1) < 1e-14) break;
  }
  return value;
}

/**
 * ln Γ(x), x > 0, by Stirling's series (6.1.41) from 16 on, where eight digits more than doubles have are
 * left, and Γ(x + 1) = x Γ(x) below.
 */
function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  for (; shifted < 16; shifted += 1) product *= shifted;
  const z = 1 / shifted ** 2;
  const series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / shifted;
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
  );
}
