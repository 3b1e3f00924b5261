/**
 * The work that a pool hands out: what each job takes and gives, as plain data that can cross to another
 * thread.
 */

import { bitLength } from '@eigenveil/platform';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { bytesToBigint, writeBigint } from '../arithmetic/bytes.ts';
import { decodeCiphertexts } from '../ciphertexts.ts';
import { decrypt } from '../decryption.ts';
import { type Ciphertext, type EncryptionScheme, encryptMany } from '../encryption.ts';
import { aggregateContributions } from '../homomorphic.ts';
import { type GenerateKeyOptions, generateKeyPair } from '../keys/generate.ts';
import { PublicKey, type PublicKeyParts } from '../keys/public-key.ts';
import { SecretKey } from '../keys/secret-key.ts';

/**
 * The last few public keys of this thread, so that what is computed once per key is not computed once per
 * job. No secret key is kept: each decrypts once, so that nothing would be saved, and would lie here for as
 * long as the thread lives.
 */
const publicKeys = new Map<string, PublicKey>();
const MOST_KEYS = 4;

function publicKeyOf(parts: PublicKeyParts): PublicKey {
  const id = `${parts.n.toString(36)} ${parts.h?.toString(36)}`;
  const key = publicKeys.get(id) ?? new PublicKey(parts);
  // A Map keeps the order of insertion: taking a key out and in again makes it the most recent.
  publicKeys.delete(id);
  publicKeys.set(id, key);
  if (publicKeys.size > MOST_KEYS) publicKeys.delete(publicKeys.keys().next().value!);
  return key;
}

const jobs = {
  async generateKeyPair(options: GenerateKeyOptions): Promise<KeyCarrier> {
    return carry(await generateKeyPair(options));
  },

  encrypt(key: PublicKeyParts, plaintexts: readonly bigint[], scheme: EncryptionScheme): Ciphertext[] {
    return encryptMany(publicKeyOf(key), plaintexts, scheme);
  },

  /** Uses the key up. */
  decrypt(key: KeyCarrier, ciphertexts: readonly Ciphertext[]): bigint[] {
    const secretKey = arrive(key);
    return ciphertexts.map((ciphertext) => decrypt(secretKey, ciphertext));
  },

  decode(key: PublicKeyParts, bytes: Uint8Array, count: number, firstIndex: number): Ciphertext[] {
    return decodeCiphertexts(publicKeyOf(key), bytes, count, firstIndex);
  },

  /** Checks what `decode` checks; of what it has read, nothing has to cross to another thread. */
  check(...input: [key: PublicKeyParts, bytes: Uint8Array, count: number, firstIndex: number]): never[] {
    jobs.decode(...input);
    return [];
  },

  aggregate(
    key: PublicKeyParts,
    aggregate: readonly Ciphertext[],
    contributions: readonly Uint8Array[],
  ): Ciphertext[] {
    return aggregateContributions(publicKeyOf(key), aggregate, contributions);
  },
};

export type JobName = keyof typeof jobs;
export type JobInput<Name extends JobName> = Parameters<(typeof jobs)[Name]>;
export type JobOutput<Name extends JobName> = Awaited<ReturnType<(typeof jobs)[Name]>>;

export async function perform<Name extends JobName>(
  name: Name,
  input: JobInput<Name>,
): Promise<JobOutput<Name>> {
  const job = jobs[name] as (...input: JobInput<Name>) => JobOutput<Name> | Promise<JobOutput<Name>>;
  return await job(...input);
}

/**
 * A secret key on its way between threads: its primes, which move, are not copied, and are overwritten on
 * arrival.
 */
interface KeyCarrier {
  /** p, then q, big-endian and of the same length; the whole of a buffer. */
  readonly primes: Uint8Array<ArrayBuffer>;
  /** A public number. */
  readonly h?: bigint | undefined;
}

export function carry({ p, q, publicKey: { h } }: SecretKey): KeyCarrier {
  const length = Math.ceil(Math.max(bitLength(p), bitLength(q)) / 8);
  const primes = new Uint8Array(2 * length);
  writeBigint(primes, p, 0, length);
  writeBigint(primes, q, length, length);
  return { primes, h };
}

/**
 * The key that was carried; its bytes are overwritten, so that this can be done once. What BigInts hold only
 * the garbage collector takes.
 */
export function arrive({ primes, h }: KeyCarrier): SecretKey {
  const length = primes.length / 2;
  const key = new SecretKey({
    p: bytesToBigint(primes.subarray(0, length)),
    q: bytesToBigint(primes.subarray(length)),
    h,
  });
  primes.fill(0);
  return key;
}

export type Moved = ReturnType<typeof move>;

/** Bytes with a buffer of their own, which may move to another thread: nobody else has them afterwards. */
export type Movable = Uint8Array<ArrayBuffer>;

/** `message` for another thread, to which these bytes in it move. */
export function moveWith(bytes: readonly Movable[], message: object): Moved {
  return move({ [transferableSymbol]: bytes.map(({ buffer }) => buffer), [valueSymbol]: message });
}
