/** The terms that both processes of the benchmark of transfers agree on. */

/** The query of the benchmark of transfers in the path of a WebSocket. */
export interface Job {
  readonly kind: 'download' | 'upload' | 'correlated' | 'random';
  /** Bytes or transfers. */
  readonly amount: number;
}

/** The address that this process tells its parent when it listens. */
export interface Address {
  readonly url: string;
  readonly ca: string;
}

/** Payload per message of the channel's own measurements. */
export const CHUNK_BYTES = 64 * 1024;
