import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CountingProxy } from '../src/proxies/counting-proxy.ts';
import { heardFrom } from './sockets.ts';

/** Hears all that a client sends before it answers, so that the client's end must not cut the answer off. */
async function startService(answer: (heard: Buffer) => Buffer): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    void heardFrom(socket).then((heard) => socket.end(answer(heard)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

async function ask(port: number, question: Buffer): Promise<Buffer> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const answer = heardFrom(socket);
  socket.end(question);
  return answer;
}

describe('CountingProxy', () => {
  let service: Server;
  let proxy: CountingProxy<'ann' | 'bob'>;

  beforeEach(async () => {
    service = await startService((heard) => Buffer.concat([heard, heard, Buffer.from('end')]));
    proxy = await CountingProxy.start<'ann' | 'bob'>('ann');
    proxy.target = portOf(service);
  });

  afterEach(() => {
    proxy.close();
    service.close();
  });

  it('passes every byte on and counts each direction exactly', { tags: ['long'] }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(300_000), { minLength: 1, maxLength: 4 }), async (sizes) => {
        const before = proxy.tally('ann');
        const questions = sizes.map((size) => randomBytes(size));
        const answers = await Promise.all(questions.map((question) => ask(proxy.port, question)));
        answers.forEach((answer, i) => {
          expect(answer.equals(Buffer.concat([questions[i]!, questions[i]!, Buffer.from('end')]))).toBe(true);
        });
        const sent = sizes.reduce((sum, size) => sum + size, 0);
        const after = proxy.tally('ann');
        expect(after.connections - before.connections).toBe(sizes.length);
        expect(after.toService - before.toService).toBe(sent);
        expect(after.fromService - before.fromService).toBe(2 * sent + 3 * sizes.length);
      }),
      { numRuns: 20 },
    );
  });

  it('counts a connection for who made it, for as long as it lasts', async () => {
    const socket: Socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write('12345');
    while (proxy.tally('ann').toService < 5) await turn();
    proxy.client = 'bob';
    await ask(proxy.port, Buffer.from('abc'));
    const answer = heardFrom(socket);
    socket.end('67');
    expect(String(await answer)).toBe('12345671234567end');
    expect(proxy.tally('ann')).toEqual({ connections: 1, toService: 7, fromService: 17 });
    expect(proxy.tally('bob')).toEqual({ connections: 1, toService: 3, fromService: 9 });
  });

  it('ends the connection of a client whose service is gone', async () => {
    const gone = await startService((heard) => heard);
    proxy.target = portOf(gone);
    gone.close();
    await once(gone, 'close');
    const socket = connect({ port: proxy.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'close');
    expect(proxy.tally('ann').fromService).toBe(0);
  });
});
