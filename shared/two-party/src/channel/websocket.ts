/**
 * A channel over a WebSocket within TLS, one binary frame per message. The connecting server proves its
 * identity in the opening request, which the accepting service checks before a WebSocket exists. An abort
 * travels as the reason of a close frame, behind what was sent before. Frames of the connecting end carry a
 * mask of zeros: see unmasked().
 *
 * Memory that a socket reads into. The end that connects uses it again; the one that accepts cannot choose
 * it, but has it collected before it is much. With fresh memory for every read, left alone, the runtime
 * collected all garbage for every 14 to 20 MB that came, which cost more time than TLS itself.
 */
import type { IncomingMessage } from 'node:http';
import type { Agent } from 'node:https';
import type { OnReadOpts, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CodedError } from '@eigenveil/platform';
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws';
import { TWO_PARTY_CODES } from '../codes.ts';
import { type Channel, type ChannelLimits, closedError, withDefaults } from './channel.ts';
import { Endpoint } from './endpoint.ts';

const NORMAL_CLOSURE = 1000;
const UNSUPPORTED_DATA = 1003;
/** From the range that RFC 6455, section 7.4.2, leaves to applications. */
const ABORTED = 4000;
/** So long a peer may take to open a channel, or to say why not, as a whole and however it trickles. */
const OPENING_LIMIT_MILLISECONDS = 10_000;

/**
 * Compression would make the length of a frame depend on its content. A pong would tell how long this end
 * computes in one piece, and is asked for by no peer that follows the protocol.
 */
function frames({ largestMessageBytes }: ChannelLimits) {
  return { perMessageDeflate: false, autoPong: false, maxPayload: largestMessageBytes } as const;
}

/**
 * The mask of a frame of the connecting end: zeros, which `ws` skips at both ends. Masks protect proxies from
 * scripts in browsers that choose what goes over the wire (RFC 6455, section 10.3). Here no browser takes
 * part and no proxy sees more than TLS; a random mask would only cost time, in JavaScript and byte by byte.
 */
function unmasked(mask: Buffer): void {
  mask.fill(0);
}

/**
 * The answer of the accepting service when it does not open a channel; this package does not interpret it.
 */
export class ChannelRefused extends CodedError<'ERR_CHANNEL_CLOSED'> {
  readonly body: string;

  constructor(body: string) {
    super(TWO_PARTY_CODES.ERR_CHANNEL_CLOSED, 'the peer refused the two-party connection');
    this.body = body;
  }
}

/** Far more than problem details take. */
const LONGEST_REFUSAL_BYTES = 16_384;

/**
 * Opens a channel to `url` (wss://…) with the given headers.
 * @throws ChannelRefused when the service answers otherwise, ERR_CHANNEL_CLOSED when there is no whole answer
 * in time or `signal` aborts
 * @example
 * import { connectChannel } from '@eigenveil/two-party';
 *
 * const path = `/tasks/${task.id}/two-party`;
 * const headers = await client.introduce('GET', path);
 * const channel = await connectChannel({ url: `wss://csp.example.org:8443${path}`, headers });
 */
export async function connectChannel(options: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca?: string | undefined;
  /** The agent that makes the connection, where it does not go straight to the service. */
  readonly agent?: Agent | undefined;
  readonly limits?: Partial<ChannelLimits> | undefined;
  /** Gives up connecting; a channel that is open already is its holder's to close. */
  readonly signal?: AbortSignal | undefined;
  /** See OPENING_LIMIT_MILLISECONDS, the default. */
  readonly openingMilliseconds?: number;
}): Promise<Channel> {
  if (options.signal?.aborted) throw closedError(options.signal.reason);
  const limits = withDefaults(options.limits);
  // A socket through a proxy reads by the proxy's, which takes no memory of ours.
  const buffers = options.agent === undefined ? new ReceiveBuffers() : undefined;
  const socketOptions: ClientOptions & { onread?: OnReadOpts } = {
    ...frames(limits),
    headers: options.headers,
    minVersion: 'TLSv1.3',
    followRedirects: false,
    generateMask: unmasked,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(buffers && {
      onread: buffers.onread, // `ws` hands its options on to tls.connect
      finishRequest(request) {
        request.once('socket', (connection) => buffers.attach(connection));
        request.end();
      },
    }),
  };
  const socket = new WebSocket(options.url, socketOptions);
  const channel = webSocketChannel(socket, limits, buffers, MASK_BYTES);
  const giveUp = () => socket.terminate(); // which is an error while it connects
  options.signal?.addEventListener('abort', giveUp);
  const timer = setTimeout(giveUp, options.openingMilliseconds ?? OPENING_LIMIT_MILLISECONDS);
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (error) => reject(closedError(error)));
    socket.once('unexpected-response', (request, response) => {
      readRefusal(response).then(
        (body) => reject(new ChannelRefused(body)),
        (error: unknown) => reject(closedError(error)),
      );
      response.once('close', () => request.destroy());
    });
  }).finally(() => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', giveUp);
  });
  return channel;
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LONGEST_REFUSAL_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, LONGEST_REFUSAL_BYTES);
}

/**
 * Turns upgrade requests that the service has already authenticated into channels.
 * @example
 * import { ChannelAcceptor } from '@eigenveil/two-party';
 *
 * const acceptor = new ChannelAcceptor();
 * const channel = await acceptor.accept(request, socket, head); // as Node's 'upgrade' gives them
 */
