/** The places of the two-party computation: as many as there are, also for connections that come together, and all given back. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { PaillierPool } from '@eigenveil/paillier';
import { Integers } from '@eigenveil/platform';
import { shareBits } from '@eigenveil/protocol/servers';
import { createLogger, Metrics, PeerNames, RateLimit } from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import { type Channel, ChannelRefused, connectChannel } from '@eigenveil/two-party';
import { digestBytes } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type CspDependencies, CspService, type TwoPartyState } from '../../src/service/service.ts';
import { StartLimit, TwoPartyServer } from '../../src/service/two-party-server.ts';
import { cspWith, taskOf } from '../csp.ts';

const MOST_COMPUTATIONS = 32;

/** Holds back everybody who asks for a task's shares until the gate opens, so that all of them go on together, or one after the other. */
class GatedService extends CspService {
  waiting = 0;
  /** Resolves when an answer is marked; it then waits for `answers`. */
  readonly marked = Promise.withResolvers<void>();
  answers: Promise<void> | undefined;
  readonly #held: (() => void)[] = [];
  #isOpen = false;

  override async twoPartyState(...input: Parameters<CspService['twoPartyState']>): Promise<TwoPartyState> {
    const state = await super.twoPartyState(...input);
    this.waiting += 1;
    if (!this.#isOpen) await new Promise<void>((resolve) => this.#held.push(resolve));
    return state;
  }

  override async noteAnswer(task: Task): Promise<number> {
    const left = await super.noteAnswer(task);
    this.marked.resolve();
    await this.answers;
    return left;
  }

  open(): void {
    this.#isOpen = true;
    for (const goOn of this.#held) goOn();
  }

  /** Lets the one go on that has waited longest. */
  admitNext(): void {
    this.#held.shift()!();
  }
}

let deps: CspDependencies;
let service: GatedService;
let twoParty: TwoPartyServer;
let server: Server;
let tasks: TaskId[];
/** Of the data user, by the settings. */
let isAdmitted: boolean;
const sockets = new Set<Socket>();

beforeEach(async () => {
  deps = await cspWith(new OneKeyPool({ threads: 0 }));
  service = new GatedService(deps);
  isAdmitted = true;
  twoParty = newTwoParty();
  server = createServer();
  server.on('upgrade', twoParty.onUpgrade);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  tasks = [];
  for (let i = 0; i <= MOST_COMPUTATIONS; i += 1) tasks.push(await unblindedTask());
});
afterEach(async () => {
  vi.useRealTimers();
  twoParty.close();
  server.close();
  for (const socket of sockets) socket.destroy();
  await deps.paillier.close();
  deps.store.close();
});

function newTwoParty(): TwoPartyServer {
  const { key } = deps;
  const log = createLogger({ service: 'csp', level: 'silent' });
  const identity = { thumbprint: key.thumbprint, publicJwk: key.publicJwk, proofId: 'not looked at' };
  const dataUser = {
    challenge: 'DPoP',
    description: 'everybody',
    authenticate: async () => identity,
  } as const;
  const peers = new PeerNames('address', Buffer.alloc(0));
  const [rateLimit, metrics] = [new RateLimit(1_000_000, log), new Metrics('csp')];
  const startLimit = new StartLimit(1_000_000);
  return new TwoPartyServer({
    ...{ service, dataUser, rateLimit, startLimit, log, metrics, peers },
    isAdmitted: () => isAdmitted,
  });
}

/** Every task gets the same key, which no test uses: making 33 takes too long. */
class OneKeyPool extends PaillierPool {
  #pair: ReturnType<PaillierPool['generateKeyPair']> | undefined;

  override generateKeyPair(...input: Parameters<PaillierPool['generateKeyPair']>) {
    this.#pair ??= super.generateKeyPair(...input);
    return this.#pair;
  }
}

async function unblindedTask(): Promise<TaskId> {
  const { store, sealer, key } = deps;
  const task = taskOf(key.thumbprint, key.thumbprint);
  await service.agree(task, key.publicJwk);
  await store.beginUnblinding(task.id, { requestDigest: digestBytes('unblinding'), verifiedOwners: 0 });
  const widths = shareBits(task);
  const shares = Integers.of(
    widths.map(() => 1n),
    widths,
  );
  await store.completeUnblinding(task.id, sealer.seal(`csp/tasks/${task.id}/shares`, shares.bytes));
  return task.id;
}

const address = (id: TaskId, scheme: string) =>
  `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/tasks/${id}/two-party`;
const connect = (id: TaskId): Promise<Channel> => connectChannel({ url: address(id, 'ws'), headers: {} });

const isOpened = (id: TaskId) =>
  connect(id).then(
    (channel) => channel.close().then(() => true),
    () => false,
  );

/** Asks for a WebSocket by hand; the answer's status, or undefined when there was none. */
function ask(id: TaskId, headers: IncomingHttpHeaders = {}) {
  const asked = request(address(id, 'http'), {
    agent: false,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      ...headers,
    },
  });
  const status = new Promise<number | undefined>((resolve) => {
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on('error', () => resolve(undefined));
  });
  asked.end();
  return { asked, status };
}

test('connections that come together get as many places as there are', async () => {
  const attempts = tasks.map((id) => connect(id));
  const settled = Promise.allSettled(attempts);
  await expect.poll(() => service.waiting).toBe(tasks.length);
  service.open();
  const answers = await settled;
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused).toHaveLength(1);
  expect(refused[0]!.reason).toBeInstanceOf(ChannelRefused);
  expect(JSON.parse(refused[0]!.reason.body)).toMatchObject({ code: 'ERR_BUSY' });

  // Who was refused took no place: it gets the first that is given up.
  const left = tasks[answers.findIndex(({ status }) => status === 'rejected')]!;
  await expect(connect(left)).rejects.toThrow(ChannelRefused);
  await (await attempts.find((_, i) => answers[i]!.status === 'fulfilled')!).close();
  await expect.poll(() => isOpened(left)).toBe(true);
});

