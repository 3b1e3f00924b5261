/**
 * Checks that the receiver of the extension has put the same choice bits into all columns: Roy,
 * "SoftSpokenOT" (CRYPTO 2022, section 4), as in the revision of 2022 of Keller, Orsini, Scholl, "Actively
 * secure OT extension with optimal overhead" (CRYPTO 2015).
 *
 * Each block begins with 128 transfers of random choices that nobody uses. c are the choice bits of the
 * block, t_j and q_j its columns at receiver and sender, q_j = t_j ⊕ Δ_j·c. A challenge, a hash of what was
 * sent, picks a linear hash h of 128 bits: GHASH under a key H, the tag of AES-128-GCM for additional data
 * less the tag of as many zeros. The receiver answers with x̄ = h(c) and a digest of all h(t_j). The sender
 * compares that with h(q_j) ⊕ Δ_j·x̄ before it uses a row.
 *
 * Bounds: two columns collide with probability below T / 2^105 for a receiver that tries T blocks. Otherwise
 * it passes with probability 2^−m, and then knows m bits of Δ. Assumptions: SHA-256 as a random oracle, for
 * the challenge and in place of the h(t_j) themselves; AES-128 as an ideal cipher, for H. Why:
 * docs/arguments/primitives.md, "Check of the extension".
 */
import { createCipheriv, createHash, timingSafeEqual } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { TWO_PARTY_CODES } from '../codes.ts';
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

/**
 * The receiver's response, of RESPONSE_BYTES, from its choice bits and its 128 columns, one behind the other,
 * all of one length.
 */
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
    throw new CodedError(
      TWO_PARTY_CODES.ERR_OT_CHECK,
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
