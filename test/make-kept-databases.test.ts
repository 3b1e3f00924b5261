/**
 * Makes the databases anew that are kept for tests (test/support/kept-databases.ts), with EIGENVEIL_RECORD=1: to be run when a schema changes, or
 * the form of what lies in it.
 */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inviteOwners } from '@eigenveil/csp';
import { PaillierPool } from '@eigenveil/paillier';
import { databaseFile } from '@eigenveil/server';
import type { SignedTask } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { ByHand } from './support/by-hand.ts';
import { query } from './support/database.ts';
import { KEPT_DATABASES, KEY_FILES, type KeptTasks } from './support/kept-databases.ts';
import { World } from './support/world.ts';

const DAYS = 86_400_000;

/** A CSP that gets stuck where it decrypts, once it is told to. */
class StuckPool extends PaillierPool {
  isStuck = false;

  override decrypt(...args: Parameters<PaillierPool['decrypt']>): ReturnType<PaillierPool['decrypt']> {
    return this.isStuck ? Promise.reject(new Error('stuck')) : super.decrypt(...args);
  }
}

test.runIf(process.env.EIGENVEIL_RECORD === '1')('makes databases in the midst of tasks', async () => {
  const paillier = new StuckPool({ threads: 0 });
  const world = await World.start({
    proxied: true,
    cspOverrides: { paillier },
    csp: { ownerTokenDays: 3650 },
    dataUser: { cspPatienceSeconds: 0 },
  });
  const { cspConfig, dataUserConfig } = world;
  const atCsp = (column: string, { task }: SignedTask) =>
    query(cspConfig.dataDirectory, `SELECT ${column} AS it FROM tasks WHERE task_id = ?`, task.id)[0]!.it;
  const byHand = await ByHand.start(world);
  const client = await world.taskClient();
  const owners = await byHand.owners(4);
  const deadline = new Date(Date.now() + 3 * DAYS).toISOString();
  const withContributions = async () => {
    const signed = await byHand.create({ deadline });
    for (const part of [0, 1, 2]) await byHand.contribute(owners[part]!, signed, part);
    return signed;
  };

  const done = await withContributions();
  await byHand.expectResult(done, [0, 1, 2]);
  const cancelled = await withContributions();
  await client.cancelTask(cancelled.task.id);
  for (const over of [done, cancelled]) await expect.poll(() => atCsp('state', over)).toBe('ended');
  const open = await withContributions();
  await byHand.contribute(owners[3]!, open, 0);
  await byHand.withdraw(owners[3]!, open.task.id);
  const agreed = await byHand.create({ deadline });
  const blinded = await withContributions();
  const unblinded = await withContributions();

  world.proxies.csp.inject(/two-party$/, { kind: 'lose request' }, Number.POSITIVE_INFINITY);
  await client.closeTask(unblinded.task.id);
  await byHand.expectState(unblinded, 'unblinded');
  await inviteOwners(cspConfig.dataDirectory, 2, 3600);
  paillier.isStuck = true;
  await client.closeTask(blinded.task.id);
  await expect.poll(() => atCsp('unblinding_digest', blinded)).toEqual(expect.any(String));
  await world.stopCsp();
  await expect(byHand.create({ deadline })).rejects.toThrow(); // which leaves a task that is proposed
  await world.stopDataUser();

  await mkdir(KEPT_DATABASES, { recursive: true });
  for (const [service, directory] of [
    ['csp', cspConfig.dataDirectory],
    ['data-user', dataUserConfig.dataDirectory],
  ] as const) {
    await writeFile(join(KEPT_DATABASES, `${service}.sql`), dump(databaseFile(directory)));
    for (const key of KEY_FILES) await cp(join(directory, key), join(KEPT_DATABASES, `${service}-${key}`));
  }
  const described: KeptTasks = {
    time: new Date().toISOString(),
    done: done.task.id,
    cancelled: cancelled.task.id,
    open: open.task.id,
    agreed: agreed.task.id,
    blinded: blinded.task.id,
    unblinded: unblinded.task.id,
  };
  await writeFile(join(KEPT_DATABASES, 'tasks.json'), `${JSON.stringify(described, null, 2)}\n`);
  await world.close();
});

/** A database as SQL text. */
function dump(path: string): string {
  const db = new DatabaseSync(path, { readOnly: true });
  const pragmas = ['application_id', 'user_version'].map(
    (name) => `PRAGMA ${name} = ${Number(db.prepare(`PRAGMA ${name}`).get()![name])};`,
  );
  const objects = db
    .prepare(
      "SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all();
  const tables = objects.filter(({ type }) => type === 'table');
  // Without columns that the database makes itself, into which nothing is inserted.
  const columnsOf = (table: unknown) =>
    db
      .prepare('SELECT name FROM pragma_table_info(?)')
      .all(String(table))
      .map(({ name }) => name)
      .join(', ');
  const inserts = tables.flatMap(({ name }) =>
    db
      .prepare(`SELECT ${columnsOf(name)} FROM ${name}`)
      .all()
      .map((row) => {
        const values = Object.values(row).map(literal).join(', ');
        return `INSERT INTO ${name} (${Object.keys(row).join(', ')}) VALUES (${values});`;
      }),
  );
  db.close();
  return `${[...objects.map(({ sql }) => `${sql};`), ...inserts, ...pragmas].join('\n')}\n`;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  return `'${String(value).replaceAll("'", "''")}'`;
}
