/**
 * The authenticator's duties: it enrols devices for users that the relying application invites, scores their
 * windows in order, and keeps decisions, which only the relying application learns. Windows are not kept once
 * they are scored.
 *
 * Methods that check and then write are synchronous, so that no other request comes in between.
 */
import { randomBytes } from 'node:crypto';
import { makeTemplate, Scorer, WindowSums } from '@eigenveil/authentication';
import { CodedError } from '@eigenveil/platform';
import { hashOneTimeToken, type Sealer } from '@eigenveil/server';
import { DAY_MILLISECONDS } from '@eigenveil/task';
import { CODES, type Digest, type Thumbprint } from '@eigenveil/wire';
import type { AuthenticatorConfiguration } from '../cli/settings.ts';
import {
  type DecisionEvent,
  type DecisionsResponse,
  type EnrolmentRequest,
  EVENTS_PER_PAGE,
  type InvitationRequest,
  type InvitationResponse,
  type Reason,
  SessionId,
  type UserId,
  type UserStatus,
  type WindowsRequest,
} from '../messages.ts';
import { type SqliteAuthenticatorStore, staleEvent, unknownUser } from '../store/sqlite-store.ts';
import { newInvitation, openTemplate, sealTemplate } from '../store/store.ts';
import { Learning, type LearningSettings } from './learning.ts';
import type { Reference } from './references.ts';
import { digestOf, type Session, Sessions } from './sessions.ts';
import { type UserLimitSettings, UserLimits } from './user-limits.ts';

const HOUR_MILLISECONDS = 3_600_000;

/** The operator's settings for times, numbers and rates. */
type AuthenticatorPolicy = UserLimitSettings &
  LearningSettings &
  Pick<
    AuthenticatorConfiguration,
    | 'enrolmentWindows'
    | 'invitationHours'
    | 'stepUpsPerDay'
    | 'idleSeconds'
    | 'activeSessions'
    | 'eventDays'
    | 'learnAfterStepUp'
    | 'learnAfterRun'
  >;

export interface AuthenticatorDependencies {
  readonly store: SqliteAuthenticatorStore;
  readonly sealer: Sealer;
  readonly references: ReadonlyMap<Digest, Reference>;
  readonly policy: AuthenticatorPolicy;
  /** The clock for times of events, and for the ends of invitations and events. */
  readonly now: () => Date;
  /** Returns milliseconds that never go back, for everything else. */
  readonly monotonic: () => number;
  /** The observer that tells metrics and the webhook about decisions and windows. */
  readonly observer: AuthenticatorObserver;
}

export interface AuthenticatorObserver {
  /** Called after a decision was written down. */
  decided(event: Pick<DecisionEvent, 'decision' | 'reason'>): void;
  scored(windows: number): void;
  learnt(): void;
}

export class AuthenticatorService {
  readonly #deps: AuthenticatorDependencies;
  readonly #sessions: Sessions;
  readonly #limits: UserLimits;
  readonly #learning: Learning;
  /**
   * True from the moment when a decision could not be written down until the database can be written again.
   */
  #isBehind = false;

  /** Ends the sessions that an earlier process has left: users at `allow` are set to `step-up`. */
  constructor(dependencies: AuthenticatorDependencies) {
    const { store, sealer, policy, monotonic } = dependencies;
    this.#deps = dependencies;
    this.#sessions = new Sessions(policy.activeSessions, 1000 * policy.idleSeconds, monotonic);
    this.#limits = new UserLimits(policy, monotonic);
    this.#learning = new Learning(store, sealer);
    this.#endAll(store.allowed(), 'restarted');
  }

  get activeSessions(): number {
    return this.#sessions.size;
  }

  /** @throws ERR_USER_CONFLICT, ERR_USER_UNKNOWN */
  invite(request: InvitationRequest): InvitationResponse {
    const { store, policy, now } = this.#deps;
    const expiresAt = new Date(now().getTime() + HOUR_MILLISECONDS * policy.invitationHours);
    const { token, invitation } = newInvitation(request, expiresAt);
    store.addInvitation(invitation);
    return { token, expiresAt: expiresAt.toISOString() };
  }

