/** Paths at which nothing is yet, in a folder of their own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';

/** Returns what names the next path. The folder goes when the tests of the file or `describe` that calls this are over. */
export function freshPaths(): (name: string) => string {
  let folder: string;
  let count = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eigenveil-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return (name) => join(folder, `${name}-${++count}`);
}
