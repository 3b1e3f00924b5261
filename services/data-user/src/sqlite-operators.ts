/** Operators and the log of what they did, in SQLite: every method is one durable transaction. */
import { type Database, transaction } from '@eigenveil/server';
import { OPERATOR_LOG, onTheMachine } from './operator-log.ts';
import { ADMIN, type OperatorStore, type StoredOperator } from './operators.ts';

const COLUMNS =
  'name, token_hash AS tokenHash, added_at AS addedAt, expires_at AS expiresAt, revoked_at AS revokedAt';

export class SqliteOperators implements OperatorStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async add(operator: Parameters<OperatorStore['add']>[0], now: Date): Promise<boolean> {
    const { name, tokenHash, expiresAt } = operator;
    const at = now.toISOString();
    return transaction(this.#db, () => {
      const { changes } = this.#db
        .prepare(
          `INSERT INTO operators (name, token_hash, added_at, expires_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, added_at = excluded.added_at,
             expires_at = excluded.expires_at, revoked_at = NULL
           WHERE revoked_at IS NOT NULL OR expires_at <= excluded.added_at`,
        )
        .run(name, tokenHash, at, expiresAt);
      if (changes === 0) return false;
      OPERATOR_LOG.append(this.#db, now, onTheMachine('operator added', name));
      return true;
    });
  }

  async revoke(name: string, now: Date): Promise<boolean> {
    return transaction(this.#db, () => {
      const { changes } = this.#db
        .prepare('UPDATE operators SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL')
        .run(now.toISOString(), name);
      if (changes === 0) return false;
      OPERATOR_LOG.append(this.#db, now, onTheMachine('operator revoked', name));
      return true;
    });
  }

  async list(): Promise<StoredOperator[]> {
    const rows = this.#db.prepare(`SELECT ${COLUMNS} FROM operators ORDER BY name`).all();
    return rows as unknown as StoredOperator[];
  }

  async named(name: string): Promise<StoredOperator | undefined> {
    const row = this.#db.prepare(`SELECT ${COLUMNS} FROM operators WHERE name = ?`).get(name);
    return row as unknown as StoredOperator | undefined;
  }

  async withHash(tokenHash: string): Promise<StoredOperator | undefined> {
    const row = this.#db.prepare(`SELECT ${COLUMNS} FROM operators WHERE token_hash = ?`).get(tokenHash);
    return row as unknown as StoredOperator | undefined;
  }

  async note(action: Parameters<OperatorStore['note']>[0], now: Date): Promise<boolean> {
    return transaction(this.#db, () => {
      const active = this.#db.prepare('SELECT 1 FROM operators WHERE name = ? AND revoked_at IS NULL');
      if (action.operator !== ADMIN && active.get(action.operator) === undefined) return false;
      OPERATOR_LOG.append(this.#db, now, action);
      return true;
    });
  }

  async log(): Promise<Record<string, unknown>[]> {
    return OPERATOR_LOG.readAll(this.#db);
  }

  /** For a database that was put back from the backup with this digest: revokes all, since somebody may have been revoked later. */
  async noteRestoration(backup: string, now: Date): Promise<void> {
    transaction(this.#db, () => {
      this.#db.prepare('UPDATE operators SET revoked_at = ? WHERE revoked_at IS NULL').run(now.toISOString());
      OPERATOR_LOG.append(this.#db, now, onTheMachine('restored', backup));
    });
  }
}
