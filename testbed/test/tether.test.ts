/** What the tests start does not outlive them, however they end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { isAlive } from '../src/processes/alive.ts';
import { tethered } from '../src/processes/tether.ts';

const file = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const SLEEP =
  'console.log(JSON.stringify({ event: "listening", pid: process.pid })); setInterval(() => {}, 1000)';
/** Starts what the words after it say and passes its output on, as strace does. */
const RUNNER = `require('node:child_process').spawn(process.argv[1], process.argv.slice(2), { stdio: 'inherit' })`;

/** Workers of the tests: each prints the id of a process that must not outlive it, and works on for ever. */
const WORKERS = {
  'a service': `
    import { Children } from ${file('../src/processes/programs.ts')};
    const service = await new Children().serve('csp', [], {}, [process.execPath, '-e', ${JSON.stringify(SLEEP)}]);
    console.log(JSON.stringify(service.listening));
    setInterval(() => {}, 1000);`,
  'what a command runs for it': `
    import { spawn } from 'node:child_process';
    import { tethered } from ${file('../src/processes/tether.ts')};
    const words = tethered(process.execPath, '-e', ${JSON.stringify(SLEEP)});
    const [command, ...rest] = tethered(process.execPath, '-e', ${JSON.stringify(RUNNER)}, ...words);
    spawn(command, rest, { stdio: 'inherit' });`,
  'a worker of the tests': `
    import { spawn } from 'node:child_process';
    const worker = 'import ' + ${JSON.stringify(file('../../test/support/end-with-run.ts'))} + '; ' + ${JSON.stringify(SLEEP)};
    spawn(process.execPath, ['--input-type=module', '-e', worker], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });`,
};
const left: number[] = [];
afterEach(() => {
  for (const pid of left.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

it.skipIf(tethered('true').length === 1).each(Object.entries(WORKERS))(
  '%s ends with the process that has started it, even when that is killed',
  async (_, program) => {
    const worker = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    left.push(worker.pid!);
    const [line] = (await once(createInterface({ input: worker.stdout }), 'line')) as [string];
    const { pid } = JSON.parse(line) as { pid: number };
    left.push(pid);
    expect(isAlive(pid)).toBe(true);
    worker.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  },
);
