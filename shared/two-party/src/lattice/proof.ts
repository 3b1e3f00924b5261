/**
 * The proof of form: keys b′ = −a′s + e′, and ciphertexts b_k = −a_k s + e_k + message outside class 0, are of one short s each, and
 * of short errors. A sigma protocol with monomials Y^c for challenges (Benhamouda, Camenisch, Krenn, Lyubashevsky, Neven, "Better
 * zero-knowledge proofs for lattice encryption", ASIACRYPT 2014), repeated in parallel, made non-interactive by one hash, with aborts
 * (Lyubashevsky, "Fiat-Shamir with aborts", ASIACRYPT 2009). Several secrets share masks and answers: each has challenges of its own.
 * docs/arguments/lattice.md has the argument. It has three passes: a batch of ciphertexts by random weights would have five.
 */
import { createHash } from 'node:crypto';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Polynomial, Ring, Small } from './ring.ts';
import { uniformSmall } from './samplers.ts';
import { ERROR_BOUND, HASH_BYTES, proofBytes, type Statement } from './sizes.ts';
import { countOf, firstWords, outsideOf, packedBytes } from './words.ts';

/** The statement of a proof, and the transforms of public polynomials. */
export interface Claim {
  readonly statement: Statement;
  /** a′ and the a_k. */
  readonly publics: readonly Polynomial[];
  /** A hash of all that the proof is for: the task, the sizes, both nonces and everything that was sent. */
  readonly context: Uint8Array;
}

/** The coefficients that were sent, by secret: b′ and the b_k, whose class 0 does not count. */
export type Sent = readonly (readonly Polynomial[])[];

/** By secret: s, and the errors e′ and e_k. */
export interface Witness {
  readonly secret: Small;
  readonly errors: readonly Small[];
}

/** Returns challenges by repetition and secret: exponents of X, multiples of the classes. */
function challengesOf({ classes, degree, repetitions, products }: Statement, hash: Uint8Array): number[][] {
  const powers = (2 * degree) / classes;
  const bytes = createHash('shake256', { outputLength: 2 * repetitions * products.length })
    .update(hash)
    .digest();
  return Array.from({ length: repetitions }, (_, r) =>
    products.map((__, p) => (bytes.readUInt16LE(2 * (r * products.length + p)) % powers) * classes),
  );
}

/** Hashes a_i·z + z_i + Σ X^c b_i for a′ and each a_k, where the commitment has no b. */
class Commitments {
  readonly #hash = createHash('sha256');
  readonly #ring: Ring;
  /** One for each prime: numbers of one prime after the other stay in the processor's own memory. */
  readonly #singles: readonly Ring[];
  readonly #claim: Claim;
  readonly #sent: Sent;

  /** @param sent is empty for commitments that have no b */
  constructor(ring: Ring, claim: Claim, sent: Sent = []) {
    this.#ring = ring;
    this.#singles = ring.primes.map((_, limb) => ring.single(limb));
    this.#claim = claim;
    this.#sent = sent;
    this.#hash.update(claim.context);
  }

