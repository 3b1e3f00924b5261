/** Both tails of the gamma distribution of half-integer shape, to nearly full relative accuracy. */

/** Bound on the relative error of both tails where they are used (y <= a + 1 below, y >= a − 1 above); held by tests. */
export const GAMMA_ERROR = 1e-12;

/** Stirling's series for log Γ is exact to the last digit from here on. */
const STIRLING_FROM = 20;

/** P(Y <= y) for Y of shape a = 1/2, 1, 3/2, … and scale 1. All terms are positive, so nothing cancels. */
export function gammaLowerTail(a: number, y: number): number {
  if (y <= 0) return 0;
  let term = 1;
  let sum = 0;
  for (let n = 1; sum + term !== sum; n++) {
    sum += term;
    term *= y / (a + n);
  }
  return poissonTerm(a, y) * sum;
}

/** P(Y > y), by Legendre's continued fraction where it converges fast. */
export function gammaUpperTail(a: number, y: number): number {
  if (y < a + 1) return 1 - gammaLowerTail(a, y);
  // Lentz's method, from the front, since how far it must go grows with the root of a.
  let b = y + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let fraction = d;
  for (let i = 1; ; i++) {
    const numerator = -i * (i - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    const factor = c * d;
    fraction *= factor;
    if (Math.abs(factor - 1) < 1e-16 || d === 0) break;
  }
  return poissonTerm(a, y) * a * fraction;
}

/** y^a e^(−y)/Γ(a + 1). */
function poissonTerm(a: number, y: number): number {
  if (a < STIRLING_FROM) {
    let product = Number.isInteger(a) ? 1 : Math.sqrt(Math.PI);
    for (let factor = a; factor > 0; factor--) product *= factor;
    return Math.exp(a * Math.log(y) - y) / product;
  }
  // Γ(a + 1) = √(2πa) (a/e)^a exp(correction), with the large powers of a and of y divided before they are taken.
  const u = (y - a) / a;
  const correction = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / a ** 2) / a ** 2) / a ** 2) / a;
  return Math.exp(a * (Math.log1p(u) - u) - correction) / Math.sqrt(2 * Math.PI * a);
}
