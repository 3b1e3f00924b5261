/**
 * A histogram through all steps of the protocol: encrypted equals clear with the same draws of noise, the
 * answer is the same in every run, and what is tampered with fails.
 *
 * @claims S-662, S-665, S-668
 */
import { histogramsOf, LINEAR_RING_BITS, ofKind, releaseNoiseOf, strategyOf } from '@eigenveil/methods';
import { PaillierPool, type SecretKey } from '@eigenveil/paillier';
import type { IntegerList } from '@eigenveil/platform';
import { checkAgreed, resultOfSums } from '@eigenveil/projection';
import { coefficientsOf, noiseSampler } from '@eigenveil/release';
import { layout } from '@eigenveil/statistics';
import { newTaskId, programOf, type Task, TaskProposal } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { fromRing } from '@eigenveil/testbed/residues';
import { type Channel, TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { type CspInput, memoryChannelPair } from '@eigenveil/two-party/insides';
import { Projection } from '@eigenveil/wire';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contribute } from '../src/owner.ts';
import { blind, draw, longestResult, resultOf, sharesAtDataUser, unblind } from '../src/servers.ts';

const OWNERS = 3;
const RING = 1n << BigInt(LINEAR_RING_BITS);
const { linear } = TWO_PARTY_PROTOCOLS;
const paillier = new PaillierPool({ threads: 0 });
let secretKey: SecretKey;
beforeAll(async () => {
  secretKey = await paillier.generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
});
afterAll(() => paillier.close());

const METHODS = [
  { kind: 'histogram', height: 3, strategy: 'flat' },
  { kind: 'histogram', height: 3, strategy: 'tree', fanouts: [2, 4] },
  { kind: 'histogram', height: 3, strategy: 'privelet' },
] as const;

function taskOf(method: object = METHODS[2], privacy: object = {}): Task {
  const proposal = TaskProposal.parse({
    method,
    features: [
      { name: 'x', min: 0, max: 8, histogram: 'both' },
      { name: 'y', min: 0, max: 8, histogram: 'both' },
      { name: 'z', min: -4, max: 4, logarithmic: 1 },
    ],
    components: 0,
    twoParty: 'linear',
    minimumOwners: 2,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: 100,
    differentialPrivacy: {
      epsilon: 1,
      delta: 1e-6,
      neighbours: 'add-remove',
      clippingNorm: null,
      dataIndependentRanges: true,
      ...privacy,
    },
    keyBits: 1024,
    allowInsecureKey: true,
    deadline: new Date(0).toISOString(),
  });
  const thumbprint = 'A'.repeat(43) as Task['csp'];
  return { ...proposal, protocol: 'eigenveil/1', id: newTaskId(), csp: thumbprint, dataUser: thumbprint };
}

const countsOf = (owner: number) => [
  ...Array.from({ length: 18 }, (_, i) => BigInt((owner * 31 + i * 17) % 40)),
  1n,
];

/** Contributions of all owners to both servers' shares. */
async function shared(task: Task) {
  const packing = layout(task);
  const under = { task, publicKey: secretKey.publicKey, secretKey, packing };
  const contributions: Uint8Array[] = [];
  for (let owner = 0; owner < OWNERS; owner += 1)
    contributions.push(
      await contribute(under, countsOf(owner), { paillier, randomness: predictableRandomness('owner') }),
    );
  const [first, ...others] = contributions;
  const { publicKey } = secretKey;
  const aggregate = await paillier.aggregate(
    publicKey,
    await paillier.decode(publicKey, first!, packing.plaintexts.length),
    others,
  );
  const drawn = draw(under, predictableRandomness('data user'));
  const blinded = await blind(under, aggregate, drawn, paillier);
  const ciphertexts = await paillier.decode(publicKey, blinded, packing.plaintexts.length);
  const atCsp = await unblind(under, ciphertexts, { paillier, randomness: predictableRandomness('csp') });
  return { atCsp, atDataUser: sharesAtDataUser(task, drawn) };
}

