/** An HTTP proxy on loopback that carries TLS (CONNECT), as organisations have them: it alone knows where a name leads to. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export class ConnectProxy {
  /** Whom it was asked to connect to, as `name:port`. */
  readonly asked: string[] = [];
  /** What it answers instead of a connection. */
  refusal: string | undefined;
  readonly #server: Server;
  readonly #ports: Readonly<Record<string, number>>;
  readonly #authorization: string;
  readonly #sockets = new Set<Duplex>();

  private constructor(server: Server, ports: Readonly<Record<string, number>>, credentials: string) {
    this.#server = server;
    this.#ports = ports;
    this.#authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    server.on('connect', (request: IncomingMessage, socket: Duplex) => this.#connect(request, socket));
  }

  /**
   * @param ports by `name:port`, the port on this machine that it connects to
   * @param credentials `user:password` that it expects
   */
  static async start(ports: Readonly<Record<string, number>>, credentials: string): Promise<ConnectProxy> {
    const server = createServer();
    const proxy = new ConnectProxy(server, ports, credentials);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #connect({ url = '', headers }: IncomingMessage, near: Duplex): void {
    this.asked.push(url);
    const port = this.#ports[url];
    const isKnown = headers['proxy-authorization'] === this.#authorization;
    const refusal =
      this.refusal ?? (isKnown ? (port === undefined ? '502 Bad Gateway' : undefined) : '407 Who');
    this.#sockets.add(near.on('error', () => near.destroy()));
    if (refusal !== undefined) {
      near.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const far: Socket = connect(port!, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connected\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    this.#sockets.add(far);
  }
}
