/** The tree over contributions against its definition, and provenance that was tampered with. */
import { createHash } from 'node:crypto';
import { Task, type TaskId, TaskProposal } from '@eigenveil/task';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  COUNTERSIGNATURE,
  ContributionTree,
  checkInclusion,
  Digest,
  digestProjection,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  newSalt,
  OwnerId,
  type OwnerProvenance,
  type SigningKey,
  STATEMENT,
  signStatement,
  TILE_SIZE,
  type TreeContribution,
  verifyProvenance,
} from '../../src/index.ts';
import { isIncluded } from '../../src/messages/contribution-tree.ts';
import type { ProvenanceStatement } from '../../src/messages/provenance.ts';

const ownerId = (i: number) => OwnerId.parse(String(i).padStart(22, '0'));
const digest = (i: number) => Digest.parse(String(i).padStart(43, '0'));
const contributions = (size: number): TreeContribution[] =>
  Array.from({ length: size }, (_, i) => ({ ownerId: ownerId(3 * i), contributionDigest: digest(i) }));
function treeOf(leaves: readonly TreeContribution[]): ContributionTree {
  const tree = new ContributionTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree;
}
const pathTo = (leaves: readonly TreeContribution[], index: number) => {
  const tree = treeOf(leaves);
  const after = tree.tileAfter(leaves[index]!.ownerId);
  const tile = leaves.filter((leaf) => leaf.ownerId > after).slice(0, TILE_SIZE);
  return { ...tree.pathOf(leaves[index]!.ownerId, tile), size: tree.size, root: tree.root() };
};

