/**
 * The computation of a task: an answer that is given once is not lost while one of two processes holds it, and what comes of an answer
 * is not to be seen from what the data user does next.
 */
import { randomBytes } from 'node:crypto';
import { blindingWidths, type PaillierPool } from '@eigenveil/paillier';
import { CodedError, Integers } from '@eigenveil/platform';
import { systemRandomness } from '@eigenveil/privacy';
import { shareBits, sharesAtCsp } from '@eigenveil/protocol/servers';
import { Sealer } from '@eigenveil/server';
import { flatten, layout, type Statistics } from '@eigenveil/statistics';
import { newTaskId, programOf, type Task, TaskProposal } from '@eigenveil/task';
import { TWO_PARTY_PROTOCOLS } from '@eigenveil/two-party';
import { memoryChannelPair } from '@eigenveil/two-party/insides';
import {
  CODES,
  type Digest,
  digestProjection,
  generatePrivateJwk,
  importSigningKey,
  type SigningKey,
  type TaskState,
} from '@eigenveil/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Computation, type ComputationDependencies } from '../../src/compute/computation.ts';
import type { Turn } from '../../src/compute/work-queue.ts';
import { openSqliteStore } from '../../src/store/open.ts';
import type { SqlDataUserStore } from '../../src/store/sql-store.ts';
import { blindingPlace, type DataUserStore } from '../../src/store/store.ts';
import type { OpenTask } from '../../src/tasks/tasks.ts';

const STATISTICS: Statistics = {
  R: [5n, 1n, 3n],
  labellings: [[{ V: [2n, 1n], M: 4n }]],
  owners: 2n,
};

/** Milliseconds. */
const PACE = 700;

/** Time that stands still until everybody who looks at it sleeps: a sleep moves it on. */
class StillClock {
  readonly #asleep = Promise.withResolvers<void>();
  /** Resolves when somebody sleeps for the first time. */
  readonly asleep = this.#asleep.promise;
  #now = 0;

  now(): number {
    return this.#now;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.#asleep.resolve();
    await new Promise(setImmediate);
    this.#now += milliseconds;
  }
}

/** A CSP that answers each task once; it has verified so many owners. */
function answeringOnce(cspShares: Integers, verifiedOwners = 2): ComputationDependencies['csp'] {
  let answers = 0;
  return {
    end: async () => undefined,
    closeChannel: (channel) => channel.close(),
    async openChannel() {
      answers += 1;
      if (answers > 1) throw new CodedError(CODES.ERR_TASK_ANSWERED, 'the task was answered before');
      const [left, right] = memoryChannelPair();
      const computation = { task, program: programOf(task) };
      void TWO_PARTY_PROTOCOLS.simulated.runCsp(left, computation, {
        shares: cspShares,
        verifiedOwners,
        markAnswered: async () => undefined,
      });
      return right;
    },
  };
}

const turn: Turn = { signal: new AbortController().signal, confirm: async () => undefined };

let key: SigningKey;
let task: Task;
let cspShares: Integers;
let store: SqlDataUserStore;
let missed: number[];
/** Digests, in the order in which they came to the CSP. */
let registered: Digest[];
let common: Omit<ComputationDependencies, 'store' | 'clock' | 'isShared'>;

beforeEach(() => begin(STATISTICS));

/** A task that has been unblinded, with these statistics. */
async function begin(statistics: Statistics): Promise<void> {
  key = await importSigningKey(await generatePrivateJwk());
  registered = [];
  task = {
    ...TaskProposal.parse({
      method: { kind: 'pca' },
      features: ['f0', 'f1'].map((name) => ({ name, min: -1, max: 1 })),
      components: 1,
      allowFullRank: true,
      minimumOwners: 2,
      maximumOwners: 2,
      maximumSamplesPerOwner: 10,
      twoParty: 'simulated',
      exact: true,
      deadline: new Date(Date.now() + 3_600_000).toISOString(),
    }),
    protocol: 'eigenveil/1',
    id: newTaskId(),
    csp: key.thumbprint,
    dataUser: key.thumbprint,
  };
  missed = [];
  const sealer = new Sealer(randomBytes(32));
  const values = flatten(task, statistics);
  const packing = layout(task);
  const blinding = values.map((_, i) => BigInt(1000 + i));
  store = openSqliteStore(':memory:');
  await store.insertTask(task);
  await store.advance(task.id, 'proposed', {
    to: 'unblinded',
    provenance: { statement: 'statement' },
    sealedBlinding: sealer.seal(blindingPlace(task.id), [
      Integers.of(blinding, blindingWidths(packing)).bytes,
      Integers.of(
        blinding.map(() => 0n),
        shareBits(task),
      ).bytes,
    ]),
  });
  cspShares = sharesAtCsp(
    task,
    values.map((value, i) => value + blinding[i]!),
    systemRandomness,
  );
  common = {
    tasks: {
      agreed: async () => ({ task, packing }) as OpenTask,
      propose: async () => undefined,
      forget: () => undefined,
      signsOf: async () => undefined,
    },
    aggregation: { aggregate: () => Promise.reject(new Error('not asked for')) },
    fixing: { fix: async () => undefined },
    csp: answeringOnce(cspShares),
    paillier: {} as PaillierPool,
    sealer,
    key,
    randomness: systemRandomness,
    paceOf: () => PACE,
    onMiss: (event) => missed.push(event.milliseconds),
    provenances: {
      unblind: () => Promise.reject(new Error('not asked for')),
      countersign: async (_, digest) => {
        registered.push(digest);
        return 'countersignature';
      },
    },
    onStage: () => undefined,
  };
}
afterEach(() => store.close());

