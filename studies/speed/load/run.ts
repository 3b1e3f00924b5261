/** A load from end to end: services, owners, contributions under the clock, and a result that counts every one of them. */

import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { methodOf } from '@eigenveil/methods';
import { decompose } from '@eigenveil/projection';
import { databaseFile, openSigningKey } from '@eigenveil/server';
import { layout, sketchMatrix } from '@eigenveil/statistics';
import { DAY_MILLISECONDS, programOf, type Task, TaskProposal } from '@eigenveil/task';
import { type Children, withChildren } from '@eigenveil/testbed/processes/children';
import { residentBytesOf, usageOf } from '@eigenveil/testbed/processes/process-usage';
import { piecesOf, type SignedTask, sketchSeed, verifySignedTask } from '@eigenveil/wire';
import { type Services, type StartedService, startServices } from '../../demo/services.ts';
import { compute } from '../../demo/task.ts';
import type { ClientAssignment, ClientMessage } from './client.ts';
import { measureSync, type SyncTimes } from './disk.ts';
import type { Latency } from './latency.ts';
import { PostgresDatabase } from './postgres-database.ts';
import type { Slice } from './prepared.ts';
import type { Prepared, PreparerAssignment } from './preparer.ts';
import { MOST_ROWS, sumOf } from './statistics.ts';
import { type Snapshot, type Window, windowBetween } from './windows.ts';
import { startWorker } from './workers.ts';

export interface LoadOptions {
  readonly contributions: number;
  readonly connections: number;
  readonly features: number;
  /** Columns of a sketch. */
  readonly sketch?: number;
  readonly bits: number;
  readonly database: 'sqlite' | 'postgres';
  /** The number of the data user's processes. */
  readonly processes: number;
}

export interface LoadResult {
  readonly contributions: number;
  readonly connections: number;
  readonly features: number;
  readonly sketch?: number;
  readonly keyBits: number;
  readonly database: LoadOptions['database'];
  readonly processes: number;
  readonly contributionBytes: number;
  readonly preparationSeconds: number;
  /** The time from the first request to the last receipt. */
  readonly seconds: number;
  readonly perSecond: number;
  readonly latency: Latency;
  readonly windows: readonly Window[];
  /** Whole processes, start included. */
  readonly dataUserPeakBytes: number;
  /** Durable writes of the size of a contribution, one at a time, on the disk of the database, before the load. */
  readonly sync: SyncTimes;
  readonly computation: {
    readonly seconds: number;
    /** Milliseconds. */
    readonly stages: Readonly<Record<string, number>>;
    readonly dataUserCpuSeconds: number;
    readonly cspCpuSeconds: number;
    readonly dataUserPeakBytes: number;
    readonly cspPeakBytes: number;
    /** Rows that the result counts: those of all owners, or the run has failed. */
    readonly samples: number;
    /** Largest error of an eigenvalue over the largest one, to the clear reference. */
    readonly maxEigenvalueError: number;
  };
}

const WINDOWS = 20;
/** Above any speed: all owners come from one address here. */
const REQUESTS_PER_MINUTE = '1000000000';
/** The layout follows from the task's bounds: with the same ones, loads of different length send contributions of one size. */
const USUAL_MAXIMUM_OWNERS = 100_000;
const COMPONENTS = 5;
/** A share of the largest eigenvalue: far above what rounding in the two-party protocol makes of it. */
const LARGEST_EIGENVALUE_ERROR = { exact: 1e-8, sketch: 3e-4 };

/** Says what it is at. */
type Note = (text: string) => void;

export async function runLoad(options: LoadOptions, note: Note): Promise<LoadResult> {
  const database = options.database === 'postgres' ? await PostgresDatabase.launch() : undefined;
  try {
    return await withChildren((children, folder) =>
      new Load(options, { children, folder, database, note }).run(),
    );
  } finally {
    await database?.close();
  }
}

class Load {
  readonly #options: LoadOptions;
  readonly #children: Children;
  readonly #folder: string;
  /** Undefined: SQLite. */
  readonly #database: PostgresDatabase | undefined;
  readonly #note: Note;

  constructor(
    options: LoadOptions,
    by: {
      readonly children: Children;
      readonly folder: string;
      readonly database: PostgresDatabase | undefined;
      readonly note: Note;
    },
  ) {
    this.#options = options;
    this.#children = by.children;
    this.#folder = by.folder;
    this.#database = by.database;
    this.#note = by.note;
  }

