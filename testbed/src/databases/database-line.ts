/** A line on loopback to a PostgreSQL, on which a server that crashes, hangs or is cut off is played without one that does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export class DatabaseLine {
  /** `losing`: it is cut when the server has answered the next COMMIT, before the client hears of it. `hanging`: it carries nothing. */
  state: 'open' | 'losing' | 'hanging' = 'open';
  readonly #target: URL;
  readonly #clients = new Set<Socket>();
  readonly #server = createServer({ allowHalfOpen: true }, (client) => this.#carry(client));
  #port = 0;
  #knocks = 0;

  private constructor(target: URL) {
    this.#target = target;
  }

  /** A line to the database of that URL, which is to be on loopback. */
  static async open(url: string): Promise<DatabaseLine> {
    const line = new DatabaseLine(new URL(url));
    await line.listen();
    return line;
  }

  /** The URL of the database at this end of the line. */
  get url(): string {
    return Object.assign(new URL(this.#target), { port: String(this.#port) }).href;
  }

  /** How many connections there are; one that hangs is counted until `heldConnections` has found that its client has left. */
  get connections(): number {
    return this.#clients.size;
  }

  /** Sends every client a byte, which breaks a connection that nobody has any more, and tells how many there are. */
  heldConnections(): number {
    // A client that is there would break its connection itself on five bytes, which are the head of a message.
    if (this.#knocks < 4) for (const client of this.#clients) client.write('\0');
    this.#knocks += 1;
    return this.#clients.size;
  }

  /** Takes connections again, after `close`, at the same address. */
  async listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts all connections and refuses further ones, as when the server is down. */
  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(client: Socket): void {
    this.#clients.add(client);
    const upstream = connect(Number(this.#target.port), '127.0.0.1');
    let isCommitting = false;
    client.on('data', (bytes) => {
      isCommitting = this.state === 'losing' && bytes.includes('COMMIT\0');
      if (this.state !== 'hanging') upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (isCommitting) client.destroy();
      else client.write(bytes);
    });
    client.on('end', () => {
      // A server that hangs does not hear of it.
      if (this.state !== 'hanging') upstream.end();
    });
    client
      .on('error', () => undefined)
      .on('close', () => {
        this.#clients.delete(client);
        upstream.destroy();
      });
    upstream.on('error', () => undefined).on('close', () => client.destroy());
  }
}
