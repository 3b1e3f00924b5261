/**
 * Budgets that owners keep, with both services: what is charged stays charged, and a home that is put back
 * is refused before anything is sent.
 *
 * @claims S-566, S-567, S-568, P-130
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Task, TaskId, TaskProposal } from '@eigenveil/task';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from './support/in-process.ts';
import { dataFile, exampleOf, type LabelledRows, split, summarise } from './support/tasks.ts';
import { type Enrolled, World } from './support/world.ts';

const ONE = { answers: { rotated: 1, wholes: 1 } };
const RESTORED = expect.objectContaining({ code: 'ERR_BUDGET_RESTORED' });

let world: World;
let proposal: TaskProposal;
let rows: LabelledRows;
beforeAll(async () => {
  world = await World.start();
  const example = await exampleOf(dataFile('iris'), 'pca', { minimumOwners: 2 });
  proposal = example.proposal;
  rows = split(example.rows, 3)[0]!;
});
afterAll(() => world.close());

const client = () => world.taskClient();
const newTask = async () => (await (await client()).create(proposal)).task.id;
const contribute = (
  { owner }: Enrolled,
  id: TaskId,
  options: { dataset?: string; onUncounted?: () => void } = {},
) => owner.contribute(world.dataUserAddress, id, async (task: Task) => summarise(task, rows), options);
const contributions = async (id: TaskId) => (await (await client()).status(id)).contributions;

test('a task is charged once, and neither withdrawal nor cancellation gives it back', async () => {
  const owner = await world.enrolledOwner(ONE);
  const [first, second] = [await newTask(), await newTask()];
  await contribute(owner, first);
  await contribute(owner, first);
  await owner.owner.withdraw(world.dataUserAddress, first);
  await (await client()).cancelTask(first);
  let read = 0;
  const reading = owner.owner.contribute(world.dataUserAddress, second, async (task) => {
    read += 1;
    return summarise(task, rows);
  });
  await expect(reading).rejects.toMatchObject({ code: 'ERR_BUDGET_EXHAUSTED' });
  expect([read, await contributions(second)]).toEqual([0, 0]);
  const { task: inspected } = await owner.owner.inspect(world.dataUserAddress, second);
  const overBudget = await owner.owner.overBudget(inspected);
  expect(String(overBudget)).toContain('nothing is left');
  await contribute(owner, second, { dataset: 'more' });
  expect((await owner.owner.budget()).map(({ dataset, answers }) => [dataset, answers.wholes.given])).toEqual(
    [
      ['default', '1'],
      ['more', '1'],
    ],
  );
  const home = join(world.folder, `owner-${world.owners}`);
  const { stdout, stderr } = await runInProcess('owner', 'budget', 'show', '--home', home);
  expect(stderr).toBe('');
  expect(stdout.trim().split('\n')).toEqual(
    ['default', 'more'].map((dataset) =>
      expect.stringMatching(
        new RegExp(
          `^${dataset}: 0 tasks with a guarantee; spent: epsilon 0 .* of no total; left: any epsilon, 1 of 1 answers .* by rotated, 0 of a whole$`,
        ),
      ),
    ),
  );
});

test('a home that is put back sends nothing before its budget is set', async () => {
  const owner = await world.enrolledOwner();
  const home = join(world.folder, `owner-${world.owners}`);
  await contribute(owner, await newTask());
  await cp(home, `${home}-backup`, { recursive: true });
  await contribute(owner, await newTask());
  await rm(home, { recursive: true });
  await cp(`${home}-backup`, home, { recursive: true });

  const id = await newTask();
  await expect(contribute(owner, id)).rejects.toEqual(RESTORED);
  await expect(contribute(owner, id)).rejects.toEqual(RESTORED);
  expect([await contributions(id), await owner.home.pending(id)]).toEqual([0, undefined]);

  const lost = { epsilon: 0, delta: 0, neighbours: 'replace', rotated: 0, part: '1' } as const;
  await owner.owner.setBudget('default', lost);
  await contribute(owner, id);
  expect(await contributions(id)).toBe(1);
  await expect(contribute(owner, await newTask(), { dataset: 'more' })).rejects.toEqual(RESTORED);
});

test('while the CSP is away that is not noticed, and said; it is when the CSP is back', async () => {
  const owner = await world.enrolledOwner();
  const home = join(world.folder, `owner-${world.owners}`);
  const tasks = [await newTask(), await newTask(), await newTask()] as const;
  await cp(home, `${home}-backup`, { recursive: true });
  await contribute(owner, tasks[0]);
  await rm(home, { recursive: true });
  await cp(`${home}-backup`, home, { recursive: true });
  await world.stopCsp();
  let said = 0;
  await contribute(owner, tasks[1], { onUncounted: () => (said += 1) });
  expect(said).toBe(1);
  await world.startCsp();
  await expect(contribute(owner, tasks[2])).rejects.toEqual(RESTORED);
});
