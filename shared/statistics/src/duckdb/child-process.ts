/**
 * Starts the process that runs DuckDB, and asks it. DuckDB is a large program in C++ that reads files of
 * anybody's making: in a process of its own, it shares no memory with keys. It gets none in its environment,
 * and ends soon after it was used last.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Answer, onFrames, type Request, writeFrame } from './messages.ts';

/**
 * The process lies beside this file and is of its kind: TypeScript in the repository, JavaScript in a
 * package.
 */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './process.ts' : './process.js', import.meta.url),
);
/**
 * Variables that a program needs to find files and to say times. Tokens and passwords of commands come by
 * other variables.
 */
const VARIABLES = [
  'HOME',
  'LANG',
  'LC_ALL',
  'NODE_COMPILE_CACHE',
  'PATH',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'TMPDIR',
  'TZ',
  'USERPROFILE',
];
/**
 * The time for which an idle process is kept: to start one takes a fifth of a second, and whoever reads a
 * file often reads another one.
 */
const IDLE_MILLISECONDS = 2000;

/** The process is gone: whatever it read may have made it so. */
export class ProcessGone extends Error {}

export class DuckdbProcess {
  static #idle: DuckdbProcess | undefined;
  readonly #process: ChildProcess;
  readonly #requests: Writable;
  readonly #waiting: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  #isBroken = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor() {
    const environment = VARIABLES.map((name) => [name, process.env[name]] as const);
    this.#process = spawn(process.execPath, [PROGRAM], {
      env: Object.fromEntries(environment.filter(([, value]) => value !== undefined)),
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    const [requests, , , answers] = this.#process.stdio;
    this.#requests = requests as Writable;
    this.#requests.on('error', () => {}); // told when it ends
    onFrames(answers as Readable, (message, numbers) => {
      const answer = message as Answer;
      this.#waiting.shift()?.resolve('value' in answer ? { ...answer, numbers } : answer);
    });
    this.#process.on('error', () => this.#break());
    this.#process.on('close', () => this.#break());
  }

  /** One that is for the caller alone, until it is given back. */
  static take(): DuckdbProcess {
    const idle = DuckdbProcess.#idle;
    DuckdbProcess.#idle = undefined;
    if (idle === undefined || idle.#isBroken) return new DuckdbProcess();
    clearTimeout(idle.#timer);
    idle.#hold(true);
    return idle;
  }

  /**
   * Asks without waiting for answers before: they come in the order of the requests.
   * @throws ProcessGone
   */
  ask(request: Request): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#isBroken) reject(new ProcessGone());
    else {
      this.#waiting.push({ resolve, reject });
      writeFrame(this.#requests, request);
    }
    return promise;
  }

  /** Keeps the process for whoever needs one next; it keeps nobody from ending. */
  giveBack(): void {
    if (this.#isBroken) return;
    if (DuckdbProcess.#idle !== undefined) {
      this.#end();
      return;
    }
    DuckdbProcess.#idle = this;
    this.#hold(false);
    this.#timer = setTimeout(() => {
      if (DuckdbProcess.#idle === this) DuckdbProcess.#idle = undefined;
      this.#end();
    }, IDLE_MILLISECONDS).unref();
  }

  #end(): void {
    this.#requests.end();
  }

  #hold(isUsed: boolean): void {
    for (const it of [this.#process, this.#requests as Socket, this.#process.stdio[3] as Socket])
      if (isUsed) it.ref();
      else it.unref();
  }

  #break(): void {
    this.#isBroken = true;
    if (DuckdbProcess.#idle === this) DuckdbProcess.#idle = undefined;
    for (const { reject } of this.#waiting.splice(0)) reject(new ProcessGone());
  }
}
