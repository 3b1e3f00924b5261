import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FRAME_BYTES, MessageStream } from '../../src/channel/message-stream.ts';
import type { Channel } from '../../src/index.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { PAIRS } from './pairs.ts';

const malformed = { code: 'ERR_CHANNEL_MESSAGE' };

function streams(): [MessageStream, MessageStream] {
  const [left, right] = memoryChannelPair();
  return [new MessageStream(left), new MessageStream(right)];
}

/** A channel that remembers the sizes of what was sent. */
function watched(channel: Channel): { channel: Channel; sizes: number[] } {
  const sizes: number[] = [];
  const send = (message: Uint8Array, released?: () => void) => {
    sizes.push(message.length);
    return channel.send(message, released);
  };
  return { channel: { ...bound(channel), send }, sizes };
}

function bound(channel: Channel): Channel {
  return {
    send: (message, released) => channel.send(message, released),
    receive: () => channel.receive(),
    close: () => channel.close(),
    abort: (code) => channel.abort(code),
    bytesSent: 0,
    bytesReceived: 0,
  };
}

describe('a stream of messages', () => {
  test.each(PAIRS)('brings every message through, whatever the frames (%s)', async (_name, pair) => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: FRAME_BYTES - 40, max: FRAME_BYTES + 40 }),
      fc.integer({ min: 0, max: 5 * FRAME_BYTES }),
    );
    const message = fc.record({ type: fc.integer({ min: 0, max: 2 ** 32 - 1 }), size, seed: fc.nat(255) });
    const payload = ({ size, seed }: { size: number; seed: number }) =>
      new Uint8Array(size).map((_, i) => (i * 31 + (i >> 8) + seed) & 255);
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), fc.boolean(), async (messages, eager) => {
        const [left, right] = await pair();
        const [writer, reader] = [new MessageStream(left), new MessageStream(right)];
        const writing = (async () => {
          for (const each of messages) {
            const bytes = payload(each);
            const goOn = writer.write(each.type, bytes);
            bytes.fill(0); // the writer keeps what it still needs
            if (eager || !goOn) await writer.flush();
          }
          await writer.flush();
        })();
        for (const each of messages) {
          const target = new Uint8Array(each.size);
          if (!reader.tryReadInto(each.type, target)) await reader.readInto(each.type, target);
          expect(Buffer.from(target).equals(payload(each))).toBe(true);
        }
        await writing;
        await left.close();
      }),
      { numRuns: 30 },
    );
  });

  test('fills frames of the length that its channel names', async () => {
    const [left] = memoryChannelPair({ highWaterBytes: 2 ** 30 });
    const { channel, sizes } = watched(left);
    const writer = new MessageStream({ ...channel, frameBytes: 1000 });
    for (let i = 0; i < 50; i += 1) writer.write(1, Buffer.alloc(92));
    writer.write(1, Buffer.alloc(4992));
    await writer.flush();
    expect(sizes).toEqual(new Array<number>(10).fill(1000));
  });

  test('gathers small messages in few frames, and sends a part of one when flushed', async () => {
    const [left] = memoryChannelPair({ highWaterBytes: 2 ** 30 });
    const { channel, sizes } = watched(left);
    const writer = new MessageStream(channel);
    for (let i = 0; i < 10_000; i += 1) writer.write(1, Buffer.alloc(92));
    const full = Math.floor((10_000 * 100) / FRAME_BYTES);
    expect(sizes).toHaveLength(full);
    await writer.flush();
    expect(sizes).toHaveLength(full + 1);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_000 * 100);
    await writer.flush();
    expect(sizes).toHaveLength(full + 1);
  });

  test('uses a frame again only when the channel has released it', async () => {
    const held: Uint8Array[] = [];
    const releases: (() => void)[] = [];
    const send = async (message: Uint8Array, released?: () => void) => {
      held.push(message);
      releases.push(released!);
    };
    const writer = new MessageStream({ ...bound(memoryChannelPair()[0]), send });
    const writeFrame = async (seed: number) => {
      writer.write(1, Buffer.alloc(FRAME_BYTES - 8, seed));
      await writer.flush();
    };
    for (let seed = 0; seed < 20; seed += 1) await writeFrame(seed);
    expect(held.map((message) => message.at(-1))).toEqual(Array.from({ length: 20 }, (_, seed) => seed));
    expect(new Set(held.map(({ buffer }) => buffer)).size).toBe(20);
    releases[7]!();
    await writeFrame(20);
    await writeFrame(21);
    expect(held[20]!.buffer).toBe(held[7]!.buffer);
    expect(new Set(held.map(({ buffer }) => buffer)).size).toBe(21);
  });

  test('sends what it has written when it waits for the peer, so that neither waits for ever', async () => {
    const [left, right] = streams();
    const converse = async (mine: MessageStream) => {
      for (let i = 0; i < 20; i += 1) {
        mine.write(i, Buffer.alloc(8, i));
        expect((await mine.read(i, 8))[0]).toBe(i);
      }
    };
    await Promise.all([converse(left), converse(right)]);
  });

  test('asks for a flush when much is waiting', async () => {
    const [left] = memoryChannelPair({ highWaterBytes: 2 ** 30 });
    const writer = new MessageStream(left);
    let written = 0;
    while (writer.write(1, Buffer.alloc(100_000))) written += 100_000;
    expect(written).toBeGreaterThan(2 ** 20);
    expect(written).toBeLessThan(2 ** 23);
    await writer.flush();
    expect(writer.write(1, Buffer.alloc(1))).toBe(true);
  });

  test.each([
    ['another type', 2, 8],
    ['a shorter message', 1, 7],
    ['a longer message', 1, 9],
  ])('refuses %s, and all that follows', async (_name, type, length) => {
    for (const atHand of [false, true]) {
      const [writer, reader] = streams();
      if (atHand) writer.write(0, Buffer.alloc(0));
      writer.write(type, Buffer.alloc(length));
      writer.write(1, Buffer.alloc(8));
      writer.write(1, Buffer.alloc(8));
      await writer.flush();
      if (atHand) {
        await reader.read(0, 0); // brings the rest of the frame
        expect(() => reader.tryReadInto(1, new Uint8Array(8))).toThrow(expect.objectContaining(malformed));
      } else await expect(reader.read(1, 8)).rejects.toMatchObject(malformed);
      await expect(reader.read(1, 8)).rejects.toMatchObject(malformed);
      expect(reader.tryReadInto(1, new Uint8Array(8))).toBe(false);
    }
  });

  test('refuses an empty frame and the end of the channel inside a message', async () => {
    const [left, right] = memoryChannelPair();
    await left.send(new Uint8Array(0));
    await expect(new MessageStream(right).read(1, 8)).rejects.toMatchObject(malformed);

    const [first, second] = memoryChannelPair();
    await first.send(Uint8Array.of(1, 0, 0, 0, 8, 0, 0, 0, 99));
    const refused = expect(new MessageStream(second).read(1, 8)).rejects.toMatchObject({
      code: 'ERR_CHANNEL_CLOSED',
    });
    await first.close();
    await refused;
  });

  test('reports at the next flush that the channel is gone', async () => {
    const [left, right] = memoryChannelPair();
    const writer = new MessageStream(left);
    await right.abort('ERR_COMPUTATION');
    for (let i = 0; i < 10; i += 1) writer.write(1, Buffer.alloc(100_000));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'ERR_CHANNEL_ABORTED' });
  });

  test('is misused by two readers at a time and by types that do not fit', async () => {
    const [writer, reader] = streams();
    const waiting = reader.read(1, 1);
    await expect(reader.read(1, 1)).rejects.toThrow(TypeError);
    writer.write(1, Buffer.alloc(1));
    await writer.flush();
    await waiting;
    for (const type of [-1, 2 ** 32, 0.5])
      expect(() => writer.write(type, Buffer.alloc(1))).toThrow(RangeError);
  });
});
