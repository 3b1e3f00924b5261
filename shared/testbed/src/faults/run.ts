/** Plants faults, one at a time, and tells whether the test file that each one names goes red. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Checkout } from './checkout.ts';
import { type Fault, FaultError, plant } from './fault.ts';

/** A test that a fault sends into an endless loop ends then; the longest of all files takes a fraction of it. */
const LONGEST_MILLISECONDS = 300_000;

/** The part of vitest's JSON that matters here. */
export interface VitestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * What came of a test file. `red`: a test of it failed. `broken`: it failed before a test did, as files do that cannot be loaded, which proves
 * nothing of its tests. `overdue`: it did not end.
 */
export type Colour = 'green' | 'red' | 'broken' | 'overdue';

export interface Verdict {
  readonly name: string;
  readonly description: string;
  readonly test: string;
  /** The source that holds the fault; absent where it could not be planted. */
  readonly source?: string;
  readonly isCaught: boolean;
  /** The test that caught it, or why it counts as not caught. */
  readonly reason: string;
  readonly seconds: number;
}

/** The colour of a file in a report, and the first test of it that failed. */
export function colourOf(
  { testResults }: VitestReport,
  file: string,
): { readonly colour: Colour; readonly test?: string } {
  const result = testResults.find(({ name }) => name === file);
  if (result === undefined) return { colour: 'broken' };
  const failed = result.assertionResults.find(({ status }) => status === 'failed');
  if (failed !== undefined) return { colour: 'red', test: failed.fullName };
  return { colour: result.status === 'passed' ? 'green' : 'broken' };
}

/**
 * Tries every fault in a copy of the repository at `root` that is made in `folder`, after its test files were found green without any.
 * @param onVerdict told of each as soon as it is known
 * @throws the reason of the signal, when that is aborted
 */
export async function tryFaults(
  root: string,
  folder: string,
  faults: readonly Fault[],
  { signal, onVerdict }: { signal: AbortSignal; onVerdict: (verdict: Verdict) => void },
): Promise<Verdict[]> {
  const checkout = await Checkout.copy(root, folder);
  const files: string[] = [];
  for (const test of new Set(faults.map(({ test }) => test)))
    if (await checkout.has(test)) files.push(join(folder, test));
  const before = await runVitest(folder, files, signal, []);
  const unplanted = new Map<string, string | undefined>();
  const verdicts: Verdict[] = [];
  for (const fault of faults) {
    const started = performance.now();
    const found = await tryFault(fault);
    const { name, description, test } = fault;
    const seconds = (performance.now() - started) / 1000;
    const verdict = { name, description, test, ...found, seconds };
    verdicts.push(verdict);
    onVerdict(verdict);
  }
  return verdicts;

  /** What fails in a file without a fault: also when it is run again, alone, since machines are busy at times. */
  async function redWithout(file: string): Promise<string | undefined> {
    if (unplanted.has(file)) return unplanted.get(file);
    let found = before && colourOf(before, file);
    if (found?.colour !== 'green') {
      const again = await runVitest(folder, [file], signal, []);
      found = again && colourOf(again, file);
    }
    const red =
      found?.colour === 'green' ? undefined : (found?.test ?? 'it did not end, or not with its tests');
    unplanted.set(file, red);
    return red;
  }

  async function tryFault(fault: Fault): Promise<Pick<Verdict, 'isCaught' | 'reason' | 'source'>> {
    const missed = (reason: string) => ({ isCaught: false, reason });
    const file = join(folder, fault.test);
    if (!files.includes(file))
      return missed(`${fault.test} is not there: name the file that has its tests now`);
    const red = await redWithout(file);
    if (red !== undefined) return missed(`${fault.test} is not green without the fault: ${red}`);
    let planted: ReturnType<typeof plant>;
    try {
      planted = plant(fault, checkout.sources);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return missed(error.message);
    }
    // The first test that fails is enough.
    const report = await checkout.with(planted, () => runVitest(folder, [file], signal, ['--bail', '1']));
    const { colour, test }: ReturnType<typeof colourOf> = report
      ? colourOf(report, file)
      : { colour: 'overdue' };
    const source = planted.path;
    if (colour === 'red') return { isCaught: true, reason: test!, source };
    const why = {
      green: 'every test passed',
      broken: 'the file failed, but no test of it: choose a fault with which it can be loaded',
      overdue: `it did not end within ${LONGEST_MILLISECONDS / 1000} s`,
    };
    return { ...missed(why[colour]), source };
  }
}

/** Runs all tests of these files of a copy, the long ones too; undefined when they did not end. */
async function runVitest(
  folder: string,
  files: readonly string[],
  signal: AbortSignal,
  options: readonly string[],
): Promise<VitestReport | undefined> {
  signal.throwIfAborted();
  const output = join(folder, 'vitest.json');
  await rm(output, { force: true });
  const args = ['run', ...files.map((file) => relative(folder, file)), ...options];
  const child = spawn(
    process.execPath,
    [
      join(folder, 'node_modules/vitest/vitest.mjs'),
      ...args,
      '--root',
      folder,
      '--reporter=json',
      '--outputFile',
      output,
    ],
    { cwd: folder, stdio: 'ignore', detached: true },
  );
  // With the workers and what they have started, one of which may be in an endless loop.
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
  };
  const timer = setTimeout(kill, LONGEST_MILLISECONDS + 10_000 * files.length);
  signal.addEventListener('abort', kill);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  return exitCode === null ? undefined : (JSON.parse(await readFile(output, 'utf8')) as VitestReport);
}
