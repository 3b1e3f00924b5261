/**
 * That a service answers only what a power cut cannot take back. A killed process does not show it, for the operating
 * system still writes what the process has handed over; the order of its system calls does.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { inviteOwners } from '@eigenveil/csp';
import { layout } from '@eigenveil/statistics';
import { generatePrivateJwk, importSigningKey } from '@eigenveil/wire';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ByHand, type Enrolled } from './support/by-hand.ts';
import { Children, type RunningChild } from './support/child.ts';
import { query } from './support/database.ts';
import {
  type Address,
  type Answer,
  contributionRequest,
  encryptValues,
  ownerOf,
  recordFor,
  send,
  sendAs,
} from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import {
  type Answered,
  isSqliteLog,
  lapse,
  parseTrace,
  straceProblem,
  straceTo,
} from './support/system-calls.ts';
import { World } from './support/world.ts';

const problem = straceProblem();
if (problem !== undefined) console.warn(`Durable answers were not traced: ${problem}`);

const OWNERS = 3;
const NOT_SYNCED = 'the answer left before the log was synced';
const CARELESS = {
  NODE_OPTIONS: `--import=${new URL('support/careless-sqlite.ts', import.meta.url).href}`,
};

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

/** Starts a service as a process under strace; its threads are traced, too. */
async function serveTraced(name: 'csp' | 'user', environment: Record<string, string>): Promise<RunningChild> {
  agents = [];
  const config = join(world.folder, `${name}.json`);
  const settings = { ...(name === 'csp' ? world.cspConfig : world.dataUserConfig), threads: 1 };
  await writeFile(config, JSON.stringify(settings));
  return children.serve(name, ['--config', config], environment, straceTo(traceOf(name)));
}
const traceOf = (name: string) => join(world.folder, `${name}.trace`);

/** An address behind a connection of its own, on which TLS has nothing more to say: next come a request and its answer. */
async function connected(address: Address): Promise<Address> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  await send({ ...address, agent }, { method: 'GET', path: '/healthz' });
  return { ...address, agent };
}

/** Kills the service while the connections are open, and reads in its trace what was wrong with each answer. */
async function lapses(child: RunningChild, name: 'csp' | 'user', answers: readonly Answered[]) {
  await child.end('SIGKILL');
  const calls = parseTrace(await readFile(traceOf(name), 'utf8'));
  return answers.map((answer) => lapse(calls, isSqliteLog, answer));
}

function answered({ status, text, port }: Answer, ...marks: string[]): Answered {
  expect([status, text]).toEqual([200, expect.anything()]);
  return { port, marks };
}

describe.skipIf(problem !== undefined)('the data user', () => {
  /** What is wrong with receipts that owners get one after the other, and then with those of as many at once. */
  async function receipts(environment: Record<string, string>) {
    await world.stopDataUser();
    const child = await serveTraced('user', environment);
    const one = await byHand.create();
    const two = await byHand.create();
    const contribute = async (owner: Enrolled, signed: typeof one, part: number) => {
      const sent = await byHand.contribution(owner, signed, part);
      const address = await connected(world.dataUserAddress);
      const answer = await sendAs(
        address,
        await ownerOf(owner.home),
        contributionRequest(signed.task.id, sent),
      );
      const { contributionDigest } = JSON.parse(
        Buffer.from(sent.record.split('.')[1]!, 'base64url').toString(),
      );
      return answered(answer, contributionDigest, String(answer.json.receipt).slice(-43));
    };
    const answers: Answered[] = [];
    for (const [part, owner] of owners.entries()) answers.push(await contribute(owner, one, part));
    answers.push(...(await Promise.all(owners.map((owner, part) => contribute(owner, two, part)))));
    const found = await lapses(child, 'user', answers);
    await world.startDataUser();
    return found;
  }

  test('syncs a contribution before the first byte of its receipt leaves', async () => {
    expect(await receipts({})).toEqual(Array(2 * OWNERS).fill(undefined));
  });

  test('that does not is found out', async () => {
    expect(await receipts(CARELESS)).toEqual(Array(2 * OWNERS).fill(NOT_SYNCED));
  });
});

describe.skipIf(problem !== undefined)('the CSP', () => {
  /** What is wrong with the answers to an enrolment and to an unblinding. */
  async function enrolmentAndUnblinding(environment: Record<string, string>) {
    await world.stopCsp();
    const child = await serveTraced('csp', environment);
    const enrolment = await enrol();
    const unblinding = await unblind();
    const found = await lapses(child, 'csp', [enrolment, unblinding]);
    await world.startCsp();
    return found;
  }

  async function enrol(): Promise<Answered> {
    const key = await importSigningKey(await generatePrivateJwk());
    const [enrolmentToken] = await inviteOwners(world.cspConfig.dataDirectory, 1, 3600);
    const message = { method: 'POST', path: '/enrolments', json: { enrolmentToken } };
    return answered(await sendAs(await connected(world.cspAddress), { key }, message), key.thumbprint);
  }

  async function unblind(): Promise<Answered> {
    const rogue = await RogueDataUser.of(world);
    const signed = await rogue.agree(byHand.proposal);
    const { id } = signed.task;
    const values = layout(signed.task).valueBits.map(() => 1n);
    const blinded = await encryptValues(signed, values);
    const records = await Promise.all(owners.map(({ home }) => recordFor(signed, home, blinded)));
    await rogue.records(id, records);
    const message = { method: 'POST', path: `/tasks/${id}/unblinding`, body: blinded };
    const answer = await sendAs(await connected(world.cspAddress), rogue, message);
    const sql = 'SELECT unblinding_digest FROM tasks WHERE task_id = ?';
    const [row] = query(world.cspConfig.dataDirectory, sql, id);
    return answered(answer, String(row!.unblinding_digest));
  }

  test('syncs an enrolment before the token leaves, and that a task is unblinded before the answer does', async () => {
    expect(await enrolmentAndUnblinding({})).toEqual([undefined, undefined]);
  });

  test('that does not is found out', async () => {
    expect(await enrolmentAndUnblinding(CARELESS)).toEqual([NOT_SYNCED, NOT_SYNCED]);
  });
});
