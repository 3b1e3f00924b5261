/**
 * A channel over a WebSocket within TLS, one binary frame per message. The connecting server proves its identity in
 * the opening request, which the accepting service checks before a WebSocket exists.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { type Channel, closedError, Inbox, SILENCE_LIMIT_MILLISECONDS } from './channel.ts';

/** The largest message a peer may send, in bytes: the shares of the largest supported task fit several times. */
const LARGEST_MESSAGE_BYTES = 64 * 1024 * 1024;

const NORMAL_CLOSURE = 1000;
const UNSUPPORTED_DATA = 1003;
const OPENING_LIMIT_MILLISECONDS = 10_000;

// Compression would make the length of a frame depend on its content.
const FRAMES = { perMessageDeflate: false, maxPayload: LARGEST_MESSAGE_BYTES } as const;

/** Opens a channel to `url` (wss://…) with the given headers. Throws ERR_CHANNEL_CLOSED when it is refused. */
export async function connectChannel(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca?: string | undefined;
}): Promise<Channel> {
  const socket = new WebSocket(options.url, {
    ...FRAMES,
    headers: options.headers,
    minVersion: 'TLSv1.3',
    handshakeTimeout: OPENING_LIMIT_MILLISECONDS,
    followRedirects: false,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const channel = webSocketChannel(socket, SILENCE_LIMIT_MILLISECONDS);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => reject(closedError(error)));
  });
  return channel;
}

/** Turns upgrade requests that the service has already authenticated into channels. */
export class ChannelAcceptor {
  readonly #server = new WebSocketServer({ ...FRAMES, noServer: true, clientTracking: true });

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Channel> {
    return new Promise((resolve) => {
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        resolve(webSocketChannel(webSocket, SILENCE_LIMIT_MILLISECONDS));
      });
    });
  }

  /** Ends every open channel. */
  close(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }
}

function webSocketChannel(socket: WebSocket, silenceLimit: number): Channel {
  const inbox = new Inbox();
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) inbox.deliver(data);
    else socket.close(UNSUPPORTED_DATA); // text is not part of the protocol
  });
  socket.on('close', () => inbox.close());
  // 'close' follows every 'error'; without a listener the error would be thrown.
  socket.on('error', () => inbox.close());
  return {
    send: (message) =>
      new Promise((resolve, reject) => {
        socket.send(message, { binary: true }, (error) => (error ? reject(closedError(error)) : resolve()));
      }),
    receive: () => inbox.receive(silenceLimit),
    close: () =>
      new Promise((resolve) => {
        if (socket.readyState === WebSocket.CLOSED) resolve();
        else {
          socket.once('close', () => resolve());
          socket.close(NORMAL_CLOSURE);
        }
      }),
  };
}
