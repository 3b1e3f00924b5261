/**
 * The largest moduli of ring LWE for a security of 128 bits: those of the HomomorphicEncryption.org standard (Albrecht and
 * others, "Homomorphic Encryption Standard", 2018, table 1: ternary secrets, errors of deviation 3.2, classical attacks).
 * A product that needs a longer modulus is refused, never cut to fit.
 */
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';

export type Degree = 8192 | 16384;

/** By degree: the bits of the largest modulus. */
const LARGEST_MODULUS_BITS: Readonly<Record<Degree, number>> = { 8192: 218, 16384: 438 };

/** The bits of a prime of the modulus, at most. */
export const PRIME_BITS = 30;

/** The bits of small integers, sign included, at most: their magnitude is at most 2^29, below every prime. */
export const SMALL_BITS = 30;

export const DEGREES: readonly Degree[] = [8192, 16384];

/** The most primes of a modulus of this degree: 7 and 14. */
export function largestLimbs(degree: Degree): number {
  return Math.floor(LARGEST_MODULUS_BITS[degree] / PRIME_BITS);
}

/**
 * Estimates the classical security in bits of a ternary secret of `degree` coefficients, errors of deviation 3.24 and a
 * modulus of `modulusBits` by the primal attack (uSVP, Alkim and others 2016): the least blocksize β for which a basis
 * reduced by BKZ-β finds the error, at a cost of 2^(0.292 β + 16.4) for each of 8·dimension calls, the model of the
 * standard's table. Hybrid attacks on ternary secrets take two or three bits off; the core-SVP model, 2^(0.292 β) alone,
 * is at about 100 bits where this is at 128. A test holds it to the table's entries.
 */
export function primalSecurityBits(degree: number, modulusBits: number, deviation = 3.24): number {
  const secretDeviation = Math.sqrt(2 / 3);
  const ratio = deviation / secretDeviation;
  for (let beta = 50; beta < degree; beta += 1) {
    const delta =
      (((Math.PI * beta) ** (1 / beta) * beta) / (2 * Math.PI * Math.E)) ** (1 / (2 * (beta - 1)));
    const logDelta = Math.log2(delta);
    // The number of samples that is best for the attacker, at most `degree`.
    const best = Math.sqrt((degree * modulusBits) / logDelta) - degree;
    const samples = Math.max(1, Math.min(degree, Math.round(best)));
    const dimension = degree + samples + 1;
    // Secrets are scaled to the deviation of errors: volume q^samples·ratio^degree.
    const volume = (samples * modulusBits + degree * Math.log2(ratio)) / dimension;
    const left = Math.log2(deviation) + Math.log2(beta) / 2;
    const right = (2 * beta - dimension - 1) * logDelta + volume;
    if (left <= right) return 0.292 * beta + 16.4 + Math.log2(8 * dimension);
  }
  return Number.POSITIVE_INFINITY;
}

/** Refuses a product for which no degree has a modulus that is long enough and secure. */
export function modulusRefusal(): CodedError {
  return new CodedError(
    TWO_PARTY_CODES.ERR_TASK_RANGE,
    `"task" expected secret products with moduli of at most ${PRIME_BITS * largestLimbs(16384)} bits: fewer samples, features or fraction bits are needed`,
  );
}
