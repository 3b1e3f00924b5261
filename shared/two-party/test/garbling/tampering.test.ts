/**
 * What half-gates do not promise but this session does: changes on the way end in an error, never in another
 * result.
 *
 * @claims S-26
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { EvaluatorSession } from '../../src/garbling/evaluator.ts';
import { GARBLING_MESSAGE, PROTOCOL_VERSION, writeNumbers } from '../../src/garbling/messages.ts';
import { Dealer, type Program, randomBits, runClear, runGarbled } from '../support/garbled-run.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { messagesOf } from '../support/views.ts';

const LANES = 40;

const program: Program = async (session, garblerBits, evaluatorBits) => {
  const a = await session.garblerInput(LANES, garblerBits);
  const b = await session.evaluatorInput(LANES, evaluatorBits);
  const c = await session.step((gates) => gates.and(gates.and(a, b), gates.not(gates.xor(a, b))));
  return session.reveal([c, a, b]);
};

/** Where a message's payload begins and how long it is, among all bytes of the garbler. */
async function placeOf(type: number) {
  const run = await runGarbled(program, randomBits(LANES), randomBits(LANES));
  let from = 0;
  for (const message of messagesOf(run.fromGarbler)) {
    if (message.type === type) return { from: from + 8, length: message.payload.length };
    from += 8 + message.payload.length;
  }
  throw new Error(`no message of type ${type}`);
}

function flip(place: number, bit: number) {
  let seen = 0;
  return (frame: Uint8Array) => {
    const at = place - seen;
    seen += frame.length;
    if (at >= 0 && at < frame.length) frame[at]! ^= 1 << bit;
    return frame;
  };
}

const CODE = /^ERR_(GARBLING_CHECK|GARBLING_MESSAGE|CHANNEL_MESSAGE)$/;

describe('one changed bit', () => {
  const targets = { inputLabels: 'label', block: 'key or table', decode: 'decode message' } as const;
  for (const [name, what] of Object.entries(targets)) {
    it(`of a ${what} never changes the result silently`, async () => {
      const { from, length } = await placeOf(GARBLING_MESSAGE[name as keyof typeof targets]);
      await fc.assert(
        fc.asyncProperty(fc.nat(length - 1), fc.nat(7), async (offset, bit) => {
          const [a, b] = [randomBits(LANES), randomBits(LANES)];
          const expected = await runClear(program, a, b);
          try {
            // A row of a table that no active select bit uses may change without any effect.
            expect((await runGarbled(program, a, b, { tamper: flip(from + offset, bit) })).bits).toEqual(
              expected,
            );
          } catch (error) {
            expect((error as { code?: string }).code).toMatch(CODE);
          }
        }),
        { numRuns: 6 },
      );
    });

    it(`in each byte of a ${what} is noticed`, async () => {
      const { from, length } = await placeOf(GARBLING_MESSAGE[name as keyof typeof targets]);
      const flips = Array.from({ length }, (_, offset) => flip(from + offset, offset % 8));
      const tamper = (frame: Uint8Array) => flips.reduce((changed, next) => next(changed), frame);
      const running = runGarbled(program, randomBits(LANES), randomBits(LANES), { tamper });
      await expect(running).rejects.toMatchObject({ code: expect.stringMatching(CODE) });
    });
  }

  it('of a header is refused as a malformed message', async () => {
    for (const [type, offset, code] of [
      [GARBLING_MESSAGE.hello, 0, 'ERR_GARBLING_MESSAGE'],
      [GARBLING_MESSAGE.blockHeader, 8, 'ERR_GARBLING_MESSAGE'],
      [GARBLING_MESSAGE.blockHeader, 3, 'ERR_GARBLING_MESSAGE'],
      [GARBLING_MESSAGE.blockHeader, 0, 'ERR_CHANNEL_MESSAGE'],
      [GARBLING_MESSAGE.block, -8, 'ERR_CHANNEL_MESSAGE'],
    ] as const) {
      const { from } = await placeOf(type);
      const running = runGarbled(program, randomBits(LANES), randomBits(LANES), {
        tamper: flip(from + offset, 0),
      });
      await expect(running).rejects.toMatchObject({ code });
    }
  });
});

describe('parties that run different programs', () => {
  const step =
    (ands: number): Program =>
    async (session, garblerBits, evaluatorBits) => {
      const a = await session.garblerInput(LANES, garblerBits);
      const b = await session.evaluatorInput(LANES, evaluatorBits);
      const c = await session.step((gates) => {
        let product = b;
        for (let i = 0; i < ands; i += 1) product = gates.and(product, a);
        return product;
      });
      return session.reveal([c]);
    };

  it.each([
    [3, 2, 'fewer'],
    [2, 3, 'more'],
    [1, 0, 'fewer'],
  ])('are told: %i gates evaluated, %i garbled', async (evaluated, garbled, got) => {
    const bits = randomBits(LANES);
    const running = runGarbled(step(evaluated), bits, bits, { garblerProgram: step(garbled) });
    await expect(running).rejects.toMatchObject({ code: 'ERR_GARBLING_MESSAGE' });
    await expect(running).rejects.toThrow(got);
  });
});

describe('a garbler that sends blocks without tables', () => {
  /** What becomes of a step without gates for which these blocks come, before the garbler goes away. */
  async function stepOver(ends: readonly number[]) {
    const [left, right] = memoryChannelPair();
    const garbler = new MessageStream(left);
    writeNumbers(garbler, GARBLING_MESSAGE.hello, [PROTOCOL_VERSION]);
    for (const end of ends) {
      writeNumbers(garbler, GARBLING_MESSAGE.blockHeader, [0, end]);
      garbler.write(GARBLING_MESSAGE.block, new Uint8Array(0));
    }
    await garbler.flush();
    await left.close();
    const { receiver } = new Dealer(randomBits);
    const stream = new MessageStream(right);
    const session = await EvaluatorSession.openWith({ stream, setUp: receiver });
    return session.step(() => 'done');
  }

  it('cannot keep a step going with them, but may end it', async () => {
    await expect(stepOver([0, 0, 0])).rejects.toMatchObject({ code: 'ERR_GARBLING_MESSAGE' });
    expect(await stepOver([1])).toBe('done');
  });
});
