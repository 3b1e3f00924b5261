/** The protocol over oblivious transfer, end to end: results, rounds, refusals, the mark before the answer, and faults. */
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/index.ts';
import { rotatedRingBits } from '../../src/rotated/parameters.ts';
import { rotated } from '../../src/rotated.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { datasetRows } from './datasets.ts';
import { AT_ONCE, distanceToReference } from './run.ts';
import { type Setting, settingOf, spread } from './settings.ts';
import { countingTrips, watched } from './watched.ts';

const OUTPUTS = ['mean', 'trace', 'sampleCount', 'spectrum'] as const;
const small = () => settingOf({ rows: spread(40, 4, 3), components: 2 });

interface Options {
  readonly channels?: readonly [Channel, Channel];
  readonly markAnswered?: () => Promise<void>;
}

/** Both ends; what each came to. */
async function run(
  { task, program, garbler, evaluator }: Setting,
  { channels = memoryChannelPair(), markAnswered = async () => undefined }: Options = {},
) {
  const [left, right] = channels;
  const [csp, user] = await Promise.allSettled([
    rotated.runCsp(left, { task, program }, { ...garbler, markAnswered }),
    rotated.runDataUser(right, { task, program }, { ...evaluator, pace: AT_ONCE }),
  ]);
  return { csp, user, bytes: left.bytesSent + right.bytesSent };
}

async function result(setting: Setting, options?: Options) {
  const { csp, user } = await run(setting, options);
  if (csp.status === 'rejected') throw csp.reason;
  if (user.status === 'rejected') throw user.reason;
  return user.value;
}

const rejection = (code: string, reason?: string) => ({
  status: 'rejected',
  reason: expect.objectContaining({ code, ...(reason && { parameters: { reason } }) }),
});

describe('rotated', () => {
  it('decomposes iris', () => decomposes('iris', 2));
  it('decomposes pima', { tags: ['long'] }, () => decomposes('pima', 4));

  async function decomposes(name: 'iris' | 'pima', components: number) {
    const program = { outputs: OUTPUTS, twoValued: 0 };
    const setting = settingOf({ rows: datasetRows(name), components, program });
    const decomposition = await result(setting);
    const { eigenvalueError, sineGap } = distanceToReference(setting, decomposition);
    expect(eigenvalueError).toBeLessThan(1e-9);
    expect(sineGap).toBeLessThan(1e-8);
    expect(decomposition.sampleCount).toBe(Number(setting.statistics.labellings[0]![0]!.M));
  }

  it('is right in the widest ring and with the longest blinding', async () => {
    const task = { maximumOwners: 2 ** 14, maximumSamplesPerOwner: 2 ** 18, statisticalSecurityBits: 128 };
    const setting = settingOf({ rows: spread(200, 4, 7), components: 2, task });
    expect(rotatedRingBits(setting.task)).toBe(252);
    const { eigenvalueError, sineGap } = distanceToReference(setting, await result(setting));
    expect(eigenvalueError).toBeLessThan(1e-9);
    expect(sineGap).toBeLessThan(1e-8);
  });

  it('takes ten trips, base transfers and checks included', async () => {
    const { channels, trips } = countingTrips();
    await result(settingOf({ rows: spread(60, 5, 3), components: 3 }), { channels });
    expect(trips()).toBe(10);
  });

  it('has shares in the ring of the task', () => {
    const { task, garbler } = small();
    expect(rotated.shareBits(task)).toEqual(new Array(garbler.shares.length).fill(rotatedRingBits(task)));
  });
});

describe('the mark', () => {
  it('comes once, before anything that depends on the rotation', async () => {
    const [left, right] = memoryChannelPair();
    const events: (number | 'mark')[] = [];
    const channel = watched(left, (message) => {
      events.push(message.length);
      return message;
    });
    await result(small(), {
      channels: [channel, right],
      markAnswered: async () => {
        events.push('mark');
      },
    });
    expect(events.filter((event) => event === 'mark')).toHaveLength(1);
    const after = events.slice(events.indexOf('mark') + 1);
    // First M, alone in its frame: 8 bytes of header and 10 elements.
    expect(after[0]).toBe(8 + 10 * Math.ceil(rotatedRingBits(small().task) / 8));
    expect(after.length).toBeGreaterThan(1);
  });

  it('must succeed, or nothing leaves', async () => {
    const [left, right] = memoryChannelPair();
    let marked = false;
    let after = 0;
    const channel = watched(left, (message) => {
      if (marked) after += 1;
      return message;
    });
    const { csp, user } = await run(small(), {
      channels: [channel, right],
      markAnswered: async () => {
        marked = true;
        throw new Error('answered before');
      },
    });
    expect(csp).toMatchObject({ status: 'rejected', reason: { message: 'answered before' } });
    expect(user).toMatchObject(rejection('ERR_CHANNEL_ABORTED'));
    expect(after).toBe(0);
  });
});

