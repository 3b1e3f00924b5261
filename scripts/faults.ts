/** `npm run faults`: plants known faults, one at a time, and looks whether the tests still notice each. */
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram, EXIT, onShutdown, printResult, runCommand } from '@eigenveil/command';
import { parseFault } from '@eigenveil/testbed/faults/fault';
import { tryFaults, type Verdict } from '@eigenveil/testbed/faults/run';
import { InvalidArgumentError } from 'commander';

const ROOT = new URL('..', import.meta.url).pathname;
const FAULTS = join(ROOT, 'test/faults');
const ENDING = '.patch';

const DESCRIPTION = [
  'Plants the faults of test/faults, one at a time, in a copy of the repository as it is now, and runs the',
  'test file that each one names. A fault is caught when a test of that file fails. Ends with exit code 1',
  'unless all are caught.',
].join(' ');

class UncaughtError extends Error {
  readonly code = 'ERR_FAULTS_UNCAUGHT';
}

const names = (await readdir(FAULTS))
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length))
  .sort();

const program = createProgram({ name: 'faults', version: '0.1.0', description: DESCRIPTION })
  .option('--only <NAMES...>', 'those whose names begin with one of these, such as 07', chosen)
  .addHelpText(
    'after',
    `
To add a fault, write test/faults/NN-name.patch: what is wrong behind "#", "test: PATH", and the code, with "-" before what
is taken out and "+" before what comes in its place. It names no file: what is taken out must stand once in all sources.

Example:
  $ npm run faults -- --only 07 12`,
  )
  .action(run);

function chosen(beginning: string, before: readonly string[] = []): readonly string[] {
  const found = names.filter((name) => name.startsWith(beginning));
  if (found.length === 0) throw new InvalidArgumentError(`expected one of ${names.join(', ')}`);
  return [...before, ...found];
}

async function run({ only = names }: { only?: readonly string[] }): Promise<void> {
  const faults = await Promise.all(
    [...new Set(only)].map(async (name) =>
      parseFault(name, await readFile(join(FAULTS, `${name}${ENDING}`), 'utf8')),
    ),
  );
  const started = performance.now();
  const stop = new AbortController();
  const off = onShutdown(['SIGINT', 'SIGTERM'], async () => stop.abort());
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'eigenveil-faults-')));
  let verdicts: Verdict[];
  try {
    const onVerdict = (verdict: Verdict) => process.stderr.write(`${lineOf(verdict)}\n`);
    verdicts = await tryFaults(ROOT, folder, faults, { signal: stop.signal, onVerdict });
  } finally {
    off();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const caught = verdicts.filter(({ isCaught }) => isCaught).length;
  const seconds = (performance.now() - started) / 1000;
  printResult(program, {
    json: { caught, of: verdicts.length, seconds, faults: verdicts },
    text: `${caught} of ${verdicts.length} faults caught in ${seconds.toFixed(0)} s`,
  });
  if (caught < verdicts.length) throw new UncaughtError(`${verdicts.length - caught} faults were not caught`);
}

function lineOf({ name, isCaught, reason, seconds }: Verdict): string {
  return `${isCaught ? 'caught    ' : 'NOT CAUGHT'} ${name} (${seconds.toFixed(1)} s): ${reason}`;
}

await runCommand(program, process.argv, { ERR_FAULTS_UNCAUGHT: EXIT.internal });
