/** The sockets under connections to PostgreSQL, so that a process can leave a server that does not answer. */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';

/** The sockets of a pool. */
export class PostgresSockets {
  readonly #open = new Set<Socket>();

  /** Makes a socket, for the option of the same name in pg's clients and pools. */
  readonly stream = (): Socket => {
    const socket = new Socket();
    this.#open.add(socket);
    return socket.once('close', () => this.#open.delete(socket));
  };

  /**
   * Waits for `ending`, which ends the connections, then cuts those that are left: an open socket would keep
   * the process alive.
   */
  async end(ending: Promise<unknown>, milliseconds: number): Promise<void> {
    await withinTime(ending, milliseconds);
    for (const socket of this.#open) socket.destroy();
  }
}

/**
 * Ends a connection and leaves no socket open. The server is told that it ends; one that hangs is not waited
 * for any longer than the given time.
 */
export async function endClient(client: Client, milliseconds: number): Promise<void> {
  await withinTime(client.end(), milliseconds);
  client.connection.stream.destroy();
}

/** Waits for the end, whatever it is, but not for longer than the given time. */
export async function withinTime(ending: Promise<unknown>, milliseconds: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    ending.catch(() => undefined),
    sleep(milliseconds, undefined, { signal: over.signal }).catch(() => undefined),
  ]);
  over.abort();
}
