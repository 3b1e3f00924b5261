/**
 * Peers that keep connections busy without a request: over loopback, with real sockets.
 *
 * @claims S-148
 */
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { serve } from '../../src/index.ts';
import { ADMIN_TOKEN, identity, largeRoute, send, startService, type TestService } from '../harness.ts';

const running: TestService[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(running.splice(0).map((service) => service.close()));
});
const start = async (options: Parameters<typeof startService>[0] = {}) => {
  const service = await startService({ graceMilliseconds: 300_000, ...options });
  running.push(service);
  return service;
};

const portOf = ({ url }: TestService) => Number(new URL(url).port);
const closed = (socket: Socket | TLSSocket) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    socket
      .on('error', () => {})
      .on('close', () => resolve())
      .resume();
  });
const silent = (service: TestService) => connectTcp(portOf(service), '127.0.0.1');
const overTls = (service: TestService, localAddress?: string) =>
  connect({
    host: '127.0.0.1',
    port: portOf(service),
    ca: identity.cert,
    ...(localAddress !== undefined && { localAddress }),
  });
const metric = async ({ url }: TestService, line: RegExp) => {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  return line.exec((await send(`${url}/metrics`, { headers })).bytes.toString())?.[1];
};
const told = ({ logLines }: TestService) =>
  logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'connections refused or ended');

describe('a connection over which no TLS comes', () => {
  test('is closed when the handshake takes too long, counted, and told of now and then', async () => {
    const service = await start({ handshakeMilliseconds: 50 });
    await Promise.all(Array.from({ length: 20 }, () => closed(silent(service))));
    await expect.poll(() => service.connections()).toBe(0);
    // Whoever asks may be too slow, too, and is counted then.
    let slow = 0;
    const ended = () =>
      metric(service, /^eigenveil_connections_ended_total\{.*reason="handshake".*\} (\d+)$/m).catch(() => {
        slow += 1;
      });
    await expect.poll(async () => Number(await ended()) - slow).toBe(20);
    expect(told(service)).toMatchObject([
      { level: 'warn', connections: { 'ended: handshake': 1 }, peer: { address: '127.0.0.1' } },
    ]);
  });

  test('is closed when something else comes', async () => {
    const service = await start();
    const socket = silent(service);
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await closed(socket);
    expect(
      await metric(service, /^eigenveil_connections_ended_total\{.*reason="handshake".*\} (\d+)$/m),
    ).toBe('1');
  });

  test('holds no closing up', async () => {
    const service = await start();
    const sockets = Array.from({ length: 20 }, () => silent(service));
    await expect.poll(() => service.connections()).toBe(20);
    await service.close();
    await Promise.all(sockets.map(closed));
  });
});

describe('connections of one address', () => {
  test('are bounded, and those of others are not', async () => {
    const service = await start({ connectionsPerAddress: 2 });
    const first = overTls(service);
    const held = [first, overTls(service)];
    await Promise.all(held.map((socket) => once(socket, 'secureConnect')));
    const third = overTls(service);
    await closed(third);
    expect(service.connections()).toBe(2);
    expect(told(service)).toMatchObject([
      { connections: { 'refused: address': 1 }, peer: { address: '127.0.0.1' } },
    ]);
    // On Linux, every address that begins with 127 is this machine's.
    if (process.platform === 'linux') {
      const other = overTls(service, '127.0.0.2');
      await once(other, 'secureConnect');
      other.destroy();
    }
    first.destroy();
    await expect.poll(() => service.connections()).toBe(1);
    expect(
      await metric(service, /^eigenveil_connections_refused_total\{.*reason="address".*\} (\d+)$/m),
    ).toBe('1');
    // The one that is held, and that of the request; those of requests before it may take a moment to end.
    await expect.poll(() => metric(service, /^eigenveil_connections_open\{.*\} (\d+)$/m)).toBe('2');
    for (const socket of held) socket.destroy();
  });

  test('are bounded with all others, of which the operator is told, too', async () => {
    const service = await start();
    service.server.maxConnections = 1;
    const held = overTls(service);
    await once(held, 'secureConnect');
    await closed(overTls(service));
    expect(told(service)).toMatchObject([
      { connections: { 'refused: all': 1 }, peer: { address: '127.0.0.1' } },
    ]);
    held.destroy();
  });
});

describe('a peer that sends its body bit by bit', () => {
  /** Our own timers stand still until they are told; Node's go on. */
  const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const begin = (service: TestService, head: string) => {
    const socket = overTls(service);
    socket.write(
      `${head} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2000\r\n\r\n[`,
    );
    let answer = '';
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        answer += chunk;
      });
    return { socket, answer: () => answer };
  };
  /** Lets so much time go by, again and again until it has come to what is waited for. */
  const eventually = (milliseconds: number, read: () => unknown) =>
    expect.poll(() => {
      vi.advanceTimersByTime(milliseconds);
      return read();
    });

  test('is told so, and loses its connection', async () => {
    const service = await start({ routes: [largeRoute()] });
    stopTime();
    const { socket, answer } = begin(service, 'POST /large');
    await eventually(10_250, answer).toContain('"code":"ERR_REQUEST_TIMEOUT"');
    expect(answer()).toMatch(/^HTTP\/1.1 408 /);
    await eventually(5000, () => socket.closed).toBe(true);
    expect(service.connections()).toBe(0);
  });

  test.each(['POST /nowhere', 'GET /healthz'])(
    'of a request that has its answer (%s) loses its connection',
    async (head) => {
      const service = await start();
      stopTime();
      const { socket, answer } = begin(service, head);
      await expect.poll(answer).toMatch(/^HTTP\/1.1 [24]\d\d /);
      await eventually(5000, () => socket.closed).toBe(true);
    },
  );

  test('has time to spare at 64 kbit a second', async () => {
    const service = await start({ routes: [largeRoute()] });
    stopTime();
    const { socket, answer } = begin(service, 'POST /large');
    await once(service.server, 'request');
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_000);
    socket.write(`${' '.repeat(1998)}]`);
    await expect.poll(answer).toMatch(/^HTTP\/1.1 204 /);
    socket.destroy();
  });
});

test('a peer that does not read its answer loses its connection', { tags: ['long'] }, async () => {
  const much = {
    method: 'get',
    path: '/much',
    summary: 'Gives more than fits in between',
    auth: 'none',
    response: { status: 200, description: 'Much', mediaType: 'application/octet-stream' },
    problems: [],
  } as const;
  const service = await start({ routes: serve({ much }, {}, { much: () => new Uint8Array(50_000_000) }) });
  expect(service.server.timeout).toBe(300_000);
  service.server.timeout = 100;
  const socket = overTls(service);
  socket.on('error', () => {}).write('GET /much HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(service.server, 'request');
  await expect.poll(() => service.connections()).toBe(0);
  socket.destroy();
});
