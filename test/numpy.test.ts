/** The lines of NumPy in docs/library.md give what an owner's command writes: reduced rows, through a chain as well, and predictions. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reduceFile } from '@eigenveil/data-owner';
import { Predictor, Projector } from '@eigenveil/projection';
import { basisFeatures, newTaskId, Task, type TaskProposal } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataFile, exampleOf, type LabelledRows, reference, split } from './support/tasks.ts';

/** Debian's NumPy belongs to Debian's Python. */
const python = ['python3', '/usr/bin/python3'].find(
  (path) => spawnSync(path, ['-c', 'import numpy']).status === 0,
);
/** Where it must be there, as in CI, a missing NumPy fails the test instead of skipping it. */
const isRequired = process.env.EIGENVEIL_NUMPY_REQUIRED === '1';
if (python === undefined && !isRequired)
  console.warn('The lines for NumPy were not tried: install it (Debian: apt-get install python3-numpy).');

const common = { protocol: 'eigenveil/1', csp: 'A'.repeat(43), dataUser: 'A'.repeat(43) } as const;

let folder: string;
let script: string;
const path = (name: string) => join(folder, name);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-numpy-'));
  const page = await readFile(new URL('../docs/library.md', import.meta.url), 'utf8');
  [, script] = /```python\n(.*?)```/s.exec(page)! as unknown as [string, string];
});
afterEach(() => rm(folder, { recursive: true }));

/** The task's result as the reference has it, under the name of a file. */
async function resultOf(task: Task, parts: readonly LabelledRows[], file: string): Promise<Projection> {
  const { method, twoParty, fractionBits, outputs, features, basis } = task;
  const { decomposition } = reference(task, parts);
  const projection = Projection.parse({
    ...{ taskId: task.id, taskDigest: 'A'.repeat(43), method, twoParty, features, fractionBits, outputs },
    ...(basis !== undefined && { basis }),
    ...decomposition,
  });
  await writeFile(path(file), JSON.stringify(projection));
  return projection;
}

/** The task of a proposal over the bundled file with narrower ranges than the file's, so that cells are clipped; one feature has no range. */
function narrowed(proposal: TaskProposal): Task {
  const features = proposal.features.map(({ name, min, max, ...rest }, i) => ({
    ...rest,
    name,
    min: i === 2 ? 70 : min + (max - min) / 50,
    max: i === 2 ? 70 : max,
  }));
  return Task.parse({ ...proposal, ...common, features, id: newTaskId() });
}

/** What the documented lines write, as rows of numbers. */
async function written(change: (lines: string) => string = (lines) => lines): Promise<number[][]> {
  await promisify(execFile)(python!, ['-c', change(script)], { cwd: folder });
  const lines = (await readFile(path('reduced.csv'), 'utf8')).trim().split('\n');
  return lines.map((line) => line.split(',').map(Number));
}

function expectClose(theirs: readonly (readonly number[])[], own: readonly (readonly number[])[]): void {
  expect(theirs).toHaveLength(own.length);
  for (const [n, row] of own.entries())
    for (const [c, value] of row.entries()) expect(theirs[n]![c]).toBeCloseTo(value, 10);
}

describe.skipIf(python === undefined && !isRequired)('the lines of NumPy', () => {
  test('reduce a file as documented', async () => {
    const { proposal, rows } = await exampleOf(dataFile('pima'), 'pca', { outputs: ['mean'], components: 3 });
    const task = narrowed(proposal);
    const projection = await resultOf(task, split(rows, 2), 'projection.json');
    await reduceFile(new Projector(task, projection), dataFile('pima'), path('expected.csv'));
    await writeFile(path('rows.csv'), await readFile(dataFile('pima')));
    const [, ...expected] = (await readFile(path('expected.csv'), 'utf8')).trim().split('\n');
    const own = expected.map((line) => line.split(',').map(Number));
    expect(own[0]).toHaveLength(3);
    expectClose(await written(), own);
  });

  test('reduce by every link of a chain', async () => {
    const { proposal, rows } = await exampleOf(dataFile('pima'), 'pca', { outputs: ['mean'], components: 3 });
    const task = narrowed(proposal);
    const before = { task, projection: await resultOf(task, split(rows, 2), 'first.json') };
    const values = new Projector(task, before.projection).transform(rows.values);
    const second = Task.parse({
      ...{ ...proposal, ...common, features: basisFeatures(task), basis: 'A'.repeat(43) },
      ...{ components: 1, outputs: ['mean'], id: newTaskId() },
    });
    const projection = await resultOf(
      second,
      split({ ...rows, values: values.map((row) => [...row]) }, 2),
      'second.json',
    );
    await writeFile(path('rows.csv'), await readFile(dataFile('pima')));
    const own = new Projector(second, projection, [before]).transform(rows.values);
    expectClose(
      await written((lines) => lines.replace('["projection.json"]', '["first.json", "second.json"]')),
      own,
    );
  });

  test('predict by a ridge regression', async () => {
    const { proposal, rows } = await exampleOf(dataFile('pima'), 'pca', {
      method: { kind: 'ridge', ridge: 1 },
      ...{ components: 0, outputs: [] },
    });
    const task = Task.parse({ ...proposal, ...common, id: newTaskId() });
    const projection = await resultOf(task, split(rows, 2), 'projection.json');
    await writeFile(path('rows.csv'), await readFile(dataFile('pima')));
    const own = new Predictor(task, projection).predict(rows.values.map((row) => row.slice(0, -1)));
    expectClose(
      await written(),
      Array.from(own, (value) => [value]),
    );
  });
});
