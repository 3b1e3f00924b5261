/** A data user that looks for hashes which suit it: where a proof has two of them, it finds one after the other. */
import { createHash } from 'node:crypto';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, it } from 'vitest';
import { type Claim, verify } from '../../src/lattice/proof.ts';
import { type Polynomial, Ring } from '../../src/lattice/ring.ts';
import { publicPolynomial } from '../../src/lattice/samplers.ts';
import { drawError, drawSecret, sampleOf } from '../../src/lattice/samples.ts';
import type { Statement } from '../../src/lattice/sizes.ts';
import {
  encoded,
  exponentsOf,
  ground,
  hashed,
  lifted,
  opened,
  type Samples,
  sum,
  turned,
  uniform,
} from './forging.ts';

// 32 challenges in a repetition: four repetitions claim 20 bits.
const statement: Statement = {
  ...{ products: [0], degree: 8192, classes: 512, ciphertexts: 2, repetitions: 4 },
  ...{ secretMaskBits: 16, errorMaskBits: 20 },
};
const { degree, classes, repetitions } = statement;
const CLAIMED = 2 ** 20;
const MOST = 2 ** 14;
const ring = Ring.of(degree, 1);
const random = predictableRandomness('grinding');
const context = new Uint8Array(32).fill(7);
const publics = ['key', '0', '1'].map((label) => publicPolynomial(ring, context, label));
const secret = drawSecret(ring, random);
const short = ring.entries(secret.small).slice();

const draw = (bits: number) => uniform(ring, bits - 1, random);
const masks = (errors: number) => [
  draw(statement.secretMaskBits),
  ...Array.from({ length: errors }, () => draw(statement.errorMaskBits)),
];
const begun = (bytes: Uint8Array) => createHash('sha256').update(bytes);

/** Returns samples with the same long polynomial in class 1 of one ciphertext and, negative, of the other. */
function filled() {
  const errors = publics.map(() => ring.entries(drawError(ring, random)).slice());
  const long = draw(29).map((entry, i) => (i % classes === 1 ? entry : 0));
  const sent = publics.map((a, i) => {
    const error = ring.small();
    ring.entries(error).set(i === 0 ? errors[0]! : sum(errors[i]!, long, i === 1 ? 1 : -1));
    return sampleOf(ring, a, secret, error);
  });
  return { errors, sent };
}

const wordsOf = (polynomial: Polynomial) => ring.primes.map((_, limb) => ring.coefficients(polynomial, limb));

/** Returns Σ X^exponent·polynomial, of transforms or of coefficients. */
function combined(
  polynomials: readonly Polynomial[],
  exponents: readonly number[],
  isForm: boolean,
): Polynomial {
  const total = ring.polynomial();
  for (const [k, polynomial] of polynomials.entries()) {
    const coefficients = isForm ? ring.polynomial() : polynomial;
    if (isForm) {
      const one = lifted(ring, new Int32Array(degree).fill(1, 0, 1));
      ring.forward(one);
      ring.multiplyAdd(coefficients, polynomial, one);
      ring.inverse(coefficients);
    }
    ring.addTurned(total, coefficients, exponents[k]!);
  }
  if (isForm) ring.forward(total);
  return total;
}

/** The stand-in: a proof of the sum of ciphertexts by random weights, of a first hash, before the challenges, of a second one. */
interface Batch {
  readonly digest: Uint8Array;
  /** By repetition: z, z1 for the key and z2 for the sum. */
  readonly answers: readonly (readonly Int32Array[])[];
}

/** Returns the weights of both ciphertexts, by repetition. */
const weightsOf = (digest: Uint8Array): number[][] => {
  const all = exponentsOf(statement, digest, 2 * repetitions);
  return Array.from({ length: repetitions }, (_, r) => all.slice(2 * r, 2 * r + 2));
};

/** Returns the key, and the sum of the ciphertexts by weights. */
const batchOf = (sent: readonly Polynomial[], weights: readonly number[]): Samples => ({
  publics: [publics[0]!, combined(publics.slice(1), weights, true)],
  sent: [sent[0]!, combined(sent.slice(1), weights, false)],
});

