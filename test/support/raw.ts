/** Bytes sent to a service just as they are, over TLS or without it. */
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Address } from './requests.ts';

export async function openTls({ url, ca }: Address): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca });
  socket.on('error', () => {}); // the service may hang up at any time, which tests see in what came before
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends bytes and returns everything that comes until the service closes or has been silent for a while. */
export async function sendBytes(address: Address, bytes: string | Uint8Array): Promise<string> {
  const socket = await openTls(address);
  socket.write(bytes);
  return readAll(socket);
}

/** Sends bytes and resets the connection behind them, with nothing said of its end. */
export async function sendAndReset({ url, ca }: Address, bytes: string): Promise<void> {
  const tcp = connectTcp({ host: '127.0.0.1', port: Number(new URL(url).port) });
  const socket = connect({ socket: tcp, ca, servername: 'localhost' });
  for (const either of [tcp, socket]) either.on('error', () => {});
  await once(socket, 'secureConnect');
  await new Promise((resolve) => socket.write(bytes, resolve));
  tcp.resetAndDestroy();
}

/** The same without TLS. */
export async function sendPlain({ url }: Address, bytes: string): Promise<string> {
  const socket = connectTcp({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => {});
  socket.write(bytes);
  return readAll(socket);
}

/** After something came. Until then, the service may take its time. */
const SILENCE_MILLISECONDS = 1500;

async function readAll(socket: NodeJS.ReadableStream & { destroy(): void }): Promise<string> {
  let text = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    clearTimeout(timer);
    timer = setTimeout(resolve, SILENCE_MILLISECONDS);
  });
  socket.on('close', () => resolve());
  await promise;
  clearTimeout(timer);
  socket.destroy();
  return text;
}

export interface RawAnswer {
  readonly status: number;
  readonly code: string | undefined;
  readonly type: string | undefined;
}

/** The answers in what came back: of all of them, since a second one to a single request is a smuggled one. */
export function answersIn(text: string): RawAnswer[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((part) => part !== '')
    .map((part) => ({
      status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(part)?.[1]),
      code: /"code":"(\w+)"/.exec(part)?.[1],
      type: /^content-type: ([^\r\n;]+)/im.exec(part)?.[1],
    }));
}
