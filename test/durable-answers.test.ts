/**
 * That a service answers only what a power cut cannot take back. A killed process does not show it, for the operating
 * system still writes what the process has handed over; the order of its system calls does.
 *
 * @claims S-76
 */
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { layout } from '@eigenveil/statistics';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { Children, type RunningChild } from '@eigenveil/testbed/processes/programs';
import { digestBytes, digestTask, generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import {
  type Address,
  type Answer,
  contributionRequest,
  encryptValues,
  type Message,
  ownerOf,
  recordFor,
  type Sender,
  send,
  sendAs,
} from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import {
  type Answered,
  attachProblem,
  isPostgresLog,
  isSqliteLog,
  lapse,
  parseTrace,
  straceProblem,
  straceTo,
} from './support/system-calls.ts';
import { type Enrolled, World } from './support/world.ts';

const problem = straceProblem();
const problemOfPostgres = await attachProblem();
if (problemOfPostgres !== undefined)
  console.warn(`Some durable answers were not traced: ${problemOfPostgres}`);

const OWNERS = 3;
const NOT_SYNCED = 'the answer left before the log was synced';
const preloaded = (name: string) => ({
  NODE_OPTIONS: `--import=${new URL(`./support/${name}.ts`, import.meta.url).href}`,
});

let world: World;
let byHand: ByHand;
let owners: Enrolled[];
let agents: Agent[];
const children = new Children();

beforeAll(async () => {
  world = await World.start();
  byHand = await ByHand.start(world);
  owners = await byHand.owners(OWNERS);
});
afterEach(async () => {
  for (const agent of agents) agent.destroy();
  await children.stop();
});
afterAll(() => world.close());

interface Traced {
  readonly name: 'csp' | 'user';
  readonly environment: Record<string, string>;
  /** The database server, whose processes are traced with the service; without it the service has a database file. */
  readonly postgres?: Postgres;
}

/** Starts a service as a process under strace; its threads are traced, too. */
async function serve({ name, environment, postgres }: Traced): Promise<RunningChild> {
  agents = [];
  const config = join(world.folder, `${name}.json`);
  const databaseUrl = await postgres?.database();
  const settings = { ...(name === 'csp' ? world.cspConfig : world.dataUserConfig), threads: 1, databaseUrl };
  await writeFile(config, JSON.stringify(settings));
  return children.serve(
    name,
    ['--config', config],
    environment,
    straceTo(traceOf(name), postgres?.processes),
  );
}
const digestOf = (bytes: Uint8Array) => digestBytes('contribution', bytes);
const traceOf = (name: string) => join(world.folder, `${name}.trace`);

/** An address behind a connection of its own, on which TLS has nothing more to say: next come a request and its answer. */
async function connected(address: Address): Promise<Address> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  await send({ ...address, agent }, { method: 'GET', path: '/healthz' });
  return { ...address, agent };
}

/** An answer, what it is called, and what the log is to hold before it leaves. */
type Promised = Answered & { readonly name: string };

function promised(name: string, { status, text, ports }: Answer, ...marks: string[]): Promised {
  expect([name, text, status < 300]).toEqual([name, text, true]);
  return { name, ports, marks };
}

/** Kills the service while the connections are open, and reads in its trace how durable each answer was. */
async function durability(child: RunningChild, { name, postgres }: Traced, answers: readonly Promised[]) {
  await Promise.all([child.end('SIGKILL'), postgres?.crash()]);
  const calls = parseTrace(await readFile(traceOf(name), 'utf8'));
  const isLog = postgres === undefined ? isSqliteLog : isPostgresLog;
  return answers.map((answer) => `${answer.name}: ${lapse(calls, isLog, answer) ?? 'durable'}`);
}

const all = (names: readonly string[], how: string) => names.map((name) => `${name}: ${how}`);

/** Reads how durable a receipt is that an owner gets alone, those that the others get at once, and the answer to a withdrawal. */
async function dataUsersAnswers(traced: Traced) {
  await world.stopDataUser();
  const child = await serve(traced);
  const signed = await byHand.create();
  const contribute = async (i: number): Promise<Promised> => {
    const { home } = owners[i]!;
    const sent = await byHand.contribution(owners[i]!, signed, i);
    const message = contributionRequest(signed.task.id, sent);
    const answer = await sendAs(await connected(world.dataUserAddress), await ownerOf(home), message);
    return promised(`receipt ${i}`, answer, digestOf(sent.bytes), String(answer.json.receipt).slice(-43));
  };
  const answers = [await contribute(0), ...(await Promise.all([1, 2].map(contribute)))];
  // SQLite logs whole pages, on which the digest stands again; PostgreSQL logs what has changed, without it.
  if (traced.postgres === undefined) {
    const message = { method: 'DELETE', path: `/tasks/${signed.task.id}/contribution` };
    const sender = await ownerOf(owners[0]!.home);
    const answer = await sendAs(await connected(world.dataUserAddress), sender, message);
    answers.push(promised('withdrawal', answer, ...answers[0]!.marks));
  }
  const found = await durability(child, traced, answers);
  await world.startDataUser();
  return found;
}

