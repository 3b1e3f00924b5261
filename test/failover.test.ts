/** Processes of one data user that are killed, stopped or cut off while they work on a task: another one finishes it. */
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { startDataUser } from '@eigenveil/data-user';
import { adminTokenFile } from '@eigenveil/server';
import { newTaskId, TaskId } from '@eigenveil/task';
import { DatabaseLine } from '@eigenveil/testbed/databases/database-line';
import { databaseOfRun } from '@eigenveil/testbed/databases/database-of-run';
import { freePort } from '@eigenveil/testbed/port';
import { Children, type RunningChild } from '@eigenveil/testbed/processes/programs';
import { Balancer } from '@eigenveil/testbed/proxies/balancer';
import type { Fault } from '@eigenveil/testbed/proxies/proxy';
import type { SignedTask } from '@eigenveil/wire';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { type Enrolled, World } from './support/world.ts';

const ALWAYS = Number.POSITIVE_INFINITY;
const LOSE_REQUEST: Fault = { kind: 'lose request' };
const HOLD: Fault = { kind: 'hold' };
/** Waits of the processes: for a lock that the tests hold, and for a database that they let hang. */
const WAITS = { databaseLockSeconds: 1, databaseAnswerSeconds: 5 };
const COPIED = ['signing-key.json', 'key-encryption-key', 'admin-token'];

const children = new Children();
let balancer: Balancer;
let databaseUrl: string;
/** From the processes to the database. */
let line: DatabaseLine;
let world: World;
let admin: Client;
/** Holds locks of tables; `admin` looks, since within a transaction PostgreSQL shows what it showed at first. */
let locker: Client;
let byHand: ByHand;
let owners: Enrolled[];
let signed: SignedTask;
let id: TaskId;
let processes: RunningChild[];
let started = 0;

beforeAll(async () => {
  balancer = await Balancer.start();
  databaseUrl = await databaseOfRun();
  line = await DatabaseLine.open(databaseUrl);
  const dataUser = { databaseUrl, publicUrl: balancer.url, cspPatienceSeconds: 1 };
  world = await World.start({ proxied: true, dataUser });
  await world.stopDataUser(); // its processes are children
  admin = new Client({ connectionString: databaseUrl });
  await admin.connect();
  locker = new Client({ connectionString: databaseUrl });
  await locker.connect();
  processes = [await serve(), await serve()];
  byHand = await ByHand.start(world);
  owners = await byHand.owners(3);
});
beforeEach(() => {
  world.proxies.csp.seen.length = 0;
});
afterEach(async () => {
  await locker.query('ROLLBACK');
  world.proxies.csp.heal();
  processes = processes.filter((process) => process.isRunning());
});
/** What a test that failed has left must not meet the next one's faults. */
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail' || processes.length === 0) return;
  const client = await world.taskClient();
  const left = `SELECT task_id FROM eigenveil_data_user.tasks WHERE state NOT IN ('done', 'failed', 'cancelled')`;
  for (const [taskId] of await rows(left))
    await client.cancelTask(TaskId.parse(taskId)).catch(() => undefined); // it may be done by now
});
afterAll(async () => {
  await children.stop();
  await admin?.end();
  await locker?.end();
  await world?.close();
  await balancer?.close();
  await line?.close();
});

/** The configuration of one more process. */
async function configuration() {
  started += 1;
  const dataDirectory = join(world.folder, `process-${started}`);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  for (const file of COPIED)
    await copyFile(join(world.dataUserConfig.dataDirectory, file), join(dataDirectory, file));
  return { ...world.dataUserConfig, ...WAITS, databaseUrl: line.url, dataDirectory, port: await freePort() };
}

/** Starts one more process, which gets its share of the connections. */
async function serve(): Promise<RunningChild> {
  const { port, ...settings } = await configuration();
  const config = join(world.folder, `process-${started}.json`);
  await writeFile(config, JSON.stringify({ ...settings, port }));
  const process = await children.serve('user', ['--config', config]);
  balancer.ports = [...balancer.ports, port];
  return process;
}

const rows = async (sql: string, ...values: string[]) =>
  (await admin.query({ text: sql, values, rowMode: 'array' })).rows;
const stateOf = async (taskId: TaskId) =>
  (await rows('SELECT state FROM eigenveil_data_user.tasks WHERE task_id = $1', taskId))[0]?.[0];
