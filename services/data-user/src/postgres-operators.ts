/** Operators and the log of what they did, in PostgreSQL: every method is one durable transaction. Those that write do so one after the other. */
import type { PostgresDatabase, PostgresQueries } from '@eigenveil/server';
import { OPERATOR_LOG, onTheMachine } from './operator-log.ts';
import { ADMIN, type OperatorStore, type StoredOperator } from './operators.ts';

const COLUMNS =
  'name, token_hash AS "tokenHash", added_at AS "addedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"';

export class PostgresOperators implements OperatorStore {
  readonly #db: PostgresDatabase;

  constructor(db: PostgresDatabase) {
    this.#db = db;
  }

  async add(operator: Parameters<OperatorStore['add']>[0], now: Date): Promise<boolean> {
    const { name, tokenHash, expiresAt } = operator;
    return this.#alone('add an operator', async (db) => {
      const { rowCount } = await db.query({
        text: `
          INSERT INTO operators (name, token_hash, added_at, expires_at) VALUES ($1, $2, $3, $4)
          ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, added_at = excluded.added_at,
            expires_at = excluded.expires_at, revoked_at = NULL
          WHERE operators.revoked_at IS NOT NULL OR operators.expires_at <= excluded.added_at`,
        values: [name, tokenHash, now.toISOString(), expiresAt],
      });
      if (rowCount === 0) return false;
      await OPERATOR_LOG.appendTo(db, now, onTheMachine('operator added', name));
      return true;
    });
  }

  async revoke(name: string, now: Date): Promise<boolean> {
    return this.#alone('revoke an operator', async (db) => {
      const text = 'UPDATE operators SET revoked_at = $1 WHERE name = $2 AND revoked_at IS NULL';
      const { rowCount } = await db.query({ text, values: [now.toISOString(), name] });
      if (rowCount === 0) return false;
      await OPERATOR_LOG.appendTo(db, now, onTheMachine('operator revoked', name));
      return true;
    });
  }

  async list(): Promise<StoredOperator[]> {
    const text = `SELECT ${COLUMNS} FROM operators ORDER BY name`;
    return (await this.#db.query<StoredOperator & Record<string, unknown>>({ text })).rows;
  }

  async named(name: string): Promise<StoredOperator | undefined> {
    return this.#one('name', name);
  }

  async withHash(tokenHash: string): Promise<StoredOperator | undefined> {
    return this.#one('token_hash', tokenHash);
  }

  async note(action: Parameters<OperatorStore['note']>[0], now: Date): Promise<boolean> {
    return this.#alone('note an action', async (db) => {
      const text = 'SELECT FROM operators WHERE name = $1 AND revoked_at IS NULL';
      const { rowCount } = await db.query({ text, values: [action.operator] });
      if (action.operator !== ADMIN && rowCount === 0) return false;
      await OPERATOR_LOG.appendTo(db, now, action);
      return true;
    });
  }

  async log(): Promise<Record<string, unknown>[]> {
    return OPERATOR_LOG.readFrom(this.#db);
  }

  /** Before it looks: what it decides by is then the last word. */
  #alone<Result>(name: string, work: (db: PostgresQueries) => Promise<Result>): Promise<Result> {
    return this.#db.transaction(name, async (db) => {
      await db.query({ text: 'LOCK TABLE audit IN EXCLUSIVE MODE' });
      return work(db);
    });
  }

  async #one(column: 'name' | 'token_hash', value: string): Promise<StoredOperator | undefined> {
    const text = `SELECT ${COLUMNS} FROM operators WHERE ${column} = $1`;
    return (await this.#db.query<StoredOperator & Record<string, unknown>>({ text, values: [value] }))
      .rows[0];
  }
}
