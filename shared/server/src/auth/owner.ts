/** Who an owner is to a service: the holder of the CSP's owner token and of the key that it names. */
import { CodedError } from '@eigenveil/platform';
import { CODES, type OwnerId, type PublicJwk, verifyOwnerToken } from '@eigenveil/wire';
import type { Authenticator } from '../http/routes.ts';
import { type ProofChecker, proofTokenOf } from './proof.ts';

/** An owner whose token and request proof have been verified. */
export interface Owner {
  readonly ownerId: OwnerId;
  readonly publicJwk: PublicJwk;
}

/**
 * An owner shows the CSP's token and proves that it holds the key which the token names.
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
