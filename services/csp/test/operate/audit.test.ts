/**
 * The audit log: it tells of every use of a key, in the transaction of that use, and shows what was done to
 * it.
 *
 * @claims S-36, S-122, S-123, S-125, S-126, S-187
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '@eigenveil/server';
import { type Task, TaskId } from '@eigenveil/task';
import { Digest, digestJson, OwnerId, Thumbprint } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAudit, verifyAudit } from '../../src/operate/audit.ts';
import { SqliteCspStore } from '../../src/store/sqlite-store.ts';

const id = (letter: string) => TaskId.parse(letter.repeat(22));
const digest = (i: number) => Digest.parse(`${i}`.repeat(43));
const [SEALED_KEY, SEALED_SHARES] = [Buffer.from('sealed secret key'), Buffer.from('sealed shares')];

const MOST = 3;

let folder: string;
let store: SqliteCspStore;
let clock: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-audit-'));
  clock = Date.UTC(2030, 0, 1);
  store = new SqliteCspStore(databaseFile(folder), () => {
    clock += 1000;
    return new Date(clock);
  });
});
afterEach(async () => {
  store.close();
  await rm(folder, { recursive: true, force: true });
});

const insert = (taskId: TaskId) =>
  store.insertTask(
    {
      task: { id: taskId, minimumOwners: 2, maximumOwners: 3 } as Task,
      digest: digest(1),
      agreement: 'agreement',
      state: 'agreed',
      sealedSecretKey: SEALED_KEY,
      fixation: null,
      unblindingDigest: null,
      sealedShares: null,
    },
    { openTasks: 1000, tasksPerDay: 1000 },
  );
const begin = (taskId: TaskId, request = 2) =>
  store.beginUnblinding(taskId, { requestDigest: digest(request), verifiedOwners: 0 });

/** The whole way of a task that is computed and ended. */
async function compute(taskId: TaskId): Promise<void> {
  await insert(taskId);
  await begin(taskId);
  await store.completeUnblinding(taskId, SEALED_SHARES);
  await store.noteAnswer(taskId, MOST);
  await store.endTask(taskId);
}

const operations = () =>
  readAudit(folder).map(({ taskId, operation, requestDigest }) => [
    String(taskId)[0],
    operation,
    requestDigest,
  ]);

