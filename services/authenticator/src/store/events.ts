/**
 * The events of the authenticator's database: all decisions in the order in which they were made, and marks
 * on them.
 */
import type { Database } from '@eigenveil/server';
import { type DecisionEvent, EVENTS_PER_PAGE, type UserId } from '../messages.ts';
import type { NewEvent } from './store.ts';

/** The most events that are kept, whatever their age. */
const MOST_EVENTS = 1_000_000;

export type Mark = 'delivered' | 'forgotten';

/** Events and marks in the database. Call the methods that write in a transaction. */
export class SqliteEvents {
  readonly #append;
  readonly #decide;
  readonly #after;
  readonly #mark;
  readonly #setMark;
  readonly #last;
  readonly #firstSince;
  readonly #delete;
  readonly #begin;
  readonly #skip;

  constructor(db: Database) {
    this.#append = db.prepare('INSERT INTO events (user_id, decision, reason, time) VALUES (?, ?, ?, ?)');
    this.#decide = db.prepare('UPDATE users SET decision = ?, event = ? WHERE user_id = ?');
    this.#after = db.prepare(
      `SELECT sequence, user_id, decision, reason, time FROM events WHERE sequence > ? ORDER BY sequence LIMIT ${EVENTS_PER_PAGE}`,
    );
    this.#mark = db.prepare('SELECT sequence FROM marks WHERE name = ?');
    this.#setMark = db.prepare('UPDATE marks SET sequence = max(sequence, ?) WHERE name = ?');
    this.#last = db.prepare(
      "SELECT coalesce(max(seq), 0) AS last FROM sqlite_sequence WHERE name = 'events'",
    );
    this.#firstSince = db.prepare('SELECT sequence FROM events WHERE time >= ? ORDER BY sequence LIMIT 1');
    // The table has no key, and no row before the first event.
    this.#begin = db.prepare(
      "INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')",
    );
    this.#skip = db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'events'");
    this.#delete = db.prepare('DELETE FROM events WHERE sequence < ?');
  }

  /** Writes an event down and makes it the user's last. Returns its sequence. */
  append({ userId, decision, reason }: NewEvent, now: Date): number {
    const sequence = Number(this.#append.run(userId, decision, reason, now.getTime()).lastInsertRowid);
    this.#decide.run(decision, sequence, userId);
    return sequence;
  }

  /** Returns a page of the events after that one. */
  after(sequence: number): DecisionEvent[] {
    return this.#after.all(sequence).map((row) => ({
      sequence: row.sequence as number,
      userId: row.user_id as UserId,
      decision: row.decision as DecisionEvent['decision'],
      reason: row.reason as DecisionEvent['reason'],
      time: new Date(row.time as number).toISOString(),
    }));
  }

  /** Returns the sequence of the last event that was ever made, or 0 before the first. */
  last(): number {
    return this.#last.get()!.last as number;
  }

  mark(name: Mark): number {
    return this.#mark.get(name)!.sequence as number;
  }

  /** Sets a mark, which only moves forward. */
  setMark(name: Mark, sequence: number): void {
    this.#setMark.run(sequence, name);
  }

  /**
   * Forgets the events before the first one that is not older than `since`. Later events stay, whatever time
   * a clock that jumped has given them.
   */
  forget(since: Date): void {
    const last = this.last();
    const fresh = this.#firstSince.get(since.getTime())?.sequence as number | undefined;
    const first = Math.max(fresh ?? last + 1, last - MOST_EVENTS + 1);
    if (this.#delete.run(first).changes > 0) this.setMark('forgotten', first - 1);
  }

  /**
   * Lets sequences go on from that one, unless they are further; events that may have been in between count
   * as forgotten.
   */
  skipTo(sequence: number): void {
    this.#begin.run();
    this.#skip.run(sequence);
    this.setMark('forgotten', this.last());
  }
}
