/** The steps of the protocol after one another: what owners contribute is what the servers share, and nothing else is added. */
import { methodOf } from '@eigenveil/methods';
import { type EncryptionScheme, PaillierPool, type PublicKey, type SecretKey } from '@eigenveil/paillier';
import type { RandomSource } from '@eigenveil/privacy';
import { decompose } from '@eigenveil/projection';
import { drawNoise, layout, unflatten } from '@eigenveil/statistics';
import { newTaskId, programOf, type StatisticsTask, shiftOf, type Task, TaskProposal } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { combine } from '@eigenveil/two-party/insides';
import {
  claimedSigner,
  digestBytes,
  digestPublicKey,
  digestTask,
  generatePrivateJwk,
  importSigningKey,
  OwnerId,
  PROJECTION,
  RECORD,
  signStatement,
  verifyStatement,
} from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contribute, signRecord } from '../src/owner.ts';
import { blind, draw, longestResult, resultOf, sharesAtDataUser, unblind } from '../src/servers.ts';

const OWNERS = 3;
const DP = {
  epsilon: 1,
  delta: 1e-5,
  neighbours: 'add-remove',
  clippingNorm: 1,
  dataIndependentRanges: true,
};

/** Notes the schemes that it was asked for. */
class NotingPool extends PaillierPool {
  readonly schemes: EncryptionScheme[] = [];

  override encrypt(publicKey: PublicKey, plaintexts: readonly bigint[], scheme: EncryptionScheme) {
    this.schemes.push(scheme);
    return super.encrypt(publicKey, plaintexts, scheme);
  }
}

const paillier = new NotingPool({ threads: 0 });
let secretKey: SecretKey;
beforeAll(async () => {
  secretKey = await paillier.generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
});
afterAll(() => paillier.close());

const METHODS = {
  pca: { method: { kind: 'pca' }, labellings: [] },
  dca: { method: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 }, labellings: [['a', 'b']] },
  mdr: {
    method: { kind: 'mdr', ridge: 1 },
    labellings: [
      ['a', 'b'],
      ['c', 'd', 'e'],
    ],
  },
} as const;

function taskOf(kind: keyof typeof METHODS, changes: Record<string, unknown> = {}): Task {
  const { method, labellings } = METHODS[kind];
  const proposal = TaskProposal.parse({
    method,
    labellings: labellings.map((classes, l) => ({ column: `class${l}`, classes })),
    features: ['x', 'y', 'z'].map((name) => ({ name, min: -1, max: 1 })),
    components: 1,
    minimumOwners: 2,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: 100,
    keyBits: 1024,
    allowInsecureKey: true,
    exact: true,
    allowFullRank: true,
    deadline: new Date(0).toISOString(),
    ...changes,
  });
  const thumbprint = 'A'.repeat(43) as Task['csp'];
  return { ...proposal, protocol: 'eigenveil/1', id: newTaskId(), csp: thumbprint, dataUser: thumbprint };
}

/** Values of both signs that fit their slots when all owners send them. */
function valuesOf(task: StatisticsTask, owner: number): bigint[] {
  return layout(task).valueBits.map((_, i) => BigInt(((owner * 31 + i * 17) % 7) - 3));
}

const sum = (lists: readonly (readonly bigint[])[]) =>
  lists.reduce((total, list) => total.map((value, i) => value + list[i]!));

/** Contributions of all owners to shares of both servers. */
async function throughAllSteps(task: Task, sources: Record<'owner' | 'dataUser' | 'csp', RandomSource>) {
  const { publicKey } = secretKey;
  const packing = layout(task);
  const under = { task, publicKey, secretKey, packing };
  const contributions: Uint8Array[] = [];
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const by = { paillier, randomness: sources.owner };
    contributions.push(await contribute(under, valuesOf(task, owner), by));
  }
  const [first, ...others] = contributions;
  const aggregate = await paillier.aggregate(
    publicKey,
    await paillier.decode(publicKey, first!, packing.plaintexts.length),
    others,
  );
  const drawn = draw(under, sources.dataUser);
  const blinded = await blind(under, aggregate, drawn, paillier);
  const ciphertexts = await paillier.decode(publicKey, blinded, packing.plaintexts.length);
  const atCsp = await unblind(under, ciphertexts, { paillier, randomness: sources.csp });
  const bits = TWO_PARTY_PROTOCOLS[task.twoParty].shareBits(task);
  return { drawn, values: combine(bits, atCsp, sharesAtDataUser(task, drawn)) };
}

