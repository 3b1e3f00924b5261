import { createECDH, ECDH } from 'node:crypto';
import { seeded } from '@eigenveil/testbed/random';
import { describe, expect, test } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { BASE_COUNT, receiveBaseKeys } from '../../src/oblivious-transfer/base.ts';
import { CHECK_ROWS } from '../../src/oblivious-transfer/consistency.ts';
import { ExtensionReceiver } from '../../src/oblivious-transfer/extension.ts';
import type { RandomSource } from '../../src/oblivious-transfer/randomness.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { recorded, session } from './parties.ts';

const POINT_BYTES = 65;
const RUNS = 24;

/**
 * The largest deviation, in standard deviations, between how often each bit is set in two equally large samples of
 * byte strings. With the 520 bits of a point, 5 is exceeded by chance once in 3000 times; the seeds are fixed.
 */
function largestDeviation(left: readonly Uint8Array[], right: readonly Uint8Array[]): number {
  const ones = (sample: readonly Uint8Array[], i: number) =>
    sample.reduce((sum, bytes) => sum + ((bytes[i >> 3]! >> (i & 7)) & 1), 0);
  let largest = 0;
  for (let i = 0; i < 8 * left[0]!.length; i += 1) {
    const [a, b] = [ones(left, i) / left.length, ones(right, i) / right.length];
    const pooled = (a + b) / 2;
    const deviation = Math.sqrt((pooled * (1 - pooled) * 2) / left.length);
    if (a !== b) largest = Math.max(largest, Math.abs(a - b) / deviation);
  }
  return largest;
}

/** Every point that the base receiver sends for the same choice, over several runs. */
async function publicKeys(choice: 0 | 1, random: RandomSource): Promise<Uint8Array[]> {
  const points: Uint8Array[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const [left, right] = memoryChannelPair();
    const { recording, sent } = recorded(left);
    const receiving = receiveBaseKeys(
      new MessageStream(recording),
      new Uint8Array(16).fill(choice ? 255 : 0),
      random,
    );
    await right.close();
    await receiving.catch(() => undefined); // nobody answers
    const bytes = Buffer.concat(sent);
    for (let i = 0; i < BASE_COUNT; i += 1) {
      const start = 8 + i * POINT_BYTES;
      points.push(bytes.subarray(start, start + POINT_BYTES));
    }
  }
  return points;
}

describe('the choices of the base transfers', () => {
  test('do not show in the points', async () => {
    const zero = await publicKeys(0, seeded('choice 0'));
    const one = await publicKeys(1, seeded('choice 1'));
    expect(zero).toHaveLength(RUNS * BASE_COUNT);
    expect(largestDeviation(zero, one)).toBeLessThan(5);
  });

  test('would show if the point without a known logarithm always had an even ordinate', {
    tags: ['long'],
  }, () => {
    const random = seeded('control');
    const ecdh = createECDH('prime256v1');
    const known: Uint8Array[] = [];
    const drawn: Uint8Array[] = [];
    while (drawn.length < 2000) {
      ecdh.setPrivateKey(Buffer.from(random(32)));
      known.push(ecdh.getPublicKey());
      const compressed = Buffer.concat([Buffer.of(2), random(32)]);
      try {
        drawn.push(ECDH.convertKey(compressed, 'prime256v1', undefined, undefined, 'uncompressed') as Buffer);
      } catch {
        known.pop();
      }
    }
    expect(largestDeviation(known, drawn)).toBeGreaterThan(20);
  });
});

describe('the choices of the extension', () => {
  const COUNT = 4096;

  /** The columns that the receiver sends for one choice throughout, as 512 strings of 8 bits a column each. */
  async function columns(choice: 0 | 1, sameKeys: boolean): Promise<Uint8Array[]> {
    const random = seeded(`columns ${choice}`);
    const [left] = memoryChannelPair();
    const { recording, sent } = recorded(left);
    const keys = Array.from({ length: 128 }, (): [Uint8Array, Uint8Array] => {
      const key = Uint8Array.from(random(16));
      return [key, sameKeys ? key : Uint8Array.from(random(16))];
    });
    const base = { keys, transcript: random(32) };
    const receiver = new ExtensionReceiver({ stream: new MessageStream(recording), random }, base);
    await receiver.extend(new Uint8Array(COUNT).fill(choice));
    const payload = Buffer.concat(sent).subarray(24);
    const length = (CHECK_ROWS + COUNT) / 8;
    return Array.from({ length: COUNT / 8 }, (_, i) =>
      Uint8Array.from({ length: 128 }, (_, j) => payload[j * length + CHECK_ROWS / 8 + i]!),
    );
  }

  test('do not show in the columns', async () => {
    expect(largestDeviation(await columns(0, false), await columns(1, false))).toBeLessThan(5);
  });

  test('would show if both keys of a pair were one', async () => {
    expect(largestDeviation(await columns(0, true), await columns(1, true))).toBeGreaterThan(20);
  });
});

describe('the rows', () => {
  test('look uniform to either end whatever was chosen, but for the lowest bit of Δ', async () => {
    const count = 16_384;
    const { sender, receiver } = await session({
      delta: seeded('odd delta')(16).map((byte, i) => (i === 0 ? byte | 1 : byte)),
      senderRandom: seeded('rows of the sender'),
      receiverRandom: seeded('rows of the receiver'),
    });
    const samples: Uint8Array[] = [];
    for (const choice of [0, 1]) {
      const [q, t] = await Promise.all([
        sender.extend(count),
        receiver.extend(new Uint8Array(count).fill(choice)),
      ]);
      samples.push(q, t);
    }
    for (const rows of samples) {
      const byteCounts = new Array<number>(256).fill(0);
      for (let j = 0; j < 128; j += 1) {
        let ones = 0;
        for (let i = 0; i < count; i += 1) ones += (rows[16 * i + (j >> 3)]! >> (j & 7)) & 1;
        expect(Math.abs(ones - count / 2)).toBeLessThan(5 * Math.sqrt(count / 4));
      }
      for (const byte of rows) byteCounts[byte] = byteCounts[byte]! + 1;
      const expected = rows.length / 256;
      const chiSquare = byteCounts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
      // 255 degrees of freedom: mean 255, standard deviation 22.6.
      expect(Math.abs(chiSquare - 255)).toBeLessThan(5 * 22.6);
    }
  });
});
