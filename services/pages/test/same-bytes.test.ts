/**
 * The pages that are built of a copy of the sources are the same to the byte. It needs git, which the copies
 * that faults are planted in have not.
 *
 * @claims S-521
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Checkout } from '@eigenveil/testbed/faults/checkout';
import { expect, onTestFinished, test } from 'vitest';
import { buildPages, FOLDERS } from '../build/build.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

test('the same bytes come of a copy of the sources in another folder', { tags: ['long'] }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-pages-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const copy = join(folder, 'a copy');
  await Promise.all([buildPages(), Checkout.copy(ROOT, copy)]);
  await promisify(execFile)(process.execPath, ['scripts/build-pages.ts'], { cwd: copy });
  for (const [here, there] of [
    [FOLDERS.console, 'services/data-user/console'],
    [FOLDERS.owner, 'services/data-owner/page'],
  ] as const) {
    const names = (await readdir(here)).sort();
    expect((await readdir(join(copy, there))).sort()).toEqual(names);
    for (const name of names) {
      const [ours, others] = await Promise.all(
        [here, join(copy, there)].map((it) => readFile(join(it, name))),
      );
      expect(others!.equals(ours!), name).toBe(true);
    }
  }
});
