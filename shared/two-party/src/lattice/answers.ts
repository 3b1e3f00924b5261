/**
 * A secret product: the data user's message, the CSP's answers, and both ends' shares. The CSP doubles its factor, u and e1, since a
 * proof of form shows of twice a sample only that it is short; so the data user's factor is encoded at q/2^(ringBits + 1). Everything
 * that an answer opens is under a mask that is added here, and what stays shared is under a share that is uniform modulo all of q.
 */
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Matrix } from '../rotated/matrices.ts';
import { RandomBits } from '../rotated/random.ts';
import { cspPlaces, type Place, resultPlaces, userPlaces } from './packing.ts';
import { decodeWords, encodeWords, fromRing, residuesOf, toRing } from './residues.ts';
import type { Polynomial, Ring } from './ring.ts';
import { binomial, ternary, uniformWords } from './samplers.ts';
import type { Lanes, Secret } from './samples.ts';
import { PRIME_BITS } from './security.ts';
import type { SizedProduct } from './sizes.ts';
import { wordBytes } from './words.ts';

/** Returns a ciphertext's part of a factor, whose entries are in [0, 2^ringBits), encoded by prime, and its places. */
function encoded(
  ring: Ring,
  { packing, ringBits }: SizedProduct,
  factor: Matrix,
  block: number,
  ciphertext: number,
): { readonly coefficients: readonly number[]; readonly message: Lanes } {
  const places = userPlaces(packing, block, ciphertext);
  const values = places.map(({ row, column }) => factor[row]![column]!);
  return {
    coefficients: places.map(({ coefficient }) => coefficient),
    message: fromRing(ring, values, ringBits + 1),
  };
}

/** Returns class 0 of a ciphertext with its part of the data user's factor. */
export function messageOf(
  ring: Ring,
  product: SizedProduct,
  lanes: Lanes,
  factor: Matrix,
  block: number,
  ciphertext: number,
): Uint8Array {
  const { coefficients, message } = encoded(ring, product, factor, block, ciphertext);
  const at = coefficients.map((coefficient) => coefficient / product.packing.classes);
  const filled = lanes.map((lane, limb) => addAt(lane.slice(), at, message[limb]!, ring.primes[limb]!));
  return encodeWords(ring, filled);
}

/** Adds the CSP's share of the data user's factor to a ciphertext. */
export function addMessage(
  ring: Ring,
  product: SizedProduct,
  sent: Polynomial,
  share: Matrix,
  block: number,
  ciphertext: number,
): void {
  const { coefficients, message } = encoded(ring, product, share, block, ciphertext);
  for (const [limb, own] of message.entries())
    addAt(ring.coefficients(sent, limb), coefficients, own, ring.primes[limb]!);
}

function addAt(words: Uint32Array, at: readonly number[], more: Uint32Array, prime: number): Uint32Array {
  for (const [e, place] of at.entries()) words[place] = (words[place]! + more[e]!) % prime;
  return words;
}

/** Transforms of what an answer is made of: the data user's key with a′, and a block's ciphertexts with their a_k. */
export interface Received {
  readonly key: { readonly a: Polynomial; readonly b: Polynomial };
  readonly ciphertexts: readonly { readonly a: Polynomial; readonly b: Polynomial }[];
}

/** An answer's bytes, and the CSP's shares of its results where they stay shared. */
export interface Answer {
  readonly bytes: Uint8Array;
  readonly places: readonly Place[];
  /** In [0, 2^ringBits); empty where the result is opened. */
  readonly shares: readonly bigint[];
}

/** Returns the number that is added to a result where it is opened: the CSP's own share and its mask, in units of the ring. */
export type Opening = (place: Place) => bigint;

/** Residues of twice the CSP's factor, row by row, by prime: made once for all answers. */
export function factorResidues(ring: Ring, { factorBits, inner }: SizedProduct, factor: Matrix): Lanes {
  if (factor.some((row) => row.length !== inner))
    throw new RangeError('"factor" expected rows of equal length');
  const doubled = factor.flatMap((row) => row.map((entry) => 2n * entry));
  return residuesOf(ring, doubled, factorBits + 1);
}

/**
 * Answers one block of ciphertexts for rows answer·classes … of the CSP's factor.
 * @param random draws of this answer alone: from a seed and all that was received before it
 */
