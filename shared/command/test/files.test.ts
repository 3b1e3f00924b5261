/** Folders that a command line names: made with those above them, or refused at once. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from '../src/index.ts';

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'eigenveil-command-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

test('a folder is made with those above it, for its owner alone, and may be there already', async () => {
  const folder = join(await temporaryDirectory(), 'deep', 'down');
  await makeFolder(folder);
  await makeFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, '..'))).mode & 0o777).toBe(0o700);
});

test('a folder is made by several at the same time', async () => {
  const directory = await temporaryDirectory();
  for (let round = 0; round < 50; round++) {
    const folder = join(directory, String(round), 'down');
    await Promise.all(Array.from({ length: 8 }, () => makeFolder(folder)));
  }
});

test('a folder that cannot be made is refused', async () => {
  const file = join(await temporaryDirectory(), 'file');
  await writeFile(file, '');
  for (const [path, reason] of [
    [file, 'EEXIST'],
    [join(file, 'below'), 'ENOTDIR'],
    // Linux says of it that an existing folder is missing.
    ...(process.platform === 'linux'
      ? [['/proc/x', 'ENOENT'] as const, ['/proc/x/y', 'ENOENT'] as const]
      : []),
  ] as const)
    await expect(makeFolder(path)).rejects.toMatchObject({
      code: 'ERR_CONFIGURATION',
      message: `"${path}" expected a folder that is there or can be made (${reason})`,
    });
});
