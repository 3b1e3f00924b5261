/** Operators and the log of what they did: every method is one durable transaction. Those that write do so one after the other. */
import { countOf, lockTable, named, rowOf, rowsOf, type SqlDriver, sql, type Work } from '@eigenveil/server';
import {
  ADMIN,
  OPERATOR_LOG,
  type OperatorStore,
  onTheMachine,
  type StoredOperator,
} from '../tasks/operators.ts';

const OPERATORS = sql`
  SELECT name, token_hash AS "tokenHash", added_at AS "addedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"
    FROM operators`;

export class SqlOperators implements OperatorStore {
  readonly #driver: SqlDriver;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  async add(operator: Parameters<OperatorStore['add']>[0], now: Date): Promise<boolean> {
    const { name, tokenHash, expiresAt } = operator;
    const added = sql`
      INSERT INTO operators (name, token_hash, added_at, expires_at)
        VALUES (${name}, ${tokenHash}, ${now.toISOString()}, ${expiresAt})
        ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, added_at = excluded.added_at,
          expires_at = excluded.expires_at, revoked_at = NULL
        WHERE operators.revoked_at IS NOT NULL OR operators.expires_at <= excluded.added_at`;
    return this.#noting('add an operator', onTheMachine('operator added', name), now, added);
  }

  async revoke(name: string, now: Date): Promise<boolean> {
    const revoked = sql`
      UPDATE operators SET revoked_at = ${now.toISOString()} WHERE name = ${name} AND revoked_at IS NULL`;
    return this.#noting('revoke an operator', onTheMachine('operator revoked', name), now, revoked);
  }

  async list(): Promise<StoredOperator[]> {
    return [...(await this.#driver.run(rowsOf<StoredOperator>(sql`${OPERATORS} ORDER BY name`)))];
  }

  async named(name: string): Promise<StoredOperator | undefined> {
    return this.#one('name', name);
  }

  async withHash(tokenHash: string): Promise<StoredOperator | undefined> {
    return this.#one('token_hash', tokenHash);
  }

  async note(action: Parameters<OperatorStore['note']>[0], now: Date): Promise<boolean> {
    const { operator } = action;
    const active =
      operator === ADMIN
        ? sql`SELECT 1 AS found`
        : sql`SELECT 1 FROM operators WHERE name = ${operator} AND revoked_at IS NULL`;
    return this.#noting('note an action', action, now, active);
  }

  async log(): Promise<Record<string, unknown>[]> {
    return this.#driver.run(OPERATOR_LOG.readAll());
  }

  async noteRestoration(backup: string, now: Date): Promise<void> {
    await this.#driver.transaction('note a restoration', function* () {
      yield sql`UPDATE operators SET revoked_at = ${now.toISOString()} WHERE revoked_at IS NULL`;
      yield* OPERATOR_LOG.append(now, onTheMachine('restored', backup));
    });
  }

  /** Notes an action if `statement` changes or finds something; returns whether it did. The log is locked before: what it decides by is then the last word. */
  #noting(
    name: string,
    action: Parameters<OperatorStore['note']>[0],
    now: Date,
    statement: ReturnType<typeof sql>,
  ): Promise<boolean> {
    return this.#driver.transaction(name, function* (): Work<boolean> {
      yield lockTable('audit');
      if ((yield* countOf(statement)) === 0) return false;
      yield* OPERATOR_LOG.append(now, action);
      return true;
    });
  }

  #one(column: 'name' | 'token_hash', value: string): Promise<StoredOperator | undefined> {
    return this.#driver.run(rowOf<StoredOperator>(sql`${OPERATORS} WHERE ${named(column)} = ${value}`));
  }
}
