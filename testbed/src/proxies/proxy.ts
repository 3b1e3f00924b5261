/** An HTTPS proxy in front of a service: it records requests, and loses, delays or replaces them when it is told to. */
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';

/** What happens to a request instead of its being done and answered. */
export type Fault =
  /** The service never hears of it. */
  | { readonly kind: 'lose request' }
  /** The service has done what was asked, but the client does not hear of it. A WebSocket is cut at its first answer. */
  | { readonly kind: 'lose answer' }
  /** A WebSocket is cut, or a stretch of it is changed, so many bytes into what the service sends. */
  | { readonly kind: 'cut' | 'corrupt'; readonly atByte: number }
  /** So many bytes into what the service sends, a WebSocket stays open without a further one. */
  | { readonly kind: 'stall'; readonly atByte: number }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  /** It is passed on when the proxy is healed. */
  | { readonly kind: 'hold' }
  /** The proxy answers in the service's place, as a service would that lies. */
  | { readonly kind: 'answer'; readonly json: unknown }
  /** The same, with an answer that fits what was asked. */
  | {
      readonly kind: 'answer with';
      readonly json: (body: Buffer) => Promise<unknown>;
      readonly status?: number;
    };

export interface SeenRequest {
  /** Method and path; of a WebSocket those of its opening request. */
  readonly name: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A fault in place; `hits` counts the requests that it has struck. */
interface Injection {
  readonly pattern: RegExp;
  readonly fault: Fault;
  readonly times: number;
  hits: number;
}

const RECORDED_BYTES = 2 ** 20;
/** Of a garbled circuit an evaluator does not use every byte, but some of so many. */
const CORRUPTED_BYTES = 1024;

export class FaultyProxy {
  /** Everything that was asked, whether or not it reached the service. */
  readonly seen: SeenRequest[] = [];
  /** What the service sent over each WebSocket, up to a limit. */
  readonly streams: Buffer[] = [];
  /** How much that was, without a limit. */
  readonly streamBytes: number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #ca: string;
  readonly #answerHeaders: OutgoingHttpHeaders;
  #injections: Injection[] = [];
  #healed = Promise.withResolvers<void>();
  #upstreamPort = 0;

  private constructor(server: Server, ca: string, answerHeaders: OutgoingHttpHeaders) {
    this.#server = server;
    this.#ca = ca;
    this.#answerHeaders = answerHeaders;
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.#serve(incoming, response).catch(() => incoming.socket.destroy());
    });
    server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(incoming, socket, head),
    );
    server.on('connection', (socket: Socket) => this.#track(socket));
  }

  /** Listens on any free port, with a certificate that is its own authority; answers of its own have these headers. */
  static async start(
    tls: { readonly cert: string; readonly key: string },
    answerHeaders: OutgoingHttpHeaders = {},
  ): Promise<FaultyProxy> {
    const server = createServer(tls);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultyProxy(server, tls.cert, answerHeaders);
  }

  /** The service's port on loopback; it need not listen all the time. */
  set upstreamPort(port: number) {
    this.#upstreamPort = port;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Puts a fault on the next `times` requests whose name, such as `DELETE /tasks/…`, matches. */
  inject(pattern: RegExp, fault: Fault, times = 1): Injection {
    const injection = { pattern, fault, times, hits: 0 };
    this.#injections.push(injection);
    return injection;
  }

  /** Takes all faults away, and lets go what was held. */
  heal(): void {
    this.#injections = [];
    this.#healed.resolve();
    this.#healed = Promise.withResolvers();
  }

  /** The bodies of the requests whose name matches, in order. */
  bodies(pattern: RegExp): Buffer[] {
    return this.seen.filter(({ name }) => pattern.test(name)).map(({ body }) => body);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const fault = this.#record(incoming, body);
    if (fault?.kind === 'lose request') return void incoming.socket.destroy();
    if (fault?.kind === 'answer' || fault?.kind === 'answer with') {
      const json = fault.kind === 'answer' ? fault.json : await fault.json(body);
      const status = fault.kind === 'answer' ? 200 : (fault.status ?? 200);
      const type = status < 400 ? 'application/json' : 'application/problem+json';
      const headers = { ...this.#answerHeaders, 'content-type': type };
      return void response.writeHead(status, headers).end(JSON.stringify(json));
    }
    if (fault?.kind === 'delay') await sleep(fault.milliseconds);
    if (fault?.kind === 'hold') await this.#healed.promise;
    const { method, url, headers } = incoming;
    const outgoing = request({ ...this.#upstream(), method, path: url, headers, agent: false });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const answered = await buffer(answer);
    if (fault?.kind === 'lose answer') return void incoming.socket.destroy();
    response.writeHead(answer.statusCode!, answer.headers).end(answered);
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#track(socket);
    const fault = this.#record(incoming, head);
    if (fault?.kind === 'lose request') return void socket.destroy();
    const join = () => this.#join(incoming, socket, head, fault);
    const joinLater = () => socket.destroyed || join();
    if (fault?.kind === 'delay') setTimeout(joinLater, fault.milliseconds).unref();
    else if (fault?.kind === 'hold') this.#healed.promise.then(joinLater);
    else join();
  }

  #join(incoming: IncomingMessage, socket: Duplex, head: Buffer, fault: Fault | undefined): void {
    const upstream = connect(this.#upstream());
    this.#track(upstream);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
      lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
    }
    upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
    upstream.write(head);
    socket.pipe(upstream);
    if (fault?.kind === 'lose answer') upstream.once('data', () => upstream.destroy());
    else upstream.pipe(this.#struck(fault, () => socket.destroy())).pipe(socket);
  }

  /** Passes on what it gets, records it, and strikes. */
  #struck(fault: Fault | undefined, cut: () => void): Transform {
    const stream = this.streams.push(Buffer.alloc(0)) - 1;
    let passed = 0;
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const from = passed;
        passed += chunk.length;
        this.streamBytes[stream] = passed;
        if (fault?.kind === 'cut' && fault.atByte < passed) return cut();
        if (fault?.kind === 'stall' && fault.atByte < passed) return;
        if (fault?.kind === 'corrupt') {
          const to = Math.min(chunk.length, fault.atByte + CORRUPTED_BYTES - from);
          for (let i = Math.max(0, fault.atByte - from); i < to; i += 1) chunk[i]! ^= 4;
        }
        if (from < RECORDED_BYTES) this.streams[stream] = Buffer.concat([this.streams[stream]!, chunk]);
        done(null, chunk);
      },
    });
  }

  #upstream() {
    return { host: '127.0.0.1', port: this.#upstreamPort, ca: this.#ca };
  }

  #record({ method, url, headers }: IncomingMessage, body: Buffer): Fault | undefined {
    const name = `${method} ${url}`;
    this.seen.push({ name, headers, body });
    const injection = this.#injections.find((it) => it.hits < it.times && it.pattern.test(name));
    if (injection === undefined) return undefined;
    injection.hits += 1;
    return injection.fault;
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}
