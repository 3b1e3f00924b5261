/** `backup verify` takes what `restore` would take, refuses what it would refuse, and changes nothing. */
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backUp, fails, succeeds } from './support/backups.ts';
import { runInProcess } from './support/in-process.ts';
import { keptDirectory } from './support/kept-databases.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eigenveil-verify-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Every file below a folder, with the digest of what it holds. */
async function contents(of: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(of, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      found[path] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
    }
  return found;
}

describe.each(['csp', 'user'] as const)('a backup of eigenveil-%s', (name) => {
  const service = name === 'csp' ? 'csp' : 'data-user';
  let directory: string;
  let backup: string;
  beforeAll(async () => {
    directory = await keptDirectory(service, join(folder, name));
    backup = join(folder, `${name}-backup`);
    await succeeds(backUp(name, directory, backup));
  });
  const verify = (of: string, at = directory) =>
    runInProcess(name, '--json', 'backup', 'verify', of, '--data-directory', at);

  test('is good, and stays as it is', async () => {
    const before = await contents(folder);
    const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')) as object;
    expect(await succeeds(verify(backup))).toEqual({ ...manifest, sealedValues: 0 });
    expect(await contents(folder)).toEqual(before);
  });

  test.each([
    ['a byte of the database', 'the bytes that the manifest tells of', 'database.sqlite'],
    ['a time in the manifest', 'a manifest as the service has signed it', 'manifest.json'],
  ])('is refused with another %s', async (_, words, file) => {
    const copy = join(folder, `${name}-${file}`);
    await cp(backup, copy, { recursive: true });
    const bytes = await readFile(join(copy, file));
    const at = file === 'manifest.json' ? bytes.indexOf('"time": "20') + 9 : bytes.length - 1;
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(join(copy, file), bytes);
    const refusal = { code: 'ERR_BACKUP', detail: expect.stringContaining(words) };
    expect(await fails(verify(copy))).toMatchObject(refusal);
  });

  test('is refused without its manifest, its database, or its service', async () => {
    const other = name === 'csp' ? 'user' : 'csp';
    const asOther = runInProcess(other, '--json', 'backup', 'verify', backup, '--data-directory', directory);
    expect(await fails(asOther)).toMatchObject({ code: 'ERR_BACKUP' });
    expect(await fails(verify(directory))).toMatchObject({ code: 'ERR_BACKUP' });
    expect(await fails(verify(backup, backup))).toMatchObject({ code: 'ERR_KEY_FILE' });
    const copy = join(folder, `${name}-alone`);
    await cp(backup, copy, { recursive: true });
    await rm(join(copy, 'database.sqlite'));
    expect(await fails(verify(copy))).toMatchObject({
      code: 'ERR_BACKUP',
      detail: expect.stringContaining('cannot be read'),
    });
  });
});
