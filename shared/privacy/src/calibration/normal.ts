/**
 * The upper tail of the normal distribution, to full relative accuracy however far out.
 *
 * The erfc of jstat 1.9 is 1 − erf and has no correct digit left beyond 6, where δ of 1e-9 and less are decided.
 */

/** Bound on the relative error of `millsRatio`; tests hold it against an integral. */
export const MILLS_ERROR = 2e-14;

/** Below, the power series; beyond, the continued fraction, which takes the longer the nearer x is to zero. */
const SERIES_UP_TO = 2;

/** The density of the normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/** (1 − Φ(x))/φ(x) for x >= 0: what is left of the tail once its exponential has been taken out, between 1/(x + 1) and 1.26. */
export function millsRatio(x: number): number {
  return x < SERIES_UP_TO ? bySeries(x) : byContinuedFraction(x);
}

/** √(π/2) exp(x²/2) − Σ x^(2k+1)/(2k+1)!!: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.2.11. */
function bySeries(x: number): number {
  let term = x;
  let sum = 0;
  for (let k = 3; sum + term !== sum; k += 2) {
    sum += term;
    term *= (x * x) / k;
  }
  return Math.sqrt(Math.PI / 2) * Math.exp((x * x) / 2) - sum;
}

/** 1/(x + 1/(x + 2/(x + 3/(x + …)))), ibid. 26.2.14, from the inside: 200 levels settle the last digit at x = 2. */
function byContinuedFraction(x: number): number {
  let tail = x;
  for (let k = 200; k > 0; k--) tail = x + k / tail;
  return 1 / tail;
}
