/** Both services in this process over TLS, with somebody on every line: owners to the CSP, owners to the data user, the data user to the CSP. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { inviteOwners, startCsp } from '@eigenveil/csp';
import { DataOwner, MemoryOwnerState, OwnerPolicy, type ServiceAddress } from '@eigenveil/data-owner';
import { startDataUser, TaskClient } from '@eigenveil/data-user';
import { PaillierPool } from '@eigenveil/paillier';
import { adminTokenFile, databaseFile } from '@eigenveil/server';
import type { Statistics } from '@eigenveil/statistics';
import type { Task, TaskId, TaskProposal } from '@eigenveil/task';
import { MANY_ANSWERS } from '@eigenveil/testbed/many-answers';
import { CountingProxy } from '@eigenveil/testbed/proxies/counting-proxy';
import type { TaskStatus } from '@eigenveil/wire';
import { loopback } from '../../../demo/loopback.ts';
import { type SeenRecord, TlsRecords } from './tls-records.ts';

const PATIENCE_MILLISECONDS = 20_000;
const TOKEN_SECONDS = 3600;
const POLL_MILLISECONDS = 20;

/** Owners ask the CSP only to enrol them, before any task. */
const LINES = ['owners to data user', 'data user to CSP'] as const;
type Line = (typeof LINES)[number];

export interface Observed {
  readonly task: Task;
  readonly status: TaskStatus;
  /** The records that passed on each line during the task. */
  readonly seen: Readonly<Record<Line, readonly SeenRecord[]>>;
}

/** The work of an owner when it is asked to sum its rows; how long it takes is its own. */
export type Summarise = (task: Task) => Promise<Statistics>;

export interface Site extends AsyncDisposable {
  readonly client: TaskClient;
  /** Enrolled, with a policy that takes what experiments propose. */
  readonly owners: readonly DataOwner[];
  /** The data user's, as owners reach it. */
  readonly dataUser: ServiceAddress;
  /** The records that have passed on a line so far; they grow. */
  records(line: Line): readonly SeenRecord[];
  /** Runs a task to its end. Each part is contributed by an owner of its own, one after the other, who then asks for the result. */
  run(proposal: TaskProposal, parts: readonly Summarise[]): Promise<Observed>;
}

/** @param answerMilliseconds the data user's public time */
export async function startSite(ownerCount: number, answerMilliseconds: number): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-evaluation-'));
  const closing: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of closing.toReversed()) await step();
  };
  try {
    const records = { 'owners to data user': new TlsRecords(), 'data user to CSP': new TlsRecords() };
    const tapped = async (line: Line) => {
      const proxy = await CountingProxy.start(line);
      proxy.observe = records[line].observe;
      closing.push(() => proxy.close());
      return { proxy, url: `https://127.0.0.1:${proxy.port}` };
    };
    const atDataUser = await tapped('owners to data user');
    const atCsp = await tapped('data user to CSP');
    const { csp, dataUser, cspThumbprint, tls } = await loopback(folder, {
      csp: { publicUrl: atCsp.url },
      dataUser: { publicUrl: atDataUser.url, cspUrl: atCsp.url, answerMilliseconds },
    });
    atDataUser.proxy.target = dataUser.port;
    atCsp.proxy.target = csp.port;
    const runningCsp = await startCsp(csp);
    closing.push(() => runningCsp.close());
    const runningDataUser = await startDataUser(dataUser);
    closing.push(() => runningDataUser.close());
    const adminToken = (await readFile(adminTokenFile(dataUser.dataDirectory), 'utf8')).trim();
    const client = new TaskClient({
      url: `https://127.0.0.1:${dataUser.port}`, // the operator sits beside the service
      ca: tls.cert,
      adminToken,
      patienceMilliseconds: PATIENCE_MILLISECONDS,
    });
    closing.push(() => client.close());
    const paillier = new PaillierPool({ threads: 0 });
    closing.push(() => paillier.close());
    const policy = OwnerPolicy.parse({
      twoParty: ['garbled', 'rotated', 'simulated'],
      minimumKeyBits: 1024,
      allowFullRank: true,
      allowSpectrum: true,
      allowVariances: true,
      minimumClassRows: 1,
      ...MANY_ANSWERS,
    });
    const owners: DataOwner[] = [];
    for (const token of await inviteOwners(csp.dataDirectory, ownerCount, TOKEN_SECONDS)) {
      const state = new MemoryOwnerState();
      const owner = new DataOwner({ state, policy, paillier, patienceMilliseconds: PATIENCE_MILLISECONDS });
      await owner.enrol({ url: atCsp.url, ca: tls.cert }, token, cspThumbprint);
      owners.push(owner);
    }
    const address = { url: atDataUser.url, ca: tls.cert };
    const ended = (taskId: TaskId) => hasEnded(csp.dataDirectory, taskId);
    const run: Site['run'] = async (proposal, parts) => {
      const from = LINES.map((line) => records[line].seen.length);
      const { task } = await client.create(proposal);
      for (const [i, part] of parts.entries()) await owners[i]!.contribute(address, task.id, part);
      await client.closeTask(task.id);
      const status = await client.untilFinal(task.id);
      const seenByCsp = records['data user to CSP'].seen;
      while (!ended(task.id) || seenByCsp.at(-1)!.direction === 'to service') await sleep(POLL_MILLISECONDS);
      for (const owner of owners.slice(0, parts.length)) {
        await owner.result(address, task.id).catch((error: unknown) => {
          if (status.state === 'done') throw error;
        });
      }
      const seen = (line: Line) => records[line].seen.slice(from[LINES.indexOf(line)]);
      return {
        task,
        status,
        seen: {
          'owners to data user': seen('owners to data user'),
          'data user to CSP': seen('data user to CSP'),
        },
      };
    };
    return {
      client,
      owners,
      dataUser: address,
      records: (line) => records[line].seen,
      run,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns whether the CSP has been told that the task is over. */
function hasEnded(directory: string, taskId: TaskId): boolean {
  const database = new DatabaseSync(databaseFile(directory), { readOnly: true });
  try {
    const row = database.prepare('SELECT state FROM tasks WHERE task_id = ?').get(taskId);
    return row?.state === 'ended';
  } finally {
    database.close();
  }
}
