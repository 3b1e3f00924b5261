/** The published protocol done literally with paillier-bigint: one ciphertext for each value, of the full R too. */
import { bytesToBigint, type SecretKey } from '@eigenveil/paillier';
import type { Statistics } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { modInv } from 'bigint-crypto-utils';
import { PrivateKey, PublicKey } from 'paillier-bigint';

/** The same key in paillier-bigint, with g = n + 1; the private key knows p and q, so it decrypts by remainders. */
export function literalKey({ p, q, publicKey: { n } }: SecretKey): PrivateKey {
  const lambda = (p - 1n) * (q - 1n);
  return new PrivateKey(lambda, modInv(lambda, n), new PublicKey(n, n + 1n), p, q);
}

/** The numbers that are encrypted one by one: the full symmetric R, then V and Q, or V_k and M_k of each class. */
export function literalValues({ features }: StatisticsTask, { R, labellings }: Statistics): bigint[] {
  const d = features.length;
  const upper = (i: number, j: number) => R[i * d - (i * (i - 1)) / 2 + (j - i)]!;
  const full = Array.from({ length: d * d }, (_, at) => {
    const [i, j] = [Math.floor(at / d), at % d];
    return upper(Math.min(i, j), Math.max(i, j));
  });
  return [...full, ...labellings.flat().flatMap(({ V, M }) => [...V, M])];
}

/** Negative values mod n. */
export function encryptLiterally(key: PublicKey, values: readonly bigint[]): bigint[] {
  return values.map((value) => key.encrypt(value < 0n ? value + key.n : value));
}

/** The sums of ciphertexts and those of one more contribution, which are read from bytes. */
export function addLiterally(
  key: PublicKey,
  sums: readonly bigint[],
  contribution: readonly Uint8Array[],
): bigint[] {
  return sums.map((sum, i) => key.addition(sum, bytesToBigint(contribution[i]!)));
}

/** Upper half of [0, n) as negative. */
export function decryptLiterally(key: PrivateKey, ciphertexts: readonly bigint[]): bigint[] {
  return ciphertexts.map((ciphertext) => {
    const value = key.decrypt(ciphertext);
    return value > key.n / 2n ? value - key.n : value;
  });
}

/**
 * Evenly spread over the values in order of size: paillier-bigint takes longer for long plaintexts, of which negative
 * ones are the longest, so the sample must have the shares of them that the whole has.
 */
export function representative(values: readonly bigint[], count: number): bigint[] {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return Array.from({ length: count }, (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / count)]!);
}
