/** Plants faults, one at a time in each of several copies of the repository, and tells whether the test file that each one names goes red. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Checkout } from './checkout.ts';
import { type Fault, FaultError, plant } from './fault.ts';

/** A test that a fault sends into an endless loop ends then; the longest of all files takes a fraction of it. */
const LONGEST_MILLISECONDS = 300_000;
/** Tests wait for other processes, too, so more copies than this gain little on any machine. */
const MOST_COPIES = 4;
/** The commands whose tests may catch a fault, the short ones first, and the tags by which vitest chooses their tests. */
const COMMANDS = [
  ['npm test', '!long'],
  ['npm run test:long', 'long'],
] as const;

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
 * nothing of its tests.
 */
type Colour = 'green' | 'red' | 'broken';

export interface Verdict {
  readonly name: string;
  readonly description: string;
  readonly test: string;
  /** The source that holds the fault; absent where it could not be planted. */
  readonly source?: string;
  readonly isCaught: boolean;
  /** The command whose tests caught it. */
  readonly caughtBy?: (typeof COMMANDS)[number][0];
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
 * Tries faults, in copies of the repository at `root` that are made in `folder`, after the test file of each was found green without any.
 * @param onVerdict told of each as soon as it is known
 * @param deadline ends what runs: what has no verdict by then was left out
 * @returns the verdicts, in the order in which they became known
 * @throws the reason of the signal, when that is aborted
 */
export async function tryFaults(
  root: string,
  folder: string,
  faults: readonly Fault[],
  {
    signal,
    deadline,
    onVerdict,
  }: { signal: AbortSignal; deadline?: AbortSignal; onVerdict: (verdict: Verdict) => void },
): Promise<Verdict[]> {
  const end = deadline === undefined ? signal : AbortSignal.any([signal, deadline]);
  const unplanted = new Map<string, Promise<string | undefined>>();
  const verdicts: Verdict[] = [];
  const waiting = [...faults];
  const copies = Math.max(1, Math.min(availableParallelism(), MOST_COPIES, faults.length));
  await Promise.all(
    Array.from({ length: copies }, async (_, i) => {
      const copy = join(folder, String(i));
      await mkdir(copy);
      const checkout = await Checkout.copy(root, copy);
      for (let fault = waiting.shift(); fault !== undefined; fault = waiting.shift()) {
        const started = performance.now();
        const found = await tryFault(checkout, fault).catch((error: unknown) => {
          if (deadline?.aborted !== true || signal.aborted) throw error;
        });
        if (found === undefined) return;
        const { name, description, test } = fault;
        const seconds = (performance.now() - started) / 1000;
        const verdict = { name, description, test, ...found, seconds };
        verdicts.push(verdict);
        onVerdict(verdict);
      }
    }),
  );
  return verdicts;

  /** Returns what fails in a test file without a fault: also when it is run again, since machines are busy at times. */
  async function redWithout(checkout: Checkout, test: string): Promise<string | undefined> {
    let found: ReturnType<typeof colourOf> | undefined;
    for (let tries = 0; tries < 2 && found?.colour !== 'green'; tries += 1) {
      const report = await runVitest(checkout.folder, test, end);
      found = report && colourOf(report, join(checkout.folder, test));
    }
    return found?.colour === 'green' ? undefined : (found?.test ?? 'it did not end, or not with its tests');
  }

  async function tryFault(
    checkout: Checkout,
    fault: Fault,
  ): Promise<Pick<Verdict, 'isCaught' | 'caughtBy' | 'reason' | 'source'>> {
    const missed = (reason: string) => ({ isCaught: false, reason });
    if (!(await checkout.has(fault.test)))
      return missed(`${fault.test} is not there: name the file that has its tests now`);
    let planted: ReturnType<typeof plant>;
    try {
      planted = plant(fault, checkout.sources);
    } catch (error) {
      if (!(error instanceof FaultError)) throw error;
      return missed(error.message);
    }
    if (!unplanted.has(fault.test)) unplanted.set(fault.test, redWithout(checkout, fault.test));
    const red = await unplanted.get(fault.test);
    if (red !== undefined) return missed(`${fault.test} is not green without the fault: ${red}`);
    const source = planted.path;
    return checkout.with(planted, async () => {
      for (const [command, tags] of COMMANDS) {
        // The first test that fails is enough.
        const report = await runVitest(checkout.folder, fault.test, end, '--tagsFilter', tags, '--bail', '1');
        if (report === undefined)
          return { ...missed(`it did not end within ${LONGEST_MILLISECONDS / 1000} s`), source };
        const { colour, test } = colourOf(report, join(checkout.folder, fault.test));
        if (colour === 'red') return { isCaught: true, caughtBy: command, reason: test!, source };
        if (colour === 'broken')
          return {
            ...missed('the file failed, but no test of it: choose a fault with which it can be loaded'),
            source,
          };
      }
      return { ...missed('every test passed'), source };
    });
  }
}

/** Runs a test file of a copy; undefined when it did not end. */
async function runVitest(
  folder: string,
  file: string,
  signal: AbortSignal,
  ...options: readonly string[]
): Promise<VitestReport | undefined> {
  signal.throwIfAborted();
  const output = join(folder, 'vitest.json');
  await rm(output, { force: true });
  const child = spawn(
    process.execPath,
    [
      join(folder, 'node_modules/vitest/vitest.mjs'),
      'run',
      file,
      '--root',
      folder,
      '--reporter=json',
      '--outputFile',
      output,
      ...options,
    ],
    { cwd: folder, stdio: 'ignore', detached: true },
  );
  // With the workers and what they have started, one of which may be in an endless loop.
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
  };
  const timer = setTimeout(kill, LONGEST_MILLISECONDS);
  signal.addEventListener('abort', kill);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  return exitCode === null ? undefined : (JSON.parse(await readFile(output, 'utf8')) as VitestReport);
}
