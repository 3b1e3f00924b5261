/** A data owner: what provenance tells it about the others beside their number. */
import { encodeCiphertexts } from '@eigenveil/paillier';
import { flatten, type Statistics } from '@eigenveil/statistics';
import { unevenness } from '@eigenveil/two-party/insides';
import { ContributionTree, type Digest, digestBytes, OwnerId, type TreeContribution } from '@eigenveil/wire';
import type { Draws } from '../draws.ts';
import { contributions, FEATURES, worldOf } from './ciphertexts.ts';
import { drawnOwners, OWNERS, omitsSmall, type SmallTask } from './inputs.ts';
import { once, party } from './party.ts';

/** The owner whose view it is. */
const OWN = 0;

/** The values that the owner is shown of the others, and what they would be were their records what it guesses. */
interface View {
  readonly leaves: readonly TreeContribution[];
  readonly guessed: readonly TreeContribution[];
}

const guesses = ({ task }: SmallTask, rows: readonly Statistics[]) =>
  rows.map((statistics) => digestBytes('contribution', Buffer.from(flatten(task, statistics).join())));

export const ownerOfProvenance = party({
  id: 'owner-provenance',
  attacker: 'data owner',
  secret: 'statistics of an owner',
  claims: ['S-14', 'S-133'],
  leaks: [
    {
      id: 'plain-digest',
      title: "records hold digests of statistics in place of the ciphertexts'.",
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
    return {
      digestsIn: once(async (draws) =>
        (await contributions(world, draws)).map((own) =>
          digestBytes('contribution', encodeCiphertexts(publicKey, own)),
        ),
      ),
      guessesIn: (draws: Draws) => guesses(small, drawnOwners(small, draws.of('rows'))),
    };
  },
  async real({ digestsIn, guessesIn }, draws, planted): Promise<View> {
    const ids = idsOf(draws.of('ids'));
    const leaks = draws.of('leak');
    const plain = guessesIn(draws);
    const digests = (await digestsIn(draws)).map((digest, o) =>
      planted !== undefined && leaks.uniform() < planted.size ? plain[o]! : digest,
    );
    return { leaves: leavesOf(ids, digests), guessed: leavesOf(ids, plain) };
  },
  async simulated({ digestsIn, guessesIn }, draws) {
    const ids = idsOf(draws.of('ids'));
    const own = (await digestsIn(draws))[OWN]!;
    const others = idsOf(draws.of('other ids'));
    const made = others.map((_, o) => digestBytes('contribution', draws.of('others').of(o).source(32)));
    return {
      leaves: leavesOf([ids[OWN]!, ...others.slice(1)], [own, ...made.slice(1)]),
      guessed: leavesOf(ids, guessesIn(draws)),
    };
  },
  features(_, { leaves, guessed }) {
    const { index, path, root } = pathAmong(leaves);
    const guess = pathAmong(guessed).path;
    const hashes = [...path, root].map((text) => Buffer.from(text, 'base64url'));
    return {
      place: index,
      hashes: hashes.length,
      'first byte of the first hash': hashes[0]![0]!,
      'first byte of the last hash': hashes.at(-1)![0]!,
      'unevenness of the bytes of all hashes': unevenness(hashes),
      'hashes that are those of a guess': path.filter((text) => guess.includes(text)).length,
    };
  },
});

/** The ids as the CSP draws them. */
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