const sourcesOf = (name: string) => ({
  owner: predictableRandomness(`${name} owner`),
  dataUser: predictableRandomness(`${name} data user`),
  csp: predictableRandomness(`${name} csp`),
});

describe('the shares of both servers add up to', () => {
  test.each([
    ['pca', 'simulated'],
    ['dca', 'garbled'],
    ['mdr', 'garbled'],
    ['pca', 'rotated'],
    ['dca', 'rotated'],
    ['mdr', 'rotated'],
  ] as const)('the sum of what the owners contributed: %s, %s', async (kind, twoParty) => {
    const rotated = twoParty === 'rotated' && { outputs: [...methodOf(METHODS[kind]).revealedByRotation] };
    const task = taskOf(kind, { twoParty, ...rotated });
    const { values } = await throughAllSteps(task, sourcesOf(kind));
    expect(values).toEqual(sum(Array.from({ length: OWNERS }, (_, owner) => valuesOf(task, owner))));
  });

  test.each(['servers', 'csp', 'owners'] as const)('that, the noise of %s and the shift', async (noise) => {
    const honest = noise === 'owners' ? { honestOwners: OWNERS } : {};
    const task = taskOf('pca', { differentialPrivacy: { ...DP, noise, ...honest } });
    const { drawn, values } = await throughAllSteps(task, sourcesOf(noise));
    const repeated = sourcesOf(noise);
    const noiseOf = {
      dataUser: () => drawNoise(task, 'dataUser', repeated.dataUser),
      csp: () => drawNoise(task, 'csp', repeated.csp),
      owner: () => drawNoise(task, 'owner', repeated.owner),
    };
    const drawers = {
      servers: ['dataUser', 'csp'],
      csp: ['csp'],
      owners: new Array<'owner'>(OWNERS).fill('owner'),
    } as const;
    const noises = drawers[noise].map((drawer) => noiseOf[drawer]());
    expect(noises.flat().some((value) => value !== 0n)).toBe(true);
    const plain = Array.from({ length: OWNERS }, (_, owner) => valuesOf(task, owner));
    expect(values).toEqual(sum([...plain, ...noises, shiftOf(task)]));
    expect([...drawn.noise]).toEqual(noise === 'servers' ? noises[0] : drawn.blinding.map(() => 0n));
  });
});

test('all that the data user draws comes from the source that it is given', () => {
  const task = taskOf('pca', { differentialPrivacy: DP });
  const under = { task, packing: layout(task) };
  const [first, again, other] = ['seed', 'seed', 'another'].map((seed) =>
    draw(under, predictableRandomness(seed)),
  );
  expect(again).toEqual(first);
  expect(other!.noise).not.toEqual(first!.noise);
  for (const [i, value] of [...other!.blinding].entries()) expect(value).not.toBe(first!.blinding.at(i));
});

test('owners encrypt by the scheme of the task, blinding has full-length randomisers whatever it says', async () => {
  for (const encryption of ['standard', 'djn'] as const) {
    paillier.schemes.length = 0;
    await throughAllSteps(taskOf('pca', { encryption }), sourcesOf(encryption));
    expect(paillier.schemes).toEqual([...new Array(OWNERS).fill(encryption), 'standard']);
  }
});

test('a sum that has left its range is found before there are shares', async () => {
  const task = taskOf('pca');
  const packing = layout(task);
  const { publicKey } = secretKey;
  const tooLarge = Array.from(packing.plaintexts, () => publicKey.n - 1n);
  const ciphertexts = await paillier.encrypt(publicKey, tooLarge, 'standard');
  const randomness = () => {
    throw new Error('nothing is to be drawn');
  };
  await expect(
    unblind({ task, secretKey, packing }, ciphertexts, { paillier, randomness }),
  ).rejects.toMatchObject({ code: 'ERR_PACKING_OVERFLOW' });
});