  async run(): Promise<LoadResult> {
    const { contributions, connections, features, sketch, bits, database, processes } = this.#options;
    this.#note('starting the CSP and the data user');
    const services = await startServices(
      this.#children,
      {
        folder: this.#folder,
        keyBits: bits,
        twoParty: 'rotated',
        flags: ['--requests-per-minute', REQUESTS_PER_MINUTE],
        ...(this.#database && { shared: { databaseUrl: this.#database.url, processes } }),
      },
      () => undefined,
    );
    const signed = await services.client.create(this.#proposal());
    const { task } = signed;
    const ciphertextBytes = (2 * bits) / 8;
    const contributionBytes = layout(task).plaintexts.length * ciphertextBytes;
    const prepared = await this.#prepare(services, signed);
    const sync = measureSync(this.#folder, contributionBytes);
    const sent = await this.#send(services, task, prepared.slices, { contributionBytes, ciphertextBytes });
    const computation = await this.#compute(services, task, prepared.signs);
    await services.client.close();
    return {
      contributions,
      connections,
      features,
      ...(sketch !== undefined && { sketch }),
      keyBits: bits,
      database,
      processes,
      contributionBytes,
      preparationSeconds: prepared.seconds,
      ...sent,
      sync,
      computation,
    };
  }

  #proposal(): TaskProposal {
    const { contributions, features, bits, sketch: columns } = this.#options;
    const method = { kind: 'pca' } as const;
    const sketch = columns === undefined ? undefined : { columns };
    return TaskProposal.parse({
      method,
      features: Array.from({ length: features }, (_, i) => ({
        name: `f${i}`,
        min: -1,
        max: 1,
        ...(sketch && { twoValued: false }),
      })),
      // Thousands of features are thousands of ciphertexts.
      ...(sketch && { sketch, encryption: 'djn' }),
      components: Math.max(1, Math.min(COMPONENTS, (columns ?? features) - 2)),
      // A sketch has no digits to spare for owners that do not come.
      maximumOwners: sketch ? contributions : Math.max(contributions, USUAL_MAXIMUM_OWNERS),
      minimumOwners: contributions,
      maximumSamplesPerOwner: MOST_ROWS,
      keyBits: bits,
      allowInsecureKey: bits < 2048,
      twoParty: 'rotated',
      outputs: methodOf({ method: method, sketch: sketch }).revealedByRotation,
      exact: true,
      allowFullRank: true,
      deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
    });
  }

  async #prepare({ csp }: Services, signed: SignedTask) {
    const { contributions } = this.#options;
    const agreement = await verifySignedTask(signed, (await openSigningKey(csp.folder)).publicJwk);
    const parts = Math.min(os.availableParallelism(), contributions);
    const bounds = Array.from({ length: parts + 1 }, (_, i) => Math.floor((i * contributions) / parts));
    const slices = bounds.slice(1).map(
      (end, i): Slice => ({
        start: bounds[i]!,
        count: end - bounds[i]!,
        ownersFile: join(this.#folder, `owners-${i}`),
        contributionsFile: join(this.#folder, `contributions-${i}`),
      }),
    );
    const started = performance.now();
    let prepared = 0;
    const workers = slices.map((slice) => {
      const assignment: PreparerAssignment = { task: signed.task, agreement, cspFolder: csp.folder, slice };
      return startWorker<Prepared>(
        this.#children,
        new URL('preparer.ts', import.meta.url),
        assignment,
        ({ owners }) => {
          prepared += owners;
          this.#note(`preparing ${prepared} of ${contributions} owners`);
        },
      );
    });
    await Promise.all(workers.map(({ ended }) => ended));
    const signs = signed.task.sketch && sketchMatrix(sketchSeed(agreement), signed.task);
    return { slices, signs, seconds: (performance.now() - started) / 1000 };
  }

  async #send(
    services: Services,
    task: Task,
    slices: readonly Slice[],
    sizes: Pick<ClientAssignment, 'contributionBytes' | 'ciphertextBytes'>,
  ) {
    const { contributions, connections } = this.#options;
    const assignment: ClientAssignment = {
      urls: services.dataUsers.map(({ url }) => url),
      ca: await readFile(services.caFile, 'utf8'),
      taskId: task.id,
      slices,
      ...sizes,
      pieces: piecesOf(layout(task).plaintexts.length, sizes.ciphertextBytes),
      connections,
      window: Math.max(1, Math.floor(contributions / WINDOWS)),
    };
    const windows: Promise<{ snapshot: Snapshot; latency: Latency }>[] = [];
    let latency: Latency | undefined;
    const ready = Promise.withResolvers<void>();
    let seconds = 0;
    const client = startWorker<ClientMessage>(
      this.#children,
      new URL('client.ts', import.meta.url),
      assignment,
      (message) => {
        if (message.kind === 'ready') ready.resolve();
        else if (message.kind === 'done') ({ latency, seconds } = message);
        else {
          windows.push(
            snapshot(message.contributions, message.seconds).then((it) => ({
              snapshot: it,
              latency: message.latency,
            })),
          );
          this.#note(`${message.contributions} of ${contributions} contributions`);
        }
      },
    );
    const snapshot = async (done: number, time: number): Promise<Snapshot> => {
      const [server, sender] = await Promise.all([
        usageOfAll(services.dataUsers),
        usageOf(client.process.pid!),
      ]);
      return {
        contributions: done,
        seconds: time,
        dataUserCpuMilliseconds: server.cpuMilliseconds,
        databaseCpuMilliseconds: (await this.#database?.cpuMilliseconds()) ?? 0,
        clientCpuMilliseconds: sender.cpuMilliseconds,
        dataUserResidentBytes: server.residentBytes,
        databaseBytes: (await this.#database?.bytes()) ?? sqliteBytes(services.dataUser.folder),
      };
    };
    await Promise.race([ready.promise, client.ended]);
    let previous = await snapshot(0, 0);
    client.process.send('start');
    await client.ended;
    const result: Window[] = [];
    for (const { snapshot: after, latency: measured } of await Promise.all(windows)) {
      result.push(windowBetween(previous, after, measured));
      previous = after;
    }
    if (latency === undefined) throw new Error('the client ended without its latencies');
    return {
      seconds,
      perSecond: contributions / seconds,
      latency,
      windows: result,
      dataUserPeakBytes: (await usageOfAll(services.dataUsers)).peakMemoryBytes,
    };
  }

  async #compute(
    { client, csp, dataUsers }: Services,
    task: Task,
    signs: Int32Array | undefined,
  ): Promise<LoadResult['computation']> {
    const { contributions } = this.#options;
    const [userBefore, cspBefore] = await Promise.all([usageOfAll(dataUsers), usageOf(csp.pid)]);
    const started = performance.now();
    const stages = await compute(client, task.id, () => undefined, this.#note);
    const seconds = (performance.now() - started) / 1000;
    const [user, atCsp] = await Promise.all([usageOfAll(dataUsers), usageOf(csp.pid)]);
    const status = await client.status(task.id);
    const projection = await client.result(task.id);
    const sum = sumOf(task, contributions, signs);
    const samples = Number(sum.labellings[0]![0]!.M);
    if (status.contributions !== contributions || projection.sampleCount !== samples) {
      throw new Error(
        `${contributions} contributions with ${samples} rows were sent, the data user has ${status.contributions} with ${projection.sampleCount}`,
      );
    }
    const clear = decompose(programOf(task), sum, signs);
    const errors = clear.eigenvalues.map((value, i) => Math.abs(value - projection.eigenvalues[i]!));
    const maxEigenvalueError = Math.max(...errors) / clear.eigenvalues[0]!;
    // A contribution that counts twice beside one that is lost could have as many rows, but not their values.
    if (maxEigenvalueError > LARGEST_EIGENVALUE_ERROR[signs ? 'sketch' : 'exact'])
      throw new Error(`the eigenvalues are wrong by ${maxEigenvalueError} of the largest`);
    return {
      seconds,
      stages,
      dataUserCpuSeconds: (user.cpuMilliseconds - userBefore.cpuMilliseconds) / 1000,
      cspCpuSeconds: (atCsp.cpuMilliseconds - cspBefore.cpuMilliseconds) / 1000,
      dataUserPeakBytes: user.peakMemoryBytes,
      cspPeakBytes: atCsp.peakMemoryBytes,
      samples,
      maxEigenvalueError,
    };
  }
}

/** The usage of all processes of the data user together. */
async function usageOfAll(processes: readonly StartedService[]) {
  const usages = await Promise.all(
    processes.map(async ({ pid }) => ({
      ...(await usageOf(pid)),
      residentBytes: await residentBytesOf(pid),
    })),
  );
  const sum = (of: (usage: (typeof usages)[number]) => number) =>
    usages.reduce((total, usage) => total + of(usage), 0);
  return {
    cpuMilliseconds: sum(({ cpuMilliseconds }) => cpuMilliseconds),
    residentBytes: sum(({ residentBytes }) => residentBytes),
    peakMemoryBytes: sum(({ peakMemoryBytes }) => peakMemoryBytes),
  };
}

/** The bytes of the database and its log. */
function sqliteBytes(folder: string): number {
  const file = databaseFile(folder);
  return [file, `${file}-wal`].reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
