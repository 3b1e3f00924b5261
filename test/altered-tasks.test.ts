/** A task that somebody has changed in the CSP's database: the CSP notices before it uses the key, and tells its operator. */
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { adminTokenFile, databaseFile } from '@eigenveil/server';
import type { TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WatchedPool } from './support/pool.ts';
import { textOf } from './support/requests.ts';
import { RogueDataUser } from './support/rogue.ts';
import { alarmLog, rogueTask, storedTask } from './support/rogue-task.ts';
import { dataFile, exampleOf } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const paillier = new WatchedPool();
const { log, alarms } = alarmLog();
let world: World;
let proposal: TaskProposal;
let rogue: RogueDataUser;
let owners: Enrolled[];
let id: string;
let blinded: Uint8Array;
let records: string[];

beforeAll(async () => {
  world = await World.start({ cspOverrides: { paillier, log } });
  const { proposal: example } = await exampleOf(dataFile('iris'), 'pca');
  proposal = { ...example, minimumOwners: 2, maximumOwners: 3 };
  rogue = await RogueDataUser.of(world);
  owners = [await world.enrolledOwner(), await world.enrolledOwner()];
});
beforeEach(async () => {
  ({ id, blinded, records } = await rogueTask(rogue, proposal, owners));
  paillier.begun.decrypt = 0;
  alarms.length = 0;
});
afterAll(() => world.close());

describe('a task that somebody has changed in the database', () => {
  /** Rewrites the task's row beside the running CSP, as somebody can who may write the file. */
  const tamper = (set: string, ...parameters: string[]) => {
    const db = new DatabaseSync(databaseFile(world.cspConfig.dataDirectory));
    db.prepare(`UPDATE tasks SET ${set} WHERE task_id = ?`).run(...parameters, id);
    db.close();
  };
  const alarm = 'ERR_DATABASE_ALTERED';
  const changes: [string, string][] = [
    ['another key length', "task = json_set(task, '$.keyBits', 512)"],
    ['what nobody has signed', "agreement = 'e30.e30.e30'"],
    ['fewer owners', "task = json_set(task, '$.minimumOwners', 1)"],
    ['another two-party protocol', "task = json_set(task, '$.twoParty', 'garbled')"],
    ['more outputs', "task = json_set(task, '$.outputs', json('[\"spectrum\"]'))"],
    ['another encryption', "task = json_set(task, '$.encryption', 'djn')"],
  ];

  test.each(changes)('to %s is not unblinded', async (_, set) => {
    await rogue.records(id, records);
    tamper(set);
    expect((await rogue.unblind(id, blinded)).code).toBe(alarm);
    expect(paillier.begun.decrypt).toBe(0);
    expect(storedTask(world, id)).toEqual({ state: 'agreed', sealed_shares: null });
  });

  test.each(changes)('to %s takes no records', async (_, set) => {
    tamper(set);
    expect((await rogue.records(id, records)).code).toBe(alarm);
  });

  test('is told to the operator, and to the data user by its code alone', async () => {
    const problems = async (route: string) => {
      const token = (await readFile(adminTokenFile(world.cspConfig.dataDirectory), 'utf8')).trim();
      const headers = { authorization: `Bearer ${token}` };
      const page = await textOf(world.cspAddress, '/metrics', headers);
      const line = page.split('\n').find((it) => it.includes(`route="${route}",code="${alarm}"`));
      return Number(line?.split(' ').at(-1) ?? 0);
    };
    const [unblinding, twoParty] = ['/tasks/:taskId/unblinding', '/tasks/:taskId/two-party'];
    const before = [await problems(unblinding), await problems(twoParty)];
    tamper("task = json_set(task, '$.minimumOwners', 1)");
    for (const answer of [await rogue.unblind(id, blinded), await rogue.connect(id)]) {
      expect(answer.status).toBe(500);
      expect(Object.keys(answer.json).sort()).toEqual(['code', 'status', 'title', 'type']);
    }
    expect([await problems(unblinding), await problems(twoParty)]).toEqual(before.map((n) => n + 1));
    expect(alarms.map(({ level, code, route }) => [level, code, route])).toEqual([
      ['error', alarm, unblinding],
      ['error', alarm, twoParty],
    ]);
  });

  test.each(changes)('to %s is not computed', async (_, set) => {
    await rogue.records(id, records);
    expect((await rogue.unblind(id, blinded)).status).toBe(200);
    tamper(set);
    expect((await rogue.connect(id)).code).toBe(alarm);
    expect((await rogue.unblind(id, blinded)).code).toBe(alarm);
  });

  test('to one that was agreed for other data is neither', async () => {
    const lax = await rogue.agree({ ...proposal, components: 1 });
    await rogue.records(id, records);
    const { agreement, task } = lax;
    tamper('task = ?, agreement = ?', JSON.stringify(task), agreement);
    expect((await rogue.unblind(id, blinded)).code).toBe(alarm);
    expect((await rogue.connect(id)).code).toBe(alarm);
    expect(paillier.begun.decrypt).toBe(0);
  });
});
