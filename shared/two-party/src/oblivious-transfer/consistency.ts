/**
 * The check that makes the extension safe from a receiver that deviates: one that puts other choice bits into some columns than into
 * others, to learn bits of Δ from what fails afterwards. It is that of Roy, "SoftSpokenOT" (CRYPTO 2022, section 4), which the revision of
 * 2022 of Keller, Orsini, Scholl, "Actively secure OT extension with optimal overhead" (CRYPTO 2015) took over: Roy found the lemma
 * false on which their first check stood, a single sum of rows in GF(2^128). So every column is hashed by itself here.
 *
 * Each block begins with 128 transfers of random choices that nobody uses. Let c be the choice bits of the block, t_j and q_j its columns
 * at receiver and sender, q_j = t_j ⊕ Δ_j·c, and h a linear hash of 128 bits that a challenge picks. The receiver answers with x̄ =
 * h(c) and a digest of all h(t_j); the sender, for which h(t_j) = h(q_j) ⊕ Δ_j·x̄, compares before it uses a row.
 *
 * - h is GHASH under a key H, as node:crypto has it: the tag of AES-128-GCM for additional data, from which the tag of as many zeros
 *   takes away what is not linear. Two columns of n ≤ 513 blocks of 128 bits that differ have the same hash with probability
 *   at most (n + 1) / 2^128, the roots of a polynomial.
 * - The challenge is a hash of the base transfers, the block's place and all its corrections (Fiat, Shamir), so it costs no trip. A
 *   receiver can try T blocks before it sends one: any two of 128 columns collide in one of them with probability below T / 2^105. It has
 *   no longer than the sender waits for a message.
 * - Without collisions, let e_j be what the receiver added to c in column j. It passes if and only if it has guessed Δ_j in every column with
 *   h(c ⊕ e_j) ≠ x̄: with probability 2^−m for m such columns, and then it knows these m bits of Δ and no more. All other columns
 *   agree on one c. So its rows are those of an honest receiver that was told m bits of Δ, and finding the other 127 − m is no easier
 *   than finding all would have been. A bit that it knows anyway, as the lowest where Δ is odd, gains it nothing.
 * - x̄ tells the sender nothing: the random choices enter it times a power of H, as 128 uniform bits unless H = 0. The digest follows from
 *   x̄ and what the sender has.
 *
 * Assumptions: SHA-256 as a random oracle, for the challenge and in the place of the h(t_j) themselves; AES-128 as an ideal cipher, for H.
 */
import { createCipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { TwoPartyError } from '../errors.ts';
import { bitAt } from './base.ts';
import { COLUMNS } from './transposition.ts';

/** Transfers of a block that are used up: they come first, so that they fill one block of the hash. */
export const CHECK_ROWS = 128;

const HASH_BYTES = 16;
const DIGEST_BYTES = 32;
/** x̄ and the digest. */
export const RESPONSE_BYTES = HASH_BYTES + DIGEST_BYTES;

const CHALLENGE_DOMAIN = 'eigenveil extension challenge v1';
const RESPONSE_DOMAIN = 'eigenveil extension response v1';
const NONCE = new Uint8Array(12);

/** The challenge for a block: `transcript` is that of the base transfers, `header` names its place. */
export function challengeOf(transcript: Uint8Array, header: Uint8Array, corrections: Uint8Array): Uint8Array {
  return createHash('sha256')
    .update(CHALLENGE_DOMAIN)
    .update(transcript)
    .update(header)
    .update(corrections)
    .digest()
    .subarray(0, HASH_BYTES);
}

/** The receiver's response, of RESPONSE_BYTES, from its choice bits and its 128 columns, one behind the other, all of one length. */
export function respond(challenge: Uint8Array, choices: Uint8Array, columns: Uint8Array): Uint8Array {
  const hash = linearHash(challenge, choices.length);
  return Buffer.concat([hash(choices), digestOf(challenge, hashColumns(hash, columns))]);
}

/**
 * Compares the receiver's response with the sender's columns.
 * @throws ERR_OT_CHECK
 */
export function checkResponse(
  challenge: Uint8Array,
  response: Uint8Array,
  columns: Uint8Array,
  delta: Uint8Array,
): void {
  const hashes = hashColumns(linearHash(challenge, columns.length / COLUMNS), columns);
  for (let j = 0; j < COLUMNS; j += 1) {
    const mask = -bitAt(delta, j);
    for (let b = 0; b < HASH_BYTES; b += 1) {
      const at = j * HASH_BYTES + b;
      hashes[at] = hashes[at]! ^ (response[b]! & mask);
    }
  }
  if (!timingSafeEqual(digestOf(challenge, hashes), response.subarray(HASH_BYTES))) {
    throw new TwoPartyError(
      'ERR_OT_CHECK',
      'the peer deviates or is broken: its transfers contradict each other',
    );
  }
}

/** GHASH of strings of `length` bytes, without what is not linear in them. */
export function linearHash(key: Uint8Array, length: number): (bytes: Uint8Array) => Uint8Array {
  const tagOf = (bytes: Uint8Array) => {
    const cipher = createCipheriv('aes-128-gcm', key, NONCE).setAAD(bytes);
    cipher.final();
    return cipher.getAuthTag();
  };
  const offset = tagOf(new Uint8Array(length));
  return (bytes) => tagOf(bytes).map((byte, b) => byte ^ offset[b]!);
}

function hashColumns(hash: (bytes: Uint8Array) => Uint8Array, columns: Uint8Array): Uint8Array {
  const length = columns.length / COLUMNS;
  const hashes = new Uint8Array(COLUMNS * HASH_BYTES);
  for (let j = 0; j < COLUMNS; j += 1) {
    hashes.set(hash(columns.subarray(j * length, (j + 1) * length)), j * HASH_BYTES);
  }
  return hashes;
}

function digestOf(challenge: Uint8Array, hashes: Uint8Array): Uint8Array {
  return createHash('sha256').update(RESPONSE_DOMAIN).update(challenge).update(hashes).digest();
}
