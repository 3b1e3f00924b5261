/**
 * Ed25519 signing keys as JWKs (RFC 8037) and their thumbprints (RFC 7638): who somebody is.
 */
import { sha256, toBase64url } from '@eigenveil/platform';
import { Thumbprint } from '@eigenveil/task';
import { exportJWK, generateKeyPair, importJWK } from 'jose';
import { z } from 'zod';

/** The one signature algorithm; a fixed choice leaves no room for algorithm confusion. */
export const SIGNATURE_ALGORITHM = 'Ed25519';

const KEY_MEMBER = /^[A-Za-z0-9_-]{43}$/;

/** A public Ed25519 key. Strict: a JWK that carries `d` or any other member is refused. */
export const PublicJwk = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string().regex(KEY_MEMBER),
});
export type PublicJwk = z.infer<typeof PublicJwk>;

/** A private Ed25519 key, as it lies in a file readable by its owner alone. */
export const PrivateJwk = PublicJwk.extend({ d: z.string().regex(KEY_MEMBER) });
export type PrivateJwk = z.infer<typeof PrivateJwk>;

export const JwkSet = z.object({ keys: z.array(PublicJwk).min(1).max(16) });

/** A signing key in use. `privateKey` is opaque to everything except jose. */
export interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: PublicJwk;
  readonly thumbprint: Thumbprint;
}

/** Draws a new key from the system's CSPRNG, in the form that is stored. */
export async function generatePrivateJwk(): Promise<PrivateJwk> {
  const { privateKey } = await generateKeyPair(SIGNATURE_ALGORITHM, { extractable: true });
  const { kty, crv, x, d } = await exportJWK(privateKey);
  return PrivateJwk.parse({ kty, crv, x, d });
}

/**
 * @example
 * import { generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
 *
 * const key = await importSigningKey(await generatePrivateJwk());
 * key.thumbprint.length; // → 43
 */
export async function importSigningKey(jwk: PrivateJwk): Promise<SigningKey> {
  const publicJwk: PublicJwk = { kty: jwk.kty, crv: jwk.crv, x: jwk.x };
  return {
    privateKey: (await importJWK(jwk, SIGNATURE_ALGORITHM)) as CryptoKey,
    publicJwk,
    thumbprint: await thumbprintOf(publicJwk),
  };
}

/** RFC 7638: a digest of the members that make the key, in the order of their names. */
export async function thumbprintOf({ crv, kty, x }: PublicJwk): Promise<Thumbprint> {
  // Not with jose, which has another thread make so short a digest: that costs ten times as much, once per
  // request.
  return Thumbprint.parse(toBase64url(sha256(JSON.stringify({ crv, kty, x }))));
}
