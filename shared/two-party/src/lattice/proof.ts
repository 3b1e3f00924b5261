/**
 * The proof of form: keys b′ = −a′s + e′, and ciphertexts b_k = −a_k s + e_k + message outside class 0, are of one short s each, and
 * of short errors. A sigma protocol with monomials Y^c for challenges (Benhamouda, Camenisch, Krenn, Lyubashevsky, Neven, "Better
 * zero-knowledge proofs for lattice encryption", ASIACRYPT 2014), repeated in parallel, made non-interactive by one hash, with aborts
 * (Lyubashevsky, "Fiat-Shamir with aborts", ASIACRYPT 2009). Several secrets share masks and answers: each has challenges of its own.
 * docs/lattice.md has the argument. It has three passes: a batch of ciphertexts by random weights would have five.
 */
import { createHash } from 'node:crypto';
import type { RandomSource } from '../oblivious-transfer/randomness.ts';
import type { Polynomial, Ring, Small } from './ring.ts';
import { uniformSmall } from './samplers.ts';
import { ERROR_BOUND, HASH_BYTES, proofBytes, type Statement } from './sizes.ts';
import { packed, packedBytes, signed, unpacked } from './words.ts';

/** The transforms of public polynomials, and the coefficients of what was sent, which both ends know. */
export interface Claim {
  readonly statement: Statement;
  /** a′ and the a_k. */
  readonly publics: readonly Polynomial[];
  /** By secret: b′ and the b_k, whose class 0 does not count. */
  readonly sent: readonly (readonly Polynomial[])[];
  /** A hash of all that the proof is for: the task, the sizes, both nonces and everything that was sent. */
  readonly context: Uint8Array;
}

/** By secret: s, and the errors e′ and e_k. */
export interface Witness {
  readonly secret: Small;
  readonly errors: readonly Small[];
}

/** Returns challenges by repetition and secret: exponents of X, multiples of the classes. */
function challengesOf({ classes, degree, repetitions, stages }: Statement, hash: Uint8Array): number[][] {
  const powers = (2 * degree) / classes;
  const bytes = createHash('shake256', { outputLength: 2 * repetitions * stages.length })
    .update(hash)
    .digest();
  return Array.from({ length: repetitions }, (_, r) =>
    stages.map((__, p) => (bytes.readUInt16LE(2 * (r * stages.length + p)) % powers) * classes),
  );
}

/** Clears class 0, which ciphertexts fill as they like. */
function outsideOf(ring: Ring, polynomial: Polynomial, classes: number): void {
  for (let limb = 0; limb < ring.limbs; limb += 1) {
    const words = ring.coefficients(polynomial, limb);
    for (let i = 0; i < words.length; i += classes) words[i] = 0;
  }
}

/** Hashes a_i·z + z_i + Σ X^c b_i for a′ and each a_k, where the commitment has no b. */
class Commitments {
  readonly #hash = createHash('sha256');
  readonly #ring: Ring;
  readonly #claim: Claim;

  constructor(ring: Ring, claim: Claim) {
    this.#ring = ring;
    this.#claim = claim;
    this.#hash.update(claim.context);
  }

  /** A repetition; `answers` are z and the z_i. */
  add(answers: readonly Int32Array[], challenges: readonly number[]): void {
    const ring = this.#ring;
    const { publics, sent, statement } = this.#claim;
    ring.scope(() => {
      const form = lifted(ring, answers[0]!);
      ring.forward(form);
      for (const [i, a] of publics.entries()) {
        ring.scope(() => {
          const sum = ring.polynomial();
          ring.multiplyAdd(sum, a, form);
          ring.inverse(sum);
          ring.add(sum, lifted(ring, answers[i + 1]!));
          for (const [p, exponent] of challenges.entries()) {
            const turned = ring.polynomial();
            ring.shift(turned, sent[p]![i]!, exponent);
            ring.add(sum, turned);
          }
          if (i > 0) outsideOf(ring, sum, statement.classes);
          for (let limb = 0; limb < ring.limbs; limb += 1) {
            const { buffer, byteOffset, byteLength } = ring.coefficients(sum, limb);
            this.#hash.update(new Uint8Array(buffer, byteOffset, byteLength));
          }
        });
      }
    });
  }

  digest(): Uint8Array {
    return this.#hash.digest();
  }
}

function lifted(ring: Ring, entries: Int32Array): Polynomial {
  const small = ring.small();
  ring.entries(small).set(entries);
  const polynomial = ring.polynomial();
  ring.lift(polynomial, small);
  return polynomial;
}

/** target += sign·X^exponent·source in Z[X]/(X^N + 1); the exponent is public. */
function addTurned(target: Int32Array, source: Int32Array, exponent: number, sign: 1 | -1): void {
  const n = target.length;
  const turns = exponent % n;
  const factor = exponent >= n ? -sign : sign;
  for (let i = 0; i < n - turns; i += 1) target[i + turns]! += factor * source[i]!;
  for (let i = n - turns; i < n; i += 1) target[i + turns - n]! -= factor * source[i]!;
}