describe('an entry', () => {
  test('tells of every use of a key and of the shares, and of nothing else', async () => {
    await compute(id('a'));
    expect(operations()).toEqual([
      ['a', 'key made', digest(1)],
      ['a', 'unblinded', digest(2)],
      ['a', 'key destroyed', digest(2)],
      ['a', 'computation answered', digest(2)],
    ]);
    await store.addEnrolmentTokens(['token'], new Date(clock + 1e6));
    await store.enrol(
      'token',
      Thumbprint.parse('t'.repeat(43)),
      OwnerId.parse('o'.repeat(22)),
      new Date(clock),
    );
    await store.endTask(id('a')); // the key was gone
    expect(operations()).toHaveLength(4);
    const { entries, lastHash } = verifyAudit(readAudit(folder));
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(entries[0]!.time).toBe('2030-01-01T00:00:02.000Z');
    expect(entries.at(-1)!.hash).toBe(lastHash);
    expect(JSON.stringify(entries)).not.toContain('sealed');
  });

  test('is written for what was done, not for what was asked', async () => {
    await insert(id('a'));
    await insert(id('a'));
    expect(await store.noteStart(id('a'))).toBe(false);
    expect(await store.noteAnswer(id('a'), MOST)).toBeUndefined();
    expect(await begin(id('a'))).toBe(true);
    expect(await begin(id('a'), 3)).toBe(false);
    expect(await begin(id('a'))).toBe(true); // decrypts again, after a crash
    await store.endTask(id('a'));
    await store.completeUnblinding(id('a'), SEALED_SHARES);
    expect(await store.noteAnswer(id('a'), MOST)).toBeUndefined();
    expect(operations()).toEqual([
      ['a', 'key made', digest(1)],
      ['a', 'unblinded', digest(2)],
      ['a', 'unblinded', digest(2)],
      ['a', 'key destroyed', null],
    ]);
  });

  test('is written for each answer, until as many were given as may be and the shares are gone', async () => {
    await insert(id('a'));
    await begin(id('a'));
    await store.completeUnblinding(id('a'), SEALED_SHARES);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => store.noteAnswer(id('a'), MOST)));
    expect(answers).toEqual([2, 1, 0, undefined, undefined]);
    expect(operations().filter(([, operation]) => operation === 'computation answered')).toHaveLength(MOST);
    expect(await store.task(id('a'))).toMatchObject({ state: 'unblinded', sealedShares: null });
    expect(await store.noteStart(id('a'))).toBe(false);
  });

  test('is written for each run of the one answer, which is given up after as many as may be', async () => {
    await insert(id('a'));
    await begin(id('a'));
    expect(await store.keepSeed(id('a'), SEALED_SHARES)).toBeUndefined();
    await store.completeUnblinding(id('a'), SEALED_SHARES);
    expect(await store.noteRun(id('a'), 2)).toBeUndefined();
    expect(await store.keepSeed(id('a'), SEALED_SHARES)).toEqual(Uint8Array.from(SEALED_SHARES));
    expect(await store.keepSeed(id('a'), Uint8Array.of(9))).toEqual(Uint8Array.from(SEALED_SHARES));
    expect(await store.keepTag(id('a'), 0, Uint8Array.of(1))).toEqual(Uint8Array.of(1));
    expect(await store.keepTag(id('a'), 0, Uint8Array.of(2))).toEqual(Uint8Array.of(1));
    const runs: (number | undefined)[] = [];
    for (let i = 0; i < 4; i += 1) runs.push(await store.noteRun(id('a'), 2));
    expect(runs).toEqual([1, 2, undefined, undefined]);
    expect(operations().slice(3)).toEqual([
      ['a', 'computation answered', digest(2)],
      ['a', 'computation resumed', digest(2)],
    ]);
    expect(await store.task(id('a'))).toMatchObject({ state: 'unblinded', sealedShares: null });
    expect(await store.keepSeed(id('a'), SEALED_SHARES)).toBeUndefined();
    expect(await store.keepTag(id('a'), 1, Uint8Array.of(1))).toBeUndefined();
    verifyAudit(readAudit(folder));
  });

  test('is written once for an answer that is given up, whether it was given or not', async () => {
    for (const [name, given] of [
      ['a', 0],
      ['b', 1],
    ] as const) {
      await insert(id(name));
      await begin(id(name));
      await store.completeUnblinding(id(name), SEALED_SHARES);
      await store.keepSeed(id(name), SEALED_SHARES);
      if (given === 1) await store.noteRun(id(name), 2);
      await store.giveUpAnswer(id(name));
      await store.giveUpAnswer(id(name));
      expect(await store.task(id(name))).toMatchObject({ sealedShares: null });
      expect(
        operations().filter(([task, operation]) => task === name && operation === 'computation answered'),
      ).toHaveLength(1);
    }
  });

  test('is written for no answer more where fewer may be given than were', async () => {
    await insert(id('a'));
    await begin(id('a'));
    await store.completeUnblinding(id('a'), SEALED_SHARES);
    expect(await store.noteAnswer(id('a'), MOST)).toBe(2);
    expect(await store.noteAnswer(id('a'), 1)).toBeUndefined();
    expect(operations().filter(([, operation]) => operation === 'computation answered')).toHaveLength(1);
  });

  test('is written for the first, second, fourth, … computation that starts, and none is refused for the number', async () => {
    await insert(id('a'));
    await begin(id('a'));
    await store.completeUnblinding(id('a'), SEALED_SHARES);
    for (let i = 0; i < 100; i += 1) expect(await store.noteStart(id('a'))).toBe(true);
    const started = operations().filter(([, operation]) => operation === 'computation started');
    expect(started).toEqual([1, 2, 4, 8, 16, 32, 64].map(() => ['a', 'computation started', digest(2)]));
    expect(await store.noteAnswer(id('a'), MOST)).toBe(2);
    verifyAudit(readAudit(folder));
  });

  test('that cannot be written leaves what it tells of undone', async () => {
    await insert(id('a'));
    await begin(id('a'));
    tamper('ALTER TABLE audit RENAME TO gone');
    await expect(insert(id('b'))).rejects.toThrow(/audit/);
    await expect(begin(id('a'))).rejects.toThrow(/audit/);
    await expect(store.completeUnblinding(id('a'), SEALED_SHARES)).rejects.toThrow(/audit/);
    await expect(store.endTask(id('a'))).rejects.toThrow(/audit/);
    expect(await store.task(id('b'))).toBeUndefined();
    expect(await store.task(id('a'))).toMatchObject({ state: 'agreed', sealedShares: null });
    expect((await store.task(id('a')))!.sealedSecretKey).not.toBeNull();
  });
});

function tamper(...statements: string[]): void {
  const db = new DatabaseSync(databaseFile(folder));
  for (const statement of statements) db.exec(statement);
  db.close();
}

