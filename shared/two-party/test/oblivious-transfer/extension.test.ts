import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { CHECK_ROWS, RESPONSE_BYTES } from '../../src/oblivious-transfer/consistency.ts';
import {
  BLOCK_ROWS,
  type ExtensionReceiver,
  ExtensionSender,
} from '../../src/oblivious-transfer/extension.ts';
import { drawDelta } from '../../src/oblivious-transfer/index.ts';
import { systemRandomness } from '../../src/oblivious-transfer/randomness.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { randomChoices, row, session, xor } from './parties.ts';

async function extend(sender: ExtensionSender, receiver: ExtensionReceiver, choices: Uint8Array) {
  const [q, t] = await Promise.all([sender.extend(choices.length), receiver.extend(choices)]);
  return { q, t };
}

function check(q: Uint8Array, t: Uint8Array, choices: Uint8Array, delta: Uint8Array): void {
  expect([q.length, t.length]).toEqual([16 * choices.length, 16 * choices.length]);
  const expected = q.map((byte, b) => byte ^ (choices[b >> 4]! * delta[b & 15]!));
  expect(Buffer.from(t).equals(Buffer.from(expected))).toBe(true);
}

describe('correlated transfers', () => {
  test('are q against q or q ⊕ Δ for all patterns of eight choices', async () => {
    const { sender, receiver, delta } = await session();
    const choices = Uint8Array.from({ length: 256 * 8 }, (_, i) => ((i >> 3) >> (i & 7)) & 1);
    const { q, t } = await extend(sender, receiver, choices);
    check(q, t, choices, delta);
  });

  test('hold for odd counts, repeated calls and any Δ', async () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    const counts = fc.array(fc.oneof(fc.integer({ min: 0, max: 70 }), fc.integer({ min: 1000, max: 5000 })), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(bytes, counts, async (delta, sizes) => {
        delta[0] = delta[0]! | 1;
        const { sender, receiver } = await session({ delta });
        for (const size of sizes) {
          const choices = randomChoices(size);
          const { q, t } = await extend(sender, receiver, choices);
          check(q, t, choices, delta);
        }
      }),
      { numRuns: 3 },
    );
  });

  test.each([BLOCK_ROWS + 1])('hold across blocks (%i)', holdAcrossBlocks);
  test.each([BLOCK_ROWS - 1, BLOCK_ROWS, 2 * BLOCK_ROWS + 1])(
    'hold across blocks (%i)',
    { tags: ['long'] },
    holdAcrossBlocks,
  );

  async function holdAcrossBlocks(count: number) {
    const { sender, receiver, delta } = await session();
    for (let call = 0; call < 2; call += 1) {
      const choices = randomChoices(count);
      const { q, t } = await extend(sender, receiver, choices);
      check(q, t, choices, delta);
    }
  }

  test('come in blocks that name their place in the session', async () => {
    const { sender, receiver } = await session();
    const places: [number, number][] = [];
    for (const count of [5, BLOCK_ROWS + 40, 64, 1]) {
      const reading = (async () => {
        for await (const { first, rows } of sender.blocks(count)) places.push([first, rows.length / 16]);
      })();
      await Promise.all([reading, receiver.extend(new Uint8Array(count))]);
    }
    expect(places.map(([, rows]) => rows)).toEqual([5, BLOCK_ROWS, 40, 64, 1]);
    for (const [i, [first]] of places.slice(1).entries()) {
      const [before, rows] = places[i]!;
      expect(first).toBeGreaterThanOrEqual(before + rows);
    }
  });

  test('never give the same row, mask or header again, within a session or in another with the same Δ', async () => {
    const delta = drawDelta();
    const rows = new Set<string>();
    const columns = new Set<string>();
    let count = 0;
    for (let run = 0; run < 2; run += 1) {
      const { sender, receiver, fromReceiver } = await session({ delta });
      for (const size of [64, 1, 33, 64, 64, 64]) {
        const { q } = await extend(sender, receiver, new Uint8Array(size));
        for (let i = 0; i < size; i += 1) rows.add(row(q, i).toString('hex'));
        count += size;
      }
      // The first message is the base transfers'. Then headers of 8 bytes, each with its payload: columns of 128 + 64 bits between.
      const length = 8 + 8 + 8 + 128 * 24 + 8 + RESPONSE_BYTES;
      const small = fromReceiver.slice(1).filter((message) => message.length === length);
      expect(small).toHaveLength(5);
      for (const message of small) {
        for (let j = 0; j < 128; j += 1)
          columns.add(message.subarray(24 + 24 * j, 48 + 24 * j).toString('hex'));
      }
    }
    expect(rows.size).toBe(count);
    expect(columns.size).toBe(2 * 5 * 128);
  });

  test('end before a counter could come round', async () => {
    const { sender, receiver } = await session({ maximumRows: 2 * (CHECK_ROWS + 64) });
    await extend(sender, receiver, new Uint8Array(64));
    await extend(sender, receiver, new Uint8Array(33)); // takes the other 64
    for (const refused of [sender.extend(1), receiver.extend(new Uint8Array(1))]) {
      await expect(refused).rejects.toMatchObject({ code: 'ERR_OT_EXHAUSTED' });
    }
  });

  test('notice misuse', async () => {
    for (const bad of [new Uint8Array(15).fill(1), new Uint8Array(17).fill(1), new Uint8Array(16)]) {
      const party = { stream: new MessageStream(memoryChannelPair()[0]), random: systemRandomness };
      await expect(ExtensionSender.setUp(party, bad)).rejects.toThrow(RangeError);
    }
    const { sender, receiver } = await session();
    await expect(sender.extend(-1)).rejects.toThrow(RangeError);
    await expect(sender.extend(1.5)).rejects.toThrow(RangeError);
    await expect(receiver.extend(Uint8Array.of(0, 2))).rejects.toThrow(RangeError);
    const first = sender.extend(8);
    await expect(sender.extend(8)).rejects.toThrow(TypeError);
    await receiver.extend(new Uint8Array(8));
    expect(await first).toHaveLength(128);
  });

  test('copy Δ, so that a caller that wipes its own does no harm', async () => {
    const delta = drawDelta();
    const kept = delta.slice();
    const { sender, receiver } = await session({ delta });
    delta.fill(0);
    const choices = Uint8Array.of(1);
    const { q, t } = await extend(sender, receiver, choices);
    expect(xor(q, t).equals(Buffer.from(kept))).toBe(true);
  });
});
