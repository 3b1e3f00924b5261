/** Tails of the F and the binomial distribution, by the incomplete beta function: Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.5. */

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

/** ln Γ(x), x > 0, by Stirling's series (6.1.41) from 16 on, where eight digits more than doubles have are left, and Γ(x + 1) = x Γ(x) below. */
function logGamma(x: number): number {
  let [shifted, product] = [x, 1];
  for (; shifted < 16; shifted += 1) product *= shifted;
  const z = 1 / shifted ** 2;
  const series = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / shifted;
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
  );
}