  /** A repetition; `answers` are z and the z_i. */
  add(answers: readonly Small[], challenges: readonly number[] = []): void {
    const ring = this.#ring;
    ring.scope(() => {
      const sums = this.#claim.publics.map(() => ring.polynomial());
      for (const [limb, single] of this.#singles.entries())
        single.scope(() => this.#addUp(sums, single, limb, answers, challenges));
      for (const sum of sums) {
        for (let limb = 0; limb < ring.limbs; limb += 1) {
          const { buffer, byteOffset, byteLength } = ring.coefficients(sum, limb);
          this.#hash.update(new Uint8Array(buffer, byteOffset, byteLength));
        }
      }
    });
  }

  #addUp(
    sums: readonly Polynomial[],
    single: Ring,
    limb: number,
    [z, ...errors]: readonly Small[],
    challenges: readonly number[],
  ): void {
    const { publics, statement } = this.#claim;
    const form = single.polynomial();
    single.lift(form, z!);
    single.forward(form);
    for (const [i, a] of publics.entries()) {
      const sum = this.#ring.part(sums[i]!, limb);
      single.multiplyAdd(sum, this.#ring.part(a, limb), form);
      single.inverse(sum);
      single.addSmall(sum, errors[i]!);
      for (const [p, exponent] of challenges.entries())
        single.addTurned(sum, this.#ring.part(this.#sent[p]![i]!, limb), exponent);
      if (i > 0) clearClass(single.coefficients(sum, 0), statement.classes);
    }
  }

  digest(): Uint8Array {
    return this.#hash.digest();
  }
}

/** Clears class 0, which ciphertexts fill as they like. */
function clearClass(entries: Int32Array | Uint32Array, classes: number): void {
  for (let i = 0; i < entries.length; i += classes) entries[i] = 0;
}

/** target += sign·X^exponent·source in Z[X]/(X^N + 1); the exponent is public. */
function addTurned(target: Int32Array, source: Int32Array, exponent: number, sign: 1 | -1): void {
  const n = target.length;
  const turns = exponent % n;
  const factor = exponent >= n ? -sign : sign;
  for (let i = 0; i < n - turns; i += 1) target[i + turns]! += factor * source[i]!;
  for (let i = n - turns; i < n; i += 1) target[i + turns - n]! -= factor * source[i]!;
}

/** Returns the words of each answer of a repetition, their bits and their greatest magnitude: z, z′, and the z_k without class 0. */
function partsOf({ degree, classes, products, secretMaskBits, errorMaskBits, ciphertexts }: Statement) {
  const words = firstWords(degree);
  const secret = { words, bits: secretMaskBits, most: 2 ** (secretMaskBits - 1) - products.length - 1 };
  const most = 2 ** (errorMaskBits - 1) - ERROR_BOUND * products.length - 1;
  const key = { words, bits: errorMaskBits, most };
  const ciphertext = { ...key, words: outsideOf(degree, classes) };
  return [secret, key, ...new Array<typeof key>(ciphertexts).fill(ciphertext)];
}

function isWithin(entries: Int32Array, most: number): boolean {
  let beyond = 0;
  for (let i = 0; i < entries.length; i += 1) beyond |= Number(Math.abs(entries[i]!) > most);
  return beyond === 0;
}

/**
 * Returns the proof: a hash, and the answers of each repetition.
 * @param draws gives the randomness of a try, by its number: no two tries, nor claims, may share any
 */
export function prove(
  ring: Ring,
  claim: Claim,
  witnesses: readonly Witness[],
  draws: (attempt: number) => RandomSource,
): Uint8Array {
  const { statement } = claim;
  const parts = partsOf(statement);
  return ring.scope(() => {
    const answers = Array.from({ length: statement.repetitions }, () => parts.map(() => ring.small()));
    for (let attempt = 0; ; attempt += 1) {
      const random = draws(attempt);
      const commitments = new Commitments(ring, claim);
      for (const masks of answers) {
        for (const [i, { bits }] of parts.entries()) uniformSmall(ring, masks[i]!, bits, random);
        commitments.add(masks);
      }
      const hash = commitments.digest();
      const challenges = challengesOf(statement, hash);
      for (const [r, masks] of answers.entries()) answer(ring, statement, masks, witnesses, challenges[r]!);
      // The first that fails depends on no secret: 2·most + 1 masks of each entry pass, whatever is added to them.
      const rejected = answers.filter((all) =>
        all.some((one, i) => !isWithin(ring.entries(one), parts[i]!.most)),
      );
      if (rejected.length === 0) return encodeProof(ring, statement, parts, hash, answers);
    }
  });
}

/** Makes of masks z = y + Σ X^c s and z_i = y_i − Σ X^c e_i, for ciphertexts outside class 0, in their place. */
function answer(
  ring: Ring,
  { classes }: Statement,
  masks: readonly Small[],
  witnesses: readonly Witness[],
  challenges: readonly number[],
): void {
  for (const [i, mask] of masks.entries()) {
    const entries = ring.entries(mask);
    for (const [p, { secret, errors }] of witnesses.entries()) {
      if (i === 0) addTurned(entries, ring.entries(secret), challenges[p]!, 1);
      else addTurned(entries, ring.entries(errors[i - 1]!), challenges[p]!, -1);
    }
    if (i > 1) clearClass(entries, classes);
  }
}

/**
 * Returns whether the proof holds. It depends on messages alone.
 */
export function verify(ring: Ring, claim: Claim, sent: Sent, proof: Uint8Array): boolean {
  const { statement } = claim;
  if (proof.length !== proofBytes(statement)) return false;
  const hash = proof.subarray(0, HASH_BYTES);
  const challenges = challengesOf(statement, hash);
  const parts = partsOf(statement);
  const commitments = new Commitments(ring, claim, sent);
  return ring.scope(() => {
    const answers = parts.map(() => ring.small());
    let at = HASH_BYTES;
    for (const challenge of challenges) {
      for (const [i, { words, bits, most }] of parts.entries()) {
        const length = packedBytes(countOf(words), bits);
        // Class 0 stays zero where it is left out.
        if (!ring.readSmall(answers[i]!, proof.subarray(at, at + length), bits, words, most)) return false;
        at += length;
      }
      commitments.add(answers, challenge);
    }
    return Buffer.from(commitments.digest()).equals(hash);
  });
}

function encodeProof(
  ring: Ring,
  statement: Statement,
  parts: ReturnType<typeof partsOf>,
  hash: Uint8Array,
  answers: readonly (readonly Small[])[],
): Uint8Array {
  const proof = new Uint8Array(proofBytes(statement));
  proof.set(hash);
  let at = HASH_BYTES;
  for (const all of answers) {
    for (const [i, { words, bits }] of parts.entries()) {
      ring.scope(() => {
        const bytes = ring.smallBytes(all[i]!, bits, words);
        proof.set(bytes, at);
        at += bytes.length;
      });
    }
  }
  return proof;
}
