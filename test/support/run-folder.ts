/**
 * The folder of one run of the tests, in which everything temporary is made. It is in memory where there is room, since services wait for
 * the disk at every commit, and it goes with the run, whatever a test has left in it.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '@eigenveil/testbed/processes/alive';
import type { TestProject } from 'vitest/node';

const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;
const PREFIX = 'eigenveil-run-';

export default function makeRunFolder(project: TestProject): (() => void) | undefined {
  // vitest asks once for each of its projects, too.
  if (!project.isRootProject()) return undefined;
  const parent = isFit() ? MEMORY : tmpdir();
  // A run that was killed has left its folder.
  for (const name of readdirSync(parent)) {
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))) remove(join(parent, name));
  }
  const folder = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o711); // PostgreSQL may run as another user
  process.env.TMPDIR = folder;
  return () => remove(folder);
}

/** Some systems keep that folder small, and some run no program from it. */
function isFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const runs = mounts.some((line) => line.includes(` ${MEMORY} `) && !/\bnoexec\b/.test(line));
    return runs && Math.min(bavail * bsize, freemem()) >= ROOM_BYTES;
  } catch {
    return false;
  }
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