const stateOf = async () => (await store.task(task.id))!.state;

/** A process that gets the answer and is kept from storing it until `goOn` is called. */
function holder() {
  const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: DataUserStore = Object.create(store, {
    advance: {
      value: async (...input: Parameters<DataUserStore['advance']>) => {
        reached.resolve();
        await gate.promise;
        return store.advance(...input);
      },
    },
  });
  // A private member is reached through the object that has it.
  for (const name of ['task', 'state', 'drawn', 'setActivity', 'addFault'] as const)
    Object.defineProperty(slow, name, { value: store[name].bind(store) });
  const computation = new Computation({ ...common, store: slow, clock: new StillClock(), isShared: true });
  return { done: computation.step(task.id, turn), hasAnswer: reached.promise, goOn: gate.resolve };
}

test('a process that is refused the answer which another one holds lets that store it', async () => {
  const first = holder();
  await first.hasAnswer;
  const clock = new StillClock();
  const second = new Computation({ ...common, store, clock, isShared: true }).step(task.id, turn);
  await clock.asleep;
  expect(await store.task(task.id)).toMatchObject({
    state: 'unblinded',
    activity: { waiting: { code: 'ERR_TASK_ANSWERED' } },
  });
  first.goOn();
  await Promise.all([first.done, second]);
  expect(await store.task(task.id)).toMatchObject({ state: 'decomposed', failure: null });
});

test.each<[string, boolean]>([
  ['nobody stores within a bounded time', true],
  ['nobody else can hold', false],
])('an answer that %s is lost, and the task has failed', async (_, isShared) => {
  await common.csp.openChannel(task.id); // whoever had it is gone
  const clock = new StillClock();
  const computation = new Computation({ ...common, store, clock, isShared });
  for (const state of ['decomposed', 'failed'] satisfies TaskState[]) {
    expect(await computation.step(task.id, turn)).toBe(true);
    expect(await stateOf()).toBe(state);
  }
  expect(await store.task(task.id)).toMatchObject({
    failure: { code: 'ERR_TASK_ANSWERED' },
  });
  // Long enough for a holder whose database comes back; not at all where there is none.
  expect(clock.now() > 60_000).toBe(isShared);
});

test('a process that has to leave while it waits fails nothing', async () => {
  await common.csp.openChannel(task.id);
  const leaving = new AbortController();
  const clock = new StillClock();
  const computation = new Computation({ ...common, store, clock, isShared: true });
  const step = computation.step(task.id, { ...turn, signal: leaving.signal });
  await clock.asleep;
  leaving.abort();
  await expect(step).rejects.toThrow();
  expect(await stateOf()).toBe('unblinded');
});

/** What a CSP sees of a task from its computation to its end, and when. */
async function seenByCsp(verifiedOwners: number, slowness = 0) {
  const clock = new StillClock();
  const seen: [string, number][] = [];
  const real = answeringOnce(cspShares, verifiedOwners);
  const provenances: ComputationDependencies['provenances'] = {
    ...common.provenances,
    async countersign(of, digest) {
      seen.push(['countersignature', clock.now()]);
      return common.provenances.countersign(of, digest);
    },
  };
  const csp: ComputationDependencies['csp'] = {
    ...real,
    async openChannel(taskId) {
      seen.push(['computation', clock.now()]);
      return real.openChannel(taskId);
    },
    async end(taskId) {
      seen.push(['end', clock.now()]);
      return real.end(taskId);
    },
  };
  const computation = new Computation({ ...common, csp, provenances, store, clock, isShared: false });
  if (slowness > 0) {
    const { advance } = store;
    store.advance = async (...input) => {
      await clock.sleep(slowness);
      return advance.apply(store, input);
    };
  }
  for (let mayFollow = true; mayFollow; ) mayFollow = await computation.step(task.id, turn);
  return { seen, stored: (await store.task(task.id))! };
}

