/**
 * The data user's samples of ring LWE, b = −a s + e: what is outside class 0 depends on no data, and may leave long before the
 * message in class 0 is known.
 */
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import { decodeWords, encodeWords } from './residues.ts';
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
  ring.multiplyAdd(sample, a, form);
  ring.inverse(sample);
  ring.negate(sample);
  ring.scope(() => {
    const lifted = ring.polynomial();
    ring.lift(lifted, error);
    ring.add(sample, lifted);
  });
  return sample;
}

/** Coefficients by prime. */
export type Lanes = readonly Uint32Array[];

const inside = (classes: number) => (i: number) => i % classes === 0;
const outside = (classes: number) => (i: number) => i % classes !== 0;

function lanesOf(ring: Ring, polynomial: Polynomial, takes: (i: number) => boolean): Lanes {
  return ring.primes.map((_, limb) => ring.coefficients(polynomial, limb).filter((__, i) => takes(i)));
}

function putLanes(ring: Ring, polynomial: Polynomial, lanes: Lanes, takes: (i: number) => boolean): void {
  for (const [limb, lane] of lanes.entries()) {
    const words = ring.coefficients(polynomial, limb);
    let next = 0;
    for (let i = 0; i < words.length; i += 1) if (takes(i)) words[i] = lane[next++]!;
  }
}

/** Returns the bytes of a polynomial outside class 0. */
export function outsideBytes(ring: Ring, polynomial: Polynomial, classes: number): Uint8Array {
  return encodeWords(lanesOf(ring, polynomial, outside(classes)));
}

/** Returns the coefficients of class 0. */
export function insideLanes(ring: Ring, polynomial: Polynomial, classes: number): Lanes {
  return lanesOf(ring, polynomial, inside(classes));
}

/** Returns the number of coefficients outside class 0, and in it. */
export function partsOf({ degree }: Pick<Ring, 'degree'>, classes: number) {
  return { outside: degree - degree / classes, inside: degree / classes };
}

/**
 * Fills what is outside class 0, or in it, with what came.
 * @throws ERR_CHANNEL_MESSAGE for a word that is not below its prime
 */
export function fill(
  ring: Ring,
  polynomial: Polynomial,
  bytes: Uint8Array,
  classes: number,
  part: 'inside' | 'outside',
): void {
  const lanes = decodeWords(ring.primes, bytes, partsOf(ring, classes)[part]);
  putLanes(ring, polynomial, lanes, (part === 'inside' ? inside : outside)(classes));
}
