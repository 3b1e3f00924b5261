/** Prometheus metrics with a registry for each service, so that several services fit into one process. */

import { stat, statfs } from 'node:fs/promises';
import type { NextFunction, Request, Response } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { contextOf } from '../http/context.ts';

const PREFIX = 'eigenveil_';
/** Buckets from a look-up in the database to the decryption of a large aggregate, in seconds. */
const DURATION_BUCKETS = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/**
 * The time for which a scrape waits for a value that is asked for elsewhere; Prometheus waits for ten
 * seconds.
 */
const READ_MILLISECONDS = 2000;

export class Metrics {
  readonly registry = new Registry();
  readonly #duration: Histogram<'method' | 'route' | 'status'>;
  readonly #problems: Counter<'route' | 'code'>;

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    collectDefaultMetrics({ register: this.registry });
    this.#duration = this.duration(
      'http_request_duration_seconds',
      'Time from the request line to the end of the answer; streams are left out.',
      ['method', 'route', 'status'],
    );
    this.#problems = this.counter('http_problems_total', 'Requests that were answered with a problem.', [
      'route',
      'code',
    ]);
  }

  /**
   * Counts a problem of a request that does not come through the middleware, an upgrade. `route` is a
   * pattern.
   */
  countProblem(route: string, code: string): void {
    this.#problems.inc({ route, code });
  }

  /** A counter of the service's own; `eigenveil_` is put before the name, which ends in `_total`. */
  counter<const Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name: PREFIX + name, help, labelNames: [...labels], registers: [this.registry] });
  }

  /**
   * A gauge that asks `read` for its value whenever it is scraped. The value is NaN when that fails or takes
   * long; otherwise one value would hide all others.
   */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /**
   * A gauge with one value for each value of a label, of which `read` gives few; none when that fails or
   * takes long.
   */
  gauge(name: string, help: string, read: () => Promise<ReadonlyMap<string, number>>, label: string): void;
  gauge(
    name: string,
    help: string,
    read: () => number | Promise<number | ReadonlyMap<string, number>>,
    label?: string,
  ): void {
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [this.registry],
      async collect() {
        const value = await soon(Promise.try(read)).catch(() => Number.NaN);
        if (label === undefined) return this.set(Number(value));
        this.reset();
        if (typeof value === 'object') for (const [name, one] of value) this.set({ [label]: name }, one);
      },
    });
  }

  /** A histogram of seconds, for the stages of a computation. */
  duration<const Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): Histogram<Label> {
    return new Histogram({
      name: PREFIX + name,
      help,
      labelNames: [...labels],
      buckets: DURATION_BUCKETS,
      registers: [this.registry],
    });
  }

  /**
   * Measures requests by the route's pattern: paths hold ids, and a peer could make up any number of them.
   */
  middleware() {
    return (request: Request, response: Response, next: NextFunction): void => {
      const stop = this.#duration.startTimer({ method: request.method });
      response.once('close', () => {
        const { route = 'unknown', code, isStream } = contextOf(response);
        // A stream is left out: how long somebody listened says nothing about how fast we are.
        if (!isStream) stop({ route, status: String(response.statusCode) });
        if (code !== undefined) this.countProblem(route, code);
      });
      next();
    };
  }
}

/**
 * Returns the value if it comes in time.
 * @throws Error otherwise
 */
async function soon<Value>(value: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('the value expected to come sooner')), READ_MILLISECONDS);
  return Promise.race([value, promise]).finally(() => clearTimeout(timer));
}

/**
 * Measures how large a service's database is, and how much room its disk has.
 * @param databaseBytes reads the size of the database, wherever it lies
 */
export function measureStorage(
  metrics: Metrics,
  dataDirectory: string,
  databaseBytes: () => Promise<number>,
): void {
  metrics.gauge('database_bytes', 'Size of the database, with its log where it is SQLite.', databaseBytes);
  metrics.gauge('disk_free_bytes', 'Room on the disk of the data directory.', async () => {
    const { bavail, bsize } = await statfs(dataDirectory);
    return bavail * bsize;
  });
}

/** Returns the size of a SQLite database and its log. */
export async function sqliteBytes(path: string): Promise<number> {
  const log = stat(`${path}-wal`).catch(() => ({ size: 0 }));
  return (await stat(path)).size + (await log).size;
}
