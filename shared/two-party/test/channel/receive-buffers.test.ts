import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/channel/channel.ts';
import { Endpoint } from '../../src/channel/endpoint.ts';
import { ReceiveBuffers, TLS_RECORD_BYTES } from '../../src/channel/websocket.ts';
import { connectChannel } from '../../src/index.ts';
import { listen, PAIRS } from './pairs.ts';

/** Buffers, what reads of so many bytes each would do to them, and what the socket's stream got. */
function reader() {
  const buffers = new ReceiveBuffers();
  const { buffer, callback } = buffers.onread;
  if (typeof buffer !== 'function') throw new TypeError('"buffer" expected a function');
  const pushed: Uint8Array[] = [];
  buffers.attach({ push: (data: Uint8Array) => pushed.push(data) % 2 === 0 });
  let seed = 0;
  const read = (bytes: number) => {
    const memory = buffer();
    seed += 1;
    memory.fill(seed, 0, bytes);
    const goOn = callback(bytes, memory);
    return { memory, data: pushed.at(-1)!, goOn };
  };
  return { buffers, read };
}

test('memory is read into again after the last of what it holds was released, and not before', () => {
  const { buffers, read } = reader();
  const { memory, data } = read(TLS_RECORD_BYTES);
  expect(data.buffer).toBe(memory.buffer);
  const second = read(10_000);
  buffers.release(data.subarray(4, 100));
  for (let i = 0; i < 2; i += 1) expect(read(10_000).data.buffer).not.toBe(memory.buffer);
  buffers.release(second.data.subarray(6, 10_000));
  buffers.release(data.subarray(100));
  expect([...data]).toEqual(new Array<number>(TLS_RECORD_BYTES).fill(1));
  const again = [read(9000), read(TLS_RECORD_BYTES), read(9000)].map(({ data }) => data.buffer);
  expect(again).toContain(memory.buffer);
  expect(again).toContain(second.data.buffer);
});

test('nobody gets the same memory twice, and only memory of its own comes back', () => {
  const { buffers, read } = reader();
  const { data } = read(TLS_RECORD_BYTES);
  for (let i = 0; i < 3; i += 1) buffers.release(data);
  for (const foreign of [new Uint8Array(TLS_RECORD_BYTES), Buffer.from('short'), new Uint8Array(0)]) {
    buffers.release(foreign);
  }
  const later = Array.from({ length: 6 }, () => read(TLS_RECORD_BYTES).data);
  expect(new Set(later.map(({ buffer }) => buffer)).size).toBe(later.length);
});

test('what is short is copied, so that it holds no more memory than it has bytes', () => {
  const { read } = reader();
  const first = read(100);
  expect(first.data.buffer).not.toBe(first.memory.buffer);
  const second = read(8191);
  expect(second.memory).toBe(first.memory);
  expect(second.data.length).toBe(8191);
  expect(first.data.every((byte) => byte === 1)).toBe(true);
});

test('at most 4 MiB wait for later reads', () => {
  const { buffers, read } = reader();
  const held = Array.from({ length: 400 }, () => read(TLS_RECORD_BYTES).data);
  for (const data of held) buffers.release(data);
  const before = new Set(held.map(({ buffer }) => buffer));
  const again = Array.from({ length: 400 }, () => read(TLS_RECORD_BYTES).data);
  expect(again.filter(({ buffer }) => before.has(buffer))).toHaveLength(256);
});

test('a full stream holds the socket back, and a socket is needed', () => {
  const { read } = reader();
  expect([read(10).goOn, read(TLS_RECORD_BYTES).goOn]).toEqual([false, true]);
  expect(() => new ReceiveBuffers().onread.callback(1, new Uint8Array(1))).toThrow(TypeError);
});

test.each(PAIRS)('a message stays as it is until the next is asked for (%s)', async (_name, pair) => {
  const [left, right] = await pair({ highWaterBytes: 200_000 });
  const sizes = Array.from({ length: 300 }, (_, i) => [16_380, 3, 9000, 16_376, 40_000, 1, 8192][i % 7]!);
  const sending = (async () => {
    for (const [i, size] of sizes.entries()) await right.send(Buffer.alloc(size, i));
  })();
  for (const [i, size] of sizes.entries()) {
    const message = await left.receive();
    // What is read meanwhile must go elsewhere.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(Buffer.alloc(size, i).equals(message)).toBe(true);
  }
  await sending;
});

test('an endpoint gives a message back when the next is asked for, whether it was waited for or not', async () => {
  const released: Uint8Array[] = [];
  const transport = {
    write: () => {},
    pause: () => {},
    resume: () => {},
    close: () => endpoint.ended(undefined),
    terminate: () => {},
    release: (message: Uint8Array) => void released.push(message),
  };
  const endpoint: Endpoint = new Endpoint(transport, DEFAULT_LIMITS);
  const [first, second, third] = [1, 2, 3].map((byte) => Uint8Array.of(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const waiting = endpoint.receive();
  for (const message of [first, second, third]) endpoint.deliver(message);
  expect([await waiting, released]).toEqual([first, []]);
  expect([await endpoint.receive(), released]).toEqual([second, [first]]);
  expect([await endpoint.receive(), released]).toEqual([third, [first, second]]);
  await endpoint.close();
});

test('the end that opened a WebSocket reads into the same memory again', async () => {
  const { url, accepted } = await listen();
  const near = await connectChannel({ url, headers: {} });
  const far = await accepted;
  const memory = new Set<ArrayBufferLike>();
  for (let i = 0; i < 50; i += 1) {
    await far.send(Buffer.alloc(far.frameBytes!, i));
    const { buffer } = await near.receive();
    memory.add(buffer);
  }
  expect(memory.size).toBeLessThan(50);
});
