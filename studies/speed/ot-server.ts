/** The garbler's process of the benchmark of transfers: an HTTPS server whose WebSockets do what the path of each asks for. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createLocalCertificate, startServer } from '@eigenveil/server';
import { type Channel, ChannelAcceptor } from '@eigenveil/two-party';
import { MessageStream, sendRandom, setUpSender } from '@eigenveil/two-party/insides';
import { type Address, CHUNK_BYTES, type Job } from './ot-jobs.ts';

const acceptor = new ChannelAcceptor();
const identity = await createLocalCertificate();
const { server, url } = await startServer({
  ...identity,
  listener: (_request, response) => response.end(),
  host: '127.0.0.1',
  port: 0,
});
server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
  const [, kind, amount] = request.url!.split('/');
  acceptor
    .accept(request, socket, head)
    .then((channel) => serve(channel, { kind: kind as Job['kind'], amount: Number(amount) }));
});
process.on('disconnect', () => process.exit());
process.send!({ url, ca: identity.cert } satisfies Address);

async function serve(channel: Channel, { kind, amount }: Job): Promise<void> {
  const stream = new MessageStream(channel);
  await stream.read(0, 0); // the client's clock has started
  if (kind === 'download') {
    const chunk = randomBytes(CHUNK_BYTES);
    for (let sent = 0; sent < amount; sent += CHUNK_BYTES) {
      if (!stream.write(1, chunk)) await stream.flush();
    }
  } else if (kind === 'upload') {
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (let got = 0; got < amount; got += CHUNK_BYTES) {
      if (!stream.tryReadInto(1, chunk)) await stream.readInto(1, chunk);
    }
  } else {
    const delta = randomBytes(16);
    delta[0] = delta[0]! | 1;
    const sender = await setUpSender(stream, delta);
    stream.write(0, new Uint8Array(0));
    await stream.flush();
    if (kind === 'random') await sendRandom(sender, amount);
    else for await (const _block of sender.blocks(amount)); // memory stays flat
  }
  stream.write(0, new Uint8Array(0));
  await stream.flush();
}
