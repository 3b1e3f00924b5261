/**
 * A process that plays many devices: it makes their keys, opens a session for each, and sends windows in turn, with a fresh proof of possession for
 * each request, over TLS connections that stay open.
 */
import { Agent, request } from 'node:https';
import { createHistogram } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import type { WindowsRequest } from '@eigenveil/authenticator/messages';
import { DEVICE_ROUTES } from '@eigenveil/authenticator/table';
import {
  createProof,
  generatePrivateJwk,
  importSigningKey,
  type SigningKey,
  type Thumbprint,
} from '@eigenveil/wire';
import { type Latency, latencyOf, recordLatency } from '../load/latency.ts';
import { windowsOf } from './population.ts';

const { openSession, sendWindows } = DEVICE_ROUTES;

export interface DevicesAssignment {
  readonly devices: number;
}

/** The next thing that must be done; answered by `done`. `end` is for when there is nothing more. */
export type DevicesOrder =
  | { readonly kind: 'sessions'; readonly url: string; readonly ca: string; readonly connections: number }
  | {
      readonly kind: 'windows';
      readonly url: string;
      readonly ca: string;
      readonly connections: number;
      /** Windows of each request. */
      readonly batch: number;
      readonly seconds: number;
    };

export type DevicesMessage =
  | { readonly kind: 'ready'; readonly thumbprints: readonly Thumbprint[] }
  | {
      readonly kind: 'done';
      readonly requests: number;
      readonly seconds: number;
      readonly cpuMilliseconds: number;
      readonly latency: Latency;
    };

interface Device {
  readonly key: SigningKey;
  readonly windows: readonly (readonly number[])[];
  path: string;
  next: number;
}

/** Different windows of a user; they come again. */
const POOL = 50;

class Devices {
  readonly #devices: readonly Device[];

  private constructor(devices: readonly Device[]) {
    this.#devices = devices;
  }

  static async create(count: number): Promise<Devices> {
    const pools = new Map<string, readonly (readonly number[])[]>();
    const devices: Device[] = [];
    for (let user = 0; user < count; user += 1) {
      const windows = windowsOf(user, POOL, 'observation').map((window) => [...window]);
      // Users who are alike share their windows.
      const name = JSON.stringify(windows[0]);
      if (!pools.has(name)) pools.set(name, windows);
      const key = await importSigningKey(await generatePrivateJwk());
      devices.push({ key, windows: pools.get(name)!, path: '', next: 0 });
    }
    return new Devices(devices);
  }

  get thumbprints(): Thumbprint[] {
    return this.#devices.map(({ key }) => key.thumbprint);
  }

  async obey(order: DevicesOrder): Promise<DevicesMessage> {
    const agent = new Agent({ keepAlive: true, ca: order.ca, minVersion: 'TLSv1.3' });
    const histogram = createHistogram();
    const before = process.cpuUsage();
    const started = performance.now();
    const end = order.kind === 'windows' ? started + order.seconds * 1000 : Number.POSITIVE_INFINITY;
    let requests = 0;
    // A device has one request under way at most, or its windows could come out of order.
    const waiting = [...this.#devices];
    const work = async () => {
      while (performance.now() < end) {
        const device = waiting.shift();
        if (device === undefined) return;
        recordLatency(histogram, await this.#send(device, order, agent));
        requests += 1;
        if (order.kind === 'windows') waiting.push(device);
      }
    };
    const connections = Math.min(order.connections, this.#devices.length);
    await Promise.all(Array.from({ length: connections }, work));
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(before);
    agent.destroy();
    return {
      kind: 'done',
      requests,
      seconds,
      cpuMilliseconds: (user + system) / 1000,
      latency: latencyOf(histogram),
    };
  }

  /** Returns how long the answer took, in milliseconds. */
  async #send(device: Device, order: DevicesOrder, agent: Agent): Promise<number> {
    const isSession = order.kind === 'sessions';
    const url = `${order.url}${isSession ? openSession.path : device.path}`;
    const body = isSession ? '' : JSON.stringify(nextOf(device, order.batch));
    const headers = {
      ...(!isSession && { 'content-type': 'application/json' }),
      'content-length': Buffer.byteLength(body),
      dpop: await createProof(device.key, { method: 'POST', url }),
    };
    const started = performance.now();
    const outgoing = request(url, { method: 'POST', headers, agent });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    outgoing.once('error', reject).once('response', (incoming) => {
      text(incoming).then((answer) => {
        if (incoming.statusCode === (isSession ? 201 : 204)) resolve(answer);
        else reject(new Error(`a request got status ${incoming.statusCode}: ${answer}`));
      }, reject);
    });
    outgoing.end(body);
    const answer = await promise;
    const milliseconds = performance.now() - started;
    if (isSession) {
      const { sessionId } = openSession.response.schema.parse(JSON.parse(answer));
      device.path = sendWindows.path.replace(':sessionId', sessionId);
    }
    return milliseconds;
  }
}

function nextOf(device: Device, batch: number): WindowsRequest {
  const first = device.next;
  device.next += batch;
  return {
    first,
    windows: Array.from({ length: batch }, (_, i) => [...device.windows[(first + i) % POOL]!]),
  };
}

function tell(message: DevicesMessage): void {
  process.send!(message);
}

process.once('message', ({ devices }: DevicesAssignment) => {
  Devices.create(devices).then((all) => {
    process.on('message', (order: DevicesOrder | 'end') => {
      if (order === 'end') process.disconnect!();
      else all.obey(order).then(tell, fail);
    });
    tell({ kind: 'ready', thumbprints: all.thumbprints });
  }, fail);
});

function fail(error: unknown): void {
  process.stderr.write(`${String(error)}\n`);
  process.exit(1);
}
