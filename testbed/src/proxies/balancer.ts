/** One address in front of several processes of a service: passes each connection on to one of them, in turn, that takes it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Balancer {
  /** Of the processes, on loopback; not all of them need to run. */
  ports: readonly number[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#track(socket);
      this.#pass(socket, this.ports.length);
    });
  }

  static async start(): Promise<Balancer> {
    // Nothing is read before there is somebody to read it.
    const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Balancer(server);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(socket: Socket, attempts: number): void {
    if (attempts === 0) return void socket.destroy();
    this.#turn += 1;
    const process = connect(this.ports[this.#turn % this.ports.length]!, '127.0.0.1');
    const tryNext = () => this.#pass(socket, attempts - 1);
    process.once('error', tryNext);
    process.once('connect', () => {
      process.off('error', tryNext);
      this.#track(process);
      socket.on('close', () => process.destroy());
      process.on('close', () => socket.destroy());
      socket.pipe(process).pipe(socket);
    });
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
  }
}
