import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Channel, ChannelLimits } from '../../src/channel/channel.ts';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { LatticeCsp } from '../../src/lattice/csp.ts';
import { LatticeDataUser } from '../../src/lattice/data-user.ts';
import { LATTICE_MESSAGE } from '../../src/lattice/messages.ts';
import { latticePlan } from '../../src/lattice/planning.ts';
import type { ProductSize } from '../../src/lattice/sizes.ts';
import { streamsFrom } from '../../src/oblivious-transfer/randomness.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

const size: ProductSize = {
  ...{ rows: 2, inner: 2, columns: 2, part: 'whole', ringBits: 80, factorBits: 20, rowBits: 21 },
  ...{ errorBits: -44, junkBits: 40, call: 0 },
};
const opened: ProductSize = { ...size, errorBits: 20, call: 1 };
const plan = latticePlan([size, opened]);
const digest = (text: string) => createHash('sha256').update(text).digest();
const A = [
  [3n, -5n],
  [700_000n, 1n],
];
const X = [
  [1n, 2n],
  [10n, (1n << 80n) - 1n],
];
const PRODUCT = [
  [-47n, 11n],
  [700_010n, 1_399_999n],
];

interface Changes {
  readonly nonces?: string;
  readonly factor?: bigint[][];
  readonly limits?: Partial<ChannelLimits>;
  /** Changes a message of the data user's stream. */
  readonly tamper?: (type: number, bytes: Uint8Array) => Uint8Array;
}

/** Both ends, one product that stays shared and one that is opened. */
async function run({ nonces = 'both nonces', factor = X, limits, tamper }: Changes = {}) {
  const sent: Record<'user' | 'csp', Uint8Array[]> = { user: [], csp: [] };
  const recorded = (channel: Channel, end: 'user' | 'csp') => {
    const send = channel.send.bind(channel);
    return Object.assign(channel, {
      send: (frame: Uint8Array, ...rest: []) => {
        sent[end].push(frame.slice());
        return send(frame, ...rest);
      },
    });
  };
  const [left, right] = memoryChannelPair(limits);
  const [ofUser, ofCsp] = [
    new MessageStream(recorded(left, 'user')),
    new MessageStream(recorded(right, 'csp')),
  ];
  if (tamper !== undefined) {
    const write = ofUser.write.bind(ofUser);
    ofUser.write = (type, bytes) => write(type, tamper(type, bytes.slice()));
  }
  const seed = digest(nonces);
  const draws = (name: string) => streamsFrom(digest(name));
  let openings = 0;
  const user = (async () => {
    const end = await LatticeDataUser.open(ofUser, plan, seed, draws(`user ${nonces}`));
    const [shares] = await end.multiply([{ product: 0, factor }]);
    const [results] = await end.multiply([{ product: 1, factor }]);
    return { shares: shares!, results: results! };
  })();
  const csp = (async () => {
    const end = await LatticeCsp.receive(ofCsp, plan, seed, draws('csp'));
    const [shares] = await end.answer([{ product: 0, factor: () => A }]);
    const mask = () => A.map(() => X[0]!.map(() => 1n << 60n));
    await end.answer([{ product: 1, factor: () => A, under: mask }], async () => {
      openings += 1;
    });
    return { shares: shares! };
  })();
  const settled = await Promise.allSettled([
    user,
    csp.catch(async (error: unknown) => {
      await right.close();
      throw error;
    }),
  ]);
  const frames = (end: 'user' | 'csp') => createHash('sha256').update(Buffer.concat(sent[end])).digest('hex');
  const shares = settled[1].status === 'fulfilled' ? settled[1].value.shares : undefined;
  return { settled, openings, frames, shares };
}

