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

/** Coefficients of class 0, or those outside it. */
export type Part = 'inside' | 'outside';

function takeLane(words: Uint32Array, classes: number, part: Part): Uint32Array {
  const lane = new Uint32Array(partsOf({ degree: words.length }, classes)[part]);
  let next = 0;
  for (let i = 0; i < words.length; i += classes) {
    if (part === 'inside') lane[next++] = words[i]!;
    else for (let j = i + 1; j < i + classes; j += 1) lane[next++] = words[j]!;
  }
  return lane;
}

function putLane(words: Uint32Array, lane: Uint32Array, classes: number, part: Part): void {
  let next = 0;
  for (let i = 0; i < words.length; i += classes) {
    if (part === 'inside') words[i] = lane[next++]!;
    else for (let j = i + 1; j < i + classes; j += 1) words[j] = lane[next++]!;
  }
}

function lanesOf(ring: Ring, polynomial: Polynomial, classes: number, part: Part): Lanes {
  return ring.primes.map((_, limb) => takeLane(ring.coefficients(polynomial, limb), classes, part));
}

/** Returns the bytes of a polynomial outside class 0. */
export function outsideBytes(ring: Ring, polynomial: Polynomial, classes: number): Uint8Array {
  return encodeWords(lanesOf(ring, polynomial, classes, 'outside'));
}

/** Returns the coefficients of class 0. */
export function insideLanes(ring: Ring, polynomial: Polynomial, classes: number): Lanes {
  return lanesOf(ring, polynomial, classes, 'inside');
}

/** Returns the number of coefficients outside class 0, and in it. */
export function partsOf({ degree }: { readonly degree: number }, classes: number) {
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
  part: Part,
): void {
  const lanes = decodeWords(ring.primes, bytes, partsOf(ring, classes)[part]);
  for (const [limb, lane] of lanes.entries())
    putLane(ring.coefficients(polynomial, limb), lane, classes, part);
}
