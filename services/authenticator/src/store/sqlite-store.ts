/**
 * The authenticator's store in one SQLite file (node:sqlite): every method that writes is one durable
 * transaction.
 */
import { CodedError } from '@eigenveil/platform';
import {
  type Database,
  openDatabase,
  resealColumns,
  type SealedColumn,
  type SealedStore,
  SqliteDriver,
  scrub,
  transaction,
} from '@eigenveil/server';
import { DAY_MILLISECONDS } from '@eigenveil/task';
import { CODES, type Digest, type Thumbprint } from '@eigenveil/wire';
import type { DecisionEvent, InvitationRequest, Reason, UserId } from '../messages.ts';
import { SqliteEvents } from './events.ts';
import { MIGRATIONS } from './sqlite-schema.ts';
import {
  type Invitation,
  type NewEvent,
  type StoredDevice,
  type StoredUser,
  templatePlace,
} from './store.ts';

export const SEALED: readonly SealedColumn[] = [
  { table: 'users', key: 'user_id', column: 'sealed_template', place: templatePlace },
];

/** A device's data for its enrolment. */
export interface Enrolment {
  readonly tokenHash: string;
  readonly device: Thumbprint;
  readonly projection: Digest;
  /** Seals the template for its place. */
  readonly seal: (place: string) => Uint8Array;
}

/** An enrolment that was made; `event` is undefined if it had been made before. */
export interface Enrolled {
  readonly userId: UserId;
  readonly event: NewEvent | undefined;
}

export class SqliteAuthenticatorStore implements SealedStore {
  readonly #db: Database;
  readonly #events: SqliteEvents;
  readonly #device;
  readonly #user;

