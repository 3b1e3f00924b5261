/** A TCP proxy on loopback that holds back every byte for some time in either direction, as a long line would. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class DelayProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: number, delayMilliseconds: number): Promise<DelayProxy> {
    const server = createServer({ noDelay: true });
    const proxy = new DelayProxy(server);
    server.on('connection', (near) => {
      const far = connect({ port: target, host: '127.0.0.1', noDelay: true });
      proxy.#carry(near, far, delayMilliseconds);
      proxy.#carry(far, near, delayMilliseconds);
    });
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

  #carry(from: Socket, to: Socket, delayMilliseconds: number): void {
    this.#sockets.add(from);
    from.on('error', () => to.destroy());
    from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), delayMilliseconds));
    from.on('end', () => setTimeout(() => to.end(), delayMilliseconds));
  }
}