/** RFC 9162, section 2.1.1, as it is written there: split at the largest power of two below the size. */
function definition(leaves: readonly TreeContribution[]): Buffer {
  const sha = (kind: string, ...parts: (string | Buffer)[]) => {
    const hash = createHash('sha256').update(`eigenveil/1 provenance ${kind}\0`);
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const [only] = leaves;
  if (leaves.length === 1) return sha('leaf', only!.ownerId, only!.contributionDigest);
  const half = 2 ** (Math.ceil(Math.log2(leaves.length)) - 1);
  return sha('node', definition(leaves.slice(0, half)), definition(leaves.slice(half)));
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Another text for the same bytes: the last character has two bits that stand for nothing. */
const otherText = (of: Digest) => Digest.parse(of.slice(0, -1) + ALPHABET[ALPHABET.indexOf(of.at(-1)!) + 1]);

const SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 13, 255, 256, 257, 511, 513, 700, 1025];

describe('the tree over contributions', () => {
  test.each(SIZES)('of %i is the one of RFC 9162', (size) => {
    const leaves = contributions(size);
    expect(treeOf(leaves).root()).toBe(definition(leaves).toString('base64url'));
  });

  test('proves every leaf of it, and no other', async () => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom(...SIZES));
    await fc.assert(
      fc.property(sizes, fc.nat(), (size, seed) => {
        const leaves = contributions(size);
        const index = seed % size;
        const leaf = leaves[index]!;
        const { path, root, ...proof } = pathTo(leaves, index);
        expect(proof).toEqual({ index, size });
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        const holds = (changes: object, of = leaf) => {
          const all = { index, path, size, root, ...changes };
          return isIncluded(of, all, all);
        };
        expect(holds({})).toBe(true);
        // Another leaf, root, place, size or path.
        expect(holds({}, { ...leaf, contributionDigest: digest(9999) })).toBe(false);
        expect(holds({}, { ...leaf, ownerId: ownerId(1) })).toBe(false);
        expect(holds({ root: digest(1) })).toBe(false);
        for (const other of [-1, index - 1, index + 1, index + size, index + 0.5, size, Number.NaN])
          expect(holds({ index: other })).toBe(false);
        for (const other of [0, -1, index, Number.POSITIVE_INFINITY])
          expect(holds({ size: other })).toBe(false);
        expect(holds({ path: [...path, root] })).toBe(false);
        expect(holds({ path: [root, ...path] })).toBe(false);
        for (const [level] of path.entries()) {
          expect(holds({ path: path.toSpliced(level, 1) })).toBe(false);
          expect(holds({ path: path.with(level, digest(1)) })).toBe(false);
          expect(holds({ path: path.with(level, otherText(path[level]!)) })).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('takes no leaf twice and none out of order', () => {
    const [first, second] = contributions(2) as [TreeContribution, TreeContribution];
    expect(() => treeOf([first, first])).toThrow(RangeError);
    expect(() => treeOf([first, { ...first, contributionDigest: digest(7) }])).toThrow(RangeError);
    expect(() => treeOf([second, first])).toThrow(RangeError);
    expect(() => treeOf([]).root()).toThrow(RangeError);
  });

  test('has no second set of leaves with its root: an odd node is not doubled', () => {
    // A tree that doubles its last node, as Bitcoin's does, has the same root with the last leaf given twice.
    const leaves = contributions(3);
    const twice = [...leaves, { ...leaves[2]!, ownerId: ownerId(7) }];
    expect(treeOf(twice).root()).not.toBe(treeOf(leaves).root());
    const { path, root } = pathTo(leaves, 2);
    expect(isIncluded(leaves[2]!, { index: 3, path }, { size: 4, root })).toBe(false);
  });

  test('is read page by page', async () => {
    const leaves = contributions(2001);
    const tree = await ContributionTree.read(async (after, limit) =>
      leaves.filter((leaf) => leaf.ownerId > after).slice(0, limit),
    );
    expect(tree.root()).toBe(treeOf(leaves).root());
    // Not of contributions that are others by now.
    const changed = leaves.with(300, { ...leaves[300]!, contributionDigest: digest(1) });
    const tile = changed.slice(256, 512);
    expect(() => tree.pathOf(leaves[257]!.ownerId, tile)).toThrow(RangeError);
    expect(() => tree.pathOf(ownerId(1), leaves.slice(0, 256))).toThrow(RangeError);
  });
});

describe('the provenance of a result', () => {
  let [csp, stranger]: SigningKey[] = [];
  let [task, other]: Task[] = [];
  const leaves = contributions(5);
  const mine = leaves[3]!;
  const projection = 'header.payload.signature';
  const salt = newSalt();
  let statement: ProvenanceStatement;
  let countersigned: { taskId: TaskId; taskDigest: Digest; projectionDigest: Digest };

  beforeAll(async () => {
    [csp, stranger] = await Promise.all([1, 2].map(async () => importSigningKey(await generatePrivateJwk())));
    const parties = { protocol: 'eigenveil/1', csp: csp!.thumbprint, dataUser: stranger!.thumbprint };
    [task, other] = ['a', 'b'].map((id) =>
      Task.parse({
        ...TaskProposal.parse({
          method: { kind: 'pca' },
          features: [{ name: 'a', min: -1, max: 1 }],
          components: 1,
          allowFullRank: true,
          maximumOwners: 6,
          maximumSamplesPerOwner: 1000,
          minimumOwners: 4,
          exact: true,
          deadline: '2030-01-01T00:00:00.000Z',
        }),
        ...parties,
        id: id.repeat(22),
      }),
    );
    const about = { taskId: task!.id, taskDigest: digestTask(task!) };
    const root = treeOf(leaves).root();
    statement = { ...about, unblindingDigest: digest(8), verifiedOwners: 5, contributionsRoot: root };
    countersigned = { ...about, projectionDigest: digestProjection(salt, projection) };
  });

  async function provenance(
    changes: {
      statement?: object;
      countersigned?: object;
      signer?: SigningKey;
      countersigner?: SigningKey;
      of?: Partial<OwnerProvenance>;
    } = {},
  ): Promise<OwnerProvenance> {
    const { index, path } = pathTo(leaves, 3);
    return {
      statement: await signStatement(STATEMENT, changes.signer ?? csp!, {
        ...statement,
        ...changes.statement,
      }),
      countersignature: await signStatement(COUNTERSIGNATURE, changes.countersigner ?? csp!, {
        ...countersigned,
        ...changes.countersigned,
      }),
      salt,
      inclusion: { index, path: [...path] },
      ...changes.of,
    };
  }
  const verify = async (
    given: OwnerProvenance,
    changes: Partial<Parameters<typeof verifyProvenance>[0]> & { contribution?: TreeContribution } = {},
  ) => {
    const { contribution = mine, ...expected } = changes;
    const verified = await verifyProvenance(
      { task: task!, cspKey: csp!.publicJwk, projection, ...expected },
      given,
    );
    checkInclusion(contribution, given.inclusion, verified);
    return verified;
  };
  const code = (expected: string) => expect.objectContaining({ code: expected });

  test('tells how many took part', async () => {
    expect(await verify(await provenance())).toEqual({
      verifiedOwners: 5,
      contributionsRoot: statement.contributionsRoot,
      unblindingDigest: digest(8),
      projectionDigest: countersigned.projectionDigest,
    });
  });

  test.each<[string, () => Parameters<typeof provenance>[0]]>([
    ['a statement of a stranger', () => ({ signer: stranger! })],
    ['a countersignature of a stranger', () => ({ countersigner: stranger! })],
    ['a statement about another task', () => ({ statement: { taskId: other!.id } })],
    ['a statement about other parameters', () => ({ statement: { taskDigest: digestTask(other!) } })],
    ['a countersignature for another task', () => ({ countersigned: { taskId: other!.id } })],
    [
      'a countersignature for other parameters',
      () => ({ countersigned: { taskDigest: digestTask(other!) } }),
    ],
    ['a countersignature of another projection', () => ({ countersigned: { projectionDigest: digest(1) } })],
    ['another salt', () => ({ of: { salt: newSalt() } })],
    ['another text of the salt', () => ({ of: { salt: otherText(salt) } })],
    ['fewer owners than the task allows', () => ({ statement: { verifiedOwners: 3 } })],
    ['more owners than the task allows', () => ({ statement: { verifiedOwners: 7 } })],
  ])('is refused with %s', async (_, changes) => {
    await expect(verify(await provenance(changes()))).rejects.toEqual(code('ERR_PROVENANCE_INVALID'));
  });

  test('is refused with the statement in place of the countersignature, and for another projection', async () => {
    const given = await provenance();
    const swapped = { ...given, countersignature: given.statement };
    await expect(verify(swapped)).rejects.toEqual(code('ERR_PROVENANCE_INVALID'));
    await expect(verify(given, { projection: 'another' })).rejects.toEqual(code('ERR_PROVENANCE_INVALID'));
    await expect(verify(given, { task: other! })).rejects.toEqual(code('ERR_PROVENANCE_INVALID'));
  });

  test.each<[string, () => Parameters<typeof provenance>[0]]>([
    ['another root', () => ({ statement: { contributionsRoot: digest(1) } })],
    [
      'another number of owners, for which the path has another length',
      () => ({ statement: { verifiedOwners: 4 } }),
    ],
    [
      'the proof of another leaf',
      () => {
        const { index, path } = pathTo(leaves, 2);
        return { of: { inclusion: { index, path: [...path] } } };
      },
    ],
    ['no proof', () => ({ of: { inclusion: { index: 3, path: [] } } })],
  ])('does not include the owner: %s', async (_, changes) => {
    await expect(verify(await provenance(changes()))).rejects.toEqual(code('ERR_PROVENANCE_EXCLUDED'));
  });

  test('does not include an owner whose contribution was another, or who has another’s', async () => {
    const given = await provenance();
    for (const contribution of [
      { ...mine, contributionDigest: digest(1) },
      { ...mine, ownerId: leaves[0]!.ownerId },
    ])
      await expect(verify(given, { contribution })).rejects.toEqual(code('ERR_PROVENANCE_EXCLUDED'));
  });
});
