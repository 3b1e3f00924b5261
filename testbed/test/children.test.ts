import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../src/processes/alive.ts';

const CHILDREN = new URL('../src/processes/children.ts', import.meta.url).href;
/** Prints its child's id and its folder, then ends in the way that is put in. */
const program = (ending: string) => `
  import { writeFile } from 'node:fs/promises';
  import { withChildren } from ${JSON.stringify(CHILDREN)};
  await withChildren(async (children, folder) => {
    const sleeper = folder + '/sleeper.mjs';
    await writeFile(sleeper, 'console.log(JSON.stringify({})); process.on("SIGTERM", () => process.exit()); setInterval(() => {}, 1000);');
    const { pid } = await children.start(sleeper, []);
    console.log(JSON.stringify({ pid, folder }));
    ${ending}
  });`;

describe('withChildren', () => {
  it.each([
    ['done', 'return;', 0],
    ['failed', 'throw new Error("on purpose");', 1],
    ['left by an exit in the midst', 'process.exit(3);', 3],
  ])('leaves no process and no folder when the work is %s', async (_, ending, exitCode) => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program(ending)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exit = once(parent, 'exit');
    const [line] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    const { pid, folder } = JSON.parse(line) as { pid: number; folder: string };
    try {
      expect(await exit).toEqual([exitCode, null]);
      // What was killed may take a moment to go.
      await expect.poll(() => isAlive(pid)).toBe(false);
      expect(existsSync(folder)).toBe(false);
    } finally {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });
});
