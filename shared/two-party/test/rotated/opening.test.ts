/** How vectors are opened: with their flood, and without the digits below it. */
import { expect, it } from 'vitest';
import { MessageStream } from '../../src/channel/message-stream.ts';
import { openVectors, sendVectors } from '../../src/rotated/messages.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

const RING = 60;
const FLOOD = 20;

it('opens vectors in units of their flood, rounded', async () => {
  const unit = 2 ** FLOOD;
  // In units of the flood: what both shares add up to, the flood, and what comes out.
  const entries = [
    [12.25, 1.5, 14],
    [-7, -0.75, -8],
    [0.125, 0.25, 0],
    [-3.5, 0.25, -3],
  ] as const;
  const whole = (value: number) => BigInt(value * unit);
  const mask = 123_456_789_012_345n;
  const [left, right] = memoryChannelPair();
  await sendVectors(
    new MessageStream(left),
    entries.map(([value]) => [BigInt.asUintN(RING, whole(value) - mask)]),
    entries.map(([, flood]) => [whole(flood)]),
    RING,
  );
  const opened = await openVectors(
    new MessageStream(right),
    entries.map(() => [mask]),
    { ringBits: RING, floodBits: FLOOD },
  );
  expect(opened).toEqual(entries.map(([, , rounded]) => [BigInt(rounded)]));
});