export function answerOf(
  ring: Ring,
  product: SizedProduct,
  residues: Lanes,
  received: Received,
  { block, answer }: { readonly block: number; readonly answer: number },
  random: RandomSource,
  opening?: Opening,
): Answer {
  const { packing, down, ringBits, floodBits } = product;
  return ring.scope(() => {
    const c0 = ring.polynomial();
    const c1 = ring.polynomial();
    addFactor(ring, product, residues, received, answer, c0, c1);
    addKey(ring, received, random, c0, c1);
    ring.inverse(c0);
    ring.inverse(c1);
    addDoubled(ring, c1, random);
    const places = resultPlaces(packing, block, answer);
    const wanted = ring.primes.map((_, limb) => {
      const words = ring.coefficients(c0, limb);
      return Uint32Array.from(places, ({ coefficient }) => words[coefficient]!);
    });
    const bits = new RandomBits(random);
    const floods = places.map(() => bits.integer(floodBits));
    const flood = residuesOf(ring, floods, floodBits);
    let sum = added(ring, wanted, flood, 1);
    let shares: readonly bigint[] = [];
    if (opening === undefined) {
      const share = ring.primes.map((prime) => uniformWords(prime, places.length, random));
      sum = added(ring, sum, share, -1);
      shares = toRing(ring.primes, share, ringBits);
    } else {
      // A mask of whole units would leave what is below one to see: A times a fraction of the data user's choice.
      const finer = Math.max(0, PRIME_BITS * ring.limbs - ringBits);
      const own = places.map(
        (place) => (BigInt.asUintN(ringBits, opening(place)) << BigInt(finer)) + bits.integer(finer),
      );
      sum = added(ring, sum, fromRing(ring, own, ringBits + finer), 1);
    }
    ring.rescale(c1, down);
    const wide = encodeWords(ring, ring.rescaleWords(sum, down));
    const bytes = Buffer.concat([ring.bytes(c1, down), wide]);
    return { bytes, places, shares };
  });
}

/** Adds the sum over ciphertexts of the CSP's polynomial times both of their parts. */
function addFactor(
  ring: Ring,
  { packing, inner }: SizedProduct,
  residues: Lanes,
  { ciphertexts }: Received,
  answer: number,
  c0: Polynomial,
  c1: Polynomial,
): void {
  ring.scope(() => {
    const plain = ring.polynomial();
    for (const [k, { a, b }] of ciphertexts.entries()) {
      ring.clear(plain);
      const places = cspPlaces(packing, answer, k);
      for (const [limb, lane] of residues.entries()) {
        const words = ring.coefficients(plain, limb);
        for (const { row, column, coefficient } of places) words[coefficient] = lane[row * inner + column]!;
      }
      ring.forward(plain);
      ring.multiplyAdd(c0, b, plain);
      ring.multiplyAdd(c1, a, plain);
    }
  });
}

/** Adds 2u times the data user's key. */
function addKey(ring: Ring, { key }: Received, random: RandomSource, c0: Polynomial, c1: Polynomial): void {
  ring.scope(() => {
    const u = ring.small();
    ternary(ring, u, random);
    const form = ring.polynomial();
    ring.lift(form, doubled(ring.entries(u), u));
    ring.forward(form);
    ring.multiplyAdd(c0, key.b, form);
    ring.multiplyAdd(c1, key.a, form);
  });
}

/** Adds 2·e1. */
function addDoubled(ring: Ring, c1: Polynomial, random: RandomSource): void {
  ring.scope(() => {
    const e1 = ring.small();
    binomial(ring, e1, random);
    ring.addSmall(c1, doubled(ring.entries(e1), e1));
  });
}

function doubled<T>(entries: Int32Array, small: T): T {
  for (let i = 0; i < entries.length; i += 1) entries[i]! *= 2;
  return small;
}

function added(ring: Ring, left: Lanes, right: Lanes, sign: 1 | -1): Uint32Array[] {
  return left.map((lane, limb) => {
    const prime = ring.primes[limb]!;
    return lane.map(
      (word, i) => (sign > 0 ? word + right[limb]![i]! : word + prime - right[limb]![i]!) % prime,
    );
  });
}

/** Returns the bytes of an answer with this number of results. */
export function answerBytes({ down, degree }: SizedProduct, results: number): number {
  return down * (wordBytes(degree) + wordBytes(results));
}

/**
 * Returns the data user's shares, or what an answer opens, in [0, 2^ringBits), in the order of resultPlaces().
 * @throws ERR_CHANNEL_MESSAGE for a word that is not below its prime
 */
export function decrypted(
  ring: Ring,
  { packing, ringBits, down }: SizedProduct,
  { form }: Pick<Secret, 'form'>,
  { block, answer }: { readonly block: number; readonly answer: number },
  bytes: Uint8Array,
): { readonly places: readonly Place[]; readonly values: readonly bigint[] } {
  const places = resultPlaces(packing, block, answer);
  const primes = ring.primes.slice(0, down);
  const whole = wordBytes(ring.degree) * down;
  const words = decodeWords(ring, bytes.subarray(whole), places.length, down);
  return ring.scope(() => {
    const c1 = ring.polynomial();
    ring.read(c1, bytes.subarray(0, whole), down);
    ring.forward(c1, down);
    const product = ring.polynomial();
    ring.multiplyAdd(product, c1, form, down);
    ring.inverse(product, down);
    const sum = primes.map((_, limb) => {
      const coefficients = ring.coefficients(product, limb);
      return Uint32Array.from(places, ({ coefficient }) => coefficients[coefficient]!);
    });
    return { places, values: toRing(primes, added(ring, words, sum, 1), ringBits) };
  });
}
