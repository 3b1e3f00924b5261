/**
 * A real CSP or data user as a child process whose clock and end the parent commands: started over IPC, killed with SIGKILL
 * from outside or, to the commit, by itself. Nothing else of the service is replaced but the times of its queues.
 */
import { flushCompileCache } from 'node:module';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CspConfiguration } from '@eigenveil/csp';
import type { DataUserConfiguration } from '@eigenveil/data-user';
import pg from 'pg';

/** Where a process is to die: right before or right after one of its next durable writes. */
export interface CrashPoint {
  readonly when: 'before commit' | 'after commit';
  /** The store's method that writes, in SQLite; null for any. */
  readonly write: string | null;
  /** How many such writes it survives. */
  readonly skipped: number;
}

export type Start = { readonly offset: number; readonly crash: CrashPoint | null } & (
  | { readonly service: 'csp'; readonly config: CspConfiguration }
  | { readonly service: 'data user'; readonly config: DataUserConfiguration }
);

/** What the parent sends. `offset` is the clock's lead over real time, in milliseconds. */
export type Command =
  | ({ readonly kind: 'start' } & Start)
  | { readonly kind: 'clock'; readonly offset: number }
  | { readonly kind: 'crash'; readonly crash: CrashPoint | null };

/** The answer to every command; a process that cannot start says why. */
export interface Acknowledgement {
  readonly problem: string | null;
}

/** How a statement begins that changes something. */
const CHANGE = /^\s*(INSERT|UPDATE|DELETE|WITH)\b/i;

let offset = 0;
let crash: CrashPoint | null = null;

const now = () => new Date(Date.now() + offset);

/** Whether the process is to die next to the durable write that is about to be made. */
function isStruck(): boolean {
  if (crash === null || !isIn(crash.write)) return false;
  if (crash.skipped === 0) return true;
  crash = { ...crash, skipped: crash.skipped - 1 };
  return false;
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('a process expected to be dead');
}

/** Runs what makes a change durable, or dies next to it. */
function commit<Result>(write: () => Result): Result {
  if (!isStruck()) return write();
  if (crash?.when === 'before commit') die();
  const result = write();
  if (!(result instanceof Promise)) die();
  return result.then(die) as Result;
}

/** Between a method of a store and its statements lie more calls than a stack shows by itself. */
Error.stackTraceLimit = 50;

/** Whether a method of a store is at work. */
function isIn(method: string | null): boolean {
  return method === null || new Error('for its stack').stack!.includes(`Store.${method} (`);
}

/** SQLite commits at COMMIT, and at a statement that is in no transaction. */
function watchSqliteCommits(): void {
  const { exec } = DatabaseSync.prototype;
  let isInTransaction = false;
  DatabaseSync.prototype.exec = new Proxy(exec, {
    apply(_, database, parameters: Parameters<typeof exec>) {
      const [sql] = parameters;
      if (sql === 'BEGIN IMMEDIATE') isInTransaction = true;
      if (sql === 'COMMIT' || sql === 'ROLLBACK') isInTransaction = false;
      const execute = () => Reflect.apply(exec, database, parameters);
      return sql === 'COMMIT' ? commit(execute) : execute();
    },
  });
  for (const method of ['run', 'get', 'all'] as const) {
    const execute = StatementSync.prototype[method] as (...parameters: unknown[]) => unknown;
    StatementSync.prototype[method] = new Proxy(execute, {
      apply(_, statement: StatementSync, parameters: unknown[]) {
        const isDurable = !isInTransaction && CHANGE.test(statement.sourceSQL);
        const work = () => Reflect.apply(execute, statement, parameters);
        return isDurable ? commit(work) : work();
      },
    }) as never;
  }
}

/**
 * PostgreSQL commits as SQLite does, only later: what is awaited is its answer. There, a write has no name, since what a method
 * awaits is not on the stack; and the queue of jobs writes at times of its own.
 */
function watchPostgresCommits(): void {
  const { query } = pg.Client.prototype;
  const inTransaction = new WeakSet<object>();
  pg.Client.prototype.query = new Proxy(query, {
    apply(_, client: object, parameters: Parameters<typeof query>) {
      const [statement] = parameters as unknown[];
      const sql = typeof statement === 'string' ? statement : (statement as { text?: string }).text!;
      if (sql.startsWith('BEGIN')) inTransaction.add(client);
      if (sql === 'COMMIT' || sql === 'ROLLBACK') inTransaction.delete(client);
      const execute = () => Reflect.apply(query, client, parameters);
      const isDurable = sql === 'COMMIT' || (!inTransaction.has(client) && CHANGE.test(sql));
      return isDurable ? commit(execute) : execute();
    },
  });
}

async function obey(command: Command): Promise<void> {
  if (command.kind === 'crash') crash = command.crash;
  if (command.kind === 'clock') offset = command.offset;
  if (command.kind !== 'start') return;
  ({ offset, crash } = command);
  // Each loads itself alone.
  if (command.service === 'csp') {
    const { startCsp } = await import('@eigenveil/csp');
    await startCsp(command.config, { now });
  } else {
    const { startDataUser } = await import('@eigenveil/data-user');
    const { QUICK } = await import('./queue-times.ts');
    await startDataUser(command.config, { now, queueTimes: QUICK });
  }
  flushCompileCache(); // which a process that is killed does not do at its end
}

watchSqliteCommits();
watchPostgresCommits();
process.on('disconnect', () => process.exit()); // the parent is gone
process.on('message', (command: Command) => {
  const answer = (problem: Acknowledgement['problem']) => process.send?.({ problem });
  obey(command).then(
    () => answer(null),
    (error: unknown) => answer(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
});
