/** Directories that vanish after the test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'eigenveil-server-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}
