/**
 * Locks of PostgreSQL that a process holds for as long as it lives and is connected, each on a connection of
 * its own.
 */
import { hostname } from 'node:os';
import { Client } from 'pg';
import { clientOptions, translated } from './postgres.ts';
import { type PostgresWaits, parsePostgresUrl, STANDARD_WAITS, timesOfWaits } from './postgres-settings.ts';
import { endClient } from './postgres-sockets.ts';

export interface HeldLock {
  /** Aborted when the lock may be lost. */
  readonly signal: AbortSignal;
  /**
   * Checks that the lock was held from when it was taken until now.
   * @throws ERR_DATABASE_UNREACHABLE otherwise
   */
  confirm(): Promise<void>;
  release(): Promise<void>;
}

/**
 * A holder checks its lock every `prompt` milliseconds, and waits as long for the answer. A holder that is
 * cut off therefore notices within ten seconds and stops. Only later, after 10 + 4 · 5 seconds, does the
 * server take its connection for dead and give the lock to somebody else. When a holder dies, its operating
 * system tells the server at once.
 */
const SERVER_SETTINGS =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4';

/**
 * Takes the lock of this name, or returns undefined when somebody has it. It is an advisory lock of the
 * session, which PostgreSQL releases when the connection ends for any reason. So the connection must lead to
 * the server itself: behind a pooler that hands it to others between transactions, `confirm` fails.
 * @throws ERR_DATABASE_UNREACHABLE
 */
export async function tryLock(
  url: string,
  name: string,
  waits: PostgresWaits = STANDARD_WAITS,
): Promise<HeldLock | undefined> {
  const { prompt } = timesOfWaits(waits);
  const client = new Client({
    ...clientOptions(parsePostgresUrl(url)),
    application_name: `eigenveil lock ${process.pid} ${hostname()}`, // so that pg_stat_activity tells who works
    connectionTimeoutMillis: prompt,
    query_timeout: prompt,
  });
  const lost = new AbortController();
  const lose = () => lost.abort(new Error(`the lock "${name}" may be lost`));
  client.on('error', lose).on('end', lose);
  try {
    await client.connect();
    await client.query(SERVER_SETTINGS);
    const { rows } = await client.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
      [name],
    );
    if (rows[0]!.taken) return hold(client, name, lost, prompt);
  } catch (error) {
    end(client, prompt);
    throw translated(error);
  }
  end(client, prompt);
  return undefined;
}

function hold(client: Client, name: string, lost: AbortController, prompt: number): HeldLock {
  const check = async () => {
    lost.signal.throwIfAborted();
    // The lock is looked up by its key, whose halves are there: behind a pooler the session could be one that
    // holds another lock.
    const { rowCount } = await client.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid = pg_backend_pid() AND objsubid = 1
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
      [name],
    );
    if (rowCount !== 1) throw new Error('the lock was lost');
  };
  const timer = setInterval(() => {
    check().catch((error) => {
      lost.abort(error);
      end(client, prompt);
    });
  }, prompt);
  lost.signal.addEventListener('abort', () => clearInterval(timer));
  return {
    signal: lost.signal,
    async confirm() {
      await check().catch((error: unknown) => {
        lost.abort(error);
        throw translated(error);
      });
    },
    async release() {
      clearInterval(timer);
      // The server releases the lock when it hears of the end; where it cannot be reached, nobody waits for
      // that.
      await endClient(client, prompt);
    },
  };
}

/** Ends the connection without waiting. */
function end(client: Client, prompt: number): void {
  void endClient(client, prompt);
}
