/**
 * Revocations, ends and fixations in the CSP's database, by a command and a service at once: all of each or
 * nothing, whatever comes in between.
 *
 * @claims S-536, S-537, S-541, S-542, S-543
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, hashOneTimeToken } from '@eigenveil/server';
import { type Task, TaskId } from '@eigenveil/task';
import { Digest, OwnerId, Thumbprint } from '@eigenveil/wire';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAudit, verifyAudit } from '../../src/operate/audit.ts';
import { CspOperator } from '../../src/operate/operator.ts';
import { SqliteCspStore } from '../../src/store/sqlite-store.ts';
import type { TaskQuota } from '../../src/store/store.ts';

const owner = (i: number) => OwnerId.parse(`${i}`.repeat(22));
const key = (i: number) => Thumbprint.parse(`${i}`.repeat(43));
const digest = (i: number) => Digest.parse(`${i}`.repeat(43));
const id = (i: number) => TaskId.parse('abc'[i]!.repeat(22));
const dataUser = key(9);
const MANY: TaskQuota = { openTasks: 100, tasksPerDay: 100 };

let folder: string;
let clock: number;
let store: SqliteCspStore;
let operator: CspOperator;
const now = () => new Date(clock);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-operator-'));
  clock = Date.UTC(2030, 0, 1);
  store = new SqliteCspStore(databaseFile(folder), now);
  operator = new CspOperator(databaseFile(folder), now); // a connection of its own, as that of a command
});
afterEach(async () => {
  store.close();
  operator.close();
  await rm(folder, { recursive: true, force: true });
});

async function enrol(n: number): Promise<void> {
  const tokens = Array.from({ length: n }, (_, i) => `token ${i}`);
  await store.addEnrolmentTokens(tokens, new Date(clock + 1e6));
  for (let i = 0; i < n; i += 1) await store.enrol(tokens[i]!, key(i), owner(i), now());
}
const insert = (i: number, quota = MANY) =>
  store.insertTask(
    {
      task: { id: id(i), dataUser, minimumOwners: 1, maximumOwners: 9 } as Task,
      digest: digest(1),
      agreement: 'agreement',
      state: 'agreed',
      sealedSecretKey: Buffer.from('sealed'),
      fixation: null,
      unblindingDigest: null,
      sealedShares: null,
    },
    quota,
  );
const record = (i: number) => ({ ownerId: owner(i), contributionDigest: digest(i) });
const recordsOf = async (task: number) => (await store.records(id(task), '', 100)).map((it) => it.ownerId);

/** Everything in the database, read by nobody of ours. */
function contents(): unknown {
  const db = new DatabaseSync(databaseFile(folder), { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const all = tables.map(({ name }) => [name, db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]);
  db.close();
  return all;
}

describe('what breaks off half-way changes nothing', () => {
  const revoke = () => operator.revokeOwners([owner(0), owner(1)]);
  test.each<[string, string, () => unknown]>([
    ['a revocation, at the mark', 'UPDATE OF revoked_at ON owners', revoke],
    ['a revocation, at the records', 'DELETE ON records', revoke],
    ['a revocation, at the number', 'UPDATE ON revocation_list', revoke],
    ['a revocation, at the log', 'INSERT ON audit', revoke],
    ["a data user's, at its mark", 'INSERT ON revoked_data_users', () => operator.revokeDataUser(dataUser)],
    ["a data user's, at its tasks", 'UPDATE OF state ON tasks', () => operator.revokeDataUser(dataUser)],
    ['the end of tasks, at the log', 'INSERT ON audit', () => operator.endTasks([id(0), id(1)])],
    ['the end of tasks, at the records', 'DELETE ON records', () => operator.endTasks([id(0), id(1)])],
    ["a token's, at the log", 'INSERT ON audit', () => operator.revokeTokens(['spare'])],
  ])('%s', async (_, event, work) => {
    await enrol(2);
    await store.addEnrolmentTokens([hashOneTimeToken('spare')], new Date(clock + 1e6));
    for (const i of [0, 1]) {
      await insert(i);
      await store.addRecords(id(i), [record(0), record(1)]);
    }
    const before = contents();
    const db = new DatabaseSync(databaseFile(folder));
    db.exec(`CREATE TRIGGER broken BEFORE ${event} BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    expect(work).toThrow('power cut');
    expect(contents()).toEqual(before);
    db.exec('DROP TRIGGER broken');
    db.close();
    work();
    expect(contents()).not.toEqual(before);
    verifyAudit(readAudit(folder));
  });
});

describe('tokens', () => {
  const token = 't'.repeat(43);
  test('that are revoked enrol nobody; one that was used is not revoked', async () => {
    await store.addEnrolmentTokens([token, 'b', 'c'].map(hashOneTimeToken), new Date(clock + 1e6));
    expect(operator.revokeTokens([hashOneTimeToken(token)])).toBe(1);
    const enrolment = store.enrol(hashOneTimeToken(token), key(1), owner(1), now());
    await expect(enrolment).rejects.toMatchObject({ code: 'ERR_ENROLMENT_TOKEN' });
    await store.enrol(hashOneTimeToken('b'), key(2), owner(2), now());
    expect(() => operator.revokeTokens(['c', 'b'])).toThrow(`number 2 was used by owner ${owner(2)}`);
    // A secret is not repeated in a refusal, not even one that is void.
    expect(() => operator.revokeTokens(['c', token])).toThrow(/^((?!ttt).)*$/);
    expect(await operator.revokeAllTokens()).toBe(1); // c, which the refusals have left
    await store.enrol(hashOneTimeToken('b'), key(2), owner(3), now()); // the same again is answered
  });
});

describe('quotas', () => {
  test('count in the transaction that stores a task, and open again as tasks end and a day goes by', async () => {
    const quota = { openTasks: 1, tasksPerDay: 2 };
    await insert(0, quota);
    await insert(0, quota); // the same again
    await expect(insert(1, quota)).rejects.toMatchObject({ code: 'ERR_QUOTA', parameters: {} });
    operator.endTasks([id(0)]);
    clock += 1000;
    await insert(1, quota);
    operator.endTasks([id(1)]);
    await expect(insert(2, quota)).rejects.toMatchObject({
      code: 'ERR_QUOTA',
      parameters: { retryAfterSeconds: 86_399 },
    });
    clock += 86_399_000;
    await insert(2, quota);
  });

  test('do not help a data user that was revoked while its key was made', async () => {
    operator.revokeDataUser(dataUser);
    await expect(insert(0)).rejects.toMatchObject({ code: 'ERR_AUTH_FORBIDDEN' });
    expect(await store.task(id(0))).toBeUndefined();
  });
});

test('the number rises with each revocation, also by two at once and with a clock that was set back, and with none else', async () => {
  await enrol(4);
  const second = new CspOperator(databaseFile(folder), now);
  const first = operator.revokeOwners([owner(0)]).number;
  expect(first).toBe(clock);
  expect(second.revokeOwners([owner(0)]).number).toBe(first);
  expect(second.revokeOwners([owner(1)]).number).toBe(first + 1);
  clock -= 1e6;
  expect(operator.revokeOwners([owner(2), owner(1)]).number).toBe(first + 2);
  expect(() => operator.revokeOwners([owner(3), owner(8)])).toThrow(owner(8));
  expect(await store.revocations()).toEqual({ number: first + 2, owners: [owner(0), owner(1), owner(2)] });
  operator.endAll(digest(7)); // restored
  expect((await store.revocations()).number).toBe(first + 3);
  second.close();
});

test('a set is not fixed that was read before it changed, though there are as many records as before', async () => {
  await enrol(3);
  await insert(0);
  await store.addRecords(id(0), [record(0), record(1)]);
  const asRead = await store.recordChanges(id(0));
  const fixation = { verifiedOwners: 2, contributionsRoot: digest(5) };
  operator.revokeOwners([owner(1)]);
  await expect(store.addRecords(id(0), [record(2), record(1)])).rejects.toMatchObject({
    code: 'ERR_OWNER_REVOKED',
  });
  expect(await recordsOf(0)).toEqual([owner(0)]); // nothing of that request
  await store.addRecords(id(0), [record(2)]);
  expect(await store.countRecords(id(0))).toBe(2);
  expect(await store.fixRecords(id(0), fixation, asRead)).toBe(false);
  expect(await store.fixRecords(id(0), fixation, await store.recordChanges(id(0)))).toBe(true);
});

type Step = readonly ['record' | 'withdraw' | 'revoke' | 'fix' | 'unblind' | 'end', number, number];

test('whatever comes in whatever order: counts are right, revoked owners are in no set that is not fixed, and fixed sets stay', async () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom<Step[0]>('record', 'record', 'record', 'withdraw', 'revoke', 'fix', 'unblind', 'end'),
      fc.nat({ max: 1 }),
      fc.nat({ max: 3 }),
    ),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const path = join(folder, `${Math.random()}`);
      const [service, command] = [new SqliteCspStore(path, now), new CspOperator(path, now)];
      const was = [store, operator] as const;
      [store, operator] = [service, command];
      try {
        await enrol(4);
        await Promise.all([insert(0), insert(1)]);
        const fixed = new Map<number, OwnerId[]>();
        const revoked = new Set<OwnerId>();
        let { number } = await store.revocations();
        for (const [step, task, who] of given) {
          const changes = await store.recordChanges(id(task));
          const set = await recordsOf(task);
          const refused = () => undefined;
          if (step === 'record') await store.addRecords(id(task), [record(who)]).catch(refused);
          if (step === 'withdraw') await store.withdraw(id(task), owner(who)).catch(refused);
          if (step === 'revoke') {
            const result = operator.revokeOwners([owner(who)]);
            expect(result.number > number).toBe(!revoked.has(owner(who)));
            revoked.add(owner(who));
            ({ number } = result);
          }
          if (step === 'fix') {
            const fixation = { verifiedOwners: set.length, contributionsRoot: digest(5) };
            if (who === 0) await store.withdraw(id(task), owner(3)).catch(refused); // meanwhile
            const isSame = JSON.stringify(await recordsOf(task)) === JSON.stringify(set);
            const isFixed = await store.fixRecords(id(task), fixation, changes);
            if (isFixed) expect(isSame).toBe(true);
            if (isFixed) fixed.set(task, set);
          }
          if (step === 'unblind') {
            const request = { requestDigest: digest(6), verifiedOwners: set.length };
            if (await store.beginUnblinding(id(task), request)) fixed.set(task, set);
          }
          if (step === 'end' && who === 0) {
            operator.endTasks([id(task)]);
            fixed.set(task, []);
          }
          for (const i of [0, 1]) {
            const there = await recordsOf(i);
            expect(await store.countRecords(id(i))).toBe(there.length);
            if (fixed.has(i)) expect(there).toEqual(fixed.get(i));
            else expect(there.filter((it) => revoked.has(it))).toEqual([]);
          }
        }
      } finally {
        [store, operator] = was;
        service.close();
        command.close();
      }
    }),
    { numRuns: 25 },
  );
});
