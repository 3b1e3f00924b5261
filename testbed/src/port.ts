/** Ports on loopback for servers that keep theirs over restarts. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** From here on browsers take any: the last one that they refuse is 10080 (https://fetch.spec.whatwg.org/#port-blocking). */
const FIRST = 10_081;

/** Given before by this process, whose servers may not listen yet. */
const given = new Set<number>();

/**
 * A free port for a server that keeps it over restarts. Not one that the system would give away: while the server is
 * down, an outgoing connection could get it.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, 32_000);
    if (given.has(port)) continue;
    const server = createServer();
    const isFree = await new Promise((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    given.add(port);
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
