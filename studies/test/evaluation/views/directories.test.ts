/** A data directory that is looked at while its process writes. */
import { appendFile, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WatchedDirectory } from '../../../evaluation/views/directories.ts';

test('keeps every content that it has seen, the longest of what grows, and passes over a draft that is gone before it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watched-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const watched = new WatchedDirectory(folder);
  // Its name is listed, and nothing can be opened behind it.
  await symlink(join(folder, 'nothing'), join(folder, '.data-key.json.draft'));
  expect(watched.look(0)).toBe(false);

  await writeFile(join(folder, 'log'), 'one ');
  await writeFile(join(folder, '.state.draft'), 'first');
  expect([watched.look(1), watched.look(2)]).toEqual([true, false]);
  await appendFile(join(folder, 'log'), 'two');
  await rename(join(folder, '.state.draft'), join(folder, 'state'));
  expect(watched.look(3)).toBe(true);
  await writeFile(join(folder, 'state'), 'another');
  watched.look(4);

  const seen = watched.states().files.map(({ at, name, bytes }) => `${at} ${name} ${bytes}`);
  expect(seen.toSorted()).toEqual([
    '1 .state.draft first',
    '3 log one two',
    '3 state first',
    '4 state another',
  ]);
});