describe('a log in which somebody', () => {
  beforeEach(async () => {
    await compute(id('a'));
    await compute(id('b'));
  });
  const verify = (noted?: Digest) => verifyAudit(readAudit(folder), noted);
  const broken = (place: RegExp) =>
    expect.objectContaining({ code: 'ERR_AUDIT_BROKEN', message: expect.stringMatching(place) });

  test('did nothing is whole, also when it was read by nobody but its hash noted', () => {
    const { entries, lastHash } = verify();
    expect(entries).toHaveLength(8);
    for (const { hash } of entries) expect(verify(hash).lastHash).toBe(lastHash);
  });

  const columns: [string, string][] = [
    ['time', "'2031-01-01T00:00:00.000Z'"],
    ['time', "'some day'"],
    ['task_id', `'${'c'.repeat(22)}'`],
    ['operation', "'key destroyed'"],
    ['operation', "'key made'"],
    ['operation', "'nothing'"],
    ['request_digest', `'${'9'.repeat(43)}'`],
    ['request_digest', 'NULL'],
    ['previous_hash', `'${'9'.repeat(43)}'`],
    ['hash', `'${'9'.repeat(43)}'`],
  ];
  test.each(columns)('changed %s to %s is broken at that entry', (column, value) => {
    for (const { sequence, ...entry } of readAudit(folder).reverse()) {
      const names: Record<string, string> = {
        task_id: 'taskId',
        request_digest: 'requestDigest',
        previous_hash: 'previousHash',
      };
      const before = entry[names[column] ?? column];
      if (value === (before === null ? 'NULL' : `'${before}'`)) continue; // no change
      tamper(`UPDATE audit SET ${column} = ${value} WHERE sequence = ${sequence}`);
      expect(() => verify()).toThrow(broken(new RegExp(`entry ${sequence} `)));
    }
  });

  test.each([1, 2, 5, 7])('removed entry %i is broken there', (sequence) => {
    tamper(`DELETE FROM audit WHERE sequence = ${sequence}`);
    expect(() => verify()).toThrow(broken(new RegExp(`entry ${sequence} `)));
    // Nor does it help to close the gap.
    for (let i = sequence + 1; i <= 8; i += 1)
      tamper(`UPDATE audit SET sequence = ${i - 1} WHERE sequence = ${i}`);
    expect(() => verify()).toThrow(broken(new RegExp(`entry ${sequence} `)));
  });

  test('swapped two entries is broken at the first of them', () => {
    const set = (from: number, to: number) => `UPDATE audit SET sequence = ${to} WHERE sequence = ${from}`;
    tamper(set(3, 99), set(4, 3), set(99, 4));
    expect(() => verify()).toThrow(broken(/entry 3 /));
  });

  test('put an entry in, at the end or at the beginning, is broken there', () => {
    const columns = 'time, task_id, operation, request_digest, previous_hash, hash';
    tamper(`INSERT INTO audit SELECT 9, ${columns} FROM audit WHERE sequence = 8`);
    expect(() => verify()).toThrow(broken(/entry 9 /));
    tamper(
      'DELETE FROM audit WHERE sequence = 9',
      `INSERT INTO audit SELECT 0, ${columns} FROM audit WHERE sequence = 1`,
    );
    expect(() => verify()).toThrow(broken(/entry 1 /));
  });

  test('changed an entry and its hash is broken at the next', () => {
    const rows = readAudit(folder);
    const { hash: _, ...rest } = rows[2]!;
    const content = { ...rest, operation: 'computation answered' };
    const forged = { ...content, hash: digestJson('audit entry', content) };
    expect(() => verifyAudit(rows.with(2, forged))).toThrow(broken(/entry 4 does not follow/));
    expect(verifyAudit(rows.slice(0, 2).concat(forged)).entries).toHaveLength(3);
  });

  test('removed the latest entries, or all, looks whole to everybody but those who noted a hash', () => {
    const { entries, lastHash } = verify();
    tamper('DELETE FROM audit WHERE sequence > 6');
    expect(verify().entries).toHaveLength(6);
    expect(verify(entries[5]!.hash).entries).toHaveLength(6);
    expect(() => verify(lastHash)).toThrow(broken(/noted hash/));
    tamper('DELETE FROM audit');
    expect(verify().entries).toHaveLength(0);
    expect(() => verify(lastHash)).toThrow(broken(/noted hash/));
  });

  test('computed every hash anew looks whole to everybody but those who noted one', () => {
    const { entries, lastHash } = verify();
    const forged = entries.filter(({ taskId }) => taskId !== id('a'));
    const { entries: accepted } = verifyAudit(rechain(forged));
    expect(accepted).toHaveLength(4);
    expect(() => verifyAudit(rechain(forged), lastHash)).toThrow(broken(/noted hash/));
    expect(verifyAudit(rechain(entries)).lastHash).toBe(lastHash);
  });
});

/** What somebody can do who knows how hashes are computed. */
function rechain(entries: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  let previousHash: unknown = readAudit(folder)[0]!.previousHash;
  return entries.map(({ hash: _, ...content }, i) => {
    const entry = { ...content, sequence: i + 1, previousHash };
    const hash = digestJson('audit entry', entry);
    previousHash = hash;
    return { ...entry, hash };
  });
}
