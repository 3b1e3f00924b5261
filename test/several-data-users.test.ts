/** A CSP and two processes of one data user on a PostgreSQL that they share; owners contribute to either. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataOwner, OwnerPolicy } from '@eigenveil/data-owner';
import { type DataUserConfiguration, type RunningDataUser, startDataUser } from '@eigenveil/data-user';
import { PaillierPool } from '@eigenveil/paillier';
import { adminTokenFile } from '@eigenveil/server';
import { DatabaseLine } from '@eigenveil/testbed/databases/database-line';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { freePort } from '@eigenveil/testbed/port';
import { Children } from '@eigenveil/testbed/processes/programs';
import type { SignedTask } from '@eigenveil/wire';
import pg from 'pg';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { runInProcess } from './support/in-process.ts';
import { QUICK } from './support/queue-times.ts';
import {
  type Address,
  type Contribution,
  contributionRequest,
  credentials,
  ownerOf,
  send,
  textOf,
} from './support/requests.ts';
import { summarise } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const COPIED = ['signing-key.json', 'key-encryption-key', 'admin-token'];

let postgres: Postgres;
let world: World;
let byHand: ByHand;
let secondConfig: DataUserConfiguration;
let second: RunningDataUser;
let signed: SignedTask;
let owners: Enrolled[];

/** The URL of a database whose role owns it and may do nothing else, as docs/scaling.md has it. */
async function ownDatabase(): Promise<string> {
  const connectionString = await postgres.database();
  const operator = new pg.Client({ connectionString });
  await operator.connect();
  await operator.query(`CREATE ROLE eigenveil LOGIN PASSWORD 'a password'`);
  await operator.query(`ALTER DATABASE ${new URL(connectionString).pathname.slice(1)} OWNER TO eigenveil`);
  await operator.end();
  return Object.assign(new URL(connectionString), { username: 'eigenveil', password: 'a password' }).href;
}

/** The configuration of a further process; owners reach all of them at the same address, as behind a load balancer. */
async function processWith(name: string, files: readonly string[] = COPIED): Promise<DataUserConfiguration> {
  const { dataDirectory } = world.dataUserConfig;
  const folder = join(world.folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const file of files) await copyFile(join(dataDirectory, file), join(folder, file));
  return { ...world.dataUserConfig, dataDirectory: folder, port: await freePort() };
}

beforeAll(async () => {
  postgres = await Postgres.launch();
  world = await World.start({ proxied: true, dataUser: { databaseUrl: await ownDatabase() } });
  secondConfig = await processWith('data-user-2');
  second = await startDataUser(secondConfig, { queueTimes: QUICK });
  byHand = await ByHand.start(world);
  owners = await byHand.owners(3);
});
afterAll(async () => {
  await second?.close();
  await world?.close();
  await postgres?.close();
});
beforeEach(async () => {
  signed = await byHand.create();
});

/** The address of one process itself. */
const addressOf = (process: number) => {
  const { port } = [world.dataUserConfig, secondConfig][process]!;
  return { url: `https://127.0.0.1:${port}`, ca: world.ca };
};
/** Sends a request to one process, with a proof for the address of both. */
const ask = async (process: number, { home }: Enrolled, message: Parameters<typeof send>[1]) => {
  const proof = await credentials(world.dataUserAddress, await ownerOf(home), message);
  return send(addressOf(process), { ...message, headers: { ...proof, ...message.headers } });
};
const put = (process: number, owner: Enrolled, sent: Contribution) => {
  const { headers, ...message } = contributionRequest(signed.task.id, sent);
  const type = { 'content-type': 'application/octet-stream' };
  return ask(process, owner, { ...message, headers: { ...headers, ...type } });
};
/** Other bytes each time: encryption is randomised. */
const contributionOf = (part: number) => byHand.contribution(owners[part]!, signed, part);
const metricsOf = async ({ dataDirectory, port }: DataUserConfiguration) => {
  const token = (await readFile(adminTokenFile(dataDirectory), 'utf8')).trim();
  const address = { url: `https://127.0.0.1:${port}`, ca: world.ca };
  return textOf(address, '/metrics', { authorization: `Bearer ${token}` });
};
const readinessAt = (address: Address) => send(address, { method: 'GET', path: '/readyz' });
const DOWN = { status: 503, code: 'ERR_DATABASE_UNREACHABLE' };
const counted = async () => {
  world.proxies.dataUser.upstreamPort = secondConfig.port;
  const { contributions } = await byHand.status(signed.task.id);
  world.proxies.dataUser.upstreamPort = world.dataUserConfig.port;
  return contributions;
};