describe('products between two servers', () => {
  it('are shared exactly, and opened with a mask', async () => {
    const { settled, openings } = await run();
    const [user, csp] = settled;
    if (user.status !== 'fulfilled' || csp.status !== 'fulfilled')
      throw new Error('expected both ends to end');
    const sums = csp.value.shares.map((row, i) =>
      row.map((share, j) => BigInt.asIntN(80, share + user.value.shares[i]![j]!)),
    );
    expect(sums).toEqual(PRODUCT);
    for (const [i, row] of user.value.results.entries())
      for (const [j, result] of row.entries())
        expect(Math.abs(Number(BigInt.asIntN(80, result - (1n << 60n) - PRODUCT[i]![j]!)))).toBeLessThan(
          2 ** 20,
        );
    expect(openings).toBe(1);
  });

  it('goes to its end over a line that has room for next to nothing: no end waits for it while the other does', async () => {
    const { settled } = await run({ limits: { highWaterBytes: 1, silenceMilliseconds: 5000 } });
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('send the same bytes again for the same messages, and others after another message or nonce', async () => {
    const [one, again, other, nonces] = await Promise.all([
      run(),
      run(),
      run({ factor: [X[1]!, X[0]!] }),
      run({ nonces: 'others' }),
    ]);
    expect([again.frames('user'), again.frames('csp')]).toEqual([one.frames('user'), one.frames('csp')]);
    // Not only does another message have another answer: nothing that the CSP draws for it is the same.
    expect(other.shares!.flat().some((share) => one.shares!.flat().includes(share))).toBe(false);
    expect(nonces.frames('user')).not.toBe(one.frames('user'));
  });

  it.each([
    ['a key', LATTICE_MESSAGE.key],
    ['a ciphertext outside class 0', LATTICE_MESSAGE.outside],
    ['a proof', LATTICE_MESSAGE.proof],
  ])('end with ERR_CHANNEL_MESSAGE before anything is opened where %s was changed', async (_, changed) => {
    const { settled, openings } = await run({
      tamper: (type, bytes) => {
        if (type === changed) bytes[100]! ^= 1;
        return bytes;
      },
    });
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: { code: 'ERR_CHANNEL_MESSAGE' } });
    expect(openings).toBe(0);
  });

  it('may be opened in the first call, after the proof', async () => {
    const first = latticePlan([{ ...opened, call: 0 }]);
    const seed = digest('first');
    const results = async (change: (type: number, bytes: Uint8Array) => void) => {
      const [left, right] = memoryChannelPair();
      const stream = new MessageStream(left);
      const write = stream.write.bind(stream);
      stream.write = (type, bytes) => {
        const own = bytes.slice();
        change(type, own);
        return write(type, own);
      };
      let openings = 0;
      const csp = async () => {
        const end = await LatticeCsp.receive(
          new MessageStream(right),
          first,
          seed,
          streamsFrom(digest('csp')),
        );
        const factor = { product: 0, factor: () => A, under: () => A.map(() => X[0]!.map(() => 0n)) };
        await end.answer([factor], async () => {
          openings += 1;
        });
      };
      const user = async () => {
        const end = await LatticeDataUser.open(stream, first, seed, streamsFrom(digest('user')));
        return await end.multiply([{ product: 0, factor: X }]);
      };
      const atCsp = csp().catch(async (error: unknown) => {
        await right.close();
        throw error;
      });
      const [, settled] = await Promise.allSettled([user(), atCsp]);
      return { csp: settled.status, openings };
    };
    expect(await results(() => undefined)).toEqual({ csp: 'fulfilled', openings: 1 });
    const spoilt = await results((type, bytes) => {
      if (type === LATTICE_MESSAGE.proof) bytes[100]! ^= 1;
    });
    expect(spoilt).toEqual({ csp: 'rejected', openings: 0 });
  });

  it('refuse residues that are none', async () => {
    const { settled } = await run({
      tamper: (type, bytes) => (type === LATTICE_MESSAGE.inside ? bytes.fill(0xff) : bytes),
    });
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: { code: 'ERR_CHANNEL_MESSAGE' } });
  });
});
