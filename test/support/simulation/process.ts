/** The parent's end of a service process: starts it, sets its clock, kills it, and reads its log for what must not be there. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { COMPILE_CACHE } from '@eigenveil/testbed/processes/programs';
import { isErrorCode } from '@eigenveil/wire';
import type { Acknowledgement, Command, Start } from '../service-process.ts';

const PROGRAM = new URL('../service-process.ts', import.meta.url).pathname;

export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  /** Everything that a service must never have to log, and deaths that nobody has brought about. */
  readonly #complaints: string[] = [];
  #isRunning = true;

  /** It loads its program and waits to be told which service it is. */
  constructor() {
    const environment = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: COMPILE_CACHE };
    const stdio = ['ignore', 'ignore', 'pipe', 'ipc'] as const;
    this.#child = fork(PROGRAM, [], { execArgv: [], env: environment, stdio: [...stdio] });
    this.#child.on('error', () => undefined); // of a message to one that has just died
    this.#ended = once(this.#child, 'close').then(([exitCode, signal]) => {
      this.#isRunning = false;
      if (signal !== 'SIGKILL')
        this.#complaints.push(`it ended with exit code ${exitCode}, signal ${signal}`);
    });
    createInterface({ input: this.#child.stderr! }).on('line', (line) => {
      if (isComplaint(line)) this.#complaints.push(line);
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** What there was to complain of since this was asked last. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }

  /** Resolves when the service listens, to false when it has died of its crash point before. */
  start(start: Start): Promise<boolean> {
    return this.tell({ kind: 'start', ...start });
  }

  /** Resolves when the command is carried out, to false when the process is dead. */
  async tell(command: Command): Promise<boolean> {
    if (!this.#isRunning) return false;
    const answered = once(this.#child, 'message') as Promise<[Acknowledgement]>;
    this.#child.send(command, () => undefined);
    const answer = await Promise.race([answered, this.#ended.then(() => undefined)]);
    if (answer === undefined) return false;
    const [{ problem }] = answer;
    if (problem !== null) throw new Error(`a service process expected to obey "${command.kind}": ${problem}`);
    return true;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** Waits for the end of a process that may be dying. */
  async isDeadWithin(milliseconds: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    await Promise.race([this.#ended, promise]);
    clearTimeout(timer);
    return !this.#isRunning;
  }
}

/** Peers that are away are part of the game; errors without a stable code, or with that of a fault of ours, never are. */
function isComplaint(line: string): boolean {
  const { level, code, err } = parsed(line);
  if (err?.code !== undefined || code !== undefined) {
    const codes = [err?.code, code].filter((one) => one !== undefined);
    return codes.some((one) => !isErrorCode(one) || one === 'ERR_INTERNAL');
  }
  return err !== undefined || level !== 'warn';
}

interface LogLine {
  readonly level?: string;
  readonly code?: string;
  readonly err?: { readonly code?: string };
}

function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return {}; // not from the log: a crash, or a warning of the runtime
  }
}
