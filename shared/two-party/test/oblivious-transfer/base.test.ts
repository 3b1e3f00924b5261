import { createECDH, ECDH } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MessageStream, memoryChannelPair } from '../../src/index.ts';
import { BASE_COUNT, receiveBaseKeys, sendBaseKeys } from '../../src/oblivious-transfer/base.ts';
import { OT_MESSAGE } from '../../src/oblivious-transfer/message-types.ts';
import { systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { recorded } from './parties.ts';

const POINT_BYTES = 65;
const bit = (bytes: Uint8Array, i: number) => (bytes[i >> 3]! >> (i & 7)) & 1;

async function run(choices: Uint8Array) {
  const [left, right] = memoryChannelPair();
  const { recording, sent } = recorded(left);
  const [received, pairs] = await Promise.all([
    receiveBaseKeys(new MessageStream(recording), choices, systemRandomness),
    sendBaseKeys(new MessageStream(right), systemRandomness),
  ]);
  return { received, pairs, points: Buffer.concat(sent).subarray(8) };
}

/** Points as a sender of base transfers would see them, all on the curve. */
function honestPoints(): Buffer {
  const point = createECDH('prime256v1').generateKeys();
  return Buffer.concat(new Array<Buffer>(2 * BASE_COUNT).fill(point));
}

const generator = () => {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(Buffer.from('01'.padStart(64, '0'), 'hex'));
  return ecdh.getPublicKey();
};

/** What is no point in the one encoding that counts, each padded or cut to the length of a point. */
const BAD_POINTS: [string, Buffer][] = [
  [
    'one that is off the curve',
    Buffer.concat([generator().subarray(0, 64), Buffer.of(generator()[64]! ^ 1)]),
  ],
  ['the identity', Buffer.alloc(POINT_BYTES)],
  ['the identity as an uncompressed point', Buffer.concat([Buffer.of(4), Buffer.alloc(64)])],
  ['coordinates beyond the prime', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 255)])],
  [
    'a compressed one with garbage behind it',
    Buffer.concat([generator().subarray(0, 33), Buffer.alloc(32)]).fill(2, 0, 1),
  ],
  // OpenSSL takes this one for the point it is.
  ['a hybrid encoding', Buffer.concat([Buffer.of(6 + (generator()[64]! & 1)), generator().subarray(1)])],
  ['random bytes', Buffer.concat([Buffer.of(4), Buffer.alloc(64, 0x5a)])],
];

describe('base transfers', () => {
  test('give exactly the chosen key of each pair, for all, no, alternating and random choices', async () => {
    for (const choices of [
      new Uint8Array(16),
      new Uint8Array(16).fill(255),
      new Uint8Array(16).fill(0x55),
      systemRandomness(16),
    ]) {
      const { received, pairs } = await run(choices);
      expect(received).toHaveLength(BASE_COUNT);
      for (const [i, key] of received.entries()) {
        expect(key).toHaveLength(16);
        expect(key).toEqual(pairs[i]![bit(choices, i)]);
        expect(key).not.toEqual(pairs[i]![1 - bit(choices, i)]);
      }
    }
  });

  test('draw every key and every point afresh', async () => {
    const choices = systemRandomness(16);
    const keys = new Set<string>();
    const points = new Set<string>();
    for (let repetition = 0; repetition < 2; repetition += 1) {
      const run1 = await run(choices);
      for (const pair of run1.pairs) for (const key of pair) keys.add(Buffer.from(key).toString('hex'));
      for (let i = 0; i < 2 * BASE_COUNT; i += 1) {
        points.add(run1.points.toString('hex', i * POINT_BYTES, (i + 1) * POINT_BYTES));
      }
    }
    expect(keys.size).toBe(4 * BASE_COUNT);
    expect(points.size).toBe(4 * BASE_COUNT);
  });

  test('give other keys for the same points in another transcript', async () => {
    const points = honestPoints();
    const replay = async () => {
      const [left, right] = memoryChannelPair();
      const writer = new MessageStream(left);
      writer.write(OT_MESSAGE.publicKeys, points);
      await writer.flush();
      return sendBaseKeys(new MessageStream(right), systemRandomness);
    };
    const pairs = await replay();
    // All points are one and so is the shared secret: only the place in the key derivation tells keys apart.
    expect(new Set(pairs.flat().map((key) => Buffer.from(key).toString('hex'))).size).toBe(2 * BASE_COUNT);
    expect((await replay())[0]).not.toEqual(pairs[0]);
  });

  test('draw the other point as one of the curve', async () => {
    const { points } = await run(systemRandomness(16));
    for (let i = 0; i < 2 * BASE_COUNT; i += 1) {
      const point = points.subarray(i * POINT_BYTES, (i + 1) * POINT_BYTES);
      expect(() => ECDH.convertKey(point, 'prime256v1')).not.toThrow();
    }
  });

  test.each(BAD_POINTS)('refuse %s from the receiver', async (_name, bad) => {
    for (const place of [0, 1, 2 * BASE_COUNT - 1]) {
      const points = honestPoints();
      bad.copy(points, place * POINT_BYTES);
      const [left, right] = memoryChannelPair();
      const writer = new MessageStream(left);
      writer.write(OT_MESSAGE.publicKeys, points);
      await writer.flush();
      const refused = sendBaseKeys(new MessageStream(right), systemRandomness);
      await expect(refused).rejects.toMatchObject({ code: 'ERR_OT_POINT' });
      expect(left.bytesReceived).toBe(0);
    }
  });

  test.each(BAD_POINTS)('refuse %s from the sender', async (_name, bad) => {
    const [left, right] = memoryChannelPair();
    const writer = new MessageStream(left);
    writer.write(OT_MESSAGE.ephemeralKey, bad);
    await writer.flush();
    const refused = receiveBaseKeys(new MessageStream(right), new Uint8Array(16), systemRandomness);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_OT_POINT' });
  });

  test('refuse a single byte, which OpenSSL takes for the identity, by its length', async () => {
    const [left, right] = memoryChannelPair();
    const writer = new MessageStream(left);
    writer.write(OT_MESSAGE.ephemeralKey, Buffer.of(0));
    await writer.flush();
    const refused = receiveBaseKeys(new MessageStream(right), new Uint8Array(16), systemRandomness);
    await expect(refused).rejects.toMatchObject({ code: 'ERR_CHANNEL_MESSAGE' });
  });
});
