/** Both ends of a small product for tests of attacks: what an honest data user sends, what the CSP answers, what is read of it. */
import { predictableRandomness } from '@eigenveil/testbed/random';
import {
  answerOf,
  decrypted,
  factorResidues,
  type Opening,
  type Received,
} from '../../src/lattice/answers.ts';
import { latticePlan } from '../../src/lattice/planning.ts';
import { type Claim, prove, verify } from '../../src/lattice/proof.ts';
import { type Polynomial, Ring } from '../../src/lattice/ring.ts';
import { publicPolynomial } from '../../src/lattice/samplers.ts';
import { drawError, drawSecret, type Lanes, type Secret, sampleOf } from '../../src/lattice/samples.ts';
import type { ProductSize, SizedProduct } from '../../src/lattice/sizes.ts';

export const size: ProductSize = {
  ...{ rows: 16, inner: 16, columns: 16, part: 'whole', ringBits: 100, factorBits: 30, rowBits: 32 },
  ...{ errorBits: 40, junkBits: 40, call: 0 },
};
export const plan = latticePlan([size]);
export const product = plan.products[0]!;
export const statement = plan.statements[0]!;
export const { packing } = product;
export const { classes } = packing;
export const ring = Ring.of(product.degree, product.up);
export const random = predictableRandomness('lattice attacks');
export const seed = new Uint8Array(32).fill(3);
export const aKey = publicPolynomial(ring, seed, 'key');
export const a = publicPolynomial(ring, seed, 'product');
export const number = (bits: number) =>
  BigInt.asIntN(bits, BigInt(`0x${Buffer.from(random(Math.ceil(bits / 8))).toString('hex')}`));
export const factor = Array.from({ length: 16 }, () => Array.from({ length: 16 }, () => number(30)));
export const doubled = factorResidues(ring, product, factor);
export const first = { block: 0, answer: 0 };

/** Adds an integer to a coefficient. */
export function put(polynomial: Polynomial, at: number, value: bigint): void {
  for (const [limb, prime] of ring.primes.entries()) {
    const words = ring.coefficients(polynomial, limb);
    const q = BigInt(prime);
    words[at] = Number((((BigInt(words[at]!) + value) % q) + q) % q);
  }
}

/** An honest user's secret, key and ciphertext of zero, and its errors. */
export function honest() {
  const secret = drawSecret(ring, random);
  const errors = [drawError(ring, random), drawError(ring, random)];
  return {
    secret,
    errors,
    key: sampleOf(ring, aKey, secret, errors[0]!),
    sent: sampleOf(ring, a, secret, errors[1]!),
  };
}

/** The parts of an answer that a test replaces. */
export interface Unusual {
  /** Without one of its own, the number zero is added where a result is opened. */
  readonly opening?: Opening | 'shared';
  readonly product?: SizedProduct;
  /** a′ */
  readonly publicKey?: Polynomial;
}

export function answered(
  key: Polynomial,
  sent: Polynomial,
  residues: Lanes,
  name: string,
  { opening = () => 0n, product: other = product, publicKey = aKey }: Unusual = {},
) {
  const [b, c] = [ring.copy(key), ring.copy(sent)];
  ring.forward(b);
  ring.forward(c);
  const received: Received = { key: { a: publicKey, b }, ciphertexts: [{ a, b: c }] };
  return answerOf(
    ring,
    other,
    residues,
    received,
    first,
    predictableRandomness(name),
    opening === 'shared' ? undefined : opening,
  );
}

/** The results that a user with this secret reads, signed. */
export function read(secret: Pick<Secret, 'form'>, bytes: Uint8Array, of: SizedProduct = product) {
  const { places, values } = decrypted(ring, of, secret, first, bytes);
  return places.map((place, i) => ({ ...place, value: BigInt.asIntN(size.ringBits, values[i]!) }));
}

/** Returns whether the proof holds that this user makes for a key and a ciphertext. */
export function proven(
  { secret, errors }: Pick<ReturnType<typeof honest>, 'secret' | 'errors'>,
  sent: readonly Polynomial[],
) {
  const claim: Claim = { statement, publics: [aKey, a], context: seed };
  const proof = prove(ring, claim, [{ secret: secret.small, errors }], (attempt) =>
    predictableRandomness(`proof ${attempt}`),
  );
  return verify(ring, claim, [sent], proof);
}
