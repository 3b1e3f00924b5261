/**
 * The one answer of a task whose two-party protocol gives only one, as either service keeps it while the task
 * is computed: a sealed seed, from which all its secrets follow, and the tag of each input that has come,
 * position by position. All of it is destroyed when the task needs it no more.
 */
import { randomBytes } from 'node:crypto';
import { CodedError } from '@eigenveil/platform';
import { CODES } from '@eigenveil/wire';
import type { Sealer } from '../secrets/sealing.ts';
import { countOf, erasing, LOCKED, named, rowOf, sql, type Work } from './sql.ts';

export interface AnswerStore {
  /**
   * Keeps the seed of a task's answer unless there is one; resolves to the one that is kept, or undefined
   * where the task gives no answer any more.
   */
  keepSeed(taskId: string, sealedSeed: Uint8Array): Promise<Uint8Array | undefined>;
  /** Keeps, in the same way, the tag of a position; undefined where there is no seed any more. */
  keepTag(taskId: string, position: number, tag: Uint8Array): Promise<Uint8Array | undefined>;
}

const SEED_BYTES = 32;

/**
 * Returns the answer of a task, which begins now if it did not before: a run of it may start.
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
  throw new CodedError(CODES.ERR_TASK_CLOSED, 'the task has ended, or its one answer has');
}

/** The tables in SQLite that both services' databases have beside their tasks. */
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

/**
 * Keeps a seed, see AnswerStore. `gives` says which tasks may have an answer: a condition on their table,
 * which comes from the code.
 */
export function* keepSeed(
  taskId: string,
  sealedSeed: Uint8Array,
  gives: string,
): Work<Uint8Array | undefined> {
  const mayAnswer = yield* countOf(
    sql`SELECT 1 FROM tasks WHERE task_id = ${taskId} AND ${named(gives)} ${LOCKED}`,
  );
  if (mayAnswer > 0)
    yield sql`
      INSERT INTO answers (task_id, sealed_seed) VALUES (${taskId}, ${sealedSeed}) ON CONFLICT (task_id) DO NOTHING`;
  const kept = sql`SELECT sealed_seed AS seed FROM answers WHERE task_id = ${taskId}`;
  return (yield* rowOf<{ seed: Uint8Array }>(kept))?.seed;
}

/**
 * Keeps a tag. If two processes keep one at once, one waits for the other at the key of the row, and then
 * gets the other's answer.
 */
export function* keepTag(taskId: string, position: number, tag: Uint8Array): Work<Uint8Array | undefined> {
  yield sql`
    INSERT INTO answer_tags (task_id, position, tag) SELECT task_id, ${position}, ${tag} FROM answers WHERE task_id = ${taskId}
      ON CONFLICT (task_id, position) DO NOTHING`;
  const kept = sql`SELECT tag FROM answer_tags WHERE task_id = ${taskId} AND position = ${position}`;
  return (yield* rowOf<{ tag: Uint8Array }>(kept))?.tag;
}

/**
 * Counts a run that has reached the first matrix; returns the number of such runs, or undefined where there
 * is no answer any more.
 */
export function* countRun(taskId: string): Work<number | undefined> {
  const counted = sql`UPDATE answers SET runs = runs + 1 WHERE task_id = ${taskId} RETURNING runs`;
  return (yield* rowOf<{ runs: number }>(counted))?.runs;
}

/** Destroys a task's answer, or all answers. */
export function* forgetAnswer(taskId?: string): Work<void> {
  for (const table of ['answer_tags', 'answers'].map(named))
    yield taskId === undefined
      ? erasing`DELETE FROM ${table}`
      : erasing`DELETE FROM ${table} WHERE task_id = ${taskId}`;
}
