/**
 * A wiretap in front of a service: it ends TLS, keeps every byte that goes through in either direction, and passes it
 * on unchanged over TLS of its own.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';

export interface SeenRequest {
  /** Such as `GET /healthz`. */
  readonly name: string;
  /** Request line and headers. */
  readonly head: string;
  readonly body: Buffer;
}

interface Connection {
  readonly toService: Buffer[];
  readonly fromService: Buffer[];
}

export class Wiretap {
  /** Called whenever the service is about to get something. */
  beforeDelivery: () => void | Promise<void> = () => undefined;
  readonly #server: Server;
  readonly #connections: Connection[] = [];
  readonly #sockets = new Set<TLSSocket>();
  #service: { readonly port: number; readonly ca: string } | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on('secureConnection', (socket) => this.#relay(socket));
  }

  /** Listens on any free port; nobody can connect before `attach`. */
  static async start(): Promise<Wiretap> {
    const server = createServer({ minVersion: 'TLSv1.3' });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Wiretap(server);
  }

  /** Puts the tap before the service at `port`, whose certificate and key it uses. */
  attach(port: number, { cert, key }: { readonly cert: string; readonly key: string }): void {
    this.#server.setSecureContext({ cert, key });
    this.#service = { port, ca: cert };
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Every byte that the service was sent, connection by connection. */
  received(): Buffer[] {
    return this.#connections.map(({ toService }) => Buffer.concat(toService));
  }

  /** Every byte that the service sent, connection by connection. */
  sent(): Buffer[] {
    return this.#connections.map(({ fromService }) => Buffer.concat(fromService));
  }

  /**
   * The requests that the service was sent, connection by connection.
   * @throws Error for bytes that are no HTTP request with a declared length
   */
  requests(): SeenRequest[] {
    return this.received().flatMap((bytes) => readRequests(bytes).requests);
  }

  /** What WebSocket frames to the service carried, unmasked, control frames included. */
  framesToService(): Buffer[] {
    return this.received().flatMap((bytes) => readFrames(readRequests(bytes).rest));
  }

  /** The same from the service. */
  framesFromService(): Buffer[] {
    return this.#connections
      .filter(({ toService }) => readRequests(Buffer.concat(toService)).isUpgraded)
      .flatMap(({ fromService }) => {
        const bytes = Buffer.concat(fromService);
        return readFrames(bytes.subarray(bytes.indexOf(HEAD_END) + HEAD_END.length));
      });
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #relay(client: TLSSocket): void {
    const { port, ca } = this.#service!;
    const service = connect({ host: '127.0.0.1', port, ca });
    const connection: Connection = { toService: [], fromService: [] };
    this.#connections.push(connection);
    void this.#pump(client, service, async (bytes) => {
      connection.toService.push(bytes);
      await this.beforeDelivery();
    });
    void this.#pump(service, client, async (bytes) => {
      connection.fromService.push(bytes);
    });
  }

  async #pump(from: TLSSocket, to: TLSSocket, keep: (bytes: Buffer) => Promise<void>): Promise<void> {
    this.#sockets.add(from);
    try {
      for await (const bytes of from) {
        await keep(bytes as Buffer);
        to.write(bytes as Buffer);
      }
      to.end();
    } catch {
      to.destroy(); // one end was cut, so the other is, too
    } finally {
      this.#sockets.delete(from);
    }
  }
}

const HEAD_END = '\r\n\r\n';

function readRequests(bytes: Buffer): { requests: SeenRequest[]; rest: Buffer; isUpgraded: boolean } {
  const requests: SeenRequest[] = [];
  let rest = bytes;
  let isUpgraded = false;
  while (rest.length > 0 && !isUpgraded) {
    const headEnd = rest.indexOf(HEAD_END);
    const head = rest.toString('latin1', 0, headEnd);
    const [, name] = /^([A-Z]+ \S+) HTTP\/1\.1\r\n/.exec(head) ?? [];
    if (headEnd < 0 || name === undefined || /^transfer-encoding:/im.test(head)) {
      throw new Error('expected HTTP requests whose length is declared');
    }
    const bodyStart = headEnd + HEAD_END.length;
    const bodyEnd = bodyStart + Number(/^content-length: *(\d+)\r?$/im.exec(head)?.[1] ?? 0);
    if (bodyEnd > rest.length) throw new Error(`${name} expected a whole body`);
    requests.push({ name, head, body: rest.subarray(bodyStart, bodyEnd) });
    rest = rest.subarray(bodyEnd);
    isUpgraded = /^upgrade: *websocket\r?$/im.test(head);
  }
  return { requests, rest, isUpgraded };
}

/** Payloads of WebSocket frames (RFC 6455 section 5.2); the last may have been broken off. */
export function readFrames(bytes: Buffer): Buffer[] {
  const payloads: Buffer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const isMasked = (bytes[offset + 1]! & 0x80) !== 0;
    let length = bytes[offset + 1]! & 0x7f;
    offset += 2;
    if (length === 126) {
      length = bytes.readUInt16BE(offset);
      offset += 2;
    } else if (length === 127) {
      length = Number(bytes.readBigUInt64BE(offset));
      offset += 8;
    }
    const mask = isMasked ? bytes.subarray(offset, offset + 4) : Buffer.alloc(4);
    if (isMasked) offset += 4;
    payloads.push(Buffer.from(bytes.subarray(offset, offset + length).map((byte, i) => byte ^ mask[i % 4]!)));
    offset += length;
  }
  return payloads;
}
