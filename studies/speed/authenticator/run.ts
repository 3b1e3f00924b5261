/** An authenticator under load: a service with many users, devices in a process of their own, batches and single windows under the clock. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalCertificate, openFoundation } from '@eigenveil/server';
import { type Children, withChildren } from '@eigenveil/testbed/processes/children';
import { residentBytesOf, usageOf } from '@eigenveil/testbed/processes/process-usage';
import { digestBytes, generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
import { startService } from '../../demo/services.ts';
import { measureSync, type SyncTimes } from '../load/disk.ts';
import type { Latency } from '../load/latency.ts';
import { startWorker } from '../load/workers.ts';
import type { DevicesAssignment, DevicesMessage, DevicesOrder } from './devices.ts';
import { type LibraryResult, measureLibrary, TRUST } from './library.ts';
import { COMPONENTS, enrolAll } from './population.ts';

export interface AuthenticatorOptions {
  readonly users: number;
  readonly sessions: number;
  readonly seconds: number;
  readonly batchConnections: number;
  readonly singleConnections: number;
}

export interface Phase {
  readonly requestsPerSecond: number;
  /** Windows of each request; none where sessions are opened. */
  readonly batch: number;
  readonly windowsPerSecond: number;
  readonly connections: number;
  readonly latency: Latency;
  /** Per request, of all threads. */
  readonly serviceCpuMilliseconds: number;
  readonly clientCpuMilliseconds: number;
  /** The memory of the service, at its end. */
  readonly residentBytes: number;
}

interface AuthenticatorResult {
  readonly library: LibraryResult;
  readonly users: number;
  readonly sessions: number;
  readonly seconds: number;
  /** Durable writes of the size of a page, on the disk of the database: opening a session waits for one. */
  readonly sync: SyncTimes;
  readonly opening: Phase;
  readonly batches: Phase;
  readonly singles: Phase;
  /** The peak of the whole process, start included. */
  readonly peakBytes: number;
}

/** Windows of each batch, as in the goals. */
const BATCH = 20;
const OPENING_CONNECTIONS = 32;
const PAGE_BYTES = 4096;
/** Above any speed: all devices come from one address here. */
const NO_LIMIT = '1000000000';

export async function runAuthenticator(
  { users, sessions, seconds, batchConnections, singleConnections }: AuthenticatorOptions,
  note: (text: string) => void,
): Promise<AuthenticatorResult> {
  note('measuring the library');
  const library = await measureLibrary();
  return withChildren(async (children, folder) => {
    const sync = measureSync(folder, PAGE_BYTES);
    const devices = new DevicesProcess(children, { devices: sessions });
    note('starting the service and enrolling users');
    const service = await startAuthenticator(children, folder);
    const { sealer } = await openFoundation({ dataDirectory: service.dataDirectory });
    enrolAll(service.dataDirectory, sealer, PROJECTION, users, await devices.ready());
    const { url, ca, pid } = service;
    const phase = async (order: DevicesOrder, batch: number): Promise<Phase> => {
      const before = await usageOf(pid);
      const done = await devices.obey(order);
      const after = await usageOf(pid);
      return {
        requestsPerSecond: done.requests / done.seconds,
        batch,
        windowsPerSecond: (done.requests * batch) / done.seconds,
        connections: order.connections,
        latency: done.latency,
        serviceCpuMilliseconds: (after.cpuMilliseconds - before.cpuMilliseconds) / done.requests,
        clientCpuMilliseconds: done.cpuMilliseconds / done.requests,
        residentBytes: await residentBytesOf(pid),
      };
    };
    const windows = (batch: number, connections: number) =>
      phase({ kind: 'windows', url, ca, connections, batch, seconds }, batch);
    note('opening sessions');
    const opening = await phase({ kind: 'sessions', url, ca, connections: OPENING_CONNECTIONS }, 0);
    note('sending batches');
    const batches = await windows(BATCH, batchConnections);
    note('sending single windows');
    const singles = await windows(1, singleConnections);
    const { peakMemoryBytes: peakBytes } = await usageOf(pid);
    await devices.end();
    return { library, users, sessions, seconds, sync, opening, batches, singles, peakBytes };
  });
}

const PROJECTION = digestBytes('eigenveil benchmark projection', Buffer.from('of nothing'));

async function startAuthenticator(children: Children, folder: string) {
  const dataDirectory = join(folder, 'authenticator');
  await mkdir(dataDirectory, { mode: 0o700 });
  const [caFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'certificate-key.pem')];
  const certificate = await createLocalCertificate();
  await writeFile(caFile, certificate.cert);
  await writeFile(keyFile, certificate.key, { mode: 0o600 });
  const { thumbprint } = await importSigningKey(await generatePrivateJwk());
  const projection = {
    digest: PROJECTION,
    components: COMPONENTS,
    score: 'mahalanobis',
    engine: { kind: 'trust', ...TRUST },
  };
  const { pid, url } = await startService(children, 'authenticator', { caFile, keyFile }, [
    ...['--data-directory', dataDirectory],
    ...['--relying-applications', JSON.stringify([thumbprint])],
    ...['--projections', JSON.stringify([projection])],
    ...['--active-sessions', '1000000', '--idle-seconds', '86400'],
    ...['--requests-per-minute', NO_LIMIT, '--windows-per-minute', NO_LIMIT],
  ]);
  return { dataDirectory, pid, url, ca: certificate.cert };
}

/** The process that plays the devices, which does one thing at a time. */
class DevicesProcess {
  readonly #worker;
  #hear = Promise.withResolvers<DevicesMessage>();

  constructor(children: Children, assignment: DevicesAssignment) {
    this.#worker = startWorker<DevicesMessage>(
      children,
      new URL('devices.ts', import.meta.url),
      assignment,
      (message) => this.#hear.resolve(message),
    );
    this.#worker.ended.catch((error: unknown) => this.#hear.reject(error));
  }

  async ready() {
    const message = await this.#answer();
    if (message.kind !== 'ready') throw new Error('the devices expected to be ready first');
    return message.thumbprints;
  }

  async obey(order: DevicesOrder) {
    const answer = this.#answer();
    this.#worker.process.send(order);
    const message = await answer;
    if (message.kind !== 'done') throw new Error('the devices expected to have done something');
    return message;
  }

  async end(): Promise<void> {
    this.#worker.process.send('end');
    await this.#worker.ended;
  }

  async #answer(): Promise<DevicesMessage> {
    const message = await this.#hear.promise;
    this.#hear = Promise.withResolvers();
    return message;
  }
}
