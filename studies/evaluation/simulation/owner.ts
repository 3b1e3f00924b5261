/** A data owner: what provenance tells it of the others beside their number. */
import { encodeCiphertexts } from '@eigenveil/paillier';
import { flatten, type Statistics } from '@eigenveil/statistics';
import { unevenness } from '@eigenveil/two-party/insides';
import { ContributionTree, type Digest, digestBytes, OwnerId, type TreeContribution } from '@eigenveil/wire';
import type { Draws } from '../draws.ts';
import { contributions, FEATURES, worldOf } from './ciphertexts.ts';
import type { Game } from './game.ts';
import { drawnOwners, OWNERS, omitsSmall } from './inputs.ts';
import { once } from './sides.ts';

/** Whose view it is. */
const OWN = 0;

export const ownerOfProvenance: Game = {
  id: 'owner-provenance',
  title: 'The proof of inclusion tells an owner nothing of the others beside their number.',
  attacker: 'data owner',
  secret: 'statistics of an owner',
  claims: ['S-14', 'S-133'],
  sees: `The place of its leaf among those of ${OWNERS} owners, the hashes beside it, and the root.`,
  knows: "Its own contribution; the others' ids and rows, which it tries to find in the hashes.",
  simulator: 'the number of owners and the own contribution; it draws ids and digests for the others',
  values: [
    'place',
    'hashes',
    'first byte of the first hash',
    'first byte of the last hash',
    'unevenness of the bytes of all hashes',
    'hashes that are those of a guess',
  ],
  leaks: [
    {
      id: 'plain-digest',
      title: "records hold digests of statistics in the place of the ciphertexts'.",
      size: 'share of records with such a digest',
      sizes: [0.05, 0.1, 0.2, 0.4, 1],
    },
  ],
  runs: { quick: 20, full: 40 },
  controlRuns: 16,
  repetitions: 10,
  scenes: ['pima'],
  omits: (scene) => omitsSmall(scene, FEATURES),
  async open(scene) {
    const world = await worldOf(scene);
    const { small, publicKey } = world;
    const digestsIn = once(async (draws) =>
      (await contributions(world, draws)).map((own) =>
        digestBytes('contribution', encodeCiphertexts(publicKey, own)),
      ),
    );
    const plainDigest = (statistics: Statistics) =>
      digestBytes('contribution', Buffer.from(flatten(small.task, statistics).join()));
    const guesses = (draws: Draws) => drawnOwners(small, draws.of('rows')).map(plainDigest);
    return {
      async real(draws, planted) {
        const ids = idsOf(draws.of('ids'));
        const leaks = draws.of('leak');
        const plain = guesses(draws);
        const digests = (await digestsIn(draws)).map((digest, o) =>
          planted !== undefined && leaks.uniform() < planted.size ? plain[o]! : digest,
        );
        return summedUp(leavesOf(ids, digests), leavesOf(ids, plain));
      },
      async simulated(draws) {
        const ids = idsOf(draws.of('ids'));
        const own = (await digestsIn(draws))[OWN]!;
        const others = idsOf(draws.of('other ids'));
        const made = others.map((_, o) => digestBytes('contribution', draws.of('others').of(o).source(32)));
        const leaves = leavesOf([ids[OWN]!, ...others.slice(1)], [own, ...made.slice(1)]);
        return summedUp(leaves, leavesOf(ids, guesses(draws)));
      },
    };
  },
};

/** As the CSP draws them. */
const idsOf = (draws: Draws) =>
  Array.from({ length: OWNERS }, () => OwnerId.parse(Buffer.from(draws.source(16)).toString('base64url')));

const leavesOf = (ids: readonly OwnerId[], digests: readonly Digest[]): TreeContribution[] =>
  ids.map((ownerId, o) => ({ ownerId, contributionDigest: digests[o]! }));

/** By ascending id, as the CSP adds them. */
function pathAmong(leaves: readonly TreeContribution[]) {
  const sorted = leaves.toSorted((a, b) => (a.ownerId < b.ownerId ? -1 : 1));
  const tree = new ContributionTree();
  for (const leaf of sorted) tree.add(leaf);
  return { ...tree.pathOf(leaves[OWN]!.ownerId, sorted), root: tree.root() };
}

function summedUp(leaves: readonly TreeContribution[], guessed: readonly TreeContribution[]): number[] {
  const { index, path, root } = pathAmong(leaves);
  const guess = pathAmong(guessed).path;
  const hashes = [...path, root].map((text) => Buffer.from(text, 'base64url'));
  return [
    index,
    hashes.length,
    hashes[0]![0]!,
    hashes.at(-1)![0]!,
    unevenness(hashes),
    path.filter((text) => guess.includes(text)).length,
  ];
}
