/** What tests of proxies do with sockets. */
import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Unlike an asynchronous iterator, leaves the socket open for what is still to be written. */
export async function heardFrom(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'end');
  return Buffer.concat(chunks);
}
