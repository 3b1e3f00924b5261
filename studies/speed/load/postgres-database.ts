/** A PostgreSQL of its own for a load, and what it uses. */
import { readdir, readFile } from 'node:fs/promises';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { cpuOf, parentOf } from '@eigenveil/testbed/processes/process-usage';
import pg from 'pg';

export class PostgresDatabase {
  readonly url: string;
  readonly #postgres: Postgres;

  private constructor(postgres: Postgres, url: string) {
    this.#postgres = postgres;
    this.url = url;
  }

  static async launch(): Promise<PostgresDatabase> {
    const postgres = await Postgres.launch('disk');
    return new PostgresDatabase(postgres, await postgres.database());
  }

  async bytes(): Promise<number> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      return Number(rows[0]!.bytes);
    } finally {
      await client.end();
    }
  }

  /** The use of the server's first process and of those that it has started: connections, log writer, checkpointer. */
  async cpuMilliseconds(): Promise<number> {
    const { pid } = this.#postgres;
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const stats = await Promise.all(
      pids.map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => undefined)), // may have ended meanwhile
    );
    return pids.reduce((sum, name, i) => {
      const stat = stats[i];
      const isOfServer = stat !== undefined && (Number(name) === pid || parentOf(stat) === pid);
      return isOfServer ? sum + cpuOf(stat) : sum;
    }, 0);
  }

  close(): Promise<void> {
    return this.#postgres.close();
  }
}
