/** What was changed on the way ends in an error at the chooser, and so at both ends, never in another product. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OT_MESSAGE } from '../../src/oblivious-transfer/base.ts';
import { multiplyChosen, multiplyCorrelated } from '../../src/products/index.ts';
import { PRODUCT_MESSAGE } from '../../src/products/layout.ts';
import { multiplyClear } from '../support/dealers.ts';
import { messagesOf } from '../support/views.ts';
import { type Options, opened, randomCase, session, type Tamper } from './parties.ts';

const SHAPE = [4, 3, 5] as const;
const random = () => randomCase(SHAPE, 20, 64);

/** What both ends send, of which the places of messages depend on sizes only. */
const sent = (async () => {
  const { multiply, sentByChooser: chooser, sentByCorrelator: correlator } = await session();
  await multiply(random());
  return { chooser, correlator };
})();

/** Places of all messages of a type among the bytes that an end sends. */
async function placesOf(type: number, end: 'chooser' | 'correlator') {
  const places: { readonly from: number; readonly length: number }[] = [];
  let from = 0;
  for (const message of messagesOf((await sent)[end])) {
    if (message.type === type) places.push({ from: from + 8, length: message.payload.length });
    from += 8 + message.payload.length;
  }
  expect(places.length).toBeGreaterThan(0);
  return places;
}

function flip(place: number, bit: number): Tamper {
  let seen = 0;
  return (frame) => {
    const at = place - seen;
    seen += frame.length;
    if (at >= 0 && at < frame.length) frame[at]! ^= 1 << bit;
    return frame;
  };
}

/** The codes that chooser and correlator end with, or undefined when the product is right at both. */
async function outcome(options: Options): Promise<string[] | undefined> {
  const { settle } = await session(options);
  const product = random();
  const [chosen, correlated] = await settle(product);
  if (chosen.status === 'fulfilled' && correlated.status === 'fulfilled') {
    expect(opened(chosen.value, correlated.value, product.ringBits)).toEqual(
      multiplyClear(product.a, product.c, product),
    );
    return undefined;
  }
  return [chosen, correlated].map((end) =>
    end.status === 'fulfilled' ? 'right' : String((end.reason as { code?: unknown }).code),
  );
}

/** The chooser notices; a correlator that has done its part hears of it at the next thing that it waits for. */
const NOTICED = /^ERR_PRODUCT_CHECK,(right|ERR_CHANNEL_ABORTED)$/;
const MALFORMED = /^ERR_CHANNEL_MESSAGE,(right|ERR_CHANNEL_ABORTED)$/;

describe('one changed bit', () => {
  it('of a chunk is noticed, or the product is right', async () => {
    const places = await placesOf(PRODUCT_MESSAGE.chunk, 'correlator');
    await fc.assert(
      fc.asyncProperty(fc.nat(places.length - 1), fc.nat(), fc.nat(7), async (message, offset, bit) => {
        const { from, length } = places[message]!;
        const codes = await outcome({ fromCorrelator: flip(from + (offset % length), bit) });
        if (codes === undefined) return; // the digit is 0
        expect(String(codes)).toMatch(NOTICED);
      }),
      { numRuns: 6 },
    );
    // Of all chunks: some digit is not 0.
    const flips = places.flatMap(({ from, length }) => Array.from({ length }, (_, at) => flip(from + at, 0)));
    const all: Tamper = (frame, index) => flips.reduce((changed, next) => next(changed, index), frame);
    expect(String(await outcome({ fromCorrelator: all }))).toMatch(NOTICED);
  });

  it.each([
    ['corrections', OT_MESSAGE.extension],
    ['response to their check', OT_MESSAGE.extensionCheck],
  ] as const)("of the transfers' %s is noticed by the correlator, whatever Δ has there", async (_, type) => {
    const [place] = await placesOf(type, 'chooser');
    await fc.assert(
      fc.asyncProperty(fc.nat(place!.length - 1), fc.nat(7), async (offset, bit) => {
        const codes = await outcome({ fromChooser: flip(place!.from + offset, bit) });
        expect(codes).toEqual(['ERR_CHANNEL_ABORTED', 'ERR_OT_CHECK']);
      }),
      { numRuns: 3 },
    );
  });

  it.each([
    ['the digest', 'correlator', PRODUCT_MESSAGE.check, (length: number) => length - 1, 0],
    ['a slope', 'correlator', PRODUCT_MESSAGE.check, () => 5, 7],
    ['the challenge', 'chooser', PRODUCT_MESSAGE.challenge, () => 15, 0],
  ] as const)('of %s is noticed', async (_, end, type, offset, bit) => {
    const [place] = await placesOf(type, end);
    const tamper = flip(place!.from + offset(place!.length), bit);
    const codes = await outcome(end === 'chooser' ? { fromChooser: tamper } : { fromCorrelator: tamper });
    expect(String(codes)).toMatch(NOTICED);
  });

  it('that makes a slope larger than the ring is refused as a malformed message', async () => {
    const [place] = await placesOf(PRODUCT_MESSAGE.check, 'correlator');
    // 84 bits in 11 bytes.
    const codes = await outcome({ fromCorrelator: flip(place!.from, 4) });
    expect(String(codes)).toMatch(MALFORMED);
  });

  it.each([
    ['type', -8],
    ['length', -4],
  ])("of a message's %s is refused as a malformed message", async (_, offset) => {
    for (const type of [PRODUCT_MESSAGE.chunk, PRODUCT_MESSAGE.check]) {
      const [place] = await placesOf(type, 'correlator');
      const codes = await outcome({ fromCorrelator: flip(place!.from + offset, 0) });
      expect(String(codes)).toMatch(MALFORMED);
    }
    const [place] = await placesOf(PRODUCT_MESSAGE.challenge, 'chooser');
    const codes = await outcome({ fromChooser: flip(place!.from + offset, 0) });
    expect(codes).toEqual(['ERR_CHANNEL_ABORTED', 'ERR_CHANNEL_MESSAGE']);
  });
});

describe('parties that disagree about sizes', () => {
  const one = { matrix: [[1n]], ringBits: 64, entryBits: 20 };

  it.each([
    ['ringBits', { ringBits: 32 }],
    ['entryBits', { entryBits: 50 }],
    ['columns', { matrix: [[1n, 2n]] }],
  ])('are told: %s', async (_, changes) => {
    const { sender, receiver } = await session();
    const ends = await Promise.allSettled([
      multiplyChosen(receiver, { ...one, columns: 1 }).finally(() => receiver.stream.channel.abort('ERR_X')),
      multiplyCorrelated(sender, { ...one, rows: 1, ...changes }).finally(() =>
        sender.stream.channel.abort('ERR_X'),
      ),
    ]);
    expect(ends).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'ERR_CHANNEL_MESSAGE' }),
    });
  });
});
