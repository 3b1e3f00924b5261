/** A TCP proxy on loopback that counts the bytes that it passes on, separately for whoever is said to connect, and may be watched. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Payload of TCP: of TLS its records and handshakes, but not the headers of TCP and IP. */
export interface Tally {
  connections: number;
  /** From those who connect to the service behind the proxy. */
  toService: number;
  fromService: number;
}

/** Whether bytes go to the service behind the proxy or come from it. */
export type Direction = 'to service' | 'from service';

export class CountingProxy<Client extends string> {
  /** Called with whatever is about to be passed on; connections count from 0. */
  observe: (connection: number, direction: Direction, bytes: Buffer) => void = () => undefined;
  /** Where connections lead; to be set before the first. */
  target = 0;
  /** Who connects from now on. A connection counts for who made it for as long as it lasts. */
  client: Client;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #tallies = new Map<Client, Tally>();
  #connections = 0;

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
    const connection = this.#connections;
    this.#connections += 1;
    tally.connections += 1;
    const far = connect({ port: this.target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    this.#watch(near, far);
    this.#watch(far, near);
    near.on('data', (bytes: Buffer) => {
      tally.toService += bytes.length;
      this.observe(connection, 'to service', bytes);
    });
    far.on('data', (bytes: Buffer) => {
      tally.fromService += bytes.length;
      this.observe(connection, 'from service', bytes);
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