const untilState = (state: string) => expect.poll(() => stateOf(id)).toBe(state);
/** The connections on which processes hold the lock of the task, and which process that is. */
const holders = async () =>
  (
    await rows(
      `SELECT pid, split_part(application_name, ' ', 3)::integer FROM pg_stat_activity
       WHERE application_name LIKE 'eigenveil lock %'
         AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
           AND (classid::bigint << 32 | objid::bigint) = hashtextextended('eigenveil task ' || $1, 0))`,
      id,
    )
  ).map(([connection, process]) => ({ connection, process }));
async function untilWorkedOn() {
  let found: Awaited<ReturnType<typeof holders>> = [];
  const look = async () => {
    found = await holders();
    return found.length;
  };
  await expect.poll(look).toBe(1);
  return found[0]!;
}
/** Takes the lock of the task from its process, and waits until it is free. */
async function loseLock(): Promise<void> {
  const { connection } = await untilWorkedOn();
  await admin.query('SELECT pg_terminate_backend($1)', [connection]);
  const isHeld = async () => (await holders()).some((holder) => holder.connection === connection);
  await expect.poll(isHeld).toBe(false);
}
const workerOf = (process: number) => processes.find(({ pid }) => pid === process)!;

async function createAndContribute(): Promise<void> {
  signed = await byHand.create();
  id = signed.task.id;
  for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
}
const close = async () => (await world.taskClient()).closeTask(id);
/** The result holds every contribution once, and the CSP was asked to unblind one thing only. */
async function expectResult(): Promise<void> {
  await untilState('done');
  await byHand.expectResult(signed, [0, 1, 2]);
  const marks = await rows(
    'SELECT batch, count(*)::integer FROM eigenveil_data_user.contributions WHERE task_id = $1 GROUP BY batch',
    id,
  );
  expect(marks).toEqual([[0, 3]]);
  const requests = world.proxies.csp.bodies(/unblinding$/).map((body) => body.toString('base64'));
  expect(new Set(requests).size).toBe(1);
}

/** Keeps a task from leaving a state; returns what lets it go on. */
const HOLDS: Record<string, () => Promise<() => unknown>> = {
  async closed() {
    await locker.query('BEGIN; LOCK TABLE eigenveil_data_user.partial_products IN SHARE MODE');
    return () => locker.query('ROLLBACK');
  },
  async blinded() {
    world.proxies.csp.inject(/unblinding$/, LOSE_REQUEST, ALWAYS);
    return () => world.proxies.csp.heal();
  },
  async unblinded() {
    // Not lost: the process must have the task until it is found.
    world.proxies.csp.inject(/two-party$/, HOLD, ALWAYS);
    return () => world.proxies.csp.heal();
  },
};

/** There are two, where an earlier test has ended one. */
const serveTwo = async () => {
  while (processes.length < 2) processes.push(await serve());
};

describe('the process that works on a task', () => {
  beforeEach(serveTwo);

  test.each([
    ['killed', 'closed', 'SIGKILL'],
    ['killed', 'blinded', 'SIGKILL'],
    ['killed', 'unblinded', 'SIGKILL'],
    ['stopped', 'blinded', 'SIGTERM'],
  ] as const)('is %s while it is %s', { tags: ['long'] }, async (_, state, signal) => {
    await createAndContribute();
    const goOn = await HOLDS[state]!();
    await close();
    await untilState(state);
    const worker = workerOf((await untilWorkedOn()).process);
    await worker.end(signal);
    await goOn();
    await expectResult();
    expect(processes.filter((process) => process.isRunning())).toHaveLength(1);
  });

  test('loses its connection: what goes wrong then is not the end of the task', {
    tags: ['long'],
  }, async () => {
    await createAndContribute();
    // An error that would be final, if it came to a process that still had the task.
    const json = async () => {
      const { connection } = await untilWorkedOn();
      await admin.query('SELECT pg_terminate_backend($1)', [connection]);
      return { type: 'about:blank', title: 'closed', status: 409, code: 'ERR_TASK_CLOSED' };
    };
    const injection = world.proxies.csp.inject(/records$/, { kind: 'answer with', status: 409, json });
    await close();
    await expectResult();
    expect(injection.hits).toBe(1);
  });

  test('loses its lock, and nobody takes the task: a two-party computation comes to its end', async () => {
    await createAndContribute();
    const injection = world.proxies.csp.inject(/two-party$/, HOLD);
    await close();
    await expect.poll(() => injection.hits).toBe(1);
    await loseLock();
    world.proxies.csp.heal();
    await expectResult();
    expect(world.proxies.csp.seen.filter(({ name }) => name.endsWith('two-party'))).toHaveLength(1);
  });

  test('says why the task waits', { tags: ['long'] }, async () => {
    await createAndContribute();
    const goOn = await HOLDS.closed!();
    await close();
    await expect.poll(async () => (await byHand.status(id)).waiting?.code).toBe('ERR_BUSY');
    await goOn();
    await expectResult();
  });
});