export class ChannelAcceptor {
  readonly #limits: ChannelLimits;
  readonly #server: WebSocketServer;
  readonly #refused = new WeakMap<Duplex, (error: Error) => void>();

  constructor(limits?: Partial<ChannelLimits>) {
    this.#limits = withDefaults(limits);
    this.#server = new WebSocketServer({
      ...frames(this.#limits),
      noServer: true,
      clientTracking: true,
      // The protocol has none; `ws` would agree to whatever the peer names first.
      handleProtocols: () => false,
    });
    // A listener of its own for each accept() would be told of everybody's; without any, `ws` answers in
    // HTML.
    this.#server.on('wsClientError', (error, socket) => this.#refused.get(socket)?.(error));
  }

  /**
   * @throws ERR_CHANNEL_MESSAGE for a request that asks for no WebSocket; its socket is left to the caller
   */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<Channel> {
    return new Promise((resolve, reject) => {
      this.#refused.set(socket, (cause) =>
        reject(
          new CodedError(
            TWO_PARTY_CODES.ERR_CHANNEL_MESSAGE,
            'the request expected the opening of a WebSocket',
            {
              cause,
            },
          ),
        ),
      );
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        resolve(webSocketChannel(webSocket, this.#limits, undefined, 0));
      });
    });
  }

  /** Ends every open channel. */
  close(): void {
    for (const client of this.#server.clients) client.terminate();
    this.#server.close();
  }
}

/** The header of a frame of 126 bytes to 64 KiB, which the connecting end masks. */
const HEADER_BYTES = 4;
const MASK_BYTES = 4;

/**
 * @param buffers that it reads into, which only the connecting end can choose
 * @param maskBytes of a frame that this end sends
 */
function webSocketChannel(
  socket: WebSocket,
  limits: ChannelLimits,
  buffers: ReceiveBuffers | undefined,
  maskBytes: number,
): Channel {
  const endpoint = new Endpoint(
    {
      // After an error of writing, the sender waits for the 'close' that follows and says why.
      write: (message, done) => socket.send(message, { binary: true }, (error) => error ?? done()),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close: (reason) => socket.close(reason === undefined ? NORMAL_CLOSURE : ABORTED, reason),
      terminate: () => socket.terminate(),
      release: (message) => buffers?.release(message),
      // A frame is one TLS record exactly, even among others of one write, and so the peer hands it on
      // without copying it.
      frameBytes: TLS_RECORD_BYTES - HEADER_BYTES - maskBytes,
    },
    limits,
  );
  let failure: unknown;
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    if (isBinary) endpoint.deliver(data);
    else socket.close(UNSUPPORTED_DATA); // text is not part of the protocol
  });
  // 'close' follows every 'error'; without a listener the error would be thrown.
  socket.on('error', (error) => {
    failure = error;
  });
  socket.on('close', (code, reason) => {
    endpoint.ended(
      code === ABORTED ? reason.toString() : undefined,
      failure ?? new Error(`the WebSocket was closed with ${code}`),
    );
  });
  return endpoint;
}

/** The most bytes that one TLS record holds; no read of TLS gives more. */
export const TLS_RECORD_BYTES = 16 * 1024;
/** Shorter reads are copied: a peer that sends little at a time must not make it occupy much. */
const SHORTEST_KEPT_BYTES = TLS_RECORD_BYTES / 2;
/** The most buffers that are kept for later reads, 4 MiB: about as much as an endpoint lets wait. */
const MOST_SPARES = 256;

export class ReceiveBuffers {
  /** For the option of this name of net.connect and tls.connect. */
  readonly onread: OnReadOpts;
  #socket: Pick<Socket, 'push'> | undefined;
  #current = chunk();
  readonly #spares: Buffer<ArrayBuffer>[] = [];
  /** The buffers behind memory that was handed on. A buffer that nobody gives back becomes garbage. */
  readonly #handedOn = new WeakMap<ArrayBufferLike, Buffer<ArrayBuffer>>();

  constructor() {
    this.onread = {
      buffer: () => this.#current,
      callback: (bytes) => this.#hand(bytes),
    };
  }

  /** The socket that reads: its stream goes on to give data, as if it had read into memory of its own. */
  attach(socket: Pick<Socket, 'push'>): void {
    this.#socket = socket;
  }

  /**
   * Takes memory back with the last of what was read into it. `message` is a view of data from the stream;
   * whatever came before it must not be used any more either.
   */
  release(message: Uint8Array): void {
    const data = this.#handedOn.get(message.buffer);
    if (data === undefined || message.byteOffset + message.length !== data.length) return;
    this.#handedOn.delete(data.buffer);
    if (this.#spares.length < MOST_SPARES) this.#spares.push(Buffer.from(data.buffer));
  }

  #hand(bytes: number): boolean {
    if (this.#socket === undefined) throw new TypeError('"attach" expected to be called before data came');
    const data = this.#current.subarray(0, bytes);
    if (bytes < SHORTEST_KEPT_BYTES) return this.#socket.push(Buffer.from(data));
    this.#handedOn.set(data.buffer, data);
    this.#current = this.#spares.pop() ?? chunk();
    return this.#socket.push(data);
  }
}

function chunk(): Buffer<ArrayBuffer> {
  return Buffer.allocUnsafeSlow(TLS_RECORD_BYTES);
}
