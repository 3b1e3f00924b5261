/**
 * The probability that a mean is small when every unit gets a random weight: the tail of a bootstrap, computed and not drawn, so that it reaches 10⁻⁹.
 *
 * Weights are Dirichlet(1, …, 1), as in Rubin's Bayesian bootstrap (1981): exponential numbers over their sum. So P(Σ w x ≤ t) is P(Q ≤ 0) for
 * Q = Σ E (x − t), of which the moment generating function is Π 1/(1 − s (x − t)). It is inverted along a line through its saddle point (Daniels,
 * "Saddlepoint approximations in statistics", 1954, has the integral), where the integrand is smooth and the trapezoidal rule converges
 * exponentially: tails are right to seven digits.
 */

/** In v = scale · sinh(u): well below the distance of the nearest pole, about 1/2. */
const STEP = 0.2;
/** A factor this small adds nothing to the integral any more. */
const NEGLIGIBLE = 1e-12;

/** Values that occur several times are counted, so that 0/1 units cost nothing. */
export type Counted = readonly (readonly [value: number, count: number])[];

export function counted(values: readonly number[]): Counted {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}

/** P(Σ w x ≤ t) for Dirichlet(1, …, 1) weights w on all x. */
export function probabilityBelow(values: Counted, t: number): number {
  const y = values.map(([value]) => value - t);
  const k = values.map(([, count]) => count);
  const least = Math.min(...y);
  const most = Math.max(...y);
  if (most <= 0) return 1;
  if (least >= 0) return 0;
  const c = contour(y, k, 1 / least, 1 / most);
  const tilted = y.map((value) => value / (1 - c * value));
  const logarithm = -y.reduce((sum, value, i) => sum + k[i]! * Math.log1p(-c * value), 0);
  const integral = (Math.exp(logarithm) / Math.PI) * integrated(tilted, k, c);
  return c < 0 ? Math.min(1, Math.max(0, -integral)) : Math.min(1, Math.max(0, 1 - integral));
}

/** The saddle point, or where it lies too near to the pole at 0, a point beside it. */
function contour(y: readonly number[], k: readonly number[], least: number, most: number): number {
  const mean = y.reduce((sum, value, i) => sum + k[i]! * value, 0);
  const deviation = Math.sqrt(y.reduce((sum, value, i) => sum + k[i]! * value ** 2, 0));
  const away = 1 / deviation;
  let [low, high] = mean > 0 ? [least, 0] : [0, most];
  // Any line will do; a few digits put it where the integrand is smoothest.
  for (let i = 0; i < 16; i += 1) {
    const s = (low + high) / 2;
    let slope = 0;
    for (let j = 0; j < y.length; j += 1) slope += (k[j]! * y[j]!) / (1 - s * y[j]!);
    if (slope > 0) high = s;
    else low = s;
  }
  const saddle = (low + high) / 2;
  if (Math.abs(saddle) >= away) return saddle;
  return mean > 0 ? Math.max(-away, least / 2) : Math.min(away, most / 2);
}

/** ∫₀^∞ Re [ Π (1 − i v b)^(−k) / (c + i v) ] dv */
function integrated(b: readonly number[], k: readonly number[], c: number): number {
  const scale = 1 / Math.sqrt(b.reduce((sum, value, i) => sum + k[i]! * value ** 2, 0));
  let sum = scale / (2 * c);
  for (let u = STEP; ; u += STEP) {
    const v = scale * Math.sinh(u);
    let [re, im] = [1, 0];
    for (let i = 0; i < b.length && re * re + im * im > NEGLIGIBLE ** 2; i += 1)
      [re, im] = timesPower(re, im, v * b[i]!, k[i]!);
    const width = scale * Math.cosh(u);
    sum += ((re * c + im * v) / (c * c + v * v)) * width;
    if ((Math.hypot(re, im) * width) / Math.hypot(c, v) < (NEGLIGIBLE * scale) / Math.abs(c))
      return sum * STEP;
  }
}

/** (re + i im) (1 − i x)^(−k), by repeated squaring. */
function timesPower(re: number, im: number, x: number, k: number): [number, number] {
  const square = 1 + x * x;
  let [p, q] = [1 / square, x / square];
  for (let left = k; ; ) {
    if (left % 2 === 1) [re, im] = [re * p - im * q, re * q + im * p];
    left = Math.floor(left / 2);
    if (left === 0) return [re, im];
    [p, q] = [p * p - q * q, 2 * p * q];
  }
}