  constructor(path: string) {
    this.#db = openDatabase(path, MIGRATIONS, 'authenticator');
    this.#events = new SqliteEvents(this.#db);
    // Every request runs this statement, so it is prepared once.
    this.#device = this.#db.prepare(
      `SELECT d.user_id, u.device = d.thumbprint AND u.state <> 'revoked' AS current
       FROM devices d JOIN users u USING (user_id) WHERE d.thumbprint = ?`,
    );
    this.#user = this.#db.prepare('SELECT * FROM users WHERE user_id = ?');
  }

  /** Returns the user whose key that is or was, or undefined for a stranger's. */
  device(thumbprint: Thumbprint): StoredDevice | undefined {
    const row = this.#device.get(thumbprint);
    return row && { userId: row.user_id as UserId, current: row.current === 1 };
  }

  user(userId: UserId): StoredUser | undefined {
    const row = this.#user.get(userId);
    return (
      row && {
        userId,
        state: row.state as StoredUser['state'],
        decision: row.decision as StoredUser['decision'],
        event: row.event as number,
        device: row.device as Thumbprint,
        enrolledAt: new Date(row.enrolled_at as number),
        projection: row.projection as Digest,
        sealedTemplate: row.sealed_template as Uint8Array | null,
        looks: row.looks as number,
        drifting: row.drifting === 1,
      }
    );
  }

  /**
   * Keeps an invitation, which replaces any other of its user.
   * @throws ERR_USER_CONFLICT, ERR_USER_UNKNOWN when the user is not in a state for its purpose
   */
  addInvitation({ tokenHash, userId, purpose, expiresAt }: Invitation): void {
    transaction(this.#db, () => {
      checkPurpose(this.user(userId), purpose);
      this.#dropInvitations(userId);
      this.#db
        .prepare('INSERT INTO invitations (token_hash, user_id, purpose, expires_at) VALUES (?, ?, ?, ?)')
        .run(tokenHash, userId, purpose, expiresAt.getTime());
    });
  }

  /**
   * Returns the invitation of a token that this device may use now, or has used.
   * @throws ERR_ENROLMENT_TOKEN
   */
  invitation(
    tokenHash: string,
    device: Thumbprint,
    now: Date,
  ): InvitationRequest & { readonly used: boolean } {
    const row = this.#db
      .prepare(
        `SELECT user_id, purpose, used_by FROM invitations
         WHERE token_hash = ?1 AND expires_at > ?2 AND (used_by IS NULL OR used_by = ?3)`,
      )
      .get(tokenHash, now.getTime(), device);
    if (row === undefined) throw badInvitation();
    const { user_id, purpose, used_by } = row;
    return {
      userId: user_id as UserId,
      purpose: purpose as InvitationRequest['purpose'],
      used: used_by !== null,
    };
  }

  /**
   * Uses an invitation up and gives its user the device and the template, all or nothing; the device and
   * template before are overwritten. A user who is locked stays locked. The same device again, with the token
   * that it has used and the same projection, changes nothing.
   * @throws ERR_ENROLMENT_TOKEN, ERR_USER_CONFLICT, ERR_USER_UNKNOWN, ERR_DEVICE_CONFLICT
   */
  enrol({ tokenHash, device, projection, seal }: Enrolment, now: Date): Enrolled {
    const enrolled = transaction(this.#db, () => {
      const { userId, purpose, used } = this.invitation(tokenHash, device, now);
      const before = this.user(userId);
      if (used && before?.projection === projection) return { userId, event: undefined };
      if (used) throw badInvitation(); // otherwise the device would use another projection than its template
      checkPurpose(before, purpose);
      this.#claimDevice(device, userId, before);
      this.#db.prepare('UPDATE invitations SET used_by = ? WHERE token_hash = ?').run(device, tokenHash);
      this.#db
        .prepare(
          `INSERT INTO users (user_id, state, decision, event, device, enrolled_at, projection, sealed_template)
           VALUES (?1, 'active', 'step-up', 0, ?2, ?3, ?4, ?5)
           ON CONFLICT (user_id) DO UPDATE SET state = iif(state = 'locked', 'locked', 'active'), device = ?2,
             enrolled_at = ?3, projection = ?4, sealed_template = ?5, looks = 0, drifting = 0`,
        )
        .run(userId, device, now.getTime(), projection, seal(templatePlace(userId)));
      this.#db
        .prepare('INSERT INTO devices (thumbprint, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(device, userId);
      const decision = before?.state === 'locked' ? 'lock' : 'step-up';
      const event: NewEvent = { userId, decision, reason: purpose === 'enrol' ? 'enrolled' : 'renewed' };
      this.#events.append(event, now);
      return { userId, event };
    });
    if (enrolled.event?.reason === 'renewed') scrub(this.#db); // the old template must not remain in the log
    return enrolled;
  }

  /**
   * Writes a decision down and returns its sequence. A locked user stays locked until unlocked; a step-up
   * because of windows becomes a lock when it is the last of `mostAttempts` in a day.
   */
  decide(
    { userId, decision, reason }: NewEvent,
    now: Date,
    mostAttempts = Number.POSITIVE_INFINITY,
  ): DecisionEvent {
    return transaction(this.#db, () => {
      const tooMany =
        decision === 'step-up' && reason === 'behaviour' && this.#attempts(userId, now) >= mostAttempts;
      const made: NewEvent = tooMany
        ? { userId, decision: 'lock', reason: 'attempts' }
        : { userId, decision, reason };
      if (made.decision === 'lock')
        this.#db
          .prepare("UPDATE users SET state = 'locked' WHERE user_id = ? AND state = 'active'")
          .run(userId);
      return { ...made, sequence: this.#events.append(made, now), time: now.toISOString() };
    });
  }

  /**
   * Sets those of these users who are at `allow` to `step-up`, all of them together or none. Returns their
   * number.
   */
  endAll(users: readonly UserId[], reason: Reason, now: Date): number {
    return transaction(this.#db, () => {
      const allowed = users.filter((userId) => this.user(userId)?.decision === 'allow');
      for (const userId of allowed) this.#events.append({ userId, decision: 'step-up', reason }, now);
      return allowed.length;
    });
  }

  /** Returns the users who are at `allow`. */
  allowed(): UserId[] {
    const rows = this.#db.prepare("SELECT user_id FROM users WHERE decision = 'allow'").all();
    return rows.map((row) => row.user_id as UserId);
  }

  /**
   * Unlocks a user whose last event is that one. The same answer again changes nothing.
   * @returns sequence of the event, or undefined when that was answered before
   * @throws ERR_USER_UNKNOWN; ERR_EVENT_STALE when it is another event, or the user is not locked
   */
  unlock(userId: UserId, event: number, now: Date): number | undefined {
    return transaction(this.#db, () => {
      const row = this.#user.get(userId);
      if (row === undefined) throw unknownUser();
      if (row.unlocked_event === event) return undefined;
      if (row.state !== 'locked') throw staleEvent('a user who is locked: this one is not');
      if (row.event !== event) throw staleEvent('the user: read the decisions first');
      this.#db
        .prepare("UPDATE users SET state = 'active', unlocked_event = ?, attempts = 0 WHERE user_id = ?")
        .run(event, userId);
      return this.#events.append({ userId, decision: 'step-up', reason: 'unlocked' }, now);
    });
  }

  /**
   * Revokes a user and destroys template and invitations. Returns false for a user who was revoked before, or
   * was only invited.
   * @throws ERR_USER_UNKNOWN for one who was not even invited
   */
  revoke(userId: UserId, now: Date): boolean {
    const revoked = transaction(this.#db, () => {
      const user = this.user(userId);
      const isInvited = this.#dropInvitations(userId);
      if (user === undefined && !isInvited) throw unknownUser();
      if (user === undefined || user.state === 'revoked') return false;
      this.#db
        .prepare("UPDATE users SET state = 'revoked', sealed_template = NULL, drifting = 0 WHERE user_id = ?")
        .run(userId);
      this.#events.append({ userId, decision: 'lock', reason: 'revoked' }, now);
      return true;
    });
    scrub(this.#db);
    return revoked;
  }

  /** Replaces templates, each only if its user still has that device and enrolment. */
  replaceTemplates(
    changes: readonly {
      readonly userId: UserId;
      readonly device: Thumbprint;
      readonly enrolledAt: Date;
      readonly sealedTemplate: Uint8Array;
      readonly looks: number;
      readonly drifting: boolean;
    }[],
  ): void {
    transaction(this.#db, () => {
      const replace = this.#db.prepare(
        `UPDATE users SET sealed_template = ?, looks = ?, drifting = ?
         WHERE user_id = ? AND device = ? AND enrolled_at = ? AND state <> 'revoked'`,
      );
      for (const { userId, device, enrolledAt, sealedTemplate, looks, drifting } of changes)
        replace.run(sealedTemplate, looks, drifting ? 1 : 0, userId, device, enrolledAt.getTime());
    });
  }

  eventsAfter(sequence: number): DecisionEvent[] {
    return this.#events.after(sequence);
  }

  /**
   * Returns sequences: of the last event, of the last one that the webhook has taken, of the last one that is
   * no longer kept.
   */
  marks(): { readonly last: number; readonly delivered: number; readonly forgotten: number } {
    return {
      last: this.#events.last(),
      delivered: this.#events.mark('delivered'),
      forgotten: this.#events.mark('forgotten'),
    };
  }

  /** Returns the number of events that the webhook has not taken. */
  eventsWaiting(): number {
    const waiting = 'SELECT count(*) AS events FROM events WHERE sequence > ?';
    return this.#db.prepare(waiting).get(this.marks().delivered)!.events as number;
  }

  markDelivered(sequence: number): void {
    transaction(this.#db, () => this.#events.setMark('delivered', sequence));
  }

  /** Forgets events from before `since`, and invitations that have expired. */
  forget(since: Date, now: Date): void {
    transaction(this.#db, () => {
      this.#events.forget(since);
      this.#db.prepare('DELETE FROM invitations WHERE expires_at <= ?').run(now.getTime());
    });
  }

  /** Returns the number of users, by state, projection and whether they drift. */
  census(): { state: StoredUser['state']; projection: Digest; drifting: boolean; users: number }[] {
    const rows = this.#db
      .prepare(
        'SELECT state, projection, drifting, count(*) AS users FROM users GROUP BY state, projection, drifting',
      )
      .all();
    return rows.map((row) => ({
      state: row.state as StoredUser['state'],
      projection: row.projection as Digest,
      drifting: row.drifting === 1,
      users: row.users as number,
    }));
  }

  async reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number> {
    return new SqliteDriver(this.#db).run(resealColumns(SEALED, change));
  }

  /** Erases invitations in a copy that becomes a backup: a restoration must not bring them back. */
  eraseInvitations(): void {
    transaction(this.#db, () => this.#db.exec('DELETE FROM invitations'));
  }

  /**
   * Locks everybody in a database that was put back from a backup, until the relying application unlocks
   * them: users may have been revoked or renewed since the backup. Sequences go on from the present time in
   * milliseconds, so that those of events since the backup, which the relying application may know, are not
   * given again.
   */
  lockAll(now: Date): void {
    transaction(this.#db, () => {
      this.#db.exec('DELETE FROM invitations');
      this.#events.skipTo(now.getTime());
      this.#db.exec("UPDATE users SET state = 'locked' WHERE state = 'active'");
      for (const row of this.#db.prepare("SELECT user_id FROM users WHERE state = 'locked'").all())
        this.#events.append({ userId: row.user_id as UserId, decision: 'lock', reason: 'restored' }, now);
    });
  }

  /** @throws ERR_DATABASE_UNREACHABLE unless the database can be written */
  check(): void {
    this.#db.check();
  }

  close(): void {
    this.#db.close();
  }

  /** @throws ERR_DEVICE_CONFLICT for a key that is or was another user's, or that this user has given up */
  #claimDevice(device: Thumbprint, userId: UserId, user: StoredUser | undefined): void {
    const known = this.device(device);
    if (known === undefined || (known.userId === userId && known.current && user !== undefined)) return;
    throw new CodedError(
      CODES.ERR_DEVICE_CONFLICT,
      '"DPoP" expected a key that was nobody\'s before: enrol with a new one, in a folder of its own',
    );
  }

  /** Returns whether the user had an invitation. */
  #dropInvitations(userId: UserId): boolean {
    return this.#db.prepare('DELETE FROM invitations WHERE user_id = ?').run(userId).changes > 0;
  }

  /**
   * Counts a step-up; days go forward only, so that a clock which jumps back and forth gives no more
   * attempts.
   */
  #attempts(userId: UserId, now: Date): number {
    const day = Math.floor(now.getTime() / DAY_MILLISECONDS);
    const row = this.#db
      .prepare(
        `UPDATE users SET attempts = iif(?1 > attempt_day, 1, attempts + 1), attempt_day = max(attempt_day, ?1)
         WHERE user_id = ?2 RETURNING attempts`,
      )
      .get(day, userId);
    return row!.attempts as number;
  }
}