/** The same in the clear, with the same draws. */
function clear(task: Task) {
  if (task.method.kind !== 'histogram') throw new Error('expected a histogram');
  const strategy = strategyOf(task.method);
  const sum = countsOf(0).map((_, i) => [0, 1, 2].reduce((total, owner) => total + countsOf(owner)[i]!, 0n));
  const noises = ['csp', 'data user'].map((name) =>
    noiseSampler(predictableRandomness(name), releaseNoiseOf(task)),
  );
  const sums = histogramsOf(task).flatMap((_, h) => {
    const own = sum.slice(9 * h, 9 * (h + 1));
    return [...coefficientsOf(strategy, own.slice(0, -1)), own.at(-1)!];
  });
  return fromRing(
    sums.map((value) => noises.reduce((total, sample) => total + sample(), value)),
    RING,
  );
}

type Both = Awaited<ReturnType<typeof shared>>;

async function run(
  task: Task,
  { atCsp, atDataUser }: Record<keyof Both, IntegerList>,
  changes: Partial<CspInput> = {},
) {
  const [left, right] = memoryChannelPair();
  const sent: Uint8Array[] = [];
  /** What the CSP noted, and what it told beside messages, in order. */
  const marks: string[] = [];
  const watched: Channel = {
    send: (message) => {
      sent.push(Uint8Array.from(message));
      return left.send(message);
    },
    receive: () => left.receive(),
    close: () => left.close(),
    abort: (code) => {
      marks.push(`told ${code}`);
      return left.abort(code);
    },
    bytesSent: 0,
    bytesReceived: 0,
  };
  const computation = { task, program: programOf(task) };
  const input = {
    shares: atCsp,
    verifiedOwners: OWNERS,
    markAnswered: async () => void marks.push(`mark after ${sent.length}`),
    ...changes,
  };
  const [csp, user] = await Promise.allSettled([
    linear.runCsp(watched, computation, input),
    linear.runDataUser(right, computation, { shares: atDataUser }),
  ]);
  return { csp, user, sent, marks };
}

describe.each(METHODS)('$strategy', (method) => {
  test.each([
    ['rounded Gaussian noise', {}],
    ['discrete Laplace noise, replace', { delta: 0, neighbours: 'replace' }],
  ])('encrypted equals clear with the same draws: %s', async (_, privacy) => {
    const task = taskOf(method, privacy);
    const { user, sent, marks } = await run(task, await shared(task));
    if (user.status === 'rejected') throw user.reason;
    const expected = ofKind('counts', resultOfSums(task, clear(task)));
    expect(user.value).toEqual(expected);
    expect(expected.histograms.map(({ name }) => name)).toEqual(['both', 'z']);
    expect(marks).toEqual(['mark after 0']);
    expect(sent).toHaveLength(1);
    // What is signed is one of the task, and never longer than what it is padded to.
    const result = resultOf(task, user.value);
    checkAgreed(task, Projection.parse(result));
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(longestResult(task));
  });
});

test('noise that wraps around the ring is neither refused nor cut', async () => {
  const task = taskOf();
  const both = await shared(task);
  const atCsp = both.atCsp.map((share, i) => (i === 0 ? (share + RING / 2n) % RING : share));
  const { user } = await run(task, { ...both, atCsp });
  if (user.status === 'rejected') throw user.reason;
  const [plain] = clear(task);
  expect(ofKind('counts', user.value).histograms[0]!.coefficients[0]).toBe(
    Number(fromRing([plain! + RING / 2n], RING)[0]),
  );
});

test('every run gives the same bytes, and shares hide what they are of', async () => {
  const task = taskOf();
  const both = await shared(task);
  const [one, other] = [await run(task, both), await run(task, both)];
  expect(one.sent).toEqual(other.sent);
  // What the CSP holds is of counts plus blinding: far from any count, in all but a few.
  const [plain, near] = [clear(task), 1n << 40n];
  const far = [...both.atCsp].filter((share, i) => {
    const gap = BigInt.asIntN(LINEAR_RING_BITS, share - (plain[i] ?? 0n));
    return gap > near || gap < -near;
  });
  expect(far.length).toBeGreaterThan(both.atCsp.length / 2);
});