describe('two processes of a data user', { tags: ['long'] }, () => {
  test('give the same receipt for the same contribution', async () => {
    const [own, other] = [await contributionOf(0), await contributionOf(1)];
    const first = await put(0, owners[0]!, own);
    expect(first.status).toBe(200);
    expect((await put(1, owners[0]!, own)).json).toEqual(first.json);
    const answers = await Promise.all([0, 1, 0, 1].map((process) => put(process, owners[1]!, other)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ json }) => json.receipt)).size).toBe(1);
    expect(await counted()).toBe(2);
  });

  test('take one of two contributions of the same owner, whichever process they come to', async () => {
    const [one, another] = [await contributionOf(0), await contributionOf(0)];
    expect((await put(1, owners[0]!, one)).status).toBe(200);
    expect((await put(0, owners[0]!, another)).code).toBe('ERR_CONTRIBUTION_CONFLICT');
    const [left, right] = [await contributionOf(1), await contributionOf(1)];
    const answers = await Promise.all([put(0, owners[1]!, left), put(1, owners[1]!, right)]);
    expect(answers.map(({ code }) => code).toSorted()).toEqual(['ERR_CONTRIBUTION_CONFLICT', undefined]);
    expect(await counted()).toBe(2);
  });

  test('know of each other what was withdrawn', async () => {
    const sent = await contributionOf(0);
    const path = `/tasks/${signed.task.id}/contribution`;
    expect((await put(0, owners[0]!, sent)).status).toBe(200);
    expect((await ask(1, owners[0]!, { method: 'DELETE', path })).status).toBe(204);
    expect((await put(0, owners[0]!, sent)).code).toBe('ERR_CONTRIBUTION_WITHDRAWN');
  });

  test('admit a request proof once', async () => {
    const message = { method: 'GET', path: `/tasks/${signed.task.id}` };
    const headers = await credentials(world.dataUserAddress, await ownerOf(owners[0]!.home), message);
    expect((await send(addressOf(0), { ...message, headers })).status).toBe(200);
    expect(await send(addressOf(1), { ...message, headers })).toMatchObject({
      status: 401,
      code: 'ERR_PROOF_REPLAYED',
    });
    const other = await credentials(world.dataUserAddress, await ownerOf(owners[0]!.home), message);
    const both = await Promise.all([0, 1].map((i) => send(addressOf(i), { ...message, headers: other })));
    expect(both.map(({ code }) => code).toSorted()).toEqual(['ERR_PROOF_REPLAYED', undefined]);
  });

  test('tell what their connections do', async () => {
    const metrics = await metricsOf(secondConfig);
    expect(metrics).toMatch(/^eigenveil_database_connections\{.*\} [1-9]/m);
    expect(metrics).toMatch(/^eigenveil_database_connections_idle\{.*\} \d/m);
    expect(metrics).toMatch(/^eigenveil_database_waiting\{.*\} 0/m);
  });
});

describe('a process is refused', { tags: ['long'] }, () => {
  const refused = expect.objectContaining({ code: 'ERR_DATABASE_IDENTITY' });

  test('that has another identity, until it has the right files', { tags: ['long'] }, async () => {
    const config = await processWith('other-identity', ['key-encryption-key']);
    await expect(startDataUser(config)).rejects.toEqual(refused);
    await processWith('other-identity');
    await (await startDataUser(config)).close();
  });

  test('that has another key-encryption key', async () => {
    const config = await processWith('other-key', ['signing-key.json']);
    await expect(startDataUser(config)).rejects.toEqual(refused);
  });
});

