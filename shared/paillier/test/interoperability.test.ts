/** paillier-bigint as the oracle: keys, ciphertexts and sums both ways. */

import * as theirs from 'paillier-bigint';
import { describe, expect, it } from 'vitest';
import { encryptMany } from '../src/encryption.ts';
import {
  add,
  type Ciphertext,
  decodeCiphertexts,
  decrypt,
  encodeCiphertexts,
  PublicKey,
  SecretKey,
} from '../src/index.ts';
import { inverse, squareRoot } from './arithmetic.ts';
import { testKey } from './keys.ts';

/** Our key in paillier-bigint's form, with g = n + 1. */
function toTheirs({ p, q, publicKey: { n } }: SecretKey): theirs.PrivateKey {
  const lambda = (p - 1n) * (q - 1n);
  return new theirs.PrivateKey(lambda, inverse(lambda, n), new theirs.PublicKey(n, n + 1n), p, q);
}

/** Their simple-variant key in our form. With lambda = (p - 1)(q - 1), p + q is n - lambda + 1. */
function fromTheirs({ lambda, n }: theirs.PrivateKey): SecretKey {
  const sum = n - lambda + 1n;
  const p = (sum + squareRoot(sum * sum - 4n * n)) / 2n;
  return new SecretKey({ p, q: n / p });
}

describe.each([1024, 2048, 3072] as const)('with paillier-bigint at %i bits', (bits) => {
  const ours = testKey(bits);
  const { publicKey } = ours;
  const { n } = publicKey;
  const other = toTheirs(ours);
  const plaintexts = [1n, n - 1n];

  const DECRYPT = 'they decrypt and add our %s ciphertexts';
  it.each(['djn'] as const)(DECRYPT, decryptOurs);
  it.each(['standard'] as const)(DECRYPT, { tags: ['long'] }, decryptOurs);
  function decryptOurs(scheme: 'standard' | 'djn'): void {
    const [one, minusOne] = encryptMany(publicKey, plaintexts, scheme);
    expect([other.decrypt(one!), other.decrypt(minusOne!)]).toEqual(plaintexts);
    expect(other.decrypt(other.publicKey.addition(one!, minusOne!, minusOne!))).toBe(n - 1n);
    expect(other.decrypt(add(publicKey, minusOne!, minusOne!))).toBe(n - 2n);
  }

  it('we decode, decrypt and add their ciphertexts', () => {
    const theirCiphertexts = plaintexts.map((m) => other.publicKey.encrypt(m) as Ciphertext);
    const bytes = encodeCiphertexts(publicKey, theirCiphertexts);
    const [one, minusOne] = decodeCiphertexts(publicKey, bytes, theirCiphertexts.length);
    expect([decrypt(ours, one!), decrypt(ours, minusOne!)]).toEqual([1n, n - 1n]);
    expect(decrypt(ours, add(publicKey, one!, minusOne!))).toBe(0n);
    expect(add(publicKey, one!, minusOne!)).toBe(other.publicKey.addition(one!, minusOne!));
    expect(decrypt(ours, other.publicKey.multiply(one!, 5n) as Ciphertext)).toBe(5n);
  });

  it('keys go through JSON, to them and back', () => {
    const options = { allowInsecureKey: true };
    const stored = SecretKey.fromJSON(JSON.parse(JSON.stringify(ours)), options);
    const back = fromTheirs(toTheirs(stored));
    expect(new Set([back.p, back.q])).toEqual(new Set([ours.p, ours.q]));
    const back2 = PublicKey.fromJSON(JSON.parse(JSON.stringify(back.publicKey)), options);
    expect(back2.n).toBe(n);
  });
});

it('a key that they made works here', { tags: ['long'] }, async () => {
  const { privateKey, publicKey } = await theirs.generateRandomKeys(1024, true);
  const made = fromTheirs(privateKey);
  const ours = SecretKey.fromJSON(JSON.parse(JSON.stringify(made)), { allowInsecureKey: true });
  expect(decrypt(ours, publicKey.encrypt(424242n) as Ciphertext)).toBe(424242n);
  expect(privateKey.decrypt(encryptMany(ours.publicKey, [77n], 'standard')[0]!)).toBe(77n);
});