describe('refusals', () => {
  it.each([
    ['fewer owners than verified', { verifiedOwners: 4 }, {}],
    ['more owners than verified', { verifiedOwners: 2 }, {}],
    ['fewer owners than the minimum', {}, { minimumOwners: 4 }],
  ])('%s, before a byte of the CSP', async (_, garbler, program) => {
    const setting = small();
    const [left, right] = memoryChannelPair();
    let marked = 0;
    const { csp, user } = await run(
      {
        ...setting,
        garbler: { ...setting.garbler, ...garbler },
        program: { ...setting.program, ...program },
      },
      {
        channels: [left, right],
        markAnswered: async () => {
          marked += 1;
        },
      },
    );
    expect(csp).toMatchObject(rejection('ERR_OWNER_COUNT'));
    expect(user).toMatchObject(rejection('ERR_OWNER_COUNT'));
    expect(left.bytesSent).toBe(0);
    expect(marked).toBe(1);
  });

  it('a number of owners is told only once no other can be tried', async () => {
    const setting = small();
    const { csp, user } = await run(
      { ...setting, garbler: { ...setting.garbler, verifiedOwners: 4 } },
      {
        markAnswered: async () => {
          throw new Error('not written down');
        },
      },
    );
    expect(csp).toMatchObject({ status: 'rejected', reason: { message: 'not written down' } });
    expect(user).toMatchObject(rejection('ERR_CHANNEL_ABORTED', 'ERR_COMPUTATION'));
  });

  it('a share that is too long ends the task, too', async () => {
    const setting = small();
    let marked = 0;
    const { csp, user } = await run(
      {
        ...setting,
        garbler: {
          ...setting.garbler,
          shares: setting.garbler.shares.map((share, i) => (i === 0 ? 1n << 200n : share)),
        },
      },
      {
        markAnswered: async () => {
          marked += 1;
        },
      },
    );
    expect(csp).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
    expect(user).toMatchObject(rejection('ERR_CHANNEL_ABORTED', 'ERR_COMPUTATION'));
    expect(marked).toBe(1);
  });

  it.each([
    ['no declared spectrum', { outputs: ['sampleCount'] }, 'ERR_PROGRAM_INVALID'],
    ['no declared number of samples', { outputs: ['spectrum'] }, 'ERR_PROGRAM_INVALID'],
    ['d − 1 components', { components: 3 }, 'ERR_FULL_RANK'],
    ['d components', { components: 4 }, 'ERR_FULL_RANK'],
    ['a feature of two values', { twoValued: 1 }, 'ERR_FULL_RANK'],
  ] as const)('%s, at both ends, before a byte', async (_, program, code) => {
    const setting = small();
    const [left, right] = memoryChannelPair();
    const changed = { ...setting, program: { ...setting.program, ...program } };
    const { csp, user, bytes } = await run(changed, { channels: [left, right] });
    expect(csp).toMatchObject(rejection(code));
    expect(user).toMatchObject(rejection(code));
    expect(bytes).toBe(0);
  });

  it('d − 2 components of features of which one is constant', async () => {
    const setting = small();
    const features = setting.task.features.map((feature, i) =>
      i === 0 ? { ...feature, max: feature.min } : feature,
    );
    const { csp, user } = await run({ ...setting, task: { ...setting.task, features } });
    expect(csp).toMatchObject(rejection('ERR_FULL_RANK'));
    expect(user).toMatchObject(rejection('ERR_FULL_RANK'));
  });

  it('a task whose ring is too wide', async () => {
    const setting = small();
    const task = { ...setting.task, maximumOwners: 2 ** 20, maximumSamplesPerOwner: 2 ** 20 };
    const { csp, user } = await run({ ...setting, task });
    expect(csp).toMatchObject(rejection('ERR_TASK_RANGE'));
    expect(user).toMatchObject(rejection('ERR_TASK_RANGE'));
  });

  it('shares of the CSP that are longer than what unblinding gives', async () => {
    const setting = small();
    const shares = setting.garbler.shares.with(0, 1n << 200n);
    const { csp } = await run({ ...setting, garbler: { ...setting.garbler, shares } });
    expect(csp).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
  });

  it('shares of another ring', async () => {
    const setting = small();
    const shares = setting.evaluator.shares.with(0, 1n << 250n);
    const { user } = await run({ ...setting, evaluator: { shares } });
    expect(user).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
  });
});