describe('a process whose configuration names no database', { tags: ['long'] }, () => {
  const children = new Children();
  afterEach(async () => {
    vi.unstubAllEnvs();
    await children.stop();
  });
  const settings = async (name: string) => {
    const { databaseUrl, ...config } = await processWith(name);
    const path = join(world.folder, `${name}.json`);
    await writeFile(path, JSON.stringify(config));
    return { databaseUrl: databaseUrl!, path, url: `https://127.0.0.1:${config.port}` };
  };

  test('takes that of the environment', async () => {
    const { databaseUrl, path, url } = await settings('child');
    await children.serve('user', ['--config', path], { EIGENVEIL_USER_DATABASE_URL: databaseUrl });
    const answer = await readinessAt({ url, ca: world.ca });
    expect(answer).toMatchObject({ status: 200, json: { status: 'ready' } });
  });

  test.each([
    ['a wrong password', (url: URL) => Object.assign(url, { password: 'sEcReT' })],
    ['a password that ought to have been encoded', (url: URL) => `${url}`.replace(/:[^:@]+@/, ':sEcReT/@')],
    ['another database', () => 'mysql://u:sEcReT@127.0.0.1/d'],
  ])('says what is wrong with that of the environment without its password: %s', async (_, spoil) => {
    const { databaseUrl, path } = await settings('wrong');
    vi.stubEnv('EIGENVEIL_USER_DATABASE_URL', `${spoil(new URL(databaseUrl))}`);
    const { exitCode, stdout, stderr } = await runInProcess('user', '--json', 'serve', '--config', path);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/ERR_DATABASE|ERR_CONFIGURATION/);
    expect(stdout + stderr).not.toMatch(/secret/i);
  });
});

test('a process whose database hangs says so, shows its metrics and stops, while the others go on', {
  tags: ['long'],
}, async () => {
  const line = await DatabaseLine.open(world.dataUserConfig.databaseUrl!);
  onTestFinished(() => line.close());
  const config = { ...(await processWith('hanging')), databaseUrl: line.url, databaseAnswerSeconds: 3 };
  const hanging = await startDataUser(config, { queueTimes: QUICK });
  try {
    const address = { url: `https://127.0.0.1:${config.port}`, ca: world.ca };
    expect((await readinessAt(address)).status).toBe(200);
    line.state = 'hanging';
    await expect.poll(() => readinessAt(address)).toMatchObject(DOWN);
    expect(await metricsOf(config)).toMatch(/^eigenveil_tasks_in_work\{.*\} nan$/im);
    expect((await readinessAt(addressOf(0))).status).toBe(200);
  } finally {
    await hanging.close();
  }
  await expect.poll(() => line.heldConnections()).toBe(0);
});

describe('the database crashes', { tags: ['long'] }, () => {
  test('so requests are to be repeated, what was confirmed is kept, and an owner with patience gets its receipt when it is back', async () => {
    const { home } = await world.enrolledOwner();
    const owner = new DataOwner({
      state: home,
      policy: OwnerPolicy.parse({ twoParty: ['simulated'], minimumKeyBits: 1024, allowFullRank: true }),
      paillier: new PaillierPool({ threads: 0 }),
      patienceMilliseconds: 600_000, // a database that has crashed may take long to come back
    });
    const { id } = signed.task;
    const [sent, kept] = [await contributionOf(0), await contributionOf(2)];
    const confirmed = await put(0, owners[2]!, kept);
    expect(confirmed.status).toBe(200);
    const ready = (process: number) => readinessAt(addressOf(process));
    await postgres.crash();
    const receipt = owner
      .contribute(world.dataUserAddress, id, async (task) => summarise(task, byHand.parts[1]!))
      .then(() => home.receipt(id));
    receipt.catch(() => undefined); // looked at below
    try {
      for (const process of [0, 1]) {
        await expect.poll(() => ready(process)).toMatchObject(DOWN);
        expect((await send(addressOf(process), { method: 'GET', path: '/healthz' })).status).toBe(200);
        const answer = await put(process, owners[0]!, sent);
        expect(answer).toMatchObject({ ...DOWN, headers: { 'retry-after': '1' } });
      }
    } finally {
      await postgres.start();
    }
    for (const process of [0, 1]) await expect.poll(() => ready(process)).toMatchObject({ status: 200 });
    expect(await receipt).toEqual(expect.any(String));
    expect((await put(1, owners[0]!, sent)).status).toBe(200);
    expect((await put(1, owners[2]!, kept)).json).toEqual(confirmed.json);
    expect(await counted()).toBe(3);
  });
});