test('a record names the task, the key, the owner and the bytes, and is signed by the owner', async () => {
  const task = taskOf('pca');
  const key = await importSigningKey(await generatePrivateJwk());
  const ownerId = OwnerId.parse('o'.repeat(22));
  const publicKey = secretKey.publicKey.toJSON();
  const agreement = { taskId: task.id, taskDigest: digestTask(task), publicKey, dataUserKey: key.publicJwk };
  const bytes = Buffer.from('a contribution');
  const record = await signRecord(agreement, bytes, { ownerId, key });
  expect(claimedSigner(RECORD, record)).toEqual(key.publicJwk);
  expect(await verifyStatement(RECORD, record, key.publicJwk)).toEqual({
    taskId: task.id,
    taskDigest: digestTask(task),
    publicKeyDigest: digestPublicKey(publicKey),
    ownerId,
    contributionDigest: digestBytes('contribution', bytes),
  });
});

describe('the result', () => {
  const task = taskOf('pca', { differentialPrivacy: DP, outputs: ['trace'] });

  test('is the decomposition without the shift, with what of the task it belongs to', () => {
    const diagonal = (x: bigint) => [x, 0n, 0n, x, 0n, x];
    const exact = [...diagonal(1n << 60n), 0n, 0n, 0n, 10n, 2n];
    const shifted = exact.map((value, i) => value + shiftOf(task)[i]!);
    const of = (values: readonly bigint[]) => decompose(programOf(task), unflatten(task, values));
    const result = resultOf(task, of(shifted));
    expect(shifted).not.toEqual(exact);
    expect(result).toMatchObject({
      taskId: task.id,
      taskDigest: digestTask(task),
      differentialPrivacy: task.differentialPrivacy,
      vectors: of(shifted).vectors,
    });
    expect(result.eigenvalues[0]).toBeCloseTo(of(exact).eigenvalues[0]!, 6);
    expect(result.trace).toBeCloseTo(of(exact).trace!, 6);
  });

  test('is signed in as many bytes as the longest that the task can have, whatever its numbers', async () => {
    const key = await importSigningKey(await generatePrivateJwk());
    const { outputs } = taskOf('dca', {});
    const discriminant = taskOf('dca', {
      outputs: [...outputs, 'mean', 'trace', 'sampleCount', 'classCounts'],
    });
    const lengths = [0, 1, -1.234_567_890_123_456_7e-6, Number.MAX_VALUE, -Number.MIN_VALUE].map(
      async (x) => {
        const three = [x, x, x];
        const numbers = {
          vectors: [three],
          eigenvalues: [x],
          mean: three,
          trace: x,
          sampleCount: x,
          spectrum: three,
        };
        const result = resultOf(discriminant, {
          kind: 'components',
          ...numbers,
          classCounts: [[0, 2 ** 53 - 1]],
          converged: [x === 0],
        });
        const longest = longestResult(discriminant);
        expect(JSON.stringify(result).length).toBeLessThanOrEqual(longest);
        const signed = await signStatement(PROJECTION, key, result, longest);
        expect(await verifyStatement(PROJECTION, signed, key.publicJwk)).toEqual(result);
        return signed.length;
      },
    );
    expect(new Set(await Promise.all(lengths)).size).toBe(1);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('is no number %s', (number) => {
    const vectors = [[1, 0, 0]];
    const expected = expect.objectContaining({ code: 'ERR_NOT_FINITE' });
    expect(() => resultOf(task, { kind: 'components', vectors, eigenvalues: [number] })).toThrow(expected);
    const other = { kind: 'components' as const, vectors: [[number, 0, 0]], eigenvalues: [1] };
    expect(() => resultOf(task, other)).toThrow(expected);
  });
});
