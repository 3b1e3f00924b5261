/**
 * Identifies the sender of a request by a proof of possession of a signing key (DPoP, RFC 9449) and, for
 * owners, the CSP's token that binds an owner id to the thumbprint of that key.
 */
import { CodedError, randomBytes, sha256, toBase64url } from '@eigenveil/platform';
import { Thumbprint } from '@eigenveil/task';
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { CODES } from '../codes.ts';
import { OwnerId } from './owner-id.ts';
import { PublicJwk, SIGNATURE_ALGORITHM, type SigningKey, thumbprintOf } from './signatures.ts';

/**
 * The distance in seconds that a proof's time may have from ours, and so the time for which a used proof must
 * be remembered.
 */
export const PROOF_WINDOW_SECONDS = 60;

const PROOF_TYPE = 'dpop+jwt';
const OWNER_TOKEN_TYPE = 'eigenveil-owner+jwt';
const OWNER_TOKEN_AUDIENCE = 'eigenveil/1 data-user';

/** Longer addresses are not repeated in a refusal. */
const LONGEST_ADDRESS = 300;

/**
 * The request that a proof is for: method, absolute URL without query, and the access token if one goes with
 * it.
 */
export interface ProvenRequest {
  readonly method: string;
  readonly url: string;
  readonly token?: string | undefined;
}

const ProofClaims = z.object({
  /** Visible ASCII: a database of used proofs takes neither U+0000 nor half a surrogate pair. */
  jti: z.string().regex(/^[\x21-\x7e]{16,64}$/),
  htm: z.string(),
  htu: z.string(),
  iat: z.int(),
  ath: z.string().optional(),
});

/**
 * The content of a verified proof: whose key it is, and the id under which it must not come a second time.
 */
export interface VerifiedProof {
  readonly publicJwk: PublicJwk;
  readonly thumbprint: Thumbprint;
  readonly proofId: string;
}

export async function createProof(key: SigningKey, request: ProvenRequest): Promise<string> {
  const claims = {
    htm: request.method,
    htu: request.url,
    ...(request.token === undefined ? {} : { ath: tokenHash(request.token) }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: PROOF_TYPE, jwk: key.publicJwk })
    .setJti(toBase64url(randomBytes(16)))
    .setIssuedAt()
    .sign(key.privateKey);
}

/**
 * Verifies that `proof` was made for this very request by the holder of the key it names. The caller still
 * has to decide whether that key may do this, and then to admit the proof's id once (ReplayGuard). `leg` says
 * in a refusal who asks whom.
 * @throws ERR_AUTH_REQUIRED
 */
export async function verifyProof(
  proof: string,
  request: ProvenRequest,
  { now = new Date(), leg = 'of a request' }: { readonly now?: Date; readonly leg?: string } = {},
): Promise<VerifiedProof> {
  let mended = 'a fresh proof for this request';
  try {
    const publicJwk = PublicJwk.parse(decodeProtectedHeader(proof).jwk);
    const { payload } = await jwtVerify(proof, publicJwk, {
      algorithms: [SIGNATURE_ALGORITHM],
      typ: PROOF_TYPE,
      currentDate: now,
    });
    const claims = ProofClaims.parse(payload);
    const expectedHash = request.token === undefined ? undefined : tokenHash(request.token);
    const fresh = Math.abs(now.getTime() / 1000 - claims.iat) <= PROOF_WINDOW_SECONDS;
    if (!fresh) mended = `a proof of the last ${PROOF_WINDOW_SECONDS} seconds: compare the clocks of both`;
    const [ours, theirs] = [URL.parse(request.url)?.origin, httpsOrigin(claims.htu)];
    if (theirs !== undefined && theirs !== ours) {
      // Neither is a secret: the one is what all peers are to use, the other came from the peer.
      mended = `a proof for ${ours}, got one for ${theirs}: give the client the former address, or the service the latter as --public-url`;
    }
    if (
      !fresh ||
      claims.htm !== request.method ||
      claims.htu !== request.url ||
      claims.ath !== expectedHash
    ) {
      throw new TypeError('the proof is for another request or time');
    }
    const thumbprint = await thumbprintOf(publicJwk);
    return { publicJwk, thumbprint, proofId: `${thumbprint}.${claims.jti}` };
  } catch (cause) {
    throw new CodedError(CODES.ERR_AUTH_REQUIRED, `"DPoP" ${leg} expected ${mended}`, { cause });
  }
}

/** The address part of what a peer has sent, in the one way to write it. */
function httpsOrigin(url: string): string | undefined {
  const { protocol, origin } = URL.parse(url) ?? {};
  return protocol === 'https:' && origin!.length <= LONGEST_ADDRESS ? origin : undefined;
}

