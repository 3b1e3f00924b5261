/**
 * Identities and what they sign: Ed25519 signing keys as JWKs (RFC 8037) with their thumbprints (RFC 7638),
 * and signed statements, which are compact JWS with a type of their own in the header, so that no statement can pass for
 * another.
 */
import { CodedError, concatBytes, sha256, textOf, toBase64url, utf8 } from '@eigenveil/platform';
import { Thumbprint } from '@eigenveil/task';
import {
  CompactSign,
  compactVerify,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';
import { z } from 'zod';
import { CODES } from '../codes.ts';
import type { ErrorCode } from '../errors.ts';

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

/** A kind of signed statement: its JWS type, its payload and the error that a bad one gets. */
export interface Statement<Schema extends z.ZodType> {
  readonly type: string;
  readonly schema: Schema;
  readonly code: ErrorCode;
}

/**
 * Signs `payload` as a statement of the given kind; the signer's public key travels in the header.
 * @param leastBytes so long its JSON is at least, by spaces at its end: of numbers whose lengths must not be
 * seen on the line
 * @example
 * import { RECEIPT, signStatement, verifyStatement } from '@eigenveil/wire';
 *
 * const jws = await signStatement(RECEIPT, key, { ...record, receivedAt: new Date().toISOString() });
 * const { contributionDigest } = await verifyStatement(RECEIPT, jws, key.publicJwk);
 */
export async function signStatement<Schema extends z.ZodType>(
  statement: Statement<Schema>,
  key: SigningKey,
  payload: z.input<Schema>,
  leastBytes = 0,
): Promise<string> {
  const json = utf8(JSON.stringify(statement.schema.parse(payload)));
  const padding = utf8(' '.repeat(Math.max(0, leastBytes - json.length)));
  return new CompactSign(concatBytes(json, padding))
    .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: statement.type, jwk: key.publicJwk })
    .sign(key.privateKey);
}

/**
 * Verifies a statement under `publicKey` and returns its payload.
 * @throws the statement's error when the signature, the type or the payload is wrong; the error does not say
 * which, so that a forger learns nothing
 */
export async function verifyStatement<Schema extends z.ZodType>(
  statement: Statement<Schema>,
  jws: string,
  publicKey: PublicJwk,
): Promise<z.output<Schema>> {
  try {
    // jose imports a JWK once, as long as it is the same object.
    const { payload, protectedHeader } = await compactVerify(jws, publicKey, {
      algorithms: [SIGNATURE_ALGORITHM],
    });
    if (protectedHeader.typ !== statement.type) throw new TypeError('wrong type');
    return statement.schema.parse(JSON.parse(textOf(payload)));
  } catch (cause) {
    throw new CodedError(
      CODES[statement.code],
      `"${statement.type}" expected a statement signed by the right key`,
      { cause },
    );
  }
}

/**
 * The public key that a statement names as its signer's. It proves nothing by itself: the caller decides by
 * the key's thumbprint whether it is somebody, and then verifies under it.
 */
export function claimedSigner<Schema extends z.ZodType>(
  statement: Statement<Schema>,
  jws: string,
): PublicJwk {
  try {
    return PublicJwk.parse(decodeProtectedHeader(jws).jwk);
  } catch (cause) {
    throw new CodedError(
      CODES[statement.code],
      `"${statement.type}" expected a compact JWS that names its key`,
      {
        cause,
      },
    );
  }
}
