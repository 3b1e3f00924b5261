/** The data user's store in PostgreSQL: what every store has to do, and what only several processes at once can try. */
import type { PostgresDatabase } from '@eigenveil/server';
import { newTaskId, type TaskId } from '@eigenveil/task';
import { databaseOfRun, emptying } from '@eigenveil/testbed/databases/database-of-run';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDataUserDatabase, postgresStore } from '../src/store/open.ts';
import { SCHEMA } from '../src/store/postgres-schema.ts';
import type { SqlDataUserStore } from '../src/store/sql-store.ts';
import { codesOf, contribution, owner, stored, task, textOf } from './store-contract/tested.ts';
import { storeContract } from './store-contract.ts';

let url: string;
/** This connection belongs to neither of the two: it sees what is there, and does what no process would. */
let operator: pg.Client;
beforeAll(async () => {
  url = await databaseOfRun();
  operator = new pg.Client({ connectionString: url });
  await operator.on('error', () => undefined).connect();
});
afterAll(() => operator.end());
beforeEach(() => operator.query(emptying(SCHEMA)));

const openStore = async () => postgresStore(await openDataUserDatabase(url));

storeContract('PostgreSQL', openStore, 20);

describe('two processes on one database', () => {
  let stores: readonly [SqlDataUserStore, SqlDataUserStore];
  let database: PostgresDatabase;
  /** Looks, since within a transaction, which the operator may have, PostgreSQL shows what it showed at first. */
  let watcher: pg.Client;
  let id: TaskId;
  beforeAll(async () => {
    stores = [await openStore(), await openStore()];
    database = await openDataUserDatabase(url);
    watcher = new pg.Client({ connectionString: url });
    await watcher.on('error', () => undefined).connect();
  });
  afterAll(() => Promise.all([...[...stores, database].map((it) => it.close()), watcher.end()]));
  afterEach(() => operator.query('ROLLBACK').catch(() => undefined)); // what a failed test has begun
  const create = async (maximumOwners = 1000) => {
    id = newTaskId();
    await stores[0].insertTask({ ...task, id, maximumOwners });
    await stores[0].openTask(id, 'agreement');
  };
  beforeEach(() => create());

  /** Until one of the processes waits for a lock. */
  const untilWaiting = async () => {
    const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await watcher.query(text)).rowCount).toBe(1);
  };
  /** The contributions of these owners, each process with bytes and receipts of its own. */
  const insert = (process: number, numbers: readonly number[]) =>
    stores[process]!.insertContributions(
      id,
      numbers.map((i) => ({ ...contribution(i, `from ${process}`), receipt: `receipt of ${process}` })),
    );
  const numbersTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
  /** Of a task's contributions that count; each has a body and a sequence number of its own. */
  const counted = async () => {
    const { contributions, lastSequence } = (await stores[1].task(id))!;
    const bodies = await stores[1].ciphertexts(id, 0, lastSequence, lastSequence + 1);
    expect(bodies).toHaveLength(contributions);
    expect(new Set(bodies.map(({ sequence }) => sequence)).size).toBe(contributions);
    const text = 'SELECT FROM contribution_bodies WHERE task_id = $1';
    expect((await database.query({ text, values: [id] })).rowCount).toBe(contributions);
    return contributions;
  };

  test('take each owner once, and both give it the receipt of what is stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 8 }), { maxLength: 8 }),
        async (groups) => {
          await create();
          const outcomes = await Promise.all(groups.map((numbers, i) => insert(i % 2, numbers)));
          const owners = new Set(groups.flat());
          expect(await counted()).toBe(owners.size);
          expect((await stores[0].task(id))!.lastSequence).toBe(owners.size);
          for (const [i, numbers] of groups.entries()) {
            for (const [j, number] of numbers.entries()) {
              expect(outcomes[i]![j]).toEqual(await stores[1].contribution(id, owner(number)));
            }
          }
          // The body is of the process whose receipt it was.
          const bodies = (await stores[0].ciphertexts(id, 0, 99, 99)).map(({ bytes }) => textOf(bytes));
          const receipts = await Promise.all([...owners].map((i) => stores[0].contribution(id, owner(i))));
          expect(bodies.toSorted()).toEqual(
            receipts.map((it) => it!.receipt.replace('receipt of', 'from')).toSorted(),
          );
        },
      ),
      { numRuns: 8 },
    );
  });

  test('do not take more owners than a task has room for', async () => {
    await create(10);
    const outcomes = await Promise.all(
      numbersTo(20).map((i) => insert(i % 2, [2 * i, 2 * i + 1].toReversed())),
    );
    const codes = codesOf(outcomes.flat());
    expect(codes.filter((code) => code === 'taken')).toHaveLength(10);
    expect(codes.filter((code) => code === 'ERR_TASK_FULL')).toHaveLength(30);
    expect(await counted()).toBe(10);
  });

  test('have in a closed task what they have confirmed, and nothing else', async () => {
    await insert(0, [1, 2]);
    const inserted = Promise.all(numbersTo(40).map((i) => insert(i % 2, [i])));
    await stores[1].closeTask(id);
    const { contributions } = (await stores[0].task(id))!;
    const codes = codesOf((await inserted).flat());
    expect(codes.every((code) => code === 'taken' || code === 'ERR_TASK_CLOSED')).toBe(true);
    expect(codes.filter((code) => code === 'taken')).toHaveLength(contributions);
    expect(await counted()).toBe(contributions);
  });

  test('let owners withdraw while others contribute, and never close below the minimum', async () => {
    await insert(0, [1, 2]);
    const outcomes = await Promise.allSettled([
      stores[0].withdraw(id, owner(1)),
      stores[1].closeTask(id),
      stores[0].closeTask(id),
      stores[1].withdraw(id, owner(2)),
    ]);
    const isClosed = (await stores[0].task(id))!.state === 'closed';
    const left = await counted();
    expect(isClosed).toBe(outcomes[1].status === 'fulfilled' || outcomes[2].status === 'fulfilled');
    expect(left).toBe(2 - [outcomes[0], outcomes[3]].filter(({ status }) => status === 'fulfilled').length);
    if (isClosed) expect(left).toBe(2);
  });

  test('keep nobody who is revoked, whichever of them takes contributions, keeps the list or drops', async () => {
    const list = { number: 1, issuedAt: new Date(0).toISOString() };
    const revoked = [3, 7, 11];
    const inserted = Promise.all(numbersTo(12).map((i) => insert(i % 2, [i])));
    const kept = stores[0].keepRevocations(list, revoked.map(owner));
    const again = stores[1].keepRevocations(list, revoked.map(owner).toReversed());
    expect((await kept) + (await again)).toBe(3);
    await Promise.all([stores[0].dropRevoked(id), stores[1].dropRevoked(id), inserted]);
    expect(await counted()).toBe(9);
    expect(await stores[0].tasksWithRevoked()).toEqual([]);
  });

  test('close a task that closes by itself once, whichever of them sees it first', async () => {
    id = newTaskId();
    await stores[0].insertTask({ ...task, id, maximumOwners: 2, closes: ['full'] });
    await stores[0].openTask(id, 'agreement');
    await insert(0, [1, 2]);
    const looks = numbersTo(8).map((i) => stores[i % 2]!.closeTask(id, new Date()));
    expect((await Promise.all(looks)).filter(Boolean)).toHaveLength(1);
  });

  test('complete each batch once, of the contributions that count', async () => {
    await insert(0, numbersTo(8));
    await stores[0].withdraw(id, owner(3));
    await stores[0].closeTask(id);
    const batches = [
      { number: 0, first: 1, last: 4 },
      { number: 1, first: 5, last: 8 },
    ];
    const complete = (process: number, i: number) =>
      stores[process]!.completeBatch(id, {
        batch: batches[i]!,
        contributions: i === 0 ? 3 : 4,
        bytes: Buffer.from(`product ${i} of ${process}`),
      });
    const done = await Promise.all([complete(0, 0), complete(1, 0), complete(1, 1), complete(0, 1)]);
    expect(done[0]).not.toBe(done[1]);
    expect(done[2]).not.toBe(done[3]);
    const products = await stores[1].partialProducts(id, -1, 9);
    expect(products.map(({ bytes }) => textOf(bytes))).toEqual([
      `product 0 of ${done[0] ? 0 : 1}`,
      `product 1 of ${done[2] ? 1 : 0}`,
    ]);
  });

  test('do not complete batches that overlap', async () => {
    await insert(0, numbersTo(6));
    await stores[0].closeTask(id);
    const complete = (process: number, number: number, first: number) =>
      stores[process]!.completeBatch(id, {
        batch: { number, first, last: first + 3 },
        contributions: 4,
        bytes: null,
      });
    const outcomes = await Promise.allSettled([complete(0, 0, 1), complete(1, 1, 3)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await stores[0].completedBatches(id)).toHaveLength(1);
  });

  test('complete no batch of a task that moves on at the same time, or all of it', async () => {
    await insert(0, numbersTo(4));
    await stores[0].closeTask(id);
    const product = { batch: { number: 0, first: 1, last: 4 }, contributions: 4, bytes: null };
    const [completed] = await Promise.all([
      stores[0].completeBatch(id, product),
      stores[1].advance(id, 'closed', { to: 'cancelled' }),
    ]);
    expect(await stores[1].completedBatches(id)).toHaveLength(completed ? 1 : 0);
    expect(await stores[0].completeBatch(id, { ...product, batch: { number: 1, first: 1, last: 4 } })).toBe(
      false,
    );
  });

  describe('wait for another that has begun to move the task on', () => {
    const whileMoving = async <Result>(to: string, start: () => Promise<Result>) => {
      await operator.query('BEGIN');
      const text = 'UPDATE eigenveil_data_user.tasks SET state = $2 WHERE task_id = $1';
      await operator.query(text, [id, to]);
      const started = start();
      started.catch(() => undefined); // it may be refused before the COMMIT is answered: whoever called looks at it
      await untilWaiting();
      await operator.query('COMMIT');
      return started;
    };
    beforeEach(() => insert(0, [1, 2]));

    test('and complete no batch of a task that ends', async () => {
      await stores[0].closeTask(id);
      const product = { batch: { number: 0, first: 1, last: 4 }, contributions: 2, bytes: null };
      expect(await whileMoving('cancelled', () => stores[0].completeBatch(id, product))).toBe(false);
      expect(await stores[0].completedBatches(id)).toEqual([]);
    });

    test('and take nothing that came too late', async () => {
      const outcomes = await whileMoving('closed', () => insert(0, [1, 3]));
      expect(codesOf(outcomes)).toEqual(['taken', 'ERR_TASK_CLOSED']);
      expect(await counted()).toBe(2);
    });

    test('and do not let an owner withdraw', async () => {
      const withdrawn = whileMoving('closed', () => stores[1].withdraw(id, owner(1)));
      await expect(withdrawn).rejects.toMatchObject({ code: 'ERR_TASK_CLOSED' });
      expect(await counted()).toBe(2);
    });

    test('and take what came just before it opened', async () => {
      await stores[0].advance(id, 'open', { to: 'proposed' });
      expect(codesOf(await whileMoving('open', () => insert(1, [1, 3])))).toEqual(['taken', 'taken']);
      expect(await counted()).toBe(3);
    });
  });

  test('move a task on once', async () => {
    await insert(0, [1, 2]);
    await stores[0].closeTask(id);
    const draw = (process: number) =>
      stores[process]!.advance(id, 'closed', {
        to: 'blinded',
        sealedBlinding: Buffer.from(`blinding of ${process}`),
        blinded: Buffer.from(`blinded by ${process}`),
        timing: { stage: 'aggregate', milliseconds: 1 },
      });
    const moved = await Promise.all([draw(0), draw(1), draw(0), draw(1)]);
    expect(moved.filter(Boolean)).toHaveLength(1);
    const winner = moved.indexOf(true) % 2;
    const { timings } = (await stores[0].task(id))!;
    const sealedBlinding = await stores[0].drawn(id, 'sealedBlinding');
    const blinded = await stores[0].drawn(id, 'blinded');
    expect([textOf(sealedBlinding), textOf(blinded)]).toEqual([
      `blinding of ${winner}`,
      `blinded by ${winner}`,
    ]);
    expect(timings).toEqual({ aggregate: 1 });
    await Promise.all([0, 1, 0, 1].map((process) => stores[process]!.addFault(id)));
    expect((await stores[1].task(id))!.faults).toBe(4);
  });

  test('erase a task together, and say that nothing is left only when it is so', async () => {
    await insert(0, numbersTo(30));
    await stores[0].advance(id, 'open', { to: 'cancelled' });
    const erase = async (process: number) => {
      while (await stores[process]!.eraseContributions(id, 3));
      return stores[process]!.records(id, 0, 1);
    };
    expect(await Promise.all([erase(0), erase(1)])).toEqual([[], []]);
    expect(await stores[0].contribution(id, owner(1))).toMatchObject({ ownerId: owner(1) });
  });

  describe('whose connections are cut', () => {
    const cut = async () => {
      const text = `
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'eigenveil'`;
      await watcher.query(text);
    };

    test('in the midst of a transaction: nothing of it is stored, and it can be repeated', async () => {
      await operator.query('BEGIN');
      await operator.query('SELECT FROM eigenveil_data_user.tasks WHERE task_id = $1 FOR UPDATE', [id]);
      const interrupted = insert(0, [1, 2]).catch((error: unknown) => error);
      await untilWaiting();
      await cut();
      expect(await interrupted).toMatchObject({ code: 'ERR_DATABASE_UNREACHABLE', status: 503 });
      await operator.query('ROLLBACK');
      // Idle connections whose end has not been noticed yet fail once.
      await expect.poll(() => counted().catch(() => undefined)).toBe(0);
      const rows = await operator.query(
        'SELECT FROM eigenveil_data_user.contribution_bodies WHERE task_id = $1',
        [id],
      );
      expect(rows.rowCount).toBe(0);
      const repeated = () => insert(0, [1, 2]).catch(() => []);
      await expect
        .poll(repeated)
        .toEqual([1, 2].map((number) => ({ ...stored(number), receipt: 'receipt of 0' })));
      expect(await counted()).toBe(2);
    });

    test('while nobody uses them: the next request opens another', async () => {
      await insert(0, [1]);
      await cut();
      await expect.poll(() => insert(0, [1, 2]).then(codesOf, () => [])).toEqual(['taken', 'taken']);
    });

    test('at random, again and again: what was confirmed is there, once', async () => {
      const MANY = 24;
      const confirmed = new Map<number, unknown>();
      const contribute = async (process: number, numbers: readonly number[], isCut: boolean) => {
        for (const number of numbers) {
          const first = insert(process, [number]).catch(() => []);
          if (isCut) await cut(); // wherever this one and the others are
          let [outcome] = await first;
          while (outcome === undefined) [outcome] = await insert(process, [number]).catch(() => []);
          confirmed.set(number, outcome);
        }
      };
      const part = (i: number) => numbersTo(MANY).filter((number) => number % 4 === i);
      await Promise.all([0, 1, 2, 3].map((i) => contribute(i % 2, part(i), i === 0)));
      expect(confirmed.size).toBe(MANY);
      await expect.poll(() => counted().catch(() => 0)).toBe(MANY);
      for (const [number, outcome] of confirmed)
        expect(await stores[1].contribution(id, owner(number))).toEqual(outcome);
    });
  });
});
