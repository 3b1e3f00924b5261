/** A TCP proxy on loopback that counts the bytes that it passes on, separately for whoever is said to connect. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Payload of TCP: of TLS its records and handshakes, but not the headers of TCP and IP. */
export interface Tally {
  connections: number;
  /** From those who connect to the service behind the proxy. */
  toService: number;
  fromService: number;
}

export class CountingProxy<Client extends string> {
  /** Where connections lead; to be set before the first. */
  target = 0;
  /** Who connects from now on. A connection counts for who made it for as long as it lasts. */
  client: Client;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #tallies = new Map<Client, Tally>();

  private constructor(server: Server, client: Client) {
    this.#server = server;
    this.client = client;
    server.on('connection', (near) => this.#carry(near));
  }

  static async start<Client extends string>(client: Client): Promise<CountingProxy<Client>> {
    // Half-open, so that what is still on its way in one direction survives the end of the other.
    const server = createServer({ noDelay: true, allowHalfOpen: true });
    const proxy = new CountingProxy(server, client);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  tally(client: Client): Readonly<Tally> {
    return { ...this.#tallyOf(client) };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #tallyOf(client: Client): Tally {
    const tally = this.#tallies.get(client) ?? { connections: 0, toService: 0, fromService: 0 };
    this.#tallies.set(client, tally);
    return tally;
  }

  #carry(near: Socket): void {
    const tally = this.#tallyOf(this.client);
    tally.connections += 1;
    const far = connect({ port: this.target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    this.#watch(near, far);
    this.#watch(far, near);
    near.on('data', ({ length }) => {
      tally.toService += length;
    });
    far.on('data', ({ length }) => {
      tally.fromService += length;
    });
    near.pipe(far);
    far.pipe(near);
  }

  #watch(socket: Socket, peer: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => peer.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