test('a place is given back by who hangs up, by who asks for no WebSocket and by who is done', {
  tags: ['long'],
}, async () => {
  const [last, ...others] = tasks as [TaskId, ...TaskId[]];
  const begun = others.map((id) => ask(id));
  await expect.poll(() => service.waiting).toBe(others.length);
  for (const { asked } of begun) asked.destroy();
  service.open();
  expect(await Promise.all(begun.map(({ status }) => status))).toEqual(others.map(() => undefined));
  await expect.poll(() => isOpened(last)).toBe(true);

  const wrong = await Promise.all(others.map((id) => ask(id, { 'sec-websocket-key': 'too short' }).status));
  expect(wrong).toEqual(others.map(() => 400));
  expect(await isOpened(last)).toBe(true);

  const channels = await Promise.all(others.map(connect));
  // Once more each: a task's second connection ends its first, and leaves one place to give back.
  const again = await Promise.all(others.map(connect));
  await Promise.all(channels.map((channel) => channel.close()));
  expect(await isOpened(last)).toBe(false);
  await Promise.all(again.map((channel) => channel.close()));
  await expect.poll(() => isOpened(last)).toBe(true);
});

test("a place is given back for a socket that is gone before it becomes a WebSocket, and its error is nobody's", async () => {
  const [last, ...others] = tasks as [TaskId, ...TaskId[]];
  const begun = others.map((id) => ask(id));
  await expect.poll(() => service.waiting).toBe(others.length);
  // Node takes its own listener away when it hands a socket over: without another, this error would end the process.
  for (const socket of sockets) socket.destroy(new Error('the connection was reset'));
  await Promise.all(begun.map(({ status }) => status));
  service.open();
  expect(await isOpened(last)).toBe(true);
});

test('a connection on which the last answer is given is not ended by another that was admitted before', async () => {
  const [id] = tasks as [TaskId];
  for (const left of [2, 1]) expect(await deps.store.noteAnswer(id, 3)).toBe(left);
  const answers = Promise.withResolvers<void>();
  service.answers = answers.promise;
  const first = connect(id);
  await expect.poll(() => service.waiting).toBe(1);
  const second = connect(id);
  await expect.poll(() => service.waiting).toBe(2);
  service.admitNext();
  await service.marked.promise;
  service.admitNext();
  await expect((await second).receive()).rejects.toMatchObject({
    code: 'ERR_CHANNEL_ABORTED',
    parameters: { reason: 'ERR_TASK_ANSWERED' },
  });
  answers.resolve();
  const channel = await first;
  expect((await channel.receive()).length).toBeGreaterThan(0);
  await channel.close();
  service.open();
  await expect(connect(id)).rejects.toThrow(ChannelRefused);
});

describe('one look ends every connection that may not go on, though its peer answers nothing', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    twoParty.close();
    twoParty = newTwoParty();
    server.removeAllListeners('upgrade').on('upgrade', twoParty.onUpgrade);
    service.open();
  });

  /** Opens a connection, reads what comes and sends nothing: what it has read so far. */
  async function hang(id: TaskId): Promise<() => string> {
    const { asked } = ask(id);
    const [, socket, head] = (await once(asked, 'upgrade')) as [unknown, Socket, Buffer];
    let text = head.toString('latin1');
    socket.on('error', () => {}).on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    await expect.poll(() => text).not.toBe(''); // the CSP's part of the computation has begun
    return () => text;
  }

  /** No look follows: expect.poll would let fake time go on. */
  async function lookOnce(texts: readonly (() => string)[], reason: string): Promise<void> {
    vi.advanceTimersToNextTimer();
    vi.useRealTimers();
    await expect.poll(() => texts.filter((text) => text().includes(reason)).length).toBe(texts.length);
  }

  test('since the operator has ended its task', async () => {
    const some = tasks.slice(0, 4);
    const texts = await Promise.all(some.map(hang));
    for (const id of some) await deps.store.endTask(id); // as a command does it, beside the service
    await lookOnce(texts, 'ERR_TASK_CLOSED');
  });

  test('since its data user was taken out of the settings', async () => {
    const texts = await Promise.all(tasks.slice(0, 4).map(hang));
    isAdmitted = false;
    await lookOnce(texts, 'ERR_AUTH_FORBIDDEN');
  });
});
