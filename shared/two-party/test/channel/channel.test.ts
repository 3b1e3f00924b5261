import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { withAbort } from '../../src/channel/abort.ts';
import { type Channel, ChannelRefused, connectChannel, TWO_PARTY_CODES } from '../../src/index.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';
import { listen, PAIRS } from './pairs.ts';

const closed = { code: 'ERR_CHANNEL_CLOSED' };
const timedOut = { code: 'ERR_CHANNEL_TIMEOUT' };
const aborted = (reason: string) => ({ code: 'ERR_CHANNEL_ABORTED', parameters: { reason } });

/** That nothing more leaves is no event: until a while has passed in which nothing did. */
async function untilHeldBack(sent: () => number): Promise<void> {
  for (let before = -1; sent() === 0 || before !== sent(); ) {
    before = sent();
    await sleep(50);
  }
}

describe.each(PAIRS)('a channel %s', (_name, pair) => {
  test('carries messages both ways, whole and in order, and counts their bytes', async () => {
    const [left, right] = await pair();
    const messages = Array.from({ length: 50 }, (_, i) => Buffer.alloc(i * 1000, i));
    for (const message of messages) await left.send(message);
    await right.send(Buffer.from('back'));
    for (const message of messages) expect(Buffer.from(await right.receive()).equals(message)).toBe(true);
    expect(Buffer.from(await left.receive()).toString()).toBe('back');
    expect([left.bytesSent, left.bytesReceived]).toEqual([49 * 25 * 1000, 4]);
    expect([right.bytesSent, right.bytesReceived]).toEqual([4, 49 * 25 * 1000]);
  });

  test('delivers what was sent before it was closed, and then says so', async () => {
    const [left, right] = await pair();
    await left.send(Buffer.from('last words'));
    const waiting = right.receive();
    expect(Buffer.from(await waiting).toString()).toBe('last words');
    const refused = expect(right.receive()).rejects.toMatchObject(closed);
    await left.close();
    await refused;
    await expect(right.send(Buffer.from('too late'))).rejects.toMatchObject(closed);
    await expect(left.send(Buffer.from('too late'))).rejects.toMatchObject(closed);
    await left.close();
  });

  test('tells the peer why it was aborted, and drops what nobody has read', async () => {
    const [left, right] = await pair();
    const refused = expect(right.receive()).rejects.toMatchObject(aborted('ERR_OT_POINT'));
    const own = expect(left.receive()).rejects.toMatchObject(aborted('ERR_OT_POINT'));
    await left.abort('ERR_OT_POINT');
    await refused;
    await own;
    await expect(right.receive()).rejects.toMatchObject(aborted('ERR_OT_POINT'));
    await expect(right.send(Buffer.alloc(1))).rejects.toMatchObject(aborted('ERR_OT_POINT'));

    const [first, second] = await pair();
    await first.send(Buffer.from('unread'));
    await second.send(Buffer.from('unread as well'));
    await second.abort('ERR_CHANNEL_MESSAGE');
    await expect(second.receive()).rejects.toMatchObject(aborted('ERR_CHANNEL_MESSAGE'));
    const untilTold = async () => {
      for (;;) {
        await first.send(new Uint8Array(1));
        await sleep(1);
      }
    };
    await expect(untilTold()).rejects.toMatchObject(aborted('ERR_CHANNEL_MESSAGE'));
    await expect(first.receive()).rejects.toMatchObject(aborted('ERR_CHANNEL_MESSAGE'));
  });

  test('refuses to abort with anything but a code', async () => {
    const [left, right] = await pair();
    await expect(left.abort('because')).rejects.toThrow(TypeError);
    await left.send(Buffer.from('still open'));
    expect(Buffer.from(await right.receive()).toString()).toBe('still open');
  });

  test('holds a sender back that is faster than its peer, and loses nothing', async () => {
    const [left, right] = await pair({ highWaterBytes: 100_000 });
    const size = 90_000;
    const most = 1000;
    let sent = 0;
    let stopped = false;
    const sending = (async () => {
      for (; sent < most && !stopped; sent += 1) await left.send(Buffer.alloc(size, sent));
    })();
    // The kernel's buffers take some, but not 90 MB.
    await untilHeldBack(() => sent);
    expect(sent).toBeGreaterThanOrEqual(1);
    expect(sent).toBeLessThan(most / 2);
    stopped = true;
    const total = sent + 1; // with the one that is held back
    for (let i = 0; i < total; i += 1) {
      const message = Buffer.from(await right.receive());
      expect(message.equals(Buffer.alloc(size, i))).toBe(true);
    }
    await sending;
  });

  test('gives up on a peer that takes nothing', async () => {
    const [left] = await pair({ highWaterBytes: 1000, silenceMilliseconds: 30 });
    const flood = async () => {
      for (let i = 0; i < 1000; i += 1) await left.send(Buffer.alloc(100_000));
    };
    await expect(flood()).rejects.toMatchObject(timedOut);
  });

  test('lets a blocked sender know that the peer aborted', async () => {
    const [left, right] = await pair({ highWaterBytes: 1000 });
    let sent = 0;
    const flood = async () => {
      for (; sent < 1000; sent += 1) await left.send(Buffer.alloc(100_000));
    };
    const refused = expect(flood()).rejects.toMatchObject(aborted('ERR_CHANNEL_MESSAGE'));
    await untilHeldBack(() => sent);
    await right.abort('ERR_CHANNEL_MESSAGE');
    await refused;
  });

  test('gives up on a silent peer, and keeps a later message for the next asker', async () => {
    const [left, right] = await pair({ silenceMilliseconds: 20 });
    await expect(left.receive()).rejects.toMatchObject(timedOut);
    await right.send(Buffer.from('kept'));
    // On a busy machine it may be longer on its way than one asker waits.
    await expect.poll(async () => Buffer.from(await left.receive()).toString()).toBe('kept');
  });

  test('ends when its time is over, however busy it is', async () => {
    // Time stands still until both have talked: a machine may take long to connect.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const [left, right] = await pair({ totalMilliseconds: 150 });
    let rounds = 0;
    const chatter = async (mine: Channel) => {
      for (; ; rounds += 1) {
        await mine.send(Buffer.alloc(10));
        await mine.receive();
        await turn();
      }
    };
    const ended = Promise.allSettled([chatter(left), chatter(right)]);
    while (rounds < 20) await turn();
    vi.advanceTimersByTime(150);
    const [first, second] = await ended;
    const errors = [first, second].map((end) => (end as PromiseRejectedResult).reason as CodedError);
    // One end is the first to look at its clock; the other may learn it from the peer.
    expect(errors.some(({ code }) => code === 'ERR_CHANNEL_TIMEOUT')).toBe(true);
    for (const { code, parameters } of errors) {
      expect(['ERR_CHANNEL_TIMEOUT undefined', 'ERR_CHANNEL_ABORTED ERR_CHANNEL_TIMEOUT']).toContain(
        `${code} ${parameters.reason}`,
      );
    }
  });

  test('refuses to send a message over the limit', async () => {
    const [left] = await pair({ largestMessageBytes: 10 });
    await expect(left.send(Buffer.alloc(11))).rejects.toThrow(RangeError);
    await left.send(Buffer.alloc(10));
  });

  test('aborts for a computation that throws, and throws its error on', async () => {
    for (const [error, reason] of [
      [new CodedError(TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE, 'bad'), 'ERR_CHANNEL_MESSAGE'],
      [new CodedError(TWO_PARTY_CODES.ERR_OT_POINT, 'bad'), 'ERR_OT_POINT'],
      // What the evaluator finds in its result is none of the garbler's business.
      [new CodedError(TWO_PARTY_CODES.ERR_OWNER_COUNT, 'bad'), 'ERR_COMPUTATION'],
      [new Error('bug'), 'ERR_COMPUTATION'],
    ] as const) {
      const [left, right] = await pair();
      const refused = expect(right.receive()).rejects.toMatchObject(aborted(reason));
      await expect(withAbort(left, () => Promise.reject(error))).rejects.toBe(error);
      await refused;
    }
    const order: string[] = [];
    const [early] = await pair();
    const telling = { ...early, abort: async () => void order.push('told') };
    const failing = () => Promise.reject(new Error('bug'));
    const counting = async () => {
      await new Promise(setImmediate);
      order.push('counted');
    };
    await expect(withAbort(telling, failing, counting)).rejects.toThrow('bug');
    expect(order).toEqual(['counted', 'told']);
    const [left, right] = await pair();
    expect(await withAbort(left, async () => 7)).toBe(7);
    await left.send(Buffer.from('open'));
    expect(Buffer.from(await right.receive()).toString()).toBe('open');
  });
});

