/** Both ends of a channel, in memory and over a real socket, for tests that must hold for either. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import type { ChannelLimits } from '../../src/channel/channel.ts';
import { type Channel, ChannelAcceptor, connectChannel } from '../../src/index.ts';
import { memoryChannelPair } from '../support/memory-channel.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that accepts one channel. TLS belongs to the service around it. */
export async function listen(limits?: Partial<ChannelLimits>) {
  const acceptor = new ChannelAcceptor(limits);
  const server = createServer();
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

async function webSocketPair(limits?: Partial<ChannelLimits>): Promise<[Channel, Channel]> {
  const { url, accepted } = await listen(limits);
  const connected = await connectChannel({ url, headers: {}, limits });
  return [connected, await accepted];
}

type Pair = (limits?: Partial<ChannelLimits>) => Promise<[Channel, Channel]>;

export const PAIRS: [string, Pair][] = [
  ['in memory', async (limits) => memoryChannelPair(limits)],
  ['over a WebSocket', webSocketPair],
];
