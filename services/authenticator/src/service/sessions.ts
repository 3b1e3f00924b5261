/** Sessions, which are in memory only: at most so many, and none that has been silent for long. */
import { createHash } from 'node:crypto';
import type { EngineState, Scorer, Template, WindowSums } from '@eigenveil/authentication';
import type { Thumbprint } from '@eigenveil/wire';
import type { SessionId, UserId } from '../messages.ts';
import type { Reference } from './references.ts';

/** The batch that came last, so that a repeat is known. */
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
  /** As StoredUser has them. */
  looks: number;
  drifting: boolean;
  scorer: Scorer;
  state: EngineState;
  /** Sequence of the user's last event. */
  event: number;
  /** Sequence of the step-up that was confirmed last. */
  confirmed: number | undefined;
  /** Number of the next window. */
  next: number;
  last: LastBatch | undefined;
  /** Of windows at `allow` that the template may learn from. */
  sums: WindowSums;
  /** Whether there were windows enough to learn from since the last confirmation; from then on only confident runs count. */
  hasLearnt: boolean;
  /** When the device was heard last, by the monotonic clock. */
  heard: number;
}

export class Sessions {
  /** The one that was heard longest ago comes first. */
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

  /** There is one of a user, at most. */
  ofUser(userId: UserId): Session | undefined {
    return this.#awake(this.#byUser.get(userId));
  }

  /** Adds one in the place of the user's last one; there must be room (surplus). */
  add(session: Session): void {
    this.endUser(session.userId);
    this.#byId.set(session.id, session);
    this.#byUser.set(session.userId, session);
  }

  /** Notes that the device was heard now. */
  touch(session: Session): void {
    session.heard = this.#monotonic();
    this.#byId.delete(session.id);
    this.#byId.set(session.id, session);
  }

  /** Ends the session of a user who may have none. */
  endUser(userId: UserId): void {
    const session = this.#byUser.get(userId);
    if (session === undefined) return;
    this.#byId.delete(session.id);
    this.#byUser.delete(userId);
  }

  /** Those that have been silent for too long. */
  idle(): Session[] {
    const idle: Session[] = [];
    for (const session of this.#byId.values()) {
      if (this.#awake(session) !== undefined) break; // the others were heard later
      idle.push(session);
    }
    return idle;
  }

  /** Those that have to end so that this user has room: heard longest ago, unless the user's own session makes room. */
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
