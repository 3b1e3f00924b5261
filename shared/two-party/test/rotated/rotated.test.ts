/** The protocol over products from lattices, end to end: results, rounds, refusals, the mark before the answer, and faults. */
import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/index.ts';
import { LATTICE_MESSAGE } from '../../src/lattice/messages.ts';
import { wordBytes } from '../../src/lattice/words.ts';
import { rotatedRingBits } from '../../src/rotated/parameters.ts';
import { turningPlan } from '../../src/rotated/turning.ts';
import { rotated } from '../../src/rotated.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { answersBefore, messagesOf, PCA_PRODUCTS, placeOf } from '../support/views.ts';
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

  it('decomposes one feature, whose products have equal sides', async () => {
    const rows = spread(20, 1, 3);
    const setting = settingOf({ rows, components: 1, program: { allowFullRank: true } });
    expect(distanceToReference(setting, await result(setting)).eigenvalueError).toBeLessThan(1e-9);
  });

  it('takes ten trips, proofs included', async () => {
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
  it('comes once, before anything that is opened but what the task declares', async () => {
    const [left, right] = memoryChannelPair();
    const events: (Uint8Array | 'mark')[] = [];
    const channel = watched(left, (message) => {
      events.push(Uint8Array.from(message));
      return message;
    });
    await result(small(), {
      channels: [channel, right],
      markAnswered: async () => {
        events.push('mark');
      },
    });
    expect(events.filter((event) => event === 'mark')).toHaveLength(1);
    const after = events.slice(events.indexOf('mark') + 1) as Uint8Array[];
    const plan = await turningPlan(small().task, small().program);
    const types = messagesOf(after).map(({ type }) => type);
    // M's and the vectors'.
    const [all, before] = [
      answersBefore(plan, plan.products.length),
      answersBefore(plan, PCA_PRODUCTS.matrix),
    ];
    expect(types).toEqual(new Array(all - before).fill(LATTICE_MESSAGE.answer));
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

  it.each([
    ['a matrix', PCA_PRODUCTS.matrix],
    ['vectors', PCA_PRODUCTS.vectors],
  ])('of %s that no data can give are noticed', async (_, product) => {
    const setting = small();
    const plan = await turningPlan(setting.task, setting.program);
    const { down, degree } = plan.products[product]!;
    const spoiling = async (place?: { frame: number; at: number }) => {
      const [left, right] = memoryChannelPair();
      const frames: Uint8Array[] = [];
      const channel = watched(left, (message) => {
        const own = Uint8Array.from(message);
        if (frames.length === place?.frame) own[place.at]! ^= 1;
        frames.push(own);
        return own;
      });
      const { user } = await run(setting, { channels: [channel, right] });
      return { frames, user };
    };
    const { frames } = await spoiling();
    // A bit of the second result, of one prime: the result is any number.
    const place = placeOf(
      frames,
      LATTICE_MESSAGE.answer,
      answersBefore(plan, product),
      down * wordBytes(degree) + 5,
    );
    expect((await spoiling(place)).user).toMatchObject(rejection('ERR_ROTATION_CHECK'));
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
