/** A real PostgreSQL for tests, of their own and on Linux, that can be crashed and started again. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** What the keeper is asked for; it answers with the same id. */
export type KeeperRequest = { readonly id: number } & KeeperJob;
type KeeperJob = { readonly job: 'start' | 'crash' } | { readonly job: 'database'; readonly name: string };
export type KeeperAnswer =
  | { readonly id: number; readonly result: KeptServer | string | null }
  | { readonly id: number; readonly error: string };
export interface KeptServer {
  readonly pid: number;
}

/**
 * Where a server has its files, and how large it is: in memory, where syncing costs nothing, or on a disk with what PostgreSQL comes
 * with, for measurements. Either keeps what it has committed when its processes are killed; what a loss of power does, no test tries.
 */
export type ServerPlace = 'memory' | 'disk';

interface Waiting {
  readonly resolve: (result: KeptServer | string | null) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One server with data checksums, on a free port of loopback, in a folder that is thrown away. Its processes end with the
 * test's, even when that is killed: a keeper beside it sees to it.
 */
export class Postgres {
  readonly #keeper: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<unknown>;
  #requests = 0;
  #pid: number | undefined;

  private constructor(place: ServerPlace) {
    // Of a session of its own: an interrupt at the terminal must not end it before its work is done.
    this.#keeper = fork(new URL('./postgres-keeper.ts', import.meta.url), [place], {
      detached: true,
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#ready = this.#answerTo(0);
    this.#keeper.on('message', (message: KeeperAnswer) => this.#answered(message));
    this.#keeper.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the keeper ended with ${code}`));
    });
  }

  /** Makes a server and starts it, which takes about a second; tests that need none of their own use `databaseOfRun`. */
  static async launch(place: ServerPlace = 'memory'): Promise<Postgres> {
    const postgres = new Postgres(place);
    try {
      await postgres.#ready;
      await postgres.start();
    } catch (error) {
      await postgres.close();
      throw error;
    }
    return postgres;
  }

  /** The process that all others of the server descend from; another one after each start. */
  get pid(): number {
    if (this.#pid === undefined) throw new TypeError('the server is down');
    return this.#pid;
  }

  /** All processes that the server has at the moment. */
  get processes(): number[] {
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    return [this.pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  get isRunning(): boolean {
    return this.#pid !== undefined;
  }

  /** The URL of a fresh, empty database. */
  async database(): Promise<string> {
    return (await this.#ask({ job: 'database', name: `test_${randomBytes(8).toString('hex')}` })) as string;
  }

  /** Kills the server and all its processes at once; resolves when they are gone. */
  async crash(): Promise<void> {
    this.#pid = undefined;
    await this.#ask({ job: 'crash' });
  }

  /** Starts the server again after a crash, at the same address; resolves when it takes connections. */
  async start(): Promise<void> {
    const { pid } = (await this.#ask({ job: 'start' })) as KeptServer;
    this.#pid = pid;
  }

  /** Ends the server and removes its files. */
  async close(): Promise<void> {
    if (this.#keeper.exitCode !== null || this.#keeper.signalCode !== null) return;
    const ended = once(this.#keeper, 'exit');
    this.#keeper.disconnect();
    await ended;
  }

  #ask(job: KeeperJob): Promise<KeptServer | string | null> {
    this.#requests += 1;
    const id = this.#requests;
    const answer = this.#answerTo(id);
    this.#keeper.send({ id, ...job });
    return answer;
  }

  #answerTo(id: number): Promise<KeptServer | string | null> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #answered(message: KeeperAnswer): void {
    const waiting = this.#waiting.get(message.id)!;
    this.#waiting.delete(message.id);
    if ('error' in message) waiting.reject(new Error(message.error));
    else waiting.resolve(message.result);
  }
}
