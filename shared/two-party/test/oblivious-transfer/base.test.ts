import { createECDH, createHash, ECDH } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { BASE_COUNT, OT_MESSAGE, receiveBaseKeys, sendBaseKeys } from '../../src/oblivious-transfer/base.ts';
import { differences, hashedPoint } from '../../src/oblivious-transfer/p256.ts';
import { systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { recorded } from './parties.ts';

const POINT_BYTES = 65;
const bit = (bytes: Uint8Array, i: number) => (bytes[i >> 3]! >> (i & 7)) & 1;

async function run(choices: Uint8Array) {
  const [left, right] = memoryChannelPair();
  const { recording, sent } = recorded(left);
  const [receiver, senderEnd] = await Promise.all([
    receiveBaseKeys(new MessageStream(recording), choices, systemRandomness),
    sendBaseKeys(new MessageStream(right), systemRandomness),
  ]);
  expect(receiver.transcript).toEqual(senderEnd.transcript);
  const { transcript } = receiver;
  return {
    received: receiver.keys,
    pairs: senderEnd.keys,
    transcript,
    points: Buffer.concat(sent).subarray(8),
  };
}

/** Points as a sender of base transfers would see them, all on the curve. */
function honestPoints(): Buffer {
  const point = createECDH('prime256v1').generateKeys();
  return Buffer.concat(new Array<Buffer>(BASE_COUNT).fill(point));
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
    const transcripts = new Set<string>();
    for (let repetition = 0; repetition < 2; repetition += 1) {
      const run1 = await run(choices);
      for (const pair of run1.pairs) for (const key of pair) keys.add(Buffer.from(key).toString('hex'));
      transcripts.add(Buffer.from(run1.transcript).toString('hex'));
      for (let i = 0; i < BASE_COUNT; i += 1) {
        points.add(run1.points.toString('hex', i * POINT_BYTES, (i + 1) * POINT_BYTES));
      }
    }
    expect(keys.size).toBe(4 * BASE_COUNT);
    expect(points.size).toBe(2 * BASE_COUNT);
    expect(transcripts.size).toBe(2);
  });

  test('give other keys for the same points in another transcript', async () => {
    const points = honestPoints();
    const replay = async () => {
      const [left, right] = memoryChannelPair();
      const writer = new MessageStream(left);
      writer.write(OT_MESSAGE.publicKeys, points);
      await writer.flush();
      return (await sendBaseKeys(new MessageStream(right), systemRandomness)).keys;
    };
    const pairs = await replay();
    // All points of a kind are one and so is the shared secret: only the place in the key derivation tells keys apart.
    expect(new Set(pairs.flat().map((key) => Buffer.from(key).toString('hex'))).size).toBe(2 * BASE_COUNT);
    expect((await replay())[0]).not.toEqual(pairs[0]);
  });

  test('take the second point of a pair to be C minus the first, so that no receiver knows both logarithms', async () => {
    const sum = hashedPoint('eigenveil base OT sum v2');
    const own = createECDH('prime256v1');
    const points = new Array<Buffer>(BASE_COUNT).fill(own.generateKeys());
    const [left, right] = memoryChannelPair();
    const writer = new MessageStream(left);
    writer.write(OT_MESSAGE.publicKeys, Buffer.concat(points));
    await writer.flush();
    const scalar = systemRandomness(32);
    const { keys, transcript } = await sendBaseKeys(new MessageStream(right), () => scalar);
    const sender = createECDH('prime256v1');
    sender.setPrivateKey(Buffer.from(scalar));
    const [second] = differences(sum, points)!;
    for (const i of [0, 1, BASE_COUNT - 1]) {
      for (const [bit, point] of [points[0]!, second!].entries()) {
        const digest = createHash('sha256')
          .update('eigenveil base OT key v2')
          .update(transcript)
          .update(Uint8Array.of(i, bit))
          .update(sender.computeSecret(point))
          .digest();
        expect(Buffer.from(keys[i]![bit]!).equals(digest.subarray(0, 16))).toBe(true);
      }
    }
    // What the receiver can compute without the other logarithm: the first key only.
    const ephemeral = sender.getPublicKey();
    expect(own.computeSecret(ephemeral)).toEqual(sender.computeSecret(points[0]!));
    expect(own.computeSecret(ephemeral)).not.toEqual(sender.computeSecret(second!));
  });

  test('refuse C itself and its opposite, whose counterparts are no points or need another formula', async () => {
    const sum = Buffer.from(hashedPoint('eigenveil base OT sum v2'));
    const opposite = ECDH.convertKey(
      Buffer.concat([Buffer.of(3), sum.subarray(1, 33)]),
      'prime256v1',
      undefined,
      undefined,
      'uncompressed',
    ) as Buffer;
    for (const bad of [sum, opposite]) {
      const points = honestPoints();
      bad.copy(points, POINT_BYTES);
      const [left, right] = memoryChannelPair();
      const writer = new MessageStream(left);
      writer.write(OT_MESSAGE.publicKeys, points);
      await writer.flush();
      const refused = sendBaseKeys(new MessageStream(right), systemRandomness);
      await expect(refused).rejects.toMatchObject({ code: 'ERR_OT_POINT' });
    }
  });

  test.each(BAD_POINTS)('refuse %s from the receiver', async (_name, bad) => {
    for (const place of [0, 1, BASE_COUNT - 1]) {
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

describe('points of P-256', () => {
  const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const times = (scalar: bigint) => {
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex'));
    return ecdh.getPublicKey();
  };
  const drawn = () => BigInt(`0x${Buffer.from(systemRandomness(32)).toString('hex')}`) % ORDER;

  test('are subtracted as OpenSSL multiplies the generator', () => {
    const from = drawn();
    const others = [1n, 2n, ORDER - 1n, ...Array.from({ length: 20 }, drawn)];
    const expected = others.map((other) => times((((from - other) % ORDER) + ORDER) % ORDER));
    const got = differences(times(from), others.map(times))!;
    expect(got.map((point) => Buffer.from(point).toString('hex'))).toEqual(
      expected.map((point) => point.toString('hex')),
    );
    expect(differences(times(from), [times(5n), times(from)])).toBeUndefined();
    expect(differences(times(from), [times(5n), times(ORDER - from)])).toBeUndefined();
  });

  test('that come from a name are always the same, and others for another name', () => {
    // By another reading: y² = x³ − 3x + b for x the first hash that is an abscissa.
    const prime = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
    const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
    for (const name of ['eigenveil base OT sum v2', 'a', 'b', 'c']) {
      const point = Buffer.from(hashedPoint(name));
      const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) =>
        BigInt(`0x${part.toString('hex')}`),
      );
      expect((y! * y! - (x! ** 3n - 3n * x! + b)) % prime).toBe(0n);
      expect(y! % 2n).toBe(0n);
      const tried = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) =>
        createHash('sha256').update(name).update(Uint8Array.of(i)).digest('hex'),
      );
      expect(tried).toContain(x!.toString(16).padStart(64, '0'));
    }
    expect(Buffer.from(hashedPoint('eigenveil base OT sum v2')).toString('hex')).toBe(
      '0472d13c7cab6a77419bd07f8c2fa01b56de5137e85a6ed2c17a8f689986730403d235ddf1311cd72e1048faab32b69e4efc0a91d1e0faccbb5046f947a0698d72',
    );
  });
});