test.each([
  ['a result', 2, { state: 'done', endedAtCsp: true }],
  ['a refusal', 3, { state: 'failed', failure: { code: 'ERR_OWNER_COUNT' }, endedAtCsp: true }],
] as const)(
  'after an answer a digest is registered, and the task ends, at a public moment: %s',
  async (_, verifiedOwners, outcome) => {
    const { seen, stored } = await seenByCsp(verifiedOwners);
    expect(stored).toMatchObject(outcome);
    expect(seen).toEqual([
      ['computation', 0],
      ['countersignature', PACE],
      ['end', PACE],
    ]);
    expect(missed).toEqual([]);
  },
);

test('where a database takes longer than that, that is done at once, and it is told', async () => {
  const { seen, stored } = await seenByCsp(2, PACE + 50);
  expect(stored.state).toBe('done');
  expect(seen[1]).toEqual(['countersignature', PACE + 50]);
  expect(missed).toEqual([50]);
});

test('an answer that is refused is so also where the turn is over: nobody asks for another', async () => {
  const csp = answeringOnce(cspShares, 3);
  const clock = new StillClock();
  const over: Turn = {
    signal: AbortSignal.abort(),
    confirm: () => Promise.reject(new Error('the lock is lost')),
  };
  await new Computation({ ...common, csp, store, clock, isShared: true }).step(task.id, over);
  expect(await store.task(task.id)).toMatchObject({
    state: 'decomposed',
    failure: { code: 'ERR_OWNER_COUNT' },
  });
});

/** The two last stages, and what lay between them. */
async function outcomeOf(csp = common.csp) {
  const computation = new Computation({ ...common, csp, store, clock: new StillClock(), isShared: false });
  await computation.step(task.id, turn);
  const between = (await store.task(task.id))!;
  await computation.step(task.id, turn);
  return { between, after: (await store.task(task.id))! };
}

test('a projection is kept with its salted digest before that is registered, and is done with the countersignature', async () => {
  const { between, after } = await outcomeOf();
  const { salt, projectionDigest } = between.provenance;
  expect(between.state).toBe('decomposed');
  expect(projectionDigest).toBe(digestProjection(salt!, between.projection!));
  expect(registered).toEqual([projectionDigest]);
  expect(after).toMatchObject({
    state: 'done',
    projection: between.projection,
    provenance: { statement: 'statement', salt, projectionDigest, countersignature: 'countersignature' },
  });
});

test('a refusal registers a digest too, of nothing, and is told when that is done', async () => {
  const { between, after } = await outcomeOf(answeringOnce(cspShares, 3));
  expect(after).toMatchObject({ state: 'failed', failure: { code: 'ERR_OWNER_COUNT' }, projection: null });
  expect(between).toMatchObject({ state: 'decomposed', failure: after.failure });
  expect(between.provenance.salt).toBeUndefined();
  expect(registered).toEqual([between.provenance.projectionDigest]);
});

test('what a crash left unregistered, or its answer lost, is registered again as it was', async () => {
  const lost = () => Promise.reject(new CodedError(CODES.ERR_PEER_UNREACHABLE, 'lost'));
  const process = (countersign: ComputationDependencies['provenances']['countersign']) =>
    new Computation({
      ...common,
      provenances: { ...common.provenances, countersign },
      store,
      clock: new StillClock(),
      isShared: false,
    });
  const first = process(async (_, digest) => {
    registered.push(digest);
    return lost();
  });
  await first.step(task.id, turn);
  const { projection, provenance } = (await store.task(task.id))!;
  for (let attempts = 1; attempts <= 2; attempts += 1)
    await expect(first.step(task.id, turn)).rejects.toMatchObject({ code: 'ERR_PEER_UNREACHABLE' });
  const { countersign } = common.provenances;
  await process(countersign).step(task.id, turn);
  expect(registered).toEqual(new Array(3).fill(provenance.projectionDigest));
  expect(await store.task(task.id)).toMatchObject({ state: 'done', projection, provenance });
});

test('a task whose digest the CSP refuses has failed, and nobody gets its projection', async () => {
  for (const code of ['ERR_PROJECTION_CONFLICT', 'ERR_TASK_CLOSED'] as const) {
    common = {
      ...common,
      provenances: {
        ...common.provenances,
        countersign: () => Promise.reject(new CodedError(CODES[code], 'refused')),
      },
    };
    const computation = new Computation({ ...common, store, clock: new StillClock(), isShared: false });
    await computation.step(task.id, turn);
    await computation.step(task.id, turn);
    expect(await store.task(task.id)).toMatchObject({ state: 'failed', failure: { code }, projection: null });
    await store.close();
    await begin(STATISTICS);
  }
});