function holds(sent: readonly Polynomial[], { digest, answers }: Batch): boolean {
  const first = hashed(begun(context), sent.flatMap(wordsOf)).digest();
  const weights = weightsOf(first);
  const second = begun(first);
  const exponents = exponentsOf(statement, digest, repetitions);
  const isShort = answers.every((all) =>
    all.every((one, i) => {
      const most = 2 ** ((i > 0 ? statement.errorMaskBits : statement.secretMaskBits) - 1);
      return one.every((entry) => Math.abs(entry) < most);
    }),
  );
  for (const [r, all] of answers.entries())
    hashed(second, opened(ring, batchOf(sent, weights[r]!), all, classes, exponents[r]));
  return isShort && answers.length === repetitions && second.digest().equals(digest);
}

/**
 * Looks for weights that cancel what is long in two repetitions, and then for the challenges of the others; or takes the first hashes
 * that there are.
 */
function forgedBatch({ errors, sent }: ReturnType<typeof filled>, looks: boolean) {
  const most = MOST;
  const isLucky = ([one, other]: number[]) => one === other;
  const weighed = ground(
    ...([ring, begun(context), sent.flatMap(wordsOf), errors[2]!] as const),
    (digest) => !looks || weightsOf(digest).filter(isLucky).length >= repetitions / 2,
    most,
  );
  const first = weighed.digest!;
  const weights = weightsOf(first);
  const batches = weights.map((pair) => batchOf(sent, pair));
  const drawn = weights.map(() => masks(2));
  const guesses = weights.map((pair) => (isLucky(pair) ? undefined : classes));
  const lanes = drawn.flatMap((all, r) => opened(ring, batches[r]!, all, classes, guesses[r]));
  const suits = (digest: Uint8Array) =>
    !looks ||
    exponentsOf(statement, digest, repetitions).every((exponent, r) => (guesses[r] ?? exponent) === exponent);
  const challenged = ground(ring, begun(first), lanes, drawn.at(-1)!.at(-1)!, suits, most);
  const exponents = exponentsOf(statement, challenged.digest!, repetitions);
  const answers = drawn.map((all, r) => {
    if (guesses[r] !== undefined) return all;
    const [one, other] = weights[r]!;
    const error = sum(turned(errors[1]!, one!), turned(errors[2]!, other!));
    return [
      sum(all[0]!, turned(short, exponents[r]!)),
      sum(all[1]!, turned(errors[0]!, exponents[r]!), -1),
      sum(all[2]!, turned(error, exponents[r]!), -1),
    ];
  });
  return { proof: { digest: challenged.digest!, answers }, hashes: weighed.hashes + challenged.hashes };
}

/** Looks for the first challenges of the real proof, `wanted` of them at once. */
function forged(claim: Claim, sent: readonly Polynomial[], wanted: number, most: number) {
  const guesses = Array.from({ length: claim.statement.repetitions }, () => classes);
  const drawn = guesses.map(() => masks(3));
  const samples = { publics, sent };
  const lanes = drawn.flatMap((all, r) => opened(ring, samples, all, classes, guesses[r]));
  const suits = (digest: Uint8Array) =>
    exponentsOf(claim.statement, digest, wanted).every((exponent, r) => exponent === guesses[r]);
  const { digest, hashes } = ground(ring, begun(context), lanes, drawn.at(-1)!.at(-1)!, suits, most);
  return { proof: digest && encoded(claim.statement, digest, drawn), hashes };
}

describe('a data user that looks for hashes', () => {
  it('forges a batch by random weights for the root of what it claims, and the real proof for all of it', () => {
    const user = filled();
    expect(holds(user.sent, forgedBatch(user, false).proof)).toBe(false);
    const { proof, hashes } = forgedBatch(user, true);
    expect(holds(user.sent, proof)).toBe(true);
    expect(hashes).toBeLessThan(4 * Math.sqrt(CLAIMED));
    const claim: Claim = { statement, publics, context };
    // The forger makes a proof of half as many repetitions, for as many hashes as that claims. Half of four prove nothing.
    const half = { ...claim, statement: { ...statement, repetitions: repetitions / 2 } };
    const halved = forged(half, user.sent, repetitions / 2, MOST);
    expect(verify(ring, half, [user.sent], halved.proof!)).toBe(true);
    expect(halved.hashes).toBeGreaterThan(Math.sqrt(CLAIMED) / 16);
    expect(verify(ring, claim, [user.sent], forged(claim, user.sent, repetitions / 2, MOST).proof!)).toBe(
      false,
    );
    expect(forged(claim, user.sent, repetitions, 4 * Math.sqrt(CLAIMED)).proof).toBe(undefined);
  });
});
