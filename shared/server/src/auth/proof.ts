/**
 * Checks the request proofs (DPoP) that come with a service's requests, and admits owners by them: each proof
 * must be made with the right key, for this address, and used once.
 */

import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import {
  CODES,
  type OwnerId,
  type PublicJwk,
  ReplayGuard,
  type VerifiedProof,
  verifyOwnerToken,
  verifyProof,
} from '@eigenveil/wire';
import type { Authenticator } from '../http/routes.ts';

/**
 * Remembers which proofs were used: a ReplayGuard for one process, or a memory that several processes share.
 */
export interface UsedProofs {
  /** @throws ERR_PROOF_REPLAYED the second time, ERR_BUSY when too many proofs are remembered */
  admit(proofId: string): void | Promise<void>;
}

export class ProofChecker {
  readonly #leg: string;
  readonly #publicUrl: () => string;
  readonly #used: UsedProofs;

  /**
   * `leg` says in refusals who asks whom: from an owner to the CSP. `publicUrl` gives the base address under
   * which peers reach the service, without a trailing slash; a function, since a service that listens on any
   * free port knows its address only then.
   */
  constructor(leg: string, publicUrl: () => string, used: UsedProofs = new ReplayGuard()) {
    this.#leg = leg;
    this.#publicUrl = publicUrl;
    this.#used = used;
  }

  /**
   * Verifies the proof of a request, asks `admit` whether its key may do this, and marks the proof as used.
   * In this order a stranger can neither fill the memory of used proofs nor use somebody else's.
   * @throws ERR_AUTH_REQUIRED, ERR_PROOF_REPLAYED, ERR_BUSY and what `admit` throws
   */
  async check<Identity>(
    request: IncomingMessage,
    token: string | undefined,
    admit: (proof: VerifiedProof) => Identity | Promise<Identity>,
  ): Promise<Identity> {
    const proof = await this.verify(request, token);
    const identity = await admit(proof);
    await this.useUp(proof);
    return identity;
  }

  /**
   * Verifies only the proof of a request, for a route that learns from the body whether its sender is known:
   * that route marks the proof as used itself.
   * @throws ERR_AUTH_REQUIRED
   */
  async verify(request: IncomingMessage, token: string | undefined): Promise<VerifiedProof> {
    const header = request.headers.dpop;
    if (typeof header !== 'string')
      throw new CodedError(CODES.ERR_AUTH_REQUIRED, '"DPoP" expected one proof');
    const url = `${this.#publicUrl()}${request.url ?? ''}`;
    return verifyProof(header, { method: request.method ?? '', url, token }, { leg: this.#leg });
  }

  /**
   * Marks a proof as used.
   * @throws ERR_PROOF_REPLAYED the second time, ERR_BUSY when too many proofs are remembered
   */
  async useUp({ proofId }: VerifiedProof): Promise<void> {
    await this.#used.admit(proofId);
  }
}

/**
 * Returns the token of `Authorization: DPoP <token>`; `kind` says in a refusal what was expected.
 * @throws ERR_AUTH_REQUIRED
 */
export function proofTokenOf(request: IncomingMessage, kind: string): string {
  const [scheme, token, ...rest] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'dpop' || token === undefined || token === '' || rest.length > 0) {
    throw new CodedError(CODES.ERR_AUTH_REQUIRED, `"Authorization" expected DPoP and ${kind}`);
  }
  return token;
}

/** An owner whose token and request proof have been verified. */
export interface Owner {
  readonly ownerId: OwnerId;
  readonly publicJwk: PublicJwk;
}

/**
 * Makes an authenticator of owners: an owner shows the CSP's token and proves that it holds the key which the
 * token names.
 * @example
 * import { ownerAuthenticator, ProofChecker } from '@eigenveil/server';
 *
 * const proofs = new ProofChecker('from an owner to the data user', () => 'https://user.example.org:8444');
 * const owner = ownerAuthenticator(() => cspKey, proofs);
 */
export function ownerAuthenticator(
  cspIdentity: () => PublicJwk | Promise<PublicJwk>,
  proofs: ProofChecker,
): Authenticator<Owner> {
  return {
    challenge: 'DPoP',
    known: ({ ownerId }) => ({ kind: 'owner', id: ownerId }),
    description: "The CSP's owner token and a proof of possession of the key that it names.",
    authenticate(request) {
      const token = proofTokenOf(request, 'an owner token');
      return proofs.check(request, token, async ({ thumbprint, publicJwk }) => {
        const claims = await verifyOwnerToken(token, await cspIdentity());
        if (claims.thumbprint !== thumbprint) {
          throw new CodedError(CODES.ERR_AUTH_REQUIRED, '"DPoP" expected the key that the owner token names');
        }
        return { ownerId: claims.ownerId, publicJwk };
      });
    },
  };
}