/**
 * Remembers used proofs for as long as they would be accepted. Held in memory: after a restart a proof could
 * be used twice within the window, which is harmless because every request that it can carry is idempotent.
 */
export class ReplayGuard {
  /** In the order of their expiry, which is that of their insertion. */
  readonly #expiries = new Map<string, number>();
  readonly #capacity: number;
  /**
   * The iterator that finds the oldest one. It is kept, since a new iterator walks over everything that was
   * deleted before, tens of thousands of places at hundreds of requests a second.
   */
  #rest: MapIterator<[string, number]> | undefined;
  #oldest: [string, number] | undefined;

  constructor(capacity = 200_000) {
    this.#capacity = capacity;
  }

  /**
   * Admits a proof id once.
   * @throws ERR_PROOF_REPLAYED the second time, ERR_BUSY when the memory is full
   */
  admit(proofId: string, now = Date.now()): void {
    this.#forgetExpired(now);
    if (this.#expiries.has(proofId))
      throw new CodedError(CODES.ERR_PROOF_REPLAYED, '"DPoP" expected a proof not used before');
    if (this.#expiries.size >= this.#capacity) {
      throw new CodedError(CODES.ERR_BUSY, 'too many requests within a minute', {
        retryAfterSeconds: PROOF_WINDOW_SECONDS,
      });
    }
    // A proof is accepted from window before its time to window after it, so for twice the window at most.
    this.#expiries.set(proofId, now + 2 * PROOF_WINDOW_SECONDS * 1000);
  }

  #forgetExpired(now: number): void {
    for (;;) {
      this.#rest ??= this.#expiries.entries();
      this.#oldest ??= this.#rest.next().value;
      if (this.#oldest === undefined) {
        this.#rest = undefined; // an iterator that has come to its end stays there
        return;
      }
      const [id, expiry] = this.#oldest;
      if (expiry > now) return;
      this.#expiries.delete(id);
      this.#oldest = undefined;
    }
  }
}

/**
 * The CSP's statement that `ownerId` is the holder of the key with this thumbprint.
 * @example
 * import { issueOwnerToken, verifyOwnerToken } from '@eigenveil/wire';
 *
 * const token = await issueOwnerToken(cspSigningKey, { ownerId, thumbprint: key.thumbprint, lifetimeSeconds: 3600 });
 * const { thumbprint } = await verifyOwnerToken(token, cspSigningKey.publicJwk);
 */
export async function issueOwnerToken(
  cspKey: SigningKey,
  owner: { ownerId: OwnerId; thumbprint: Thumbprint; lifetimeSeconds: number },
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ cnf: { jkt: owner.thumbprint } })
    .setProtectedHeader({ alg: SIGNATURE_ALGORITHM, typ: OWNER_TOKEN_TYPE })
    .setIssuer(cspKey.thumbprint)
    .setSubject(owner.ownerId)
    .setAudience(OWNER_TOKEN_AUDIENCE)
    .setIssuedAt(now)
    .setExpirationTime(now + owner.lifetimeSeconds)
    .sign(cspKey.privateKey);
}

const OwnerTokenClaims = z.object({ sub: OwnerId, cnf: z.object({ jkt: Thumbprint }) });

/**
 * Verifies an owner token under the pinned CSP's key.
 * @throws ERR_TOKEN_EXPIRED or ERR_AUTH_REQUIRED
 */
export async function verifyOwnerToken(
  token: string,
  cspJwk: PublicJwk,
  now = new Date(),
): Promise<{ ownerId: OwnerId; thumbprint: Thumbprint }> {
  try {
    const { payload } = await jwtVerify(token, cspJwk, {
      algorithms: [SIGNATURE_ALGORITHM],
      typ: OWNER_TOKEN_TYPE,
      issuer: await thumbprintOf(cspJwk),
      audience: OWNER_TOKEN_AUDIENCE,
      requiredClaims: ['exp', 'iat'],
      currentDate: now,
    });
    const claims = OwnerTokenClaims.parse(payload);
    return { ownerId: claims.sub, thumbprint: claims.cnf.jkt };
  } catch (cause) {
    if (cause instanceof errors.JWTExpired) {
      throw new CodedError(CODES.ERR_TOKEN_EXPIRED, '"Authorization" expected a token that has not expired', {
        cause,
      });
    }
    throw new CodedError(CODES.ERR_AUTH_REQUIRED, '"Authorization" expected a token of the pinned CSP', {
      cause,
    });
  }
}

function tokenHash(token: string): string {
  return toBase64url(sha256(token));
}
