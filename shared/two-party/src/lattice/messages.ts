/** The messages, rings and public polynomials that both ends of a run of secret products have in common. */
import { createHash } from 'node:crypto';
import type { Packing } from './packing.ts';
import { type Polynomial, Ring } from './ring.ts';
import { publicPolynomial } from './samplers.ts';
import type { Degree } from './security.ts';
import type { LatticePlan, Statement } from './sizes.ts';

/** Types 0x50 to 0x5f belong to this room. */
export const LATTICE_MESSAGE = {
  /** From the data user: a key. */
  key: 0x50,
  /** From the data user: a ciphertext outside class 0. */
  outside: 0x51,
  /** From the data user: class 0 of a ciphertext, with its factor. */
  inside: 0x52,
  /** From the data user: a proof of form. */
  proof: 0x53,
  /** From the CSP: an answer. */
  answer: 0x54,
  /** From each end, first: 32 bytes that it draws. */
  nonce: 0x55,
} as const;

/** Rings by degree, each with as many primes as any product of the plan has. */
export function ringsOf({ products }: LatticePlan): ReadonlyMap<Degree, Ring> {
  const limbs = new Map<Degree, number>();
  for (const { degree, up } of products) limbs.set(degree, Math.max(up, limbs.get(degree) ?? 0));
  return new Map([...limbs].map(([degree, count]) => [degree, Ring.of(degree, count)]));
}

/** The ciphertexts of a product, in the order in which they are sent. */
export function* ciphertextsOf({ blocks, ciphertexts }: Packing) {
  for (let block = 0; block < blocks; block += 1)
    for (let ciphertext = 0; ciphertext < ciphertexts; ciphertext += 1) yield { block, ciphertext };
}

/** The answers of a product, in the order in which they are sent. */
export function* answersOf({ blocks, answers }: Packing) {
  for (let block = 0; block < blocks; block += 1)
    for (let answer = 0; answer < answers; answer += 1) yield { block, answer };
}

/**
 * Returns a′ of each degree and the a_k of each product, as transforms. Products of one statement have them in common, under
 * secrets that differ; no two samples have both a secret and an a_k in common.
 */
export function publicsOf(plan: LatticePlan, rings: ReadonlyMap<Degree, Ring>, seed: Uint8Array) {
  const keys = new Map([...rings].map(([degree, ring]) => [degree, publicPolynomial(ring, seed, 'key')]));
  const products: Polynomial[][] = [];
  for (const [i, { degree, up, packing }] of plan.products.entries()) {
    const statement = plan.statements.find((one) => one.products.includes(i));
    const first = statement?.products[0] ?? i;
    const ring = rings.get(degree)!.prefix(up);
    products[i] =
      first < i
        ? products[first]!
        : [...ciphertextsOf(packing)].map((_, k) => publicPolynomial(ring, seed, `product ${i} ${k}`));
  }
  return { keys, products };
}

/** The context of a proof: a hash of the seed that both nonces and the task have made, and of its number and sizes. */
export function contextOf(seed: Uint8Array, statement: Statement, number: number): Uint8Array {
  return createHash('sha256')
    .update(seed)
    .update(JSON.stringify([number, statement]))
    .digest();
}
