/**
 * A wiretap in front of a service: it ends TLS, keeps every byte that goes through in either direction, and passes it
 * on unchanged over TLS of its own.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { nameOfRequest, readFrames, readHttp } from './http-messages.ts';

interface SeenRequest {
  /** Such as `GET /healthz`. */
  readonly name: string;
  /** Request line and headers. */
  readonly head: string;
  readonly body: Buffer;
}

function payloadsOf(bytes: Buffer): Buffer[] {
  const { upgradedAt } = readHttp(bytes);
  return readFrames(bytes, upgradedAt ?? bytes.length).map(({ payload }) => payload);
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
    return this.received().flatMap((bytes) =>
      readHttp(bytes).messages.map(({ head, body }) => ({ name: nameOfRequest(head), head, body })),
    );
  }

  /** What WebSocket frames to the service carried, unmasked, control frames included. */
  framesToService(): Buffer[] {
    return this.received().flatMap(payloadsOf);
  }

  /** The same from the service. */
  framesFromService(): Buffer[] {
    const upgraded = this.#connections.filter(
      ({ toService }) => readHttp(Buffer.concat(toService)).upgradedAt !== undefined,
    );
    return upgraded.flatMap(({ fromService }) => payloadsOf(Buffer.concat(fromService)));
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