/** The bits and the greatest magnitude of each answer of a repetition: of z, and of the z_i. */
function rangesOf({ stages, secretMaskBits, errorMaskBits, ciphertexts }: Statement) {
  const secret = { bits: secretMaskBits, most: 2 ** (secretMaskBits - 1) - stages.length - 1 };
  const error = { bits: errorMaskBits, most: 2 ** (errorMaskBits - 1) - ERROR_BOUND * stages.length - 1 };
  return [secret, ...Array.from({ length: ciphertexts + 1 }, () => error)];
}

/** Returns whether answer number `i` of a repetition leaves class 0 out: those for ciphertexts do. */
const leavesOut = (i: number): boolean => i > 1;

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
  const ranges = rangesOf(statement);
  const noChallenges: number[] = [];
  for (let attempt = 0; ; attempt += 1) {
    const random = draws(attempt);
    const commitments = new Commitments(ring, claim);
    const masks = Array.from({ length: statement.repetitions }, () => {
      const drawn = ranges.map(({ bits }, i) => {
        const mask = uniformSmall(ring.degree, bits, random);
        if (leavesOut(i)) clearClass(mask, statement.classes);
        return mask;
      });
      commitments.add(drawn, noChallenges);
      return drawn;
    });
    const hash = commitments.digest();
    const challenges = challengesOf(statement, hash);
    const answers = masks.map((drawn, r) => answersOf(ring, statement, drawn, witnesses, challenges[r]!));
    // Each is looked at, whatever the others are: that one is rejected depends on no secret.
    const rejected = answers.filter((all) => all.some((one, i) => !isWithin(one, ranges[i]!.most)));
    if (rejected.length === 0) return encodeProof(statement, hash, answers);
  }
}

/** Makes of masks z = y + Σ X^c s and z_i = y_i − Σ X^c e_i, outside class 0 where that is left out, in their place. */
function answersOf(
  ring: Ring,
  { classes }: Statement,
  masks: readonly Int32Array[],
  witnesses: readonly Witness[],
  challenges: readonly number[],
): Int32Array[] {
  return masks.map((answer, i) => {
    for (const [p, { secret, errors }] of witnesses.entries()) {
      if (i === 0) addTurned(answer, ring.entries(secret), challenges[p]!, 1);
      else addTurned(answer, ring.entries(errors[i - 1]!), challenges[p]!, -1);
    }
    if (leavesOut(i)) clearClass(answer, classes);
    return answer;
  });
}

function clearClass(entries: Int32Array, classes: number): void {
  for (let i = 0; i < entries.length; i += classes) entries[i] = 0;
}

/**
 * Returns whether the proof holds. It depends on messages alone.
 */
export function verify(ring: Ring, claim: Claim, proof: Uint8Array): boolean {
  const { statement } = claim;
  if (proof.length !== proofBytes(statement)) return false;
  const hash = proof.subarray(0, HASH_BYTES);
  const challenges = challengesOf(statement, hash);
  const ranges = rangesOf(statement);
  const commitments = new Commitments(ring, claim);
  for (const [r, answers] of decodeProof(statement, proof).entries()) {
    if (answers.some((one, i) => !isWithin(one, ranges[i]!.most))) return false;
    commitments.add(answers, challenges[r]!);
  }
  return Buffer.from(commitments.digest()).equals(hash);
}

function encodeProof(statement: Statement, hash: Uint8Array, answers: readonly (readonly Int32Array[])[]) {
  const ranges = rangesOf(statement);
  const parts = answers.flatMap((all) =>
    all.map((one, i) => packed(leavesOut(i) ? outside(one, statement.classes) : one, ranges[i]!.bits)),
  );
  return Buffer.concat([hash, ...parts]);
}

function decodeProof(statement: Statement, proof: Uint8Array): Int32Array[][] {
  const { degree, classes, repetitions } = statement;
  const ranges = rangesOf(statement);
  let at = HASH_BYTES;
  return Array.from({ length: repetitions }, () =>
    ranges.map(({ bits }, i) => {
      const count = leavesOut(i) ? degree - degree / classes : degree;
      const bytes = packedBytes(count, bits);
      const values = signed(unpacked(proof.subarray(at, at + bytes), count, bits), bits);
      at += bytes;
      return leavesOut(i) ? spread(values, degree, classes) : values;
    }),
  );
}

/** The entries outside class 0, and back. */
function outside(entries: Int32Array, classes: number): Int32Array {
  const kept = new Int32Array(entries.length - entries.length / classes);
  for (let i = 0, next = 0; i < entries.length; i += classes) {
    for (let j = i + 1; j < i + classes; j += 1) kept[next++] = entries[j]!;
  }
  return kept;
}

function spread(entries: Int32Array, degree: number, classes: number): Int32Array {
  const all = new Int32Array(degree);
  for (let i = 0, next = 0; i < degree; i += classes) {
    for (let j = i + 1; j < i + classes; j += 1) all[j] = entries[next++]!;
  }
  return all;
}
