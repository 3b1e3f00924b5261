/** Checks the request proofs (DPoP) that come with a service's requests: of the right key, for this address, used once. */
import type { IncomingMessage } from 'node:http';
import { CodedError } from '@eigenveil/platform';
import { CODES, ReplayGuard, type VerifiedProof, verifyProof } from '@eigenveil/wire';

/** Remembers which proofs were used: a ReplayGuard for one process, or what several of them share. */
export interface UsedProofs {
  /** @throws ERR_PROOF_REPLAYED the second time, ERR_BUSY when too many proofs are remembered */
  admit(proofId: string): void | Promise<void>;
}

export class ProofChecker {
  readonly #leg: string;
  readonly #publicUrl: () => string;
  readonly #used: UsedProofs;

  /**
   * `leg` says in refusals who asks whom: from an owner to the CSP. `publicUrl` gives the base address under which peers reach the
   * service, without a trailing slash; a function, since a service that listens on any free port knows its address only then.
   */
  constructor(leg: string, publicUrl: () => string, used: UsedProofs = new ReplayGuard()) {
    this.#leg = leg;
    this.#publicUrl = publicUrl;
    this.#used = used;
  }

  /**
   * Verifies the proof of a request, asks `admit` whether its key may do this, and uses the proof up. In this order a
   * stranger can neither fill the memory of used proofs nor use up somebody else's.
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
   * Only verifies the proof of a request, for a route that learns from the body whether its sender is somebody: that route
   * uses the proof up itself.
   * @throws ERR_AUTH_REQUIRED
   */
  async verify(request: IncomingMessage, token: string | undefined): Promise<VerifiedProof> {
    const header = request.headers.dpop;
    if (typeof header !== 'string')
      throw new CodedError(CODES.ERR_AUTH_REQUIRED, '"DPoP" expected one proof');
    const url = `${this.#publicUrl()}${request.url ?? ''}`;
    return verifyProof(header, { method: request.method ?? '', url, token }, { leg: this.#leg });
  }

  /** @throws ERR_PROOF_REPLAYED the second time, ERR_BUSY when too many proofs are remembered */
  async useUp({ proofId }: VerifiedProof): Promise<void> {
    await this.#used.admit(proofId);
  }
}

/**
 * The token of `Authorization: DPoP <token>`; `kind` says in a refusal what was expected.
 * @throws ERR_AUTH_REQUIRED
 */
export function proofTokenOf(request: IncomingMessage, kind: string): string {
  const [scheme, token, ...rest] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'dpop' || token === undefined || token === '' || rest.length > 0) {
    throw new CodedError(CODES.ERR_AUTH_REQUIRED, `"Authorization" expected DPoP and ${kind}`);
  }
  return token;
}
