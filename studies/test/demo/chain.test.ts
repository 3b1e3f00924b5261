/** The demo of a chain from its command line: both tasks by real processes, the second on the first, as in the clear. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { expect, onTestFinished, test } from 'vitest';

const [PROGRAM, IRIS] = ['../../../scripts/demo.ts', '../../../data/iris.csv'].map(
  (path) => new URL(path, import.meta.url).pathname,
);

test('PCA, then DCA on its components', { tags: ['long'] }, async () => {
  const out = await mkdtemp(join(tmpdir(), 'eigenveil-demo-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const flags = ['--json', '--chain', 'pca,dca', '--two-party', 'rotated', '--key-bits', '1024'];
  const data = ['--data', IRIS!, '--owners', '3', '--components', '2', '--out', out];
  const [command, ...words] = tethered(process.execPath, PROGRAM!, ...flags, ...data);
  const { stdout } = await promisify(execFile)(command, words);
  const { results } = JSON.parse(stdout);
  expect(results).toMatchObject([
    { method: 'pca', components: 2 },
    { method: 'dca', after: ['pca'], components: 1 },
  ]);
  expect(results.map(({ kept }: { kept: { of: string } }) => kept.of)).toEqual(['variance', 'separation']);
  for (const { maxAngle, maxAngleUnrounded, maxEigenvalueError, kept } of results) {
    // The floor of values that have one decimal does more than rounding and the protocol, and through both links not much more than by itself.
    for (const angle of [maxAngle, maxAngleUnrounded]) expect(angle).toBeLessThan(0.2);
    expect(maxEigenvalueError).toBeLessThan(0.2);
    expect(kept.exact - kept.part).toBeLessThan(0.01);
  }
  const { basis } = JSON.parse(await readFile(join(out, 'pca-dca', 'projection.json'), 'utf8'));
  expect(basis).toMatch(/^[\w-]{43}$/);
  const [header, ...lines] = (await readFile(join(out, 'pca-dca', 'owner-1.csv'), 'utf8')).trim().split('\n');
  expect([header, lines.length]).toEqual(['component_1', 50]);
});