describe('a channel', () => {
  test('that was closed behind a full pipe still delivers what is in it', async () => {
    const [left, right] = memoryChannelPair({ highWaterBytes: 10 });
    const sending = Promise.allSettled(Array.from({ length: 20 }, (_, i) => left.send(Buffer.alloc(8, i))));
    const closing = left.close();
    for (let i = 0; i < 20; i += 1) expect((await right.receive())[0]).toBe(i);
    await expect(right.receive()).rejects.toMatchObject(closed);
    await closing;
    await sending;
  });

  test('that nobody accepts is an error', async () => {
    await expect(connectChannel({ url: 'ws://127.0.0.1:9/', headers: {} })).rejects.toMatchObject(closed);
  });

  test('that is refused says what was answered, of any length', async () => {
    const server = createServer();
    const answers = ['{"code":"ERR_X"}', 'x'.repeat(1_000_000)];
    server.on('upgrade', (_request, socket) => {
      const body = answers.shift()!;
      socket.on('error', () => {});
      socket.end(
        `HTTP/1.1 409 Conflict\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      await expect(connectChannel({ url, headers: {} })).rejects.toMatchObject({
        ...closed,
        body: '{"code":"ERR_X"}',
      });
      const long = await connectChannel({ url, headers: {} }).catch((error: unknown) => error);
      expect(long).toBeInstanceOf(ChannelRefused);
      expect((long as ChannelRefused).body).toBe('x'.repeat(16_384));
    } finally {
      server.close();
    }
  });

  test('that is refused byte by byte is given up in time', async () => {
    const server = createServer();
    const hungUp = new Promise<void>((resolve) => {
      server.on('upgrade', (_request, socket) => {
        socket.on('error', () => {});
        socket.write('HTTP/1.1 409 Conflict\r\ncontent-length: 1000000\r\n\r\n');
        const trickle = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => {
          clearInterval(trickle);
          resolve();
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const opening = connectChannel({ url, headers: {}, openingMilliseconds: 100 });
      await expect(opening).rejects.toMatchObject(closed);
      await hungUp;
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('to a server that is silent can be given up', async () => {
    const server = createServer();
    const asked = new Promise<void>((resolve) => {
      server.on('upgrade', (_request, socket) => {
        socket.on('error', () => {});
        resolve();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const giving = new AbortController();
      const openingMilliseconds = 2 ** 31 - 1;
      const opening = connectChannel({ url, headers: {}, signal: giving.signal, openingMilliseconds });
      await asked;
      giving.abort();
      await expect(opening).rejects.toMatchObject(closed);
      await expect(connectChannel({ url, headers: {}, signal: giving.signal })).rejects.toMatchObject(closed);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  test('is closed by a text frame, which is not part of the protocol', async () => {
    const { url, accepted } = await listen();
    const socket = new WebSocket(url);
    socket.on('open', () => socket.send('text'));
    await expect((await accepted).receive()).rejects.toMatchObject(closed);
  });

  test('is closed by a message over the limit', async () => {
    const { url, accepted } = await listen({ largestMessageBytes: 1000 });
    const socket = new WebSocket(url);
    socket.on('open', () => socket.send(Buffer.alloc(1001)));
    await expect((await accepted).receive()).rejects.toMatchObject(closed);
  });

  test('does not repeat a reason that is no code', async () => {
    const { url, accepted } = await listen();
    const socket = new WebSocket(url);
    socket.on('open', () => socket.close(4000, 'ERR_X\nlevel=fatal'));
    const error = await (await accepted).receive().catch((caught: unknown) => caught);
    expect(error).toMatchObject(aborted('ERR_UNKNOWN'));
    expect((error as Error).message).not.toContain('fatal');
  });

  test('takes only limits that a timer and a frame can hold', () => {
    for (const bad of [0, -1, 1.5, 2 ** 31, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => memoryChannelPair({ silenceMilliseconds: bad })).toThrow(RangeError);
    }
  });
});

test('a ping over a WebSocket is not answered', async () => {
  const { url, accepted } = await listen();
  const socket = new WebSocket(url);
  let pongs = 0;
  socket.on('pong', () => {
    pongs += 1;
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const channel = await accepted;
  socket.ping();
  socket.send(Buffer.from('asks'));
  expect(Buffer.from(await channel.receive()).toString()).toBe('asks');
  const answer = new Promise((resolve) => socket.once('message', resolve));
  await channel.send(Buffer.from('answers')); // after a pong, if there were one
  await answer;
  expect(pongs).toBe(0);
  socket.terminate();
});

test('a message of the length that a WebSocket end names is 16 KiB on the wire, one TLS record', async () => {
  const { url, accepted } = await listen();
  let bytes = 0;
  const relay = createRelay((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (data) => {
        bytes += data.length;
        to.write(data);
      });
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  try {
    const near = await connectChannel({
      url: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}/`,
      headers: {},
    });
    const far = await accepted;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      bytes = 0;
      await from.send(Buffer.alloc(from.frameBytes!));
      await to.receive();
      expect(bytes).toBe(16_384);
    }
    await near.close();
  } finally {
    relay.close();
  }
});