test('a data user that cannot listen leaves its database', async () => {
  const own = await DatabaseLine.open(databaseUrl);
  const { port } = world.cspConfig; // the CSP has it
  const starting = startDataUser({ ...(await configuration()), databaseUrl: own.url, port });
  await expect(starting).rejects.toMatchObject({ code: 'ERR_LISTEN' });
  await expect.poll(() => own.connections).toBe(0); // any would keep its process from ending
  await own.close();
});

describe('a task that is proposed', () => {
  let creating: Promise<SignedTask>;
  /** The CSP hears of it when the proxy is healed. */
  beforeEach(async () => {
    await serveTwo();
    world.proxies.csp.inject(/^POST \/tasks$/, HOLD);
    id = newTaskId();
    creating = byHand.create({}, id);
    creating.catch(() => undefined); // whether it must succeed is for the tests to say
    await untilState('proposed');
  });

  test('stays so when another process starts', { tags: ['long'] }, async () => {
    processes.push(await serve());
    world.proxies.csp.heal();
    signed = await creating;
    expect(signed.task.id).toBe(id);
    expect(await stateOf(id)).toBe('open');
  });

  test('is opened once when two processes come to propose it', async () => {
    await loseLock();
    const again = await byHand.create({}, id);
    expect(await stateOf(id)).toBe('open');
    world.proxies.csp.heal();
    expect(await creating).toEqual(again);
    expect(await stateOf(id)).toBe('open');
  });

  test('is gone on with when its process is killed, and the same for whoever asks again', {
    tags: ['long'],
  }, async () => {
    await workerOf((await untilWorkedOn()).process).end('SIGKILL');
    processes.push(await serve());
    await untilState('open');
    world.proxies.csp.heal();
    await creating.catch(() => undefined);
    signed = await byHand.create({}, id);
    expect(signed.task.id).toBe(id);
  });
});

test('a process that is killed in the midst of the one answer of rotated: another one resumes it', {
  tags: ['long'],
}, async () => {
  await serveTwo();
  const begin = async () => {
    signed = await byHand.create({ twoParty: 'rotated', outputs: ['sampleCount', 'spectrum'] });
    id = signed.task.id;
    for (const [part, owner] of owners.entries()) await byHand.contribute(owner, signed, part);
  };
  await begin();
  await close();
  await expectResult();
  const { streamBytes, seen } = world.proxies.csp;
  const bytes = streamBytes.at(-1)!;
  await begin();
  seen.length = 0;
  // Within the rotated vectors: the answer has begun. The next line is held until its process is dead.
  world.proxies.csp.inject(/two-party$/, { kind: 'cut', atByte: bytes - 100 });
  const second = world.proxies.csp.inject(/two-party$/, HOLD);
  await close();
  await expect.poll(() => second.hits).toBe(1);
  expect(await rows('SELECT runs FROM eigenveil_data_user.answers WHERE task_id = $1', id)).toEqual([[1]]);
  await workerOf((await untilWorkedOn()).process).end('SIGKILL');
  world.proxies.csp.heal();
  await expectResult();
  for (const table of ['answers', 'answer_tags'])
    expect(await rows(`SELECT * FROM eigenveil_data_user.${table} WHERE task_id = $1`, id)).toEqual([]);
});

test('a process whose database hangs is not ready, shows its metrics and can be stopped', {
  tags: ['long'],
}, async () => {
  const survivor = processes.at(-1)!;
  const token = (await readFile(adminTokenFile(world.dataUserConfig.dataDirectory), 'utf8')).trim();
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = `${survivor.listening.url}${path}`;
    const outgoing = request(url, { ca: world.ca, agent: false, headers }).end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    return { status: incoming.statusCode, text: await text(incoming) };
  };
  expect((await get('/readyz')).status).toBe(200);
  line.state = 'hanging';
  // An answer counts for a second.
  await expect.poll(async () => (await get('/readyz')).text).toContain('ERR_DATABASE_UNREACHABLE');
  expect((await get('/metrics')).text).toMatch(/^eigenveil_tasks_in_work\{.*\} nan$/im);
  expect(await survivor.end('SIGTERM')).toBe(0);
});
