/** Ports on loopback for servers that keep theirs over restarts. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A free port for a server that keeps it over restarts. Not one that the system would give away: while the server is
 * down, an outgoing connection could get it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
