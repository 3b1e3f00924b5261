/**
 * The one answer of a task whose two-party protocol gives one only, as either service keeps it while the task is computed: a seed, sealed, from which all its
 * secrets follow, and the tags of what has come, position by position. All of it goes when the task needs it no more.
 */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '@eigenveil/wire';
import type { Sealer } from './sealing.ts';
import { type Database, transaction } from './sqlite.ts';

export interface AnswerStore {
  /** Keeps the seed of a task's answer unless there is one; resolves to the one that is kept, or undefined where the task gives no answer any more. */
  keepSeed(taskId: string, sealedSeed: Uint8Array): Promise<Uint8Array | undefined>;
  /** The same of the tag of a position; undefined where there is no seed any more. */
  keepTag(taskId: string, position: number, tag: Uint8Array): Promise<Uint8Array | undefined>;
}

const SEED_BYTES = 32;

/**
 * The answer of a task, begun now if it was not: a run of it may start.
 * @param place for which its seed is sealed
 * @throws ERR_TASK_CLOSED, as `keep` does, where the task gives no answer any more
 */
export async function keptAnswer(
  store: AnswerStore,
  sealer: Sealer,
  place: string,
  taskId: string,
): Promise<{ seed: Uint8Array; keep: (position: number, tag: Uint8Array) => Promise<Uint8Array> }> {
  const sealed = required(await store.keepSeed(taskId, sealer.seal(place, randomBytes(SEED_BYTES))));
  return {
    seed: sealer.open(place, sealed),
    keep: async (position, tag) => required(await store.keepTag(taskId, position, tag)),
  };
}

function required(kept: Uint8Array | undefined): Uint8Array {
  if (kept !== undefined) return kept;
  throw new ServiceError('ERR_TASK_CLOSED', 'the task has ended, or its one answer has');
}

/** Tables of both services' databases in SQLite, beside their tasks. */
export const ANSWER_TABLES = `
  CREATE TABLE answers (
    task_id     TEXT PRIMARY KEY REFERENCES tasks,
    sealed_seed BLOB NOT NULL,
    -- Runs that have come to the first matrix.
    runs        INTEGER NOT NULL DEFAULT 0
  ) STRICT;

  CREATE TABLE answer_tags (
    task_id  TEXT NOT NULL REFERENCES tasks,
    position INTEGER NOT NULL,
    tag      BLOB NOT NULL,
    PRIMARY KEY (task_id, position)
  ) STRICT, WITHOUT ROWID;
`;

/** These tables in SQLite. */
export class SqliteAnswers implements AnswerStore {
  readonly #db: Database;
  readonly #gives: string;

  /** @param gives which tasks may have an answer: a condition on their table, from the code */
  constructor(db: Database, gives: string) {
    this.#db = db;
    this.#gives = gives;
  }

  async keepSeed(taskId: string, sealedSeed: Uint8Array): Promise<Uint8Array | undefined> {
    return transaction(this.#db, () => {
      this.#db
        .prepare(
          `INSERT INTO answers (task_id, sealed_seed) SELECT task_id, ? FROM tasks WHERE task_id = ? AND ${this.#gives}
           ON CONFLICT (task_id) DO NOTHING`,
        )
        .run(sealedSeed, taskId);
      const row = this.#db.prepare('SELECT sealed_seed FROM answers WHERE task_id = ?').get(taskId);
      return row?.sealed_seed as Uint8Array | undefined;
    });
  }

  async keepTag(taskId: string, position: number, tag: Uint8Array): Promise<Uint8Array | undefined> {
    return transaction(this.#db, () => {
      this.#db
        .prepare(
          `INSERT INTO answer_tags (task_id, position, tag) SELECT task_id, ?, ? FROM answers WHERE task_id = ?
           ON CONFLICT (task_id, position) DO NOTHING`,
        )
        .run(position, tag, taskId);
      const kept = 'SELECT tag FROM answer_tags WHERE task_id = ? AND position = ?';
      return this.#db.prepare(kept).get(taskId, position)?.tag as Uint8Array | undefined;
    });
  }

  /** Counts a run that has come to the first matrix; returns how many there were, or undefined where there is no answer any more. */
  countRun(taskId: string): number | undefined {
    const row = this.#db
      .prepare('UPDATE answers SET runs = runs + 1 WHERE task_id = ? RETURNING runs')
      .get(taskId);
    return row?.runs as number | undefined;
  }

  /** Destroys a task's answer, or everybody's. The log is the caller's to scrub. */
  forget(taskId?: string): void {
    for (const table of ['answers', 'answer_tags']) {
      if (taskId === undefined) this.#db.exec(`DELETE FROM ${table}`);
      else this.#db.prepare(`DELETE FROM ${table} WHERE task_id = ?`).run(taskId);
    }
  }
}
