import { createCipheriv } from 'node:crypto';
import { seeded } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OT_MESSAGE } from '../../src/oblivious-transfer/base.ts';
import { CHECK_ROWS } from '../../src/oblivious-transfer/consistency.ts';
import { BLOCK_ROWS } from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { receiveChosen, receiveRandom, sendChosen, sendRandom } from '../support/random-transfers.ts';
import { CHUNK_BLOCKS, hashChunk } from '../support/transfer-hash.ts';
import { randomChoices, row, session, xor } from './parties.ts';

function aes(key: Uint8Array, block: Uint8Array): Buffer {
  return createCipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(block);
}

/** π(π(x) ⊕ i) ⊕ π(x), one block at a time. */
function naiveHash(key: Uint8Array, block: Uint8Array, index: number): Buffer {
  const inner = aes(key, block);
  const tweak = Buffer.alloc(16);
  tweak.writeUInt32LE(index);
  return xor(aes(key, xor(inner, tweak)), inner);
}

describe('the hash', () => {
  test('is TMMO with consecutive tweaks', () => {
    const block = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(
        block,
        fc.array(block, { minLength: 1, maxLength: 20 }),
        fc.nat(2 ** 32 - 21),
        (key, blocks, first) => {
          const hashed = hashChunk(key, Buffer.concat(blocks), first);
          for (const [i, each] of blocks.entries()) {
            expect(row(hashed, i).equals(naiveHash(key, each, first + i))).toBe(true);
          }
        },
      ),
    );
  });

  test('hashes no more than a chunk under one key', () => {
    expect(hashChunk(new Uint8Array(16), new Uint8Array(16 * CHUNK_BLOCKS), 0)).toHaveLength(
      16 * CHUNK_BLOCKS,
    );
    expect(() => hashChunk(new Uint8Array(16), new Uint8Array(16 * CHUNK_BLOCKS + 16), 0)).toThrow(
      RangeError,
    );
  });
});

describe('random transfers', () => {
  const title = 'give what was chosen and differ (%i)';
  test.each([0, 33, CHUNK_BLOCKS + 1])(title, differ);
  test.each([1, BLOCK_ROWS + 5])(title, { tags: ['long'] }, differ);

  async function differ(count: number) {
    const { sender, receiver } = await session();
    const choices = randomChoices(count);
    const [{ zeros, ones }, got] = await Promise.all([
      sendRandom(sender, count),
      receiveRandom(receiver, choices),
    ]);
    const expected = zeros.map((zero, b) => (choices[b >> 4] === 1 ? ones[b]! : zero));
    expect(Buffer.from(got).equals(Buffer.from(expected))).toBe(true);
    const distinct = new Set<string>();
    for (let i = 0; i < count; i += 1) {
      distinct.add(row(zeros, i).toString('hex')).add(row(ones, i).toString('hex'));
    }
    expect(distinct.size).toBe(2 * count);
  }

  test('are the hashes of correlated ones under their place in the session and fresh keys', async () => {
    // Both sessions draw the same for the base transfers; the second also draws hash keys.
    const delta = drawDelta(seeded('delta'));
    const twin = () =>
      session({ delta, senderRandom: seeded('the sender'), receiverRandom: seeded('the receiver') });
    const [plain, hashed] = [await twin(), await twin()];
    const count = CHUNK_BLOCKS + 50;
    const choices = randomChoices(count, seeded('choices'));
    for (const { sender, receiver } of [plain, hashed]) {
      await Promise.all([sender.extend(33), receiver.extend(choices.subarray(0, 33))]);
    }
    const first = 2 * CHECK_ROWS + 64;
    const keys = new Set<string>();
    for (let call = 0; call < 2; call += 1) {
      const start = first + call * (CHECK_ROWS + Math.ceil(count / 32) * 32);
      const [q] = await Promise.all([plain.sender.extend(count), plain.receiver.extend(choices)]);
      const [{ zeros, ones }] = await Promise.all([
        sendRandom(hashed.sender, count),
        receiveRandom(hashed.receiver, choices),
      ]);
      const message = hashed.fromSender.at(-1)!;
      expect([message.readUInt32LE(0), message.readUInt32LE(4)]).toEqual([OT_MESSAGE.hashKeys, 32]);
      for (const i of [0, 1, 31, CHUNK_BLOCKS - 1, CHUNK_BLOCKS, count - 1]) {
        const chunk = i < CHUNK_BLOCKS ? 0 : 1;
        const key = message.subarray(8 + 16 * chunk, 24 + 16 * chunk);
        keys.add(key.toString('hex'));
        expect(row(zeros, i).equals(naiveHash(key, row(q, i), start + i))).toBe(true);
        expect(row(ones, i).equals(naiveHash(key, xor(row(q, i), delta), start + i))).toBe(true);
      }
    }
    expect(keys.size).toBe(4);
  });
});

describe('chosen transfers', () => {
  test('give the chosen message, all patterns of four', async () => {
    const { sender, receiver } = await session();
    for (let pattern = 0; pattern < 16; pattern += 1) {
      const choices = Uint8Array.from({ length: 4 }, (_, i) => (pattern >> i) & 1);
      const zeros = Uint8Array.from({ length: 64 }, (_, b) => b);
      const ones = zeros.map((byte) => 255 - byte);
      const [, got] = await Promise.all([sendChosen(sender, zeros, ones), receiveChosen(receiver, choices)]);
      expect([...got]).toEqual([...zeros].map((zero, b) => (choices[b >> 4] === 1 ? 255 - zero : zero)));
    }
  });

  test('work for none', async () => {
    const { sender, receiver } = await session();
    const nothing = new Uint8Array(0);
    const [, got] = await Promise.all([
      sendChosen(sender, nothing, nothing),
      receiveChosen(receiver, nothing),
    ]);
    expect(got).toEqual(nothing);
  });

  test('work across blocks, and for none', { tags: ['long'] }, async () => {
    const { sender, receiver } = await session();
    for (const count of [0, BLOCK_ROWS + 3]) {
      const choices = randomChoices(count);
      const [zeros, ones] = [seeded('zeros')(16 * count), seeded('ones')(16 * count)];
      const [, got] = await Promise.all([sendChosen(sender, zeros, ones), receiveChosen(receiver, choices)]);
      const expected = zeros.map((zero, b) => (choices[b >> 4] === 1 ? ones[b]! : zero));
      expect(Buffer.from(got).equals(Buffer.from(expected))).toBe(true);
    }
  });

  test('tell the sender nothing: the corrections of equal choices are balanced', async () => {
    const { sender, receiver, fromReceiver } = await session({ receiverRandom: seeded('balanced') });
    const count = 8000;
    for (const choice of [0, 1]) {
      const messages = new Uint8Array(16 * count);
      await Promise.all([
        sendChosen(sender, messages, messages),
        receiveChosen(receiver, new Uint8Array(count).fill(choice)),
      ]);
      const bits = fromReceiver.at(-1)!.subarray(8);
      const ones = bits.reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
      expect(Math.abs(ones - count / 2)).toBeLessThan(7 * Math.sqrt(count / 4)); // fair coins exceed it once in 4e11 times
    }
  });

  test('notice misuse', async () => {
    const { sender, receiver } = await session();
    await expect(sendChosen(sender, new Uint8Array(16), new Uint8Array(32))).rejects.toThrow(RangeError);
    await expect(sendChosen(sender, new Uint8Array(8), new Uint8Array(8))).rejects.toThrow(RangeError);
    await expect(receiveChosen(receiver, Uint8Array.of(2))).rejects.toThrow(RangeError);
  });
});
