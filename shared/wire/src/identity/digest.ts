/**
 * SHA-256 digests of JSON (canonical form, RFC 8785) and of bytes, each under a name of its own so that a
 * digest of one kind can never stand for another.
 */
import { fromBase64url, sha256Hasher, toBase64url, utf8 } from '@eigenveil/platform';
import canonicalize from 'canonicalize';
import { z } from 'zod';

export const Digest = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/)
  .brand('Digest');
export type Digest = z.infer<typeof Digest>;

/**
 * Digest of a JSON value; equal for equal values, whatever the order of their members.
 * @example
 * import { digestJson } from '@eigenveil/wire';
 *
 * digestJson('point', { x: 1, y: 2 }) === digestJson('point', { y: 2, x: 1 }); // → true
 */
export function digestJson(kind: string, value: unknown): Digest {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('"value" expected a JSON value');
  return digestBytes(kind, utf8(text));
}

/**
 * Returns whether two JSON values are the same, whatever the order of their members; undefined is the same as
 * undefined.
 */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  canonicalize(one) === canonicalize(other);

/** Digest of bytes, base64url. */
export function digestBytes(kind: string, ...parts: readonly Uint8Array[]): Digest {
  const hasher = digestHasher(kind);
  for (const part of parts) hasher.update(part);
  return hasher.digest();
}

/** Digests bytes that come part by part. */
export function digestHasher(kind: string): { update(part: Uint8Array): void; digest(): Digest } {
  const hash = sha256Hasher().update(`eigenveil/1 ${kind}\0`);
  return {
    update: (part) => void hash.update(part),
    digest: () => digestOfHash(hash.digest()),
  };
}

/** The text of 32 bytes. */
export const digestOfHash = (bytes: Uint8Array): Digest => Digest.parse(toBase64url(bytes));

/** The 32 bytes of a digest; undefined where the last character stands for more than they have. */
export function bytesOfDigest(digest: Digest): Uint8Array | undefined {
  try {
    return fromBase64url(digest);
  } catch {
    return undefined;
  }
}