describe('is refused, and closed by that', () => {
  test('another number of owners than the records have', async () => {
    const task = taskOf();
    let givenUp = 0;
    const answer = {
      seed: new Uint8Array(32),
      keep: async (_position: number, tag: Uint8Array) => tag,
      giveUp: async () => {
        givenUp += 1;
      },
    };
    const { csp, user, sent, marks } = await run(task, await shared(task), { verifiedOwners: 2, answer });
    expect(csp).toMatchObject({ status: 'rejected', reason: { code: 'ERR_OWNER_COUNT' } });
    expect(user).toMatchObject({ status: 'rejected', reason: { code: 'ERR_OWNER_COUNT' } });
    expect({ sent: sent.length, givenUp }).toEqual({ sent: 0, givenUp: 1 });
    // It says one bit of what was aggregated, so that the note comes first.
    expect(marks.slice(0, 2)).toEqual(['mark after 0', 'told ERR_OWNER_COUNT']);
  });

  test('an answer that may not be given any more', async () => {
    const task = taskOf();
    const markAnswered = () => Promise.reject(new Error('answered'));
    const { csp, sent } = await run(task, await shared(task), { markAnswered });
    expect({ csp: csp.status, sent }).toEqual({ csp: 'rejected', sent: [] });
  });

  test.each([
    ['too short', (bytes: Uint8Array) => bytes.slice(1)],
    ['too long', (bytes: Uint8Array) => Buffer.concat([bytes, bytes])],
    ['beyond the ring', (bytes: Uint8Array) => bytes.fill(255)],
  ])('a message that is %s, at either end', async (_, spoil) => {
    const task = taskOf();
    const both = await shared(task);
    const computation = { task, program: programOf(task) };
    const [left, right] = memoryChannelPair();
    const owners = new Uint8Array(7);
    await right.send(spoil(owners));
    const markAnswered = async () => {};
    const input = { shares: both.atCsp, verifiedOwners: OWNERS, markAnswered };
    await expect(linear.runCsp(left, computation, input)).rejects.toMatchObject({
      code: 'ERR_CHANNEL_MESSAGE',
    });
    const [csp, user] = memoryChannelPair();
    await csp.send(spoil(new Uint8Array(7 * (both.atCsp.length - 1))));
    await expect(linear.runDataUser(user, computation, { shares: both.atDataUser })).rejects.toMatchObject({
      code: 'ERR_CHANNEL_MESSAGE',
    });
  });
});

test('a result whose counts, quantiles or sums are changed is none of the task', async () => {
  const task = taskOf();
  const { user } = await run(task, await shared(task));
  if (user.status === 'rejected') throw user.reason;
  const result = resultOf(task, user.value);
  checkAgreed(task, result);
  const changed = (change: (histogram: NonNullable<typeof result.histograms>[number]) => object) => ({
    ...result,
    histograms: result.histograms!.map((it, h) => (h === 0 ? { ...it, ...change(it) } : it)),
  });
  for (const spoilt of [
    changed(({ coefficients: [first, ...others] }) => ({ coefficients: [first! + 1, ...others] })),
    changed(({ coefficients: [, ...others] }) => ({ coefficients: others })),
    changed(({ coefficients: [first, ...others] }) => ({ coefficients: [first! + 0.5, ...others] })),
    changed(({ unreadable }) => ({ unreadable: unreadable + 1 })),
    changed(({ counts: [first, ...others] }) => ({ counts: [first! + 1, ...others] })),
    changed(() => ({ quantiles: [] })),
    changed(() => ({ name: 'x' })),
    { ...result, privateRows: { ...result.privateRows!, rows: 0 } },
    { ...result, histograms: undefined },
    { ...result, vectors: [[1, 0, 0]], eigenvalues: [1] },
  ])
    expect(() => checkAgreed(task, spoilt as typeof result)).toThrow(/^"projection\./);
});
