/** Starts services as child processes and makes sure that none outlives what it was started for. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tethered } from './tether.ts';

const GRACE_MILLISECONDS = 5000;
const KEPT_LINES = 20;

interface Started {
  readonly pid: number;
  /** What it said first. */
  readonly line: Readonly<Record<string, unknown>>;
}

/** What a program is started with beyond its own. */
export interface Launch {
  /** Of the runtime, before the program's name. */
  readonly flags: readonly string[];
  /** Variables beyond this process's own. */
  readonly environment: Readonly<Record<string, string>>;
}

const PLAIN: Launch = { flags: [], environment: {} };

/**
 * Does work with child processes and a temporary folder. `launch` is asked for each of them. Neither remains, however it ends: an exit of this process in the midst, for a
 * signal for instance, takes them away at once.
 */
export async function withChildren<T>(
  work: (children: Children, folder: string) => Promise<T>,
  launch?: () => Launch,
): Promise<T> {
  const children = new Children(launch);
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-'));
  const onExit = () => {
    children.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); // a process that dies may still write
  };
  process.once('exit', onExit);
  try {
    return await work(children, folder);
  } finally {
    await children.stop();
    await rm(folder, { recursive: true, force: true });
    process.off('exit', onExit);
  }
}

export class Children {
  /** What the next child is to be started with. */
  readonly launch: () => Launch;
  readonly #children = new Set<ChildProcess>();
  #stopping = false;

  constructor(launch = () => PLAIN) {
    this.launch = launch;
  }

  /**
   * Starts a TypeScript program and waits for the first line on its standard output, a JSON object: a service prints
   * one when it listens, a command when it is done. Rejects with the end of standard error when it exits before.
   */
  async start(program: string, args: readonly string[]): Promise<Started> {
    const { flags, environment } = this.launch();
    const [command, ...words] = tethered(process.execPath, ...flags, program, ...args);
    const env = { ...process.env, ...environment };
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.add(child);
    const errors: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      errors.push(line);
      if (errors.length > KEPT_LINES) errors.shift();
    });
    const lines = createInterface({ input: child.stdout });
    return new Promise((resolve, reject) => {
      lines.once('line', (line) => resolve({ pid: child.pid!, line: JSON.parse(line) as Started['line'] }));
      child.once('error', reject);
      child.once('close', (code, signal) => {
        if (this.#stopping) return; // nobody waits for a line any more
        reject(new Error(`${program} ended with ${signal ?? `exit code ${code}`}: ${errors.join('\n')}`));
      });
    });
  }

  add(child: ChildProcess): void {
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
  }

  /** Ends every child without asking. */
  kill(): void {
    this.#stopping = true;
    for (const child of this.#children) child.kill('SIGKILL');
  }

  /** Asks every child to end, and after a while makes it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      [...this.#children].map(async (child) => {
        const closed = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGTERM');
        const force = setTimeout(() => child.kill('SIGKILL'), GRACE_MILLISECONDS);
        await closed;
        clearTimeout(force);
      }),
    );
  }
}
