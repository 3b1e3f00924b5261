/** The lines of NumPy in docs/library.md give the rows that the owner's command writes. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Projector, reduceFile } from '@eigenveil/data-owner';
import { newTaskId, Task } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import { expect, test } from 'vitest';
import { dataFile, exampleOf, reference, split } from './support/tasks.ts';

/** Debian's NumPy belongs to Debian's Python. */
const python = ['python3', '/usr/bin/python3'].find(
  (path) => spawnSync(path, ['-c', 'import numpy']).status === 0,
);
/** Where it must be there, as in CI, a missing NumPy fails the test instead of skipping it. */
const isRequired = process.env.EIGENVEIL_NUMPY_REQUIRED === '1';
if (python === undefined && !isRequired)
  console.warn('The lines for NumPy were not tried: install it (Debian: apt-get install python3-numpy).');

test.skipIf(python === undefined && !isRequired)('reduces a file as documented', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-numpy-'));
  try {
    const path = (name: string) => join(folder, name);
    // Narrower ranges than the file's, so that cells are clipped; one feature has no range.
    const { proposal, rows } = await exampleOf(dataFile('pima'), 'pca', { outputs: ['mean'], components: 3 });
    const features = proposal.features.map(({ name, min, max, ...rest }, i) => ({
      ...rest,
      name,
      min: i === 2 ? 70 : min + (max - min) / 50,
      max: i === 2 ? 70 : max,
    }));
    const task = Task.parse({
      ...proposal,
      features,
      protocol: 'eigenveil/1',
      id: newTaskId(),
      csp: 'A'.repeat(43),
      dataUser: 'A'.repeat(43),
    });
    const { decomposition } = reference(task, split(rows, 2));
    const { method, twoParty, fractionBits, outputs } = task;
    const projection = Projection.parse({
      ...{ taskId: task.id, taskDigest: 'A'.repeat(43), method, twoParty, features, fractionBits, outputs },
      ...decomposition,
    });
    await reduceFile(new Projector(task, projection), dataFile('pima'), path('expected.csv'));
    await writeFile(path('projection.json'), JSON.stringify(projection));
    await writeFile(path('rows.csv'), await readFile(dataFile('pima')));
    const page = await readFile(new URL('../docs/library.md', import.meta.url), 'utf8');
    const [, script] = /```python\n(.*?)```/s.exec(page)!;
    await promisify(execFile)(python!, ['-c', script!], { cwd: folder });
    const [, ...expected] = (await readFile(path('expected.csv'), 'utf8')).trim().split('\n');
    const reduced = (await readFile(path('reduced.csv'), 'utf8')).trim().split('\n');
    expect(reduced).toHaveLength(expected.length);
    for (const [n, line] of reduced.entries()) {
      const [own, theirs] = [expected[n]!, line].map((text) => text.split(',').map(Number));
      expect(own).toHaveLength(3);
      for (const [c, value] of own!.entries()) expect(theirs![c]).toBeCloseTo(value, 12);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
