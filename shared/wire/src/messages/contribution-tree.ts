/**
 * The Merkle tree over the contributions of a task, in the manner of RFC 9162, section 2.1: leaves and nodes
 * are hashed under names of their own, leaves are sorted by owner id, and the last node of a level that has
 * no neighbour goes up as it is, never twice. A proof is as long as the tree is high.
 */
import { concatBytes, nextTurn, sha256, utf8 } from '@eigenveil/platform';
import { bytesOfDigest, type Digest, digestOfHash } from '../identity/digest.ts';
import type { OwnerId } from '../identity/owner-id.ts';

/** The content of a leaf: an owner's record. */
export interface TreeContribution {
  readonly ownerId: OwnerId;
  readonly contributionDigest: Digest;
}

/** The place of a leaf, from 0, and the hashes beside the way from it to the root. */
export interface TreePath {
  readonly index: number;
  readonly path: readonly Digest[];
}

type Hash = Uint8Array;

/** Leaves to a tile, whose hash alone is kept: a power of two, so that a tile is a subtree. */
export const TILE_SIZE = 256;
const PAGE_SIZE = 1000;

/**
 * A tree that grows leaf by leaf and keeps one hash for every TILE_SIZE leaves, so that a path needs only the
 * contributions of one tile beside it.
 */
export class ContributionTree {
  readonly #tiles: { readonly after: OwnerId | ''; hash: Hash }[] = [];
  #leaves: Hash[] = [];
  #last: OwnerId | '' = '';
  #size = 0;

  /**
   * Makes a tree of contributions that are read page by page: each page has up to `limit` whose owner ids
   * come after `after`, in their order.
   */
  static async read(
    page: (after: OwnerId | '', limit: number) => Promise<readonly TreeContribution[]>,
  ): Promise<ContributionTree> {
    const tree = new ContributionTree();
    for (;;) {
      const contributions = await page(tree.#last, PAGE_SIZE);
      for (const contribution of contributions) tree.add(contribution);
      if (contributions.length < PAGE_SIZE) return tree;
      await nextTurn(); // a page takes some milliseconds, for which nothing else is answered
    }
  }

  get size(): number {
    return this.#size;
  }

  /** @throws RangeError unless owner ids come in ascending order (of their characters' codes), none twice */
  add(contribution: TreeContribution): void {
    const { ownerId } = contribution;
    if (!(ownerId > this.#last)) throw new RangeError('"ownerId" expected ascending owner ids, none twice');
    if (this.#size % TILE_SIZE === 0) {
      this.#leaves = [];
      this.#tiles.push({ after: this.#last, hash: NOTHING });
    }
    this.#last = ownerId;
    this.#leaves.push(leafHash(contribution));
    this.#size += 1;
    if (this.#size % TILE_SIZE === 0) this.#closeTile();
  }

  /** @throws RangeError for a tree without leaves */
  root(): Digest {
    this.#closeTile();
    return digestOfHash(rootOf(this.#tiles.map((tile) => tile.hash)));
  }

  /** The owner after whom the tile begins in which this owner would be; none for the first tile. */
  tileAfter(ownerId: OwnerId): OwnerId | '' {
    return this.#tiles[this.#tileNumber(ownerId)]?.after ?? '';
  }

  /**
   * The path of an owner's leaf, given the contributions of its tile.
   * @throws RangeError unless they are those that the tree was made of, and the owner's is among them
   */
  pathOf(ownerId: OwnerId, tile: readonly TreeContribution[]): TreePath {
    const number = this.#tileNumber(ownerId);
    const position = tile.findIndex((contribution) => contribution.ownerId === ownerId);
    const leaves = tile.map(leafHash);
    this.#closeTile();
    const kept = this.#tiles[number]?.hash;
    if (position < 0 || kept === undefined || digestOfHash(kept) !== digestOfHash(rootOf(leaves)))
      throw new RangeError('"tile" expected the contributions of which the tree was made');
    const above = pathIn(
      this.#tiles.map((it) => it.hash),
      number,
    );
    return {
      index: number * TILE_SIZE + position,
      path: [...pathIn(leaves, position), ...above].map(digestOfHash),
    };
  }

  #tileNumber(ownerId: OwnerId): number {
    let [below, above] = [-1, this.#tiles.length];
    while (above - below > 1) {
      const middle = (below + above) >> 1;
      if (this.#tiles[middle]!.after < ownerId) below = middle;
      else above = middle;
    }
    return below;
  }

  #closeTile(): void {
    const tile = this.#tiles.at(-1);
    if (tile !== undefined) tile.hash = rootOf(this.#leaves);
  }
}

/**
 * Returns whether a contribution is the leaf at `index` of the tree with this root and `size` leaves: RFC
 * 9162, section 2.1.3.2. Exactly one path of exactly one length is right for an index and a size.
 */
export function isIncluded(
  contribution: TreeContribution,
  { index, path }: TreePath,
  { size, root }: { readonly size: number; readonly root: Digest },
): boolean {
  if (!(Number.isSafeInteger(size) && Number.isSafeInteger(index) && index >= 0 && index < size))
    return false;
  let node = leafHash(contribution);
  let rest = path.map(bytesOfDigest);
  // Each level has the node's place and the last place; a last node without neighbour goes up as it is.
  for (
    let place = index, last = size - 1;
    last > 0;
    place = Math.floor(place / 2), last = Math.floor(last / 2)
  ) {
    if (place % 2 === 0 && place === last) continue;
    const [beside, ...above] = rest;
    if (beside === undefined) return false;
    node = place % 2 === 0 ? nodeHash(node, beside) : nodeHash(beside, node);
    rest = above;
  }
  return rest.length === 0 && digestOfHash(node) === root;
}

const NOTHING: Hash = new Uint8Array(0);
const LEAF = 'eigenveil/1 provenance leaf\0';
const NODE = utf8('eigenveil/1 provenance node\0');
/** Written over for every node, whose two parts have 32 bytes each. */
const node = concatBytes(NODE, new Uint8Array(2 * 32));

/** Both parts have one length each, so that no other pair gives the same text. */
function leafHash({ ownerId, contributionDigest }: TreeContribution): Hash {
  return sha256(`${LEAF}${ownerId}${contributionDigest}`);
}

function nodeHash(left: Hash, right: Hash): Hash {
  node.set(left, NODE.length);
  node.set(right, NODE.length + 32);
  return sha256(node);
}

function above(level: readonly Hash[]): Hash[] {
  return Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => {
    const right = level[2 * i + 1];
    return right === undefined ? level[2 * i]! : nodeHash(level[2 * i]!, right);
  });
}

function rootOf(leaves: readonly Hash[]): Hash {
  if (leaves.length === 0) throw new RangeError('a tree expected at least one leaf');
  let level = leaves;
  while (level.length > 1) level = above(level);
  return level[0]!;
}

function pathIn(leaves: readonly Hash[], index: number): Hash[] {
  const path: Hash[] = [];
  let place = index;
  for (let level = leaves; level.length > 1; level = above(level), place >>= 1) {
    const beside = level[place ^ 1];
    if (beside !== undefined) path.push(beside);
  }
  return path;
}