  /** Refuses a token that this device cannot use. @throws ERR_ENROLMENT_TOKEN */
  checkInvited(token: string, device: Thumbprint): void {
    this.#deps.store.invitation(hashOneTimeToken(token), device, this.#deps.now());
  }

  /**
   * Gives the invitation's user this device, with a template of these windows. Sessions of the device before
   * end at once.
   * @throws ERR_ENROLMENT_TOKEN, ERR_PROJECTION_UNLISTED, ERR_WINDOW_INVALID, ERR_USER_CONFLICT,
   *   ERR_DEVICE_CONFLICT
   */
  enrol(token: string, device: Thumbprint, { projection, windows }: EnrolmentRequest): UserId {
    const { store, sealer, references, policy, now } = this.#deps;
    const reference = references.get(projection);
    if (reference === undefined)
      throw new CodedError(CODES.ERR_PROJECTION_UNLISTED, '"projection" expected the digest of one in use');
    if (windows.length < policy.enrolmentWindows)
      throw new CodedError(
        CODES.ERR_WINDOW_INVALID,
        `"windows" expected at least ${policy.enrolmentWindows} of them, got ${windows.length}: record more first`,
      );
    const template = makeTemplate(reference.windows(windows));
    const seal = (place: string) => sealTemplate(sealer, place, template);
    const tokenHash = hashOneTimeToken(token);
    const { userId, event } = store.enrol({ tokenHash, device, projection, seal }, now());
    if (event !== undefined) this.#forgetDevice(userId, event.decision, event.reason);
    return userId;
  }

  /**
   * Returns the user of a device.
   * @throws ERR_DEVICE_REVOKED for a device that was a user's, ERR_AUTH_FORBIDDEN for a stranger's
   */
  userOf(device: Thumbprint): UserId {
    const known = this.#deps.store.device(device);
    if (known?.current === true) return known.userId;
    if (known === undefined)
      throw new CodedError(CODES.ERR_AUTH_FORBIDDEN, '"DPoP" expected the key of an enrolled device');
    throw new CodedError(
      CODES.ERR_DEVICE_REVOKED,
      '"DPoP" expected the key of a device that is still admitted: the user was revoked, or has another one',
    );
  }