const RECEIPTS = Array.from({ length: OWNERS }, (_, i) => `receipt ${i}`);

describe.skipIf(problem !== undefined)('the data user', () => {
  const answers = (environment: Record<string, string>) => dataUsersAnswers({ name: 'user', environment });

  test('syncs what it has taken before the first byte of the receipt leaves', async () => {
    expect(await answers({})).toEqual(all([...RECEIPTS, 'withdrawal'], 'durable'));
  });

  test('one that does not is found out', { tags: ['long'] }, async () => {
    expect(await answers(preloaded('careless-sqlite'))).toEqual(all([...RECEIPTS, 'withdrawal'], NOT_SYNCED));
  });
});

describe.skipIf(problemOfPostgres !== undefined)('the data user over PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await Postgres.launch();
  });
  beforeEach(async () => {
    if (!postgres.isRunning) await postgres.start(); // a test crashes it
  });
  afterAll(() => postgres.close());
  const answers = (environment: Record<string, string>) =>
    dataUsersAnswers({ name: 'user', environment, postgres });

  test('has PostgreSQL sync what it has taken before the first byte of the receipt leaves', {
    tags: ['long'],
  }, async () => {
    expect(await answers({})).toEqual(all(RECEIPTS, 'durable'));
  });

  test('one that does not wait for that is found out', { tags: ['long'] }, async () => {
    // Now and then the server's own writer is quicker than the answer, but not time after time.
    const found = await answers(preloaded('careless-postgres'));
    expect(found.filter((how) => !how.endsWith(': durable'))).not.toEqual([]);
  });
});

describe.skipIf(problem !== undefined)('the CSP', () => {
  const ANSWERS = ['enrolment', 'agreement', 'records', 'unblinding', 'end'];

  /** Of everything that a CSP promises over a task. */
  async function answers(environment: Record<string, string>) {
    const traced = { name: 'csp', environment } as const;
    await world.stopCsp();
    const child = await serve(traced);
    const rogue = await RogueDataUser.of(world);
    const send = async (message: Message & { readonly json?: unknown }, sender: Sender = rogue) =>
      sendAs(await connected(world.cspAddress), sender, message);

    const key = await importSigningKey(await generatePrivateJwk());
    const [enrolmentToken] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    const enrolment = await send({ method: 'POST', path: '/enrolments', json: { enrolmentToken } }, { key });

    const task = rogue.task(byHand.proposal);
    const path = `/tasks/${task.id}`;
    const agreement = await send({ method: 'POST', path: '/tasks', json: { task } });
    const signed = { task, agreement: String(agreement.json.agreement) };

    const ones = layout(task).valueBits.map(() => 1n);
    const blinded = await encryptValues(signed, ones);
    const signatures = await Promise.all(owners.map(({ home }) => recordFor(signed, home, blinded)));
    const records = await send({ method: 'POST', path: `${path}/records`, json: { records: signatures } });
    const unblinding = await send({ method: 'POST', path: `${path}/unblinding`, body: blinded });
    const sql = 'SELECT unblinding_digest FROM tasks WHERE task_id = ?';
    const [row] = query(world.cspConfig.dataDirectory, sql, task.id);
    const end = await send({ method: 'DELETE', path });

    const found = await durability(child, traced, [
      promised('enrolment', enrolment, key.thumbprint),
      promised('agreement', agreement, digestTask(task)),
      promised('records', records, digestOf(blinded)),
      promised('unblinding', unblinding, String(row!.unblinding_digest)),
      promised('end', end, task.id),
    ]);
    await world.startCsp();
    return found;
  }

  test('syncs an enrolment, a key, records, the use of a key and its end before it answers', {
    tags: ['long'],
  }, async () => {
    expect(await answers({})).toEqual(all(ANSWERS, 'durable'));
  });

  test('one that does not is found out', { tags: ['long'] }, async () => {
    expect(await answers(preloaded('careless-sqlite'))).toEqual(all(ANSWERS, NOT_SYNCED));
  });
});
