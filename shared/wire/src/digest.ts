/**
 * SHA-256 digests of JSON (canonical form, RFC 8785) and of bytes, each under a name of its own so that a digest of
 * one kind can never stand for another.
 */
import { createHash } from 'node:crypto';
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
  return digestBytes(kind, Buffer.from(text));
}

/** Digest of bytes, base64url. */
export function digestBytes(kind: string, ...parts: readonly Uint8Array[]): Digest {
  const hash = createHash('sha256').update(`eigenveil/1 ${kind}\0`);
  for (const part of parts) hash.update(part);
  return Digest.parse(hash.digest('base64url'));
}
