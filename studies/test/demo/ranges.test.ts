/** The demo with private ranges from its command line: a histogram by real processes first, and tasks whose ranges follow from it. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tethered } from '@eigenveil/testbed/processes/tether';
import { expect, onTestFinished, test } from 'vitest';
import { MAGNITUDES } from '../../demo/private-ranges.ts';

const [PROGRAM, IRIS] = ['../../../scripts/demo.ts', '../../../data/iris.csv'].map(
  (path) => new URL(path, import.meta.url).pathname,
);

test('counts rows under noise, then computes in the ranges that follow', { tags: ['long'] }, async () => {
  const out = await mkdtemp(join(tmpdir(), 'eigenveil-demo-'));
  onTestFinished(() => rm(out, { recursive: true, force: true }));
  const flags = [
    '--json',
    '--ranges',
    'private',
    '--method',
    'pca',
    '--two-party',
    'rotated',
    '--key-bits',
    '1024',
  ];
  const data = ['--data', IRIS!, '--owners', '3', '--components', '2', '--out', out];
  const [command, ...words] = tethered(process.execPath, PROGRAM!, ...flags, ...data);
  const { stdout } = await promisify(execFile)(command, words);
  const { ranges, results } = JSON.parse(stdout);
  expect(ranges).toMatch(/^ranges come from the noisy counts of task .*, widened by 10 %/);
  // Against the clear decomposition of the same rows in the same ranges.
  expect(results).toMatchObject([{ method: 'pca', components: 2 }]);
  expect(results[0].kept.exact - results[0].kept.part).toBeLessThan(0.01);
  const { features } = JSON.parse(await readFile(join(out, 'pca', 'projection.json'), 'utf8'));
  expect(features).toHaveLength(4);
  const { largest } = MAGNITUDES;
  for (const { min, max } of features) {
    expect(min).toBeGreaterThanOrEqual(-largest);
    expect(max).toBeLessThanOrEqual(largest);
    expect(min).toBeLessThan(max);
  }
  // Cells are from 0.1 to 7.9. Of a feature now and then noise moves an end far out (docs/ranges.md), but not of all.
  const wide = features.filter(({ min, max }: { min: number; max: number }) => max - min >= largest);
  expect(wide.length).toBeLessThan(features.length);
});