function checkPurpose(user: StoredUser | undefined, purpose: InvitationRequest['purpose']): void {
  const isEnrolled = user !== undefined && user.state !== 'revoked';
  if (purpose === 'enrol' && isEnrolled)
    throw new CodedError(
      CODES.ERR_USER_CONFLICT,
      '"purpose" expected renew for a user who is enrolled, or revoke the user first',
    );
  if (purpose === 'renew' && user === undefined)
    throw new CodedError(
      CODES.ERR_USER_UNKNOWN,
      '"purpose" expected enrol for a user who never was enrolled',
    );
  if (purpose === 'renew' && !isEnrolled)
    throw new CodedError(CODES.ERR_USER_CONFLICT, '"purpose" expected enrol for a user who was revoked');
}

function badInvitation(): CodedError {
  return new CodedError(
    CODES.ERR_ENROLMENT_TOKEN,
    '"Authorization" expected the token of an invitation that is neither used nor replaced nor expired: ask for another one',
  );
}

export function unknownUser(): CodedError {
  return new CodedError(CODES.ERR_USER_UNKNOWN, '"userId" expected a user who was enrolled');
}

/** `waiting` describes the user to whom such an answer is possible. */
export function staleEvent(waiting: string): CodedError {
  return new CodedError(CODES.ERR_EVENT_STALE, `"event" expected the last event of ${waiting}`);
}
