/** The work that a pool hands out: what each job takes and gives, as plain data that can cross to another thread. */

import { aggregateContributions } from './aggregate.ts';
import { decodeCiphertexts } from './ciphertexts.ts';
import { decrypt } from './decryption.ts';
import { type Ciphertext, type EncryptionScheme, encryptMany } from './encryption.ts';
import { type GenerateKeyOptions, generateKeyPair } from './generate.ts';
import { PublicKey, type PublicKeyParts, SecretKey, type SecretKeyParts } from './key.ts';

/**
 * The last few keys of this thread, so that what is computed once per key is not computed once per job. Few, because
 * every task has a key of its own and a forgotten key is one that cannot leak.
 */
class RecentKeys<Key, Parts> {
  readonly #make: (parts: Parts) => Key;
  readonly #keys = new Map<string, Key>();

  constructor(make: (parts: Parts) => Key) {
    this.#make = make;
  }

  get(id: string, parts: Parts): Key {
    const key = this.#keys.get(id) ?? this.#make(parts);
    // A Map keeps the order of insertion: taking a key out and in again makes it the most recent.
    this.#keys.delete(id);
    this.#keys.set(id, key);
    if (this.#keys.size > 4) this.#keys.delete(this.#keys.keys().next().value!);
    return key;
  }
}

const publicKeys = new RecentKeys((parts: PublicKeyParts) => new PublicKey(parts));
const secretKeys = new RecentKeys((parts: SecretKeyParts) => new SecretKey(parts));

function publicKeyOf(parts: PublicKeyParts): PublicKey {
  return publicKeys.get(`${parts.n.toString(36)} ${parts.h?.toString(36)}`, parts);
}

function secretKeyOf(parts: SecretKeyParts): SecretKey {
  return secretKeys.get(`${parts.p.toString(36)} ${parts.q.toString(36)}`, parts);
}

export const jobs = {
  async generateKeyPair(options: GenerateKeyOptions): Promise<SecretKeyParts> {
    const { p, q, publicKey } = await generateKeyPair(options);
    return { p, q, h: publicKey.h };
  },

  encrypt(key: PublicKeyParts, plaintexts: readonly bigint[], scheme: EncryptionScheme): Ciphertext[] {
    return encryptMany(publicKeyOf(key), plaintexts, scheme);
  },

  decrypt(key: SecretKeyParts, ciphertexts: readonly Ciphertext[]): bigint[] {
    const secretKey = secretKeyOf(key);
    return ciphertexts.map((ciphertext) => decrypt(secretKey, ciphertext));
  },

  decode(key: PublicKeyParts, bytes: Uint8Array, count: number, firstIndex: number): Ciphertext[] {
    return decodeCiphertexts(publicKeyOf(key), bytes, count, firstIndex);
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
