/**
 * The data user's samples of ring LWE, b = −a s + e: what is outside class 0 depends on no data, and may leave long before the
 * message in class 0 is known.
 */
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Polynomial, Ring, Small } from './ring.ts';
import { binomial, ternary } from './samplers.ts';

/** A secret of the data user in a ring's memory, and its transform. */
export interface Secret {
  readonly small: Small;
  readonly form: Polynomial;
}

/** Draws a ternary secret. */
export function drawSecret(ring: Ring, random: RandomSource): Secret {
  const small = ring.small();
  ternary(ring, small, random);
  const form = ring.polynomial();
  ring.lift(form, small);
  ring.forward(form);
  return { small, form };
}

/** Draws a centred binomial error of deviation 3.24. */
export function drawError(ring: Ring, random: RandomSource): Small {
  const error = ring.small();
  binomial(ring, error, random);
  return error;
}

/** Returns −a s + e in coefficients; `a` is a transform. */
export function sampleOf(
  ring: Ring,
  a: Polynomial,
  { form }: Pick<Secret, 'form'>,
  error: Small,
): Polynomial {
  const sample = ring.polynomial();
  ring.lift(sample, error);
  ring.scope(() => {
    const product = ring.polynomial();
    ring.multiplyAdd(product, a, form);
    ring.inverse(product);
    ring.subtract(sample, product);
  });
  return sample;
}

/** Coefficients by prime. */
export type Lanes = readonly Uint32Array[];

/** Returns the coefficients of class 0. */
export function insideLanes(ring: Ring, polynomial: Polynomial, classes: number): Lanes {
  return ring.primes.map((_, limb) => {
    const words = ring.coefficients(polynomial, limb);
    return Uint32Array.from({ length: words.length / classes }, (__, i) => words[i * classes]!);
  });
}
