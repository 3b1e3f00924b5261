/** A TCP proxy on loopback that is as slow and as long as a line far away: either direction has a rate and a delay of its own. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Line, type LineOptions, systemClock } from './line.ts';

/** What may wait for the line before the sender is held back, as a socket's own buffer would. */
const MOST_WAITING_BYTES = 256 * 1024;

export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: number, options: LineOptions): Promise<Relay> {
    // Half-open, so that what is still on its way in one direction survives the end of the other.
    const server = createServer({ noDelay: true, allowHalfOpen: true });
    const relay = new Relay(server);
    server.on('connection', (near) => {
      const far = connect({ port: target, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
      relay.#carry(near, far, options);
      relay.#carry(far, near, options);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #carry(from: Socket, to: Socket, options: LineOptions): void {
    this.#sockets.add(from);
    const line = new Line(options, systemClock, (packet) => to.writable && to.write(packet));
    const resume = () => {
      if (line.waitingBytes + to.writableLength <= MOST_WAITING_BYTES / 2) from.resume();
    };
    from.on('data', (chunk: Buffer) => {
      line.push(chunk, resume);
      if (line.waitingBytes + to.writableLength > MOST_WAITING_BYTES) from.pause();
    });
    to.on('drain', resume);
    from.on('end', () => line.end(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => this.#sockets.delete(from));
  }
}
