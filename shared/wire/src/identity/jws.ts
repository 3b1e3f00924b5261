/**
 * Signed statements: compact JWS with a type of their own in the header, so that no statement can pass for
 * another.
 */
import { CodedError, concatBytes, textOf, utf8 } from '@eigenveil/platform';
import { CompactSign, compactVerify, decodeProtectedHeader } from 'jose';
import type { z } from 'zod';
import { CODES } from '../codes.ts';
import type { ErrorCode } from '../errors.ts';
import { PublicJwk, SIGNATURE_ALGORITHM, type SigningKey } from './keys.ts';

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