describe('faults on the way', () => {
  /** Flips a bit of the n-th message of one end. */
  const flipping = (channel: Channel, index: number, place: number) => {
    let sent = 0;
    return watched(channel, (message) => {
      sent += 1;
      if (sent !== index + 1) return message;
      const changed = Uint8Array.from(message);
      changed[Math.floor(place * changed.length)]! ^= 0x80;
      return changed;
    });
  };

  /** How many messages each end sends in a run. */
  async function count(setting: Setting): Promise<[number, number]> {
    const [left, right] = memoryChannelPair();
    const sent: [number, number] = [0, 0];
    const counting = (channel: Channel, end: 0 | 1) =>
      watched(channel, (message) => {
        sent[end] += 1;
        return message;
      });
    await result(setting, { channels: [counting(left, 0), counting(right, 1)] });
    return sent;
  }

  it('give an error or no harm in messages in which a bit is flipped', { tags: ['long'] }, () =>
    giveNoHarm(4, [0.3]),
  );
  it('give an error or no harm, wherever a bit is flipped', { tags: ['long'] }, () =>
    giveNoHarm(12, [0.3, 0.8]),
  );

  async function giveNoHarm(ofEachEnd: number, places: readonly number[]) {
    const setting = settingOf({ rows: spread(40, 3, 3), components: 1 });
    const messages = await count(setting);
    let errors = 0;
    for (const end of [0, 1] as const) {
      for (let index = 0; index < messages[end]; index += Math.ceil(messages[end] / ofEachEnd)) {
        for (const place of places) {
          const channels = memoryChannelPair({ silenceMilliseconds: 1000 });
          channels[end] = flipping(channels[end], index, place);
          const { csp, user } = await run(setting, { channels });
          if (user.status === 'fulfilled' && csp.status === 'fulfilled') {
            const { eigenvalueError, sineGap } = distanceToReference(setting, user.value);
            expect(eigenvalueError).toBeLessThan(1e-6);
            expect(sineGap).toBeLessThan(1e-6);
          } else errors += 1;
        }
      }
    }
    expect(errors).toBeGreaterThan(0); // the first message of either end is read to the last bit
  }

  const title = 'that spoil a product end the task like an answer, and the CSP says nothing more, not why';
  it(title, () => spoilProducts(() => [8, 9, 10, 11]));
  it(`in any message, ${title}`, { tags: ['long'] }, () =>
    spoilProducts((sent) => Array.from({ length: sent - 2 }, (_, i) => i + 2)),
  );

  async function spoilProducts(which: (sent: number) => readonly number[]) {
    const setting = small();
    const [, sent] = await count(setting);
    const outcomes = new Set<string>();
    for (const index of which(sent)) {
      // Far longer than a stalled machine takes: a refusal that comes late is one, too.
      const [left, right] = memoryChannelPair({ silenceMilliseconds: 20_000 });
      let marked = 0;
      let sentAfterMark = 0;
      const { csp, user } = await run(setting, {
        channels: [
          watched(left, (message) => {
            sentAfterMark += marked;
            return message;
          }),
          flipping(right, index, 0.5),
        ],
        markAnswered: async () => {
          marked += 1;
        },
      });
      if (csp.status === 'rejected' && csp.reason.code === 'ERR_PRODUCT_CHECK') {
        const beforeAnswer = sentAfterMark === 0;
        outcomes.add(beforeAnswer ? 'instead of an answer' : 'after the matrix');
        expect(marked).toBe(1);
        expect(user).toMatchObject(rejection('ERR_CHANNEL_ABORTED', 'ERR_COMPUTATION'));
      }
    }
    expect(outcomes).toContain('instead of an answer');
  }

  it('of a matrix or vectors that no data can give are noticed', async () => {
    const setting = small();
    const ring = Math.ceil(rotatedRingBits(setting.task) / 8);
    // The highest bits of an entry of M and of a vector's: 216 and 158 bits.
    expect(rotatedRingBits(setting.task)).toBe(216);
    for (const [length, bit] of [
      [8 + 10 * ring, 0x80],
      [undefined, 0x20],
    ] as const) {
      const [left, right] = memoryChannelPair();
      let last = 0;
      const sentBefore = length === undefined ? (await count(setting))[0] : 0;
      const channel = watched(left, (message) => {
        last += 1;
        if (message.length !== length && last !== sentBefore) return message;
        const changed = Uint8Array.from(message);
        changed[8]! ^= bit;
        return changed;
      });
      const { user } = await run(setting, { channels: [channel, right] });
      expect(user).toMatchObject(rejection('ERR_ROTATION_CHECK'));
    }
  });

  it('of messages of another type or length are refused', async () => {
    for (const end of [0, 1] as const) {
      const channels = memoryChannelPair();
      channels[end] = watched(channels[end], (message) => Uint8Array.from(message).fill(0, 0, 4));
      const { csp, user } = await run(small(), { channels });
      expect([csp, user][1 - end]).toMatchObject(rejection('ERR_CHANNEL_MESSAGE'));
      expect([csp, user][end]).toMatchObject(rejection('ERR_CHANNEL_ABORTED', 'ERR_CHANNEL_MESSAGE'));
    }
  });
});
