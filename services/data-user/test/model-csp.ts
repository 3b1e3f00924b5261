/** A CSP that revokes owners, takes records and fixes them as the real one does, in memory; tests make it deviate. */
import { CodedError } from '@eigenveil/platform';
import {
  CODES,
  ContributionTree,
  FixationRequest,
  OwnerId,
  type PublicJwk,
  REVOCATIONS,
  type SigningKey,
  signStatement,
  type TreeContribution,
} from '@eigenveil/wire';
import type { z } from 'zod';

export class ModelCsp {
  readonly revoked = new Set<OwnerId>();
  number = 0;
  fixed: FixationRequest | undefined;
  /** Of one task. A record is the owner's id. */
  readonly #records = new Map<OwnerId, TreeContribution>();
  readonly #key: SigningKey;
  readonly #now: () => Date;
  readonly #digest: TreeContribution['contributionDigest'];

  constructor(key: SigningKey, now: () => Date, digest: TreeContribution['contributionDigest']) {
    this.#key = key;
    this.#now = now;
    this.#digest = digest;
  }

  get owners(): OwnerId[] {
    return [...this.#records.keys()].toSorted();
  }

  revoke(ownerId: OwnerId): void {
    this.revoked.add(ownerId);
    this.number = Math.max(this.number + 1, this.#now().getTime());
    this.forget(ownerId);
  }

  /** As when the owner withdraws. */
  forget(ownerId: OwnerId): void {
    if (this.fixed === undefined) this.#records.delete(ownerId);
  }

  async identity(): Promise<PublicJwk> {
    return this.#key.publicJwk;
  }

  async revocations(): Promise<{ list: string }> {
    return this.listOf({ owners: [...this.revoked].toSorted() });
  }

  async listOf({
    number = this.number,
    issuedAt = this.#now().toISOString(),
    owners = [] as OwnerId[],
    key = this.#key,
  }) {
    return { list: await signStatement(REVOCATIONS, key, { number, issuedAt, owners }) };
  }

  async sendRecords({ body }: { readonly body: { readonly records: readonly string[] } }) {
    const owners = body.records.map((record) => OwnerId.parse(record));
    const isRevoked = owners.some((ownerId) => this.revoked.has(ownerId) && !this.#records.has(ownerId));
    if (isRevoked) throw new CodedError(CODES.ERR_OWNER_REVOKED, 'the owner was revoked');
    for (const ownerId of owners) this.#records.set(ownerId, { ownerId, contributionDigest: this.#digest });
    return { verifiedOwners: this.#records.size };
  }

  async fixRecords({ body }: { readonly body: z.input<typeof FixationRequest> }) {
    const asked = FixationRequest.parse(body);
    const tree = await ContributionTree.read(async (after, limit) =>
      this.owners
        .filter((ownerId) => ownerId > after)
        .slice(0, limit)
        .map((ownerId) => this.#records.get(ownerId)!),
    );
    const isThis = asked.verifiedOwners === tree.size && asked.contributionsRoot === tree.root();
    if (!isThis) throw new CodedError(CODES.ERR_RECORDS_CHANGED, 'other records');
    this.fixed ??= asked;
    return { verifiedOwners: tree.size };
  }
}
