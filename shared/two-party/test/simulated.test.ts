import { randomBytes } from 'node:crypto';
import { decompose } from '@eigenveil/projection';
import { flatten, layout, type Statistics, StatisticsAccumulator } from '@eigenveil/statistics';
import { programOf } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { type Channel, TWO_PARTY_PROTOCOLS } from '../src/index.ts';
import { memoryChannelPair } from './support/memory-channel.ts';
import { toRing } from './support/to-ring.ts';

const task = {
  method: { kind: 'pca' },
  features: ['a', 'b', 'c'].map((name) => ({ name, min: -1, max: 1, twoValued: false })),
  labellings: [],
  fractionBits: 14,
  maximumOwners: 3,
  maximumSamplesPerOwner: 10,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  components: 1,
  outputs: ['mean', 'trace', 'sampleCount', 'spectrum'],
  minimumOwners: 2,
  allowFullRank: false,
} as const;
const computation = { task, program: programOf(task) };
const { simulated } = TWO_PARTY_PROTOCOLS;

/** Statistics of some rows around zero, of two owners. */
function statistics(): Statistics {
  const accumulator = new StatisticsAccumulator(task);
  for (const row of [
    [5, -16_384, 7],
    [-100, 16_384, 3],
    [9000, 1, -1],
    [-8000, 77, 12_000],
  ]) {
    accumulator.add(row, []);
  }
  return { ...accumulator.statistics(), owners: 2n };
}

/** Both servers' shares, as they come out of unblinding. */
function share(values: readonly bigint[]) {
  const { valueBits } = layout(task);
  const blinding = values.map(() => BigInt(`0x${randomBytes(20).toString('hex')}`));
  return {
    csp: toRing(
      valueBits,
      values.map((value, v) => value + blinding[v]!),
    ),
    dataUser: toRing(
      valueBits,
      blinding.map((value) => -value),
    ),
  };
}

const markAnswered = async () => undefined;

describe('the simulated two-party protocol', () => {
  test('says that it is not private', () => {
    expect(simulated.isPrivate).toBe(false);
  });

  test('gives the data user what the clear decomposition gives', async () => {
    const { csp, dataUser } = share(flatten(task, statistics()));
    const [garbler, evaluator] = memoryChannelPair();
    await simulated.runCsp(garbler, computation, { shares: csp, verifiedOwners: 2, markAnswered });
    const result = await simulated.runDataUser(evaluator, computation, { shares: dataUser });
    expect(result).toEqual(decompose(computation.program, statistics()));
  });

  test('refuses an encrypted number of owners that differs from the verified records', async () => {
    const { csp, dataUser } = share(flatten(task, statistics()));
    const [garbler, evaluator] = memoryChannelPair();
    await simulated.runCsp(garbler, computation, { shares: csp, verifiedOwners: 3, markAnswered });
    await expect(simulated.runDataUser(evaluator, computation, { shares: dataUser })).rejects.toMatchObject({
      code: 'ERR_OWNER_COUNT',
    });
  });

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['too little', Buffer.alloc(20)],
    ['too much', Buffer.alloc(10_000)],
  ])('refuses a message of %s', async (_name, message) => {
    const { dataUser } = share(flatten(task, statistics()));
    const [garbler, evaluator]: [Channel, Channel] = memoryChannelPair();
    await garbler.send(message);
    await expect(simulated.runDataUser(evaluator, computation, { shares: dataUser })).rejects.toMatchObject({
      code: 'ERR_CHANNEL_MESSAGE',
    });
  });

  test('fails when the CSP goes away', async () => {
    const { dataUser } = share(flatten(task, statistics()));
    const [garbler, evaluator] = memoryChannelPair();
    await garbler.close();
    await expect(simulated.runDataUser(evaluator, computation, { shares: dataUser })).rejects.toMatchObject({
      code: 'ERR_CHANNEL_CLOSED',
    });
  });
});
