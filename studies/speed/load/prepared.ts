/** The preparation of a load, as it lies on the disk. */
import type { PrivateJwk } from '@eigenveil/wire';

/** A line of a slice's owners file. */
export interface PreparedOwner {
  readonly privateJwk: PrivateJwk;
  readonly ownerToken: string;
  readonly record: string;
}

/** Consecutive owners, whose contributions lie in the other file in the same order, all of one length. */
export interface Slice {
  /** Number of the first of them among all owners. */
  readonly start: number;
  readonly count: number;
  readonly ownersFile: string;
  readonly contributionsFile: string;
}
