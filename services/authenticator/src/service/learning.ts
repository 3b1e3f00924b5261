/**
 * Lets templates learn from windows that were confirmed, and finds out whether those windows have drifted
 * from the template before. Both are written down soon after, and before anybody opens the next session.
 */
import { driftProbability, lookLevel, updated } from '@eigenveil/authentication';
import type { Sealer } from '@eigenveil/server';
import type { AuthenticatorConfiguration } from '../cli/settings.ts';
import type { UserId } from '../messages.ts';
import type { SqliteAuthenticatorStore } from '../store/sqlite-store.ts';
import { sealTemplate, templatePlace } from '../store/store.ts';
import type { Session } from './sessions.ts';

type Learnt = Pick<Session, 'device' | 'enrolledAt' | 'template' | 'looks' | 'drifting'>;

/** The settings that say how a template learns. */
export type LearningSettings = Pick<AuthenticatorConfiguration, 'learningShare' | 'driftLevel'>;

export class Learning {
  readonly #store: SqliteAuthenticatorStore;
  readonly #sealer: Sealer;
  /** Results that are not written down yet. Those that are lost with the process are learnt again. */
  readonly #learnt = new Map<UserId, Learnt>();

  constructor(store: SqliteAuthenticatorStore, sealer: Sealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /**
   * Compares the windows of the session's sums with its template, and updates the template with them.
   * Comparisons are counted over all versions of a template, so that all of them together flag a user falsely
   * with at most the level.
   */
  learn(session: Session, policy: LearningSettings): void {
    const recent = session.sums.moments();
    const { movement } = session.reference;
    if (movement !== undefined) {
      session.looks += 1;
      const probability = driftProbability(session.template, recent, movement);
      session.drifting ||= probability < lookLevel(policy.driftLevel, session.looks);
    }
    session.template = updated(session.template, recent, policy.learningShare);
    const { userId, device, enrolledAt, template, looks, drifting } = session;
    this.#learnt.set(userId, { device, enrolledAt, template, looks, drifting });
  }

  /** Forgets the results for a user whose template is gone. */
  drop(userId: UserId): void {
    this.#learnt.delete(userId);
  }

  flush(): void {
    if (this.#learnt.size === 0) return;
    const changes = Array.from(this.#learnt, ([userId, { template, ...learnt }]) => ({
      userId,
      ...learnt,
      sealedTemplate: sealTemplate(this.#sealer, templatePlace(userId), template),
    }));
    this.#store.replaceTemplates(changes);
    this.#learnt.clear();
  }
}
