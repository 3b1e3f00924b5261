/** `npm run faults`: plants known faults, one at a time, and checks whether the tests still notice each. */
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram, onShutdown, printResult, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { wholeNumber } from '@eigenveil/studies/instrument/settings';
import { changesSince, commitOfADayAgo, concerned } from '@eigenveil/testbed/faults/changes';
import { Checkout } from '@eigenveil/testbed/faults/checkout';
import { parseFaults } from '@eigenveil/testbed/faults/fault';
import { tryFaults, type Verdict } from '@eigenveil/testbed/faults/run';
import { InvalidArgumentError } from 'commander';
import { ROOT } from './rooms.ts';

const FAILURE = codes({ ERR_FAULTS_UNCAUGHT: { title: 'Faults were not caught' } });

const FAULTS = join(ROOT, 'test/faults');
const ENDING = '.faults';

const DESCRIPTION = [
  'Plants the faults of test/faults, one at a time, in copies of the repository as it is now, and runs all tests of',
  'the file that each one names, the long ones last. A fault is caught when one of them fails. Ends with exit code 1',
  'unless all are caught.',
].join(' ');

interface Options {
  readonly only?: readonly string[];
  readonly changed?: true | string;
  readonly seconds?: number;
}

const files = (await readdir(FAULTS)).filter((file) => file.endsWith(ENDING)).sort();
const faults = (
  await Promise.all(files.map(async (file) => parseFaults(await readFile(join(FAULTS, file), 'utf8'))))
).flat();

const program = createProgram({ name: 'faults', version: '0.1.0', description: DESCRIPTION })
  .option('--only <NAMES...>', 'those whose names begin with one of these, such as packing', chosen)
  .option(
    '--changed [SINCE]',
    'those whose code or test has changed since this commit (default: the newest that is older than a day), nearest first',
  )
  .option('--seconds <N>', 'end after this time, and name what was left out', wholeNumber())
  .addHelpText(
    'after',
    `
To add a fault, write into the file of test/faults that has the package's name: "## NAME", what is wrong behind "#",
"test: PATH", and the code, with "-" before what is taken out and "+" before what comes in its place. It names no source
file: what is taken out must stand once in all sources.

Examples:
  $ npm run faults -- --only packing slot-width
  $ npm run faults -- --changed --seconds 180`,
  )
  .action(run);

function chosen(beginning: string, before: readonly string[] = []): readonly string[] {
  const found = faults.map(({ name }) => name).filter((name) => name.startsWith(beginning));
  if (found.length === 0)
    throw new InvalidArgumentError(`expected one of ${faults.map(({ name }) => name).join(', ')}`);
  return [...before, ...found];
}

async function run({ only, changed, seconds }: Options): Promise<void> {
  let asked = faults.filter(({ name }) => only === undefined || only.includes(name));
  if (changed !== undefined) {
    const since = changed === true ? commitOfADayAgo(ROOT) : changed;
    asked = concerned(asked, await Checkout.sourcesOf(ROOT), changesSince(ROOT, since));
  }
  const started = performance.now();
  const stop = new AbortController();
  const off = onShutdown(['SIGINT', 'SIGTERM'], async () => stop.abort());
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'eigenveil-faults-')));
  let verdicts: Verdict[];
  try {
    verdicts = await tryFaults(ROOT, folder, asked, {
      signal: stop.signal,
      ...(seconds !== undefined && { deadline: AbortSignal.timeout(seconds * 1000) }),
      onVerdict: (verdict) => process.stderr.write(`${lineOf(verdict)}\n`),
    });
  } finally {
    off();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const known = new Set(verdicts.map(({ name }) => name));
  const leftOut = asked.map(({ name }) => name).filter((name) => !known.has(name));
  const caught = verdicts.filter(({ isCaught }) => isCaught);
  const short = caught.filter(({ caughtBy }) => caughtBy === 'npm test').length;
  const took = (performance.now() - started) / 1000;
  printResult(program, {
    json: { caught: caught.length, short, of: verdicts.length, leftOut, seconds: took, faults: verdicts },
    text:
      `${caught.length} of ${verdicts.length} faults caught in ${took.toFixed(0)} s, ${short} of them by npm test` +
      (leftOut.length === 0 ? '' : `; left out for want of time: ${leftOut.join(', ')}`),
  });
  if (caught.length < verdicts.length)
    throw new CodedError(
      FAILURE.ERR_FAULTS_UNCAUGHT,
      `${verdicts.length - caught.length} faults were not caught`,
    );
}

function lineOf({ name, isCaught, caughtBy, reason, seconds }: Verdict): string {
  const by = caughtBy === 'npm run test:long' ? ', by a long test' : '';
  return `${isCaught ? 'caught    ' : 'NOT CAUGHT'} ${name} (${seconds.toFixed(1)} s${by}): ${reason}`;
}

await runCommand(program, process.argv);
