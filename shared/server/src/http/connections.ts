/**
 * Decides which peers may be connected at a time, counts and logs those that may not, and decides for which
 * the server does not wait when it closes.
 */
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { ipKeyGenerator } from 'express-rate-limit';
import { MAX_CONNECTIONS } from '../cli/settings.ts';
import type { Logger } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { PeerNames } from './peer-names.ts';

/**
 * The time for which a connection may stay so that its peer can read the answer, after a body that was
 * refused came slowly or was long.
 */
export const LINGER_MILLISECONDS = 5000;
/** The time between two log entries about connections that are refused or ended, however many there are. */
const LOG_MILLISECONDS = 60_000;

export interface ConnectionEvent {
  /**
   * The way in which a connection ended. Refused, before a byte was read: `address` (its address has as many
   * as it may have) or `all` (there are as many as there may be). Ended: `handshake` (TLS was not
   * established, or not in time) or `request` (headers or body came too slowly).
   */
  readonly kind: 'refused' | 'ended';
  readonly reason: 'address' | 'all' | 'handshake' | 'request';
  readonly address: string | undefined;
}

/**
 * The sockets of a server, from their acceptance on: the HTTP server knows nothing about those in their
 * handshake or upgraded.
 */
export class Connections {
  /** Open connections by their sockets, with whether a request has come over each. */
  readonly #open = new Map<Socket, { isUsed: boolean }>();
  readonly #byPeer = new Map<string, Socket>();
  readonly #perAddress = new Map<string, number>();
  /**
   * The limit of connections of an address (IPv4) or a /56 network (IPv6). Connections that exist stay when
   * it is lowered.
   */
  most: number;

  constructor(server: Server, most: number, tell: (event: ConnectionEvent) => void) {
    this.most = most;
    server.maxConnections = MAX_CONNECTIONS;
    server.on('drop', (peer) => tell({ kind: 'refused', reason: 'all', address: peer?.remoteAddress }));
    server.on('connection', (socket: Socket) => {
      const address = socket.remoteAddress;
      const key = ipKeyGenerator(address ?? '');
      const count = this.#perAddress.get(key) ?? 0;
      if (count >= this.most) {
        tell({ kind: 'refused', reason: 'address', address });
        socket.destroy();
      } else this.#add(socket, key, count);
    });
    server.on('request', ({ socket }) => this.use(socket));
  }

  get count(): number {
    return this.#open.size;
  }

  /** Tells that a request has come over the TLS connection `socket`. */
  use(socket: Socket): void {
    const entry = this.#open.get(this.#byPeer.get(peerOf(socket)) ?? socket);
    if (entry !== undefined) entry.isUsed = true;
  }

  /** Cuts connections over which no request has come: handshakes, and peers that say nothing. */
  cutUnused(): void {
    for (const [socket, { isUsed }] of this.#open) if (!isUsed) socket.destroy();
  }

  cutAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #add(socket: Socket, key: string, count: number): void {
    const peer = peerOf(socket);
    this.#open.set(socket, { isUsed: false });
    this.#byPeer.set(peer, socket);
    this.#perAddress.set(key, count + 1);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#byPeer.get(peer) === socket) this.#byPeer.delete(peer);
      const left = this.#perAddress.get(key)! - 1;
      if (left > 0) this.#perAddress.set(key, left);
      else this.#perAddress.delete(key);
    });
  }
}

/**
 * Names a peer: a TCP socket and the TLS socket over it get the same name, which Node does not relate in any
 * other way.
 */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Counts connections for metrics, and logs those that are refused or ended: the first at once, then once a
 * minute how many they were.
 */
export function watchConnections(
  metrics: Metrics,
  log: Logger,
  peers: PeerNames,
  open: () => number,
): (event: ConnectionEvent) => void {
  metrics.gauge('connections_open', 'Connections, from their acceptance on.', open);
  const refused = metrics.counter('connections_refused_total', 'Connections that were too many.', ['reason']);
  const ended = metrics.counter('connections_ended_total', 'Connections that came to nothing in time.', [
    'reason',
  ]);
  let untold: Record<string, number> = {};
  let timer: NodeJS.Timeout | undefined;
  const flush = (address?: string) => {
    timer = undefined;
    if (Object.keys(untold).length === 0) return;
    const peer = peers.name(address);
    log.warn(
      { connections: untold, ...(peer === undefined ? {} : { peer }) },
      'connections refused or ended',
    );
    untold = {};
    timer = setTimeout(flush, LOG_MILLISECONDS).unref();
  };
  return ({ kind, reason, address }) => {
    (kind === 'refused' ? refused : ended).inc({ reason });
    const name = `${kind}: ${reason}`;
    untold[name] = (untold[name] ?? 0) + 1;
    if (timer === undefined) flush(address);
  };
}
