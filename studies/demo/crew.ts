/** Processes of one program that are asked to do things, one at a time each and all at once, and answer: owners of the demos, devices. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import type { Children } from '@eigenveil/testbed/processes/children';

/** The answer of a process to a request and the time it took, or what went wrong. */
type Reply<Answer> = { readonly milliseconds: number; readonly answer: Answer } | { readonly error: string };

export interface Done<Answer> {
  readonly milliseconds: number;
  readonly answer: Answer;
}

export class Crew<Request, Answer> {
  readonly #processes: readonly ChildProcess[];

  private constructor(processes: readonly ChildProcess[]) {
    this.#processes = processes;
  }

  /** @param program path of one that calls `answerRequests` */
  static async start<Request, Answer>(
    children: Children,
    program: string,
    count: number,
    tick: () => void,
  ): Promise<Crew<Request, Answer>> {
    const processes = await Promise.all(
      Array.from({ length: count }, async () => {
        const { flags, environment } = children.launch();
        const child = fork(program, {
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
          execArgv: [...process.execArgv, ...flags],
          env: { ...process.env, ...environment },
        });
        children.add(child);
        await messageOf(child);
        tick();
        return child;
      }),
    );
    return new Crew(processes);
  }

  get size(): number {
    return this.#processes.length;
  }

  get pids(): readonly number[] {
    return this.#processes.map(({ pid }) => pid!);
  }

  /** Has one process do its request. */
  async ask(member: number, request: Request): Promise<Done<Answer>> {
    const child = this.#processes[member]!;
    const message = messageOf(child);
    child.send(request as object);
    const reply = (await message) as Reply<Answer>;
    if ('error' in reply) throw new Error(`process ${member + 1} of the crew: ${reply.error}`);
    return reply;
  }

  /** Has every process do its request; calls `tick` whenever one is done. */
  all(requestOf: (member: number) => Request, tick: () => void): Promise<Done<Answer>[]> {
    return Promise.all(
      this.#processes.map(async (_, member) => {
        const done = await this.ask(member, requestOf(member));
        tick();
        return done;
      }),
    );
  }

  /** Ends the processes; what they keep stays. */
  async end(): Promise<void> {
    await Promise.all(
      this.#processes.map(async (child) => {
        const closed = once(child, 'close');
        child.kill();
        await closed;
      }),
    );
  }
}

/** The other end: what a program of a crew does with each request, until whoever started it goes. */
export function answerRequests<Request, Answer>(perform: (request: Request) => Promise<Answer>): void {
  const reply = (message: Reply<Answer>) => process.send!(message);
  process.on('message', (request: Request) => {
    const started = performance.now();
    perform(request).then(
      (answer) => reply({ milliseconds: performance.now() - started, answer }),
      (error: unknown) => reply({ error: String(error) }),
    );
  });
  process.on('disconnect', () => process.exit());
  flushCompileCache(); // it is killed in the end
  process.send!('ready');
}

/** Returns the time of the middle one, by time. */
export function medianMilliseconds(done: readonly Done<unknown>[]): number {
  const times = done.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return times[Math.floor(times.length / 2)]!;
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new Error(`a process of the crew ended with exit code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message);
    });
  });
}
