/** A reader who follows the documents: gives their commands, with placeholders filled in, in a copy of this checkout and with a fresh environment. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Checkout } from '@eigenveil/testbed/faults/checkout';
import { freePort } from '@eigenveil/testbed/port';
import { expect } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;

export type Values = ReadonlyMap<string, string>;

export class Reader {
  readonly folder: string;
  readonly checkout: string;
  readonly environment = readersEnvironment();
  readonly #terminals = new Set<Terminal>();

  private constructor(folder: string) {
    this.folder = folder;
    this.checkout = join(folder, 'eigenveil');
  }

  static async start(): Promise<Reader> {
    const reader = new Reader(await mkdtemp(join(tmpdir(), 'eigenveil-recipes-')));
    await Checkout.copy(ROOT, reader.checkout);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: reader.checkout, stdio: 'ignore' });
    git('init');
    git('add', '--all');
    git(
      '-c',
      'user.name=reader',
      '-c',
      'user.email=reader@example.org',
      'commit',
      '--message',
      'as published',
    );
    return reader;
  }

  read(name: string): Promise<string> {
    return readFile(join(this.checkout, name), 'utf8');
  }

  /** Files that git would take up: what nobody has named is to come to nothing of the kind. */
  get untracked(): string {
    return execFileSync('git', ['status', '--porcelain'], { cwd: this.checkout, encoding: 'utf8' });
  }

  /** Places of both servers in the documents, and what stands for them here; `name` tells folders of several recipes apart. */
  async places(name: string): Promise<Map<string, string>> {
    const [cspPort, userPort] = [await freePort(), await freePort()];
    return new Map([
      ['/var/lib/eigenveil-csp', join(this.folder, `${name}-csp`)],
      ['/var/lib/eigenveil-user', join(this.folder, `${name}-user`)],
      ['https://csp.example.org:8443', `https://127.0.0.1:${cspPort}`],
      ['https://user.example.org:8444', `https://127.0.0.1:${userPort}`],
      ['--port 8443', `--port ${cspPort}`],
      ['--port 8444', `--port ${userPort}`],
      ['"port": 8443', `"port": ${cspPort}`],
      ['"port": 8444', `"port": ${userPort}`],
    ]);
  }

  /** Runs a command to its end, which is to be a good one. */
  async give(command: string, more: Record<string, string> = {}): Promise<Said> {
    const child = spawn('bash', ['-c', command], {
      cwd: this.checkout,
      env: { ...this.environment, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    expect({ command, exitCode, ...(exitCode === 0 ? {} : said) }).toEqual({ command, exitCode: 0 });
    return said;
  }

  /** What `export` sets is there for every later command. */
  export(command: string): void {
    for (const [, name, value] of command.matchAll(/(\w+)=(\S+)/g)) this.environment[name!] = value!;
  }

  /** Starts a command as a reader does in a terminal of its own. */
  open(command: string): Terminal {
    const terminal = new Terminal(command, this.checkout, this.environment);
    this.#terminals.add(terminal);
    return terminal;
  }

  /** Starts a service, and returns when it listens. */
  async serve(command: string): Promise<Terminal> {
    const terminal = this.open(command);
    await terminal.until(/ listens on https:\/\//);
    return terminal;
  }

  async close(): Promise<void> {
    for (const terminal of this.#terminals) terminal.kill();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on, and what it has said so far. */
export class Terminal {
  readonly #child: ChildProcess;
  readonly #command: string;
  #said = '';
  #waiting: (() => void)[] = [];
  #hasEnded = false;

  constructor(command: string, cwd: string, env: NodeJS.ProcessEnv) {
    this.#command = command;
    // A shell of its own would get no signal from npx.
    this.#child = spawn('bash', ['-c', `exec ${command}`], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const hear = (text: string) => {
      this.#said += text;
      this.#tell();
    };
    this.#child.stdout!.setEncoding('utf8').on('data', hear);
    this.#child.stderr!.setEncoding('utf8').on('data', hear);
    this.#child.once('close', () => {
      this.#hasEnded = true;
      this.#tell();
    });
  }

  /** Waits until it has been said. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#said);
      if (found !== null) return found;
      if (this.#hasEnded) throw new Error(`${this.#command} ended: ${this.#said}`);
      await this.#news();
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for a good end. A signal goes to npx alone, which ends what it has started. */
  async end(signal?: NodeJS.Signals): Promise<void> {
    if (signal !== undefined) this.#child.kill(signal);
    while (!this.#hasEnded) await this.#news();
    const { exitCode } = this.#child;
    expect({ exitCode, ...(exitCode === 0 ? {} : { said: this.#said }) }).toEqual({ exitCode: 0 });
    expect(() => process.kill(-this.#child.pid!, 0)).toThrow('ESRCH');
  }

  /** With everything that it has started. */
  kill(): void {
    killGroup(this.#child.pid!);
  }

  #news(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

export function fill(text: string, values: Values): string {
  const filled = [...values].reduce((it, [from, to]) => it.replaceAll(from, to), text);
  expect(filled, 'every placeholder has a value').not.toMatch(/<[a-z ]+>|example\.org|\/var\/lib/i);
  return filled;
}

/** Without what npm and vitest set here. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|node_|eigenveil_|vitest)/i.test(name),
  );
  const path = process.env.PATH!.split(delimiter).filter((place) => !place.includes('node_modules'));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