  /**
   * Opens a session, which begins at `step-up` and replaces the user's last one.
   * @throws ERR_RENEWAL_REQUIRED, ERR_RATE_LIMITED, ERR_DEVICE_REVOKED
   */
  openSession(device: Thumbprint): SessionId {
    const { store, references, sealer, monotonic } = this.#deps;
    const userId = this.userOf(device); // again, since it may have been replaced after its proof was checked
    this.#learning.flush(); // the new session must use what the last one has taught
    const user = store.user(userId)!;
    const reference = references.get(user.projection);
    if (reference === undefined)
      throw new CodedError(
        CODES.ERR_RENEWAL_REQUIRED,
        'the projection that the device was enrolled with is not in use any more: ask for an invitation to renew',
      );
    this.#limits.takeSession(userId);
    const template = openTemplate(sealer, user);
    this.#endSessions(this.#sessions.surplus(userId));
    const isLocked = user.state === 'locked';
    if (isLocked) store.check(); // waits for the disk as a decision does, so that the time reveals nothing
    const event = isLocked ? user.event : this.#decide(userId, 'step-up', 'session-opened').sequence;
    const id = SessionId.parse(randomBytes(16).toString('base64url'));
    const start = reference.engine.start();
    this.#sessions.add({
      id,
      userId,
      device,
      enrolledAt: user.enrolledAt,
      reference,
      template,
      looks: user.looks,
      drifting: user.drifting,
      scorer: new Scorer(template, reference.score),
      state: isLocked ? { ...start, decision: 'lock' } : start,
      event,
      confirmed: undefined,
      next: 0,
      last: undefined,
      sums: new WindowSums(template.mean),
      hasLearnt: false,
      heard: monotonic(),
    });
    return id;
  }

  /** @throws ERR_SESSION_UNKNOWN, also for another device's */
  endSession(device: Thumbprint, id: SessionId): void {
    const session = this.#session(device, id);
    if (session.state.decision !== 'allow') this.#deps.store.check(); // waits as a decision does
    this.#endSessions([session]);
  }

  /**
   * Scores a batch and keeps the decision. Returns nothing, whatever the decision is. The last batch again is
   * not scored again.
   * @throws ERR_SESSION_UNKNOWN, ERR_WINDOW_ORDER, ERR_WINDOW_INVALID, ERR_RATE_LIMITED
   */
  observe(device: Thumbprint, id: SessionId, { first, windows }: WindowsRequest): void {
    const session = this.#session(device, id);
    const { reference, scorer, sums, userId } = session;
    const batch = reference.windows(windows);
    const digest = digestOf(batch);
    if (session.last?.first === first && session.last.digest === digest) return;
    if (first !== session.next)
      throw new CodedError(
        CODES.ERR_WINDOW_ORDER,
        `"first" expected ${session.next}, the number after the last window`,
      );
    this.#limits.takeWindows(userId, batch.length);
    // Each window takes the same work, whatever the decision is.
    let state = session.state;
    for (const window of batch) {
      state = reference.engine.observe(state, scorer.score(window));
      sums.add(window);
    }
    if (state.decision !== session.state.decision) {
      // The decision is written down before anything else changes: if that fails, the device sends the batch
      // again.
      const made = this.#decide(userId, state.decision, 'behaviour');
      state = { ...state, decision: made.decision };
      session.event = made.sequence;
    }
    session.state = state;
    session.next += batch.length;
    session.last = { first, digest };
    this.#sessions.touch(session);
    this.#deps.observer.scored(batch.length);
    this.#learn(session);
  }

  /**
   * Returns events in order, from the one after `after`.
   * @throws ERR_EVENT_UNKNOWN when `after` lies beyond the last event of this service;
   *   ERR_DATABASE_UNREACHABLE while decisions cannot be written down
   */
  decisions(after: number): DecisionsResponse {
    const { store } = this.#deps;
    this.#requireAbreast();
    const { last, forgotten } = store.marks();
    if (after > last)
      throw new CodedError(
        CODES.ERR_EVENT_UNKNOWN,
        `"after" expected a sequence up to ${last}, that of the last event`,
      );
    const events = store.eventsAfter(after);
    const more = events.length === EVENTS_PER_PAGE && events.at(-1)!.sequence < last;
    return { events, more, missed: after < forgotten };
  }

  /** @throws ERR_USER_UNKNOWN; ERR_DATABASE_UNREACHABLE as decisions */
  status(userId: UserId): UserStatus {
    this.#requireAbreast();
    const user = this.#deps.store.user(userId);
    if (user === undefined) throw unknownUser();
    const { state, decision, event, device, enrolledAt, projection, drifting } = user;
    return {
      userId,
      state,
      decision,
      event,
      hasSession: this.#sessions.ofUser(userId) !== undefined,
      device,
      enrolledAt: enrolledAt.toISOString(),
      projection,
      renewalRequired: !this.#deps.references.has(projection),
      drifting,
    };
  }

  /**
   * Takes the relying application's word that the user has proved who they are, at the step-up of this event.
   * A repeated call changes nothing.
   * @throws ERR_USER_UNKNOWN; ERR_EVENT_STALE unless the user has a session that waits at this event
   */
  confirm(userId: UserId, event: number): void {
    const session = this.#sessions.ofUser(userId);
    const user = this.#deps.store.user(userId);
    if (user === undefined) throw unknownUser();
    if (user.state !== 'active') throw staleEvent(`a user who is at step-up: this one is ${user.state}`);
    if (session === undefined)
      throw staleEvent('a user with a session: this one has none until the device opens it');
    if (session.state.decision === 'allow' && session.confirmed === event) return;
    if (session.state.decision !== 'step-up' || session.event !== event)
      throw staleEvent('a user who is at step-up: read the decisions first');
    const made = this.#decide(userId, 'allow', 'confirmed');
    session.state = session.reference.engine.confirmed(session.state);
    session.event = made.sequence;
    session.confirmed = event;
    session.sums = new WindowSums(session.template.mean);
    session.hasLearnt = false;
  }

  /**
   * Ends the lock of this event; the user is at `step-up` then. A repeated call changes nothing.
   * @throws ERR_USER_UNKNOWN, ERR_EVENT_STALE
   */
  unlock(userId: UserId, event: number): void {
    const sequence = this.#deps.store.unlock(userId, event, this.#deps.now());
    if (sequence === undefined) return;
    this.#deps.observer.decided({ decision: 'step-up', reason: 'unlocked' });
    const session = this.#sessions.ofUser(userId);
    if (session === undefined) return;
    session.state = session.reference.engine.start();
    session.event = sequence;
  }

  /** Destroys template and invitations of a user and ends the session at once. @throws ERR_USER_UNKNOWN */
  revoke(userId: UserId): void {
    if (this.#deps.store.revoke(userId, this.#deps.now())) this.#forgetDevice(userId, 'lock', 'revoked');
  }

  /** Does the work that is due by time: ends silent sessions, and writes down what templates have learnt. */
  tick(): void {
    this.#endSessions(this.#sessions.idle());
    this.#learning.flush();
    this.#limits.sweep();
  }

  /** Forgets old events and invitations. */
  forget(): void {
    const { store, policy, now } = this.#deps;
    store.forget(new Date(now().getTime() - DAY_MILLISECONDS * policy.eventDays), now());
  }

  /** Writes down what templates have learnt. Call it last; sessions end as at every restart. */
  close(): void {
    this.#learning.flush();
  }

  #session(device: Thumbprint, id: SessionId): Session {
    const session = this.#sessions.get(id);
    if (session !== undefined && session.device === device) return session;
    throw new CodedError(
      CODES.ERR_SESSION_UNKNOWN,
      '"sessionId" expected an open session of this device: open one',
    );
  }

  #decide(userId: UserId, decision: DecisionEvent['decision'], reason: Reason): DecisionEvent {
    const { store, policy, now, observer } = this.#deps;
    const made = this.#noted(() => store.decide({ userId, decision, reason }, now(), policy.stepUpsPerDay));
    observer.decided(made);
    return made;
  }

  /** Notes when decisions cannot be written down. */
  #noted<Made>(write: () => Made): Made {
    try {
      return write();
    } catch (error) {
      this.#isBehind = true;
      throw error;
    }
  }

  /**
   * Refuses while a decision is not written down, since an answer could say that a user is still at `allow`
   * although windows say otherwise.
   */
  #requireAbreast(): void {
    if (!this.#isBehind) return;
    this.#deps.store.check();
    this.#isBehind = false;
  }

  #endSessions(sessions: readonly Session[]): void {
    if (sessions.length === 0) return;
    this.#endAll(
      sessions.map(({ userId }) => userId),
      'session-ended',
    );
    for (const { userId } of sessions) this.#sessions.endUser(userId);
  }

  #endAll(users: readonly UserId[], reason: Reason): void {
    const { store, now, observer } = this.#deps;
    for (let ended = this.#noted(() => store.endAll(users, reason, now())); ended > 0; ended -= 1)
      observer.decided({ decision: 'step-up', reason });
  }

  /** Ends the user's session after the device or template was replaced or revoked. */
  #forgetDevice(userId: UserId, decision: DecisionEvent['decision'], reason: Reason): void {
    this.#learning.drop(userId);
    this.#sessions.endUser(userId);
    this.#deps.observer.decided({ decision, reason });
  }

  /**
   * Lets the template learn from windows at `allow`: after a confirmed step-up, and after each long confident
   * run.
   */
  #learn(session: Session): void {
    const { policy, observer } = this.#deps;
    const { state, sums, hasLearnt } = session;
    const isBroken = state.decision !== 'allow' || (hasLearnt && state.confident < sums.count);
    const isDue = !isBroken && sums.count >= (hasLearnt ? policy.learnAfterRun : policy.learnAfterStepUp);
    if (isDue && this.#limits.takeLearning(session.userId)) {
      this.#learning.learn(session, policy);
      session.scorer = new Scorer(session.template, session.reference.score);
      observer.learnt();
    }
    session.hasLearnt ||= isDue;
    if (isBroken || isDue) session.sums = new WindowSums(session.template.mean);
  }
}
