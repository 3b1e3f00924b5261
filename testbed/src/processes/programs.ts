/** The services and commands as real processes, which all end with the test, and with its process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { tethered } from './tether.ts';

const FOLDERS = {
  csp: 'csp',
  user: 'data-user',
  owner: 'data-owner',
  authenticator: 'authenticator',
} as const;
export type ProgramName = keyof typeof FOLDERS;

export const program = (name: ProgramName): string => {
  const folder = FOLDERS[name];
  return new URL(`../../../services/${folder}/bin/eigenveil-${name}.ts`, import.meta.url).pathname;
};

/** What one process has compiled, the next need not: most of a short process's time goes into it. */
export const COMPILE_CACHE = new URL('../../../node_modules/.cache/eigenveil-test', import.meta.url).pathname;

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Children {
  readonly #running = new Set<ChildProcess>();

  /** Runs a command to its end. `onSaid` is told what it writes to standard error, and may send it a signal. */
  async run(
    name: ProgramName,
    args: readonly string[],
    environment: Record<string, string> = {},
    onSaid: (text: string, send: (signal: NodeJS.Signals) => void) => void = () => {},
  ): Promise<Finished> {
    const child = this.#spawn(name, args, environment);
    child.stderr!.on('data', (chunk: Buffer) => onSaid(String(chunk), (signal) => void child.kill(signal)));
    return finished(child);
  }

  /** Runs a command to its end that reads these pieces from its standard input, as far as it reads. Their maker may look at it, and end it. */
  async feed(
    name: ProgramName,
    args: readonly string[],
    pieces: (child: ChildProcess) => AsyncIterable<string | Uint8Array>,
    environment: Record<string, string> = {},
  ): Promise<Finished> {
    const child = this.#spawn(name, args, environment, [], 'pipe');
    pipeline(Readable.from(pieces(child), { objectMode: false }), child.stdin!).catch(() => {});
    return finished(child);
  }

  /** Starts a service, under a command that runs it if one is given, and waits until it says on standard output where it listens. */
  async serve(
    name: ProgramName,
    args: readonly string[],
    environment: Record<string, string> = {},
    under: readonly string[] = [],
  ): Promise<RunningChild> {
    const child = this.#spawn(name, ['--json', 'serve', ...args], environment, under);
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
    });
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    const listening = await Promise.race([
      firstListening(child.stdout!),
      ended.then(([exitCode]) => {
        throw new Error(`eigenveil-${name} ended with exit code ${exitCode}: ${said}`);
      }),
    ]);
    return {
      pid: child.pid!,
      listening,
      errors: () => said,
      signal: (signal) => void child.kill(signal),
      async end(signal) {
        child.kill(signal);
        const [exitCode] = await ended;
        return exitCode;
      },
      isRunning: () => child.exitCode === null && child.signalCode === null,
    };
  }

  /** Kills what still runs. */
  async stop(): Promise<void> {
    await Promise.all(
      [...this.#running].map(async (child) => {
        const closed = once(child, 'close');
        child.kill('SIGKILL');
        await closed;
      }),
    );
  }

  #spawn(
    name: ProgramName,
    args: readonly string[],
    environment: Record<string, string>,
    under: readonly string[] = [],
    input: 'ignore' | 'pipe' = 'ignore',
  ) {
    const service = tethered(process.execPath, program(name), ...args);
    const [runner, ...options] = under;
    const [command, ...words] = runner === undefined ? service : tethered(runner, ...options, ...service);
    const child = spawn(command, words, {
      stdio: [input, 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        ...environment,
      },
    });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return child;
  }
}

async function finished(child: ChildProcess): Promise<Finished> {
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { exitCode, stdout, stderr };
}

/** The line that says where a service listens; its log goes to standard output, too, and is read on and dropped. */
function firstListening(stdout: Readable): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Record<string, unknown>;
      if (message.event === 'listening') resolve(message);
    });
  });
}

export interface RunningChild {
  readonly pid: number;
  /** What it said when it was ready. */
  readonly listening: Record<string, unknown>;
  /** What it has written to standard error; once it has ended, everything. */
  errors(): string;
  /** Sends the signal without waiting for anything. */
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal and returns the exit code, null when the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  isRunning(): boolean;
}
