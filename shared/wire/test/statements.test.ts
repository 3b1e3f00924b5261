import { Task, TaskId, TaskProposal } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import {
  AGREEMENT,
  claimedSigner,
  Digest,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  PublicJwk,
  RECEIPT,
  RECORD,
  REVOCATIONS,
  signStatement,
  sketchSeed,
  verifySignedTask,
  verifyStatement,
} from '../src/index.ts';

const newKey = async () => importSigningKey(await generatePrivateJwk());
const [csp, dataUser, stranger] = await Promise.all([newKey(), newKey(), newKey()]);
const digest = Digest.parse('d'.repeat(43));
const record = {
  taskId: TaskId.parse('t'.repeat(22)),
  taskDigest: digest,
  publicKeyDigest: digest,
  ownerId: OwnerId.parse('o'.repeat(22)),
  contributionDigest: digest,
};

describe('a statement', () => {
  test('verifies under its signer, whom it names', async () => {
    const jws = await signStatement(RECORD, stranger, record);
    expect(await verifyStatement(RECORD, jws, claimedSigner(RECORD, jws))).toEqual(record);
  });

  test('does not verify under another key, with another type, or with one character changed', async () => {
    const jws = await signStatement(RECORD, stranger, record);
    await expect(verifyStatement(RECORD, jws, csp.publicJwk)).rejects.toMatchObject({
      code: 'ERR_RECORD_INVALID',
    });
    await expect(verifyStatement(RECEIPT, jws, stranger.publicJwk)).rejects.toMatchObject({
      code: 'ERR_RECEIPT_INVALID',
    });
    for (const at of [30, Math.floor(jws.length / 2), jws.length - 10]) {
      const changed = jws.slice(0, at) + (jws[at] === 'A' ? 'B' : 'A') + jws.slice(at + 1);
      await expect(verifyStatement(RECORD, changed, stranger.publicJwk)).rejects.toMatchObject({
        code: 'ERR_RECORD_INVALID',
      });
    }
  });

  test('of one kind is no statement of another, even with the same members', async () => {
    const jws = await signStatement({ ...RECORD, type: 'other' }, stranger, record);
    await expect(verifyStatement(RECORD, jws, stranger.publicJwk)).rejects.toMatchObject({
      code: 'ERR_RECORD_INVALID',
    });
  });

  test('with a private key in its header is refused', () => {
    expect(() => PublicJwk.parse({ ...csp.publicJwk, d: csp.publicJwk.x })).toThrow();
    expect(() => claimedSigner(RECORD, 'not a jws')).toThrow(
      expect.objectContaining({ code: 'ERR_RECORD_INVALID' }),
    );
  });
});

describe('a list of revoked owners', () => {
  const ids = ['-', '0', 'A', '_', 'a'].map((first) => OwnerId.parse(first + 'o'.repeat(21)));
  const list = { number: 3, issuedAt: '2030-01-01T00:00:00.000Z', owners: ids };

  test('verifies under the pinned CSP only', async () => {
    const jws = await signStatement(REVOCATIONS, csp, list);
    expect(await verifyStatement(REVOCATIONS, jws, csp.publicJwk)).toEqual(list);
    const refused = { code: 'ERR_REVOCATIONS_INVALID' };
    await expect(verifyStatement(REVOCATIONS, jws, stranger.publicJwk)).rejects.toMatchObject(refused);
  });

  test.each([
    ['out of order', [ids[1]!, ids[0]!]],
    ['twice', [ids[0]!, ids[0]!]],
  ])('names no owner %s', (_name, owners) => {
    expect(REVOCATIONS.schema.safeParse({ ...list, owners }).success).toBe(false);
  });
});

describe('a signed task', () => {
  const proposal = TaskProposal.parse({
    method: { kind: 'pca' },
    features: ['a', 'b'].map((name) => ({ name, min: 0, max: 1 })),
    components: 1,
    maximumOwners: 3,
    maximumSamplesPerOwner: 10,
    minimumOwners: 2,
    twoParty: 'simulated',
    deadline: '2030-01-01T00:00:00.000Z',
  });
  const parties = { csp: csp.thumbprint, dataUser: dataUser.thumbprint };
  const task = Task.parse({ ...proposal, ...parties, protocol: 'eigenveil/1', id: 't'.repeat(22) });
  const publicKey = { n: 'n'.repeat(171) };
  const agreement = {
    taskId: task.id,
    taskDigest: digestTask(task),
    publicKey,
    dataUserKey: dataUser.publicJwk,
  };

  test('is accepted from the pinned CSP only', async () => {
    const signed = { task, agreement: await signStatement(AGREEMENT, csp, agreement) };
    expect(await verifySignedTask(signed, csp.publicJwk)).toEqual(agreement);
    await expect(verifySignedTask(signed, stranger.publicJwk)).rejects.toMatchObject({
      code: 'ERR_AGREEMENT_INVALID',
    });
  });

  test.each([
    ['a parameter was changed', { task: { ...task, minimumOwners: 3 } }],
    ['the data user has another key', { agreement: { ...agreement, dataUserKey: stranger.publicJwk } }],
    [
      'the agreement is for another task',
      { agreement: { ...agreement, taskId: TaskId.parse('u'.repeat(22)) } },
    ],
  ])('is refused when %s', async (_name, changes) => {
    const jws = await signStatement(AGREEMENT, csp, 'agreement' in changes ? changes.agreement : agreement);
    const signed = { task: 'task' in changes ? changes.task : task, agreement: jws };
    await expect(verifySignedTask(signed, csp.publicJwk)).rejects.toMatchObject({
      code: 'ERR_AGREEMENT_INVALID',
    });
  });

  test('with a sketch has a nonce, from which its seed comes, and none without', async () => {
    const features = Array.from({ length: 9 }, (_, i) => ({ name: `f${i}`, min: 0, max: 1 }));
    const sketched = Task.parse({ ...task, features, sketch: { columns: 3 } });
    const { sketchNonce, ...without } = {
      ...agreement,
      taskDigest: digestTask(sketched),
      sketchNonce: `${'n'.repeat(42)}A`,
    };
    const opened = async (of: Task, content: typeof agreement) =>
      verifySignedTask({ task: of, agreement: await signStatement(AGREEMENT, csp, content) }, csp.publicJwk);
    const invalid = { code: 'ERR_AGREEMENT_INVALID' };
    await expect(opened(sketched, without)).rejects.toMatchObject(invalid);
    const other = { ...agreement, sketchNonce };
    await expect(opened(task, other)).rejects.toMatchObject(invalid);
    const agreed = await opened(sketched, { ...without, sketchNonce } as typeof agreement);
    const again = await opened(sketched, {
      ...without,
      sketchNonce: `${'m'.repeat(42)}A`,
    } as typeof agreement);
    expect(sketchSeed(agreed)).toHaveLength(32);
    expect(sketchSeed(again)).not.toEqual(sketchSeed(agreed));
    expect(() => sketchSeed(agreement)).toThrow(expect.objectContaining(invalid));
  });

  test('with a swapped Paillier key is refused', async () => {
    const swapped = await signStatement(AGREEMENT, dataUser, {
      ...agreement,
      publicKey: { n: 'm'.repeat(171) },
    });
    await expect(verifySignedTask({ task, agreement: swapped }, csp.publicJwk)).rejects.toMatchObject({
      code: 'ERR_AGREEMENT_INVALID',
    });
  });
});
