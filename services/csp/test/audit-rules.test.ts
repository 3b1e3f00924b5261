/**
 * The rules of the audit log: uses of keys that no CSP makes are told from those that one makes, though the
 * chain of hashes is whole.
 *
 * @claims S-125
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile, transaction } from '@eigenveil/server';
import { TaskId } from '@eigenveil/task';
import { Digest } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AUDIT_OPERATIONS,
  type AuditedUse,
  type AuditOperation,
  appendAudit,
  readAudit,
  verifyAudit,
} from '../src/operate/audit.ts';
import { SqliteCspStore } from '../src/store/sqlite-store.ts';

const digest = (i: number) => Digest.parse(`${i}`.repeat(43));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-audit-rules-'));
  new SqliteCspStore(databaseFile(folder)).close();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a whole chain of entries that', () => {
  const use = (operation: AuditOperation, request: number | null = 2, letter = 'a'): AuditedUse => ({
    taskId: TaskId.parse(letter.repeat(22)),
    operation,
    requestDigest: request === null ? null : digest(request),
  });
  /** Verifies the log of a CSP that has written down just these uses. */
  const verify = (uses: readonly AuditedUse[]) => {
    const db = new DatabaseSync(databaseFile(folder));
    transaction(db, () => {
      for (const one of uses) appendAudit(db, new Date(), one);
    });
    db.close();
    return verifyAudit(readAudit(folder));
  };
  const [made, unblinded, destroyed, answered] = AUDIT_OPERATIONS.map((operation) => use(operation));
  const started = use('computation started');
  const resumed = use('computation resumed');
  const fixed = use('records fixed', 5);
  const endedByOperator = use('ended by operator', null);
  const revoked = (operation: AuditOperation, request: number | null): AuditedUse => ({
    ...use(operation, request),
    taskId: null,
  });
  const restored: AuditedUse = { taskId: null, operation: 'restored', requestDigest: digest(7) };

  test.each<[string, AuditedUse[]]>([
    ['unblinds a second request', [made!, unblinded!, use('unblinded', 3)]],
    ['unblinds a second request after a crash', [made!, unblinded!, unblinded!, use('unblinded', 3)]],
    ['unblinds with a destroyed key', [made!, unblinded!, destroyed!, unblinded!]],
    ['unblinds in an ended task', [made!, use('key destroyed', null), unblinded!]],
    ['answers what was never unblinded', [made!, answered!]],
    ['answers another request', [made!, unblinded!, destroyed!, use('computation answered', 3)]],
    ['answers no request', [made!, unblinded!, destroyed!, use('computation answered', null)]],
    [
      'answers what another task unblinded',
      [use('key made', 1, 'b'), use('unblinded', 2, 'b'), made!, answered!],
    ],
    ['computes with what was never unblinded', [made!, started]],
    ['computes with another request', [made!, unblinded!, destroyed!, use('computation started', 3)]],
    ['computes in a task from before a restoration', [made!, unblinded!, destroyed!, restored, started]],
    ['makes a second key', [made!, use('key made', 1)]],
    ['unblinds with a key that was never made', [unblinded!]],
    ['destroys a key that was never made', [restored, use('key destroyed', null)]],
    ['unblinds a task from before a restoration', [made!, restored, unblinded!]],
    ['repeats an unblinding from before a restoration', [made!, unblinded!, restored, unblinded!]],
    ['answers a task from before a restoration', [made!, unblinded!, destroyed!, restored, answered!]],
    ['makes a key again after a restoration', [made!, restored, made!]],
    ['restores a task', [made!, use('restored')]],
    ['resumes an answer that was never given', [made!, unblinded!, destroyed!, resumed]],
    [
      'resumes an answer to another request',
      [made!, unblinded!, destroyed!, answered!, use('computation resumed', 3)],
    ],
    ['fixes records twice', [made!, fixed, fixed]],
    ['fixes records after the unblinding', [made!, unblinded!, fixed]],
    ['fixes records without a key', [made!, use('key destroyed', null), fixed]],
    ['unblinds what the operator has ended', [made!, endedByOperator, unblinded!]],
    ['answers what the operator has ended', [made!, unblinded!, destroyed!, endedByOperator, answered!]],
    ['revokes an owner of a task', [made!, use('owner revoked')]],
    ['resumes an answer from before a restoration', [made!, unblinded!, answered!, restored, resumed]],
  ])('%s breaks the rules at its last entry', (_, uses) => {
    const { length } = uses;
    expect(() => verify(uses)).toThrow(
      expect.objectContaining({
        code: 'ERR_AUDIT_BROKEN',
        message: expect.stringMatching(new RegExp(`^entry ${length} breaks the rules: .* task a{22} `)),
      }),
    );
  });

  test('tells of a use of no task breaks the rules', () => {
    expect(() => verify([made!, { ...unblinded!, taskId: null }])).toThrow(
      expect.objectContaining({
        code: 'ERR_AUDIT_BROKEN',
        message: expect.stringMatching(/^entry 2 breaks/),
      }),
    );
  });

  test.each<[string, AuditedUse[]]>([
    ['revokes an owner twice', [revoked('owner revoked', 1), revoked('owner revoked', 1)]],
    ['revokes nobody', [made!, revoked('data user revoked', null)]],
    ['fixes the records of no task', [made!, { ...fixed, taskId: null }]],
  ])('%s breaks the rules, of no task', (_, uses) => {
    const message = expect.stringMatching(/^entry 2 breaks the rules/);
    expect(() => verify(uses)).toThrow(expect.objectContaining({ code: 'ERR_AUDIT_BROKEN', message }));
  });

  test.each<[string, AuditedUse[]]>([
    ['fixes records before the unblinding', [made!, fixed, unblinded!, destroyed!, answered!]],
    ['ends a task by the operator', [made!, fixed, endedByOperator, use('key destroyed', null)]],
    [
      'revokes again what a restoration has forgotten, and others with the same digest',
      [
        revoked('owner revoked', 1),
        revoked('data user revoked', 1),
        revoked('token revoked', 1),
        restored,
        revoked('owner revoked', 1),
      ],
    ],
    ['repeats its unblinding after a crash', [made!, unblinded!, unblinded!, destroyed!, answered!]],
    ['starts computations', [made!, unblinded!, destroyed!, started, started, answered!]],
    ['gives an answer again', [made!, unblinded!, destroyed!, answered!, answered!]],
    ['resumes an answer', [made!, unblinded!, destroyed!, answered!, resumed, resumed]],
    ['ends a task between two attempts', [made!, unblinded!, unblinded!, use('key destroyed', null)]],
    ['ends a task before its unblinding', [made!, use('key destroyed', null)]],
    ['destroys keys after a restoration', [made!, restored, use('key destroyed', null)]],
    [
      'computes a task after two restorations',
      [restored, restored, made!, unblinded!, destroyed!, answered!],
    ],
    [
      'unblinds two tasks, each its own request',
      [made!, use('key made', 1, 'b'), unblinded!, use('unblinded', 3, 'b'), destroyed!, answered!],
    ],
  ])('%s keeps the rules', (_, uses) => {
    expect(verify(uses).entries).toHaveLength(uses.length);
  });
});
