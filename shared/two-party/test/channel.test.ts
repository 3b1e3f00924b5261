import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Inbox } from '../src/channel/channel.ts';
import { type Channel, ChannelAcceptor, connectChannel, memoryChannelPair } from '../src/index.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Both ends of a channel over a real socket. TLS belongs to the service around it. */
async function webSocketPair(): Promise<[Channel, Channel]> {
  const { url, accepted } = await listen();
  const connected = await connectChannel({ url, headers: {} });
  return [connected, await accepted];
}

async function listen() {
  const acceptor = new ChannelAcceptor();
  const server: Server = createServer();
  const accepted = new Promise<Channel>((resolve) => {
    server.on('upgrade', (request, socket, head) => acceptor.accept(request, socket, head).then(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    acceptor.close();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, accepted };
}

describe.each([
  ['in memory', async () => memoryChannelPair()],
  ['over a WebSocket', webSocketPair],
])('a channel %s', (_name, pair) => {
  test('carries messages both ways, whole and in order', async () => {
    const [left, right] = await pair();
    const messages = Array.from({ length: 50 }, (_, i) => Buffer.alloc(i * 1000, i));
    for (const message of messages) await left.send(message);
    await right.send(Buffer.from('back'));
    for (const message of messages) expect(Buffer.from(await right.receive()).equals(message)).toBe(true);
    expect(Buffer.from(await left.receive()).toString()).toBe('back');
  });

  test('delivers what was sent before it was closed, and then says so', async () => {
    const [left, right] = await pair();
    await left.send(Buffer.from('last words'));
    const waiting = right.receive();
    expect(Buffer.from(await waiting).toString()).toBe('last words');
    const closed = expect(right.receive()).rejects.toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
    await left.close();
    await closed;
    await expect(right.send(Buffer.from('too late'))).rejects.toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
  });
});

describe('a channel', () => {
  test('gives up on a silent peer', async () => {
    const [left] = memoryChannelPair(10);
    await expect(left.receive()).rejects.toMatchObject({ code: 'ERR_CHANNEL_TIMEOUT' });
  });

  test('does not hand a later message to an asker that gave up', async () => {
    const inbox = new Inbox();
    await expect(inbox.receive(5)).rejects.toMatchObject({ code: 'ERR_CHANNEL_TIMEOUT' });
    inbox.deliver(Buffer.from('kept'));
    expect(Buffer.from(await inbox.receive(5)).toString()).toBe('kept');
  });

  test('that nobody accepts is an error', async () => {
    await expect(connectChannel({ url: 'ws://127.0.0.1:9/', headers: {} })).rejects.toMatchObject({
      code: 'ERR_CHANNEL_CLOSED',
    });
  });

  test('is closed by a text frame, which is not part of the protocol', async () => {
    const { url, accepted } = await listen();
    const socket = new WebSocket(url);
    socket.on('open', () => socket.send('text'));
    await expect((await accepted).receive()).rejects.toMatchObject({ code: 'ERR_CHANNEL_CLOSED' });
  });
});
