/** Sessions, which are in memory only. Their number is limited, and one that is silent for long ends. */
import { createHash } from 'node:crypto';
import type { EngineState, Scorer, Template, WindowSums } from '@eigenveil/authentication';
import type { Thumbprint } from '@eigenveil/wire';
import type { SessionId, UserId } from '../messages.ts';
import type { Reference } from './references.ts';

/** The last batch, by which a repeat is known. */
export interface LastBatch {
  readonly first: number;
  readonly digest: string;
}

export function digestOf(batch: readonly Float64Array[]): string {
  const hash = createHash('sha256');
  for (const window of batch) hash.update(window);
  return hash.digest('base64url');
}

export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  readonly device: Thumbprint;
  readonly enrolledAt: Date;
  readonly reference: Reference;
  template: Template;
  /** `looks` and `drifting` are those of StoredUser. */
  looks: number;
  drifting: boolean;
  scorer: Scorer;
  state: EngineState;
  /** The sequence of the user's last event. */
  event: number;
  /** The sequence of the step-up that was confirmed last. */
  confirmed: number | undefined;
  /** The number of the next window. */
  next: number;
  last: LastBatch | undefined;
  /** The sums of windows at `allow` that the template may learn from. */
  sums: WindowSums;
  /**
   * True once there were enough windows to learn from since the last confirmation; from then on only
   * confident runs count.
   */
  hasLearnt: boolean;
  /** The time of the device's last message, by the monotonic clock. */
  heard: number;
}

export class Sessions {
  /** All sessions; the one whose device has been silent for longest comes first. */
  readonly #byId = new Map<SessionId, Session>();
  readonly #byUser = new Map<UserId, Session>();
  readonly #most: number;
  readonly #idleMilliseconds: number;
  readonly #monotonic: () => number;

  constructor(most: number, idleMilliseconds: number, monotonic: () => number) {
    this.#most = most;
    this.#idleMilliseconds = idleMilliseconds;
    this.#monotonic = monotonic;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: SessionId): Session | undefined {
    return this.#awake(this.#byId.get(id));
  }

  /** Returns the one session of a user, if there is one. */
  ofUser(userId: UserId): Session | undefined {
    return this.#awake(this.#byUser.get(userId));
  }

  /** Adds a session, which replaces the user's last one. There must be room for it (see surplus). */
  add(session: Session): void {
    this.endUser(session.userId);
    this.#byId.set(session.id, session);
    this.#byUser.set(session.userId, session);
  }

  /** Notes that the device has sent a message now. */
  touch(session: Session): void {
    session.heard = this.#monotonic();
    this.#byId.delete(session.id);
    this.#byId.set(session.id, session);
  }

  /** Ends the session of a user, if there is one. */
  endUser(userId: UserId): void {
    const session = this.#byUser.get(userId);
    if (session === undefined) return;
    this.#byId.delete(session.id);
    this.#byUser.delete(userId);
  }

  /** Returns the sessions that have been silent for too long. */
  idle(): Session[] {
    const idle: Session[] = [];
    for (const session of this.#byId.values()) {
      if (this.#awake(session) !== undefined) break; // the devices of the others have sent something later
      idle.push(session);
    }
    return idle;
  }

  /**
   * Returns the sessions that must end so that this user has room: the longest silent ones, or none if the
   * user already has a session.
   */
  surplus(userId: UserId): Session[] {
    if (this.#byUser.has(userId)) return [];
    const surplus: Session[] = [];
    for (const session of this.#byId.values()) {
      if (this.#byId.size - surplus.length < this.#most) break;
      surplus.push(session);
    }
    return surplus;
  }

  #awake(session: Session | undefined): Session | undefined {
    if (session === undefined || this.#monotonic() - session.heard > this.#idleMilliseconds) return undefined;
    return session;
  }
}
