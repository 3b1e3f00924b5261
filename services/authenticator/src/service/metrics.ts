/**
 * The metrics of the authenticator, none of which names a user. Users who have drifted are counted: if more have
 * than false flags explain, the operator is told that a new projection is due.
 */

import { flagBound } from '@eigenveil/authentication';
import type { Logger, Metrics } from '@eigenveil/server';
import type { Digest } from '@eigenveil/wire';
import type { SqliteAuthenticatorStore } from '../store/sqlite-store.ts';
import type { AuthenticatorObserver } from './service.ts';

export function authenticatorMetrics(
  metrics: Metrics,
  store: SqliteAuthenticatorStore,
  activeSessions: () => number,
): AuthenticatorObserver & { attempted(outcome: 'taken' | 'failed'): void } {
  const decisions = metrics.counter('decisions_total', 'Decisions that were told the relying application.', [
    'decision',
    'reason',
  ]);
  const windows = metrics.counter('windows_total', 'Windows that were scored.');
  const templates = metrics.counter(
    'templates_learnt_total',
    'Templates that have learnt from newer windows.',
  );
  const attempts = metrics.counter('webhook_attempts_total', 'Events sent to the webhook.', ['outcome']);
  metrics.gauge('sessions_active', 'Sessions of devices.', activeSessions);
  metrics.gauge(
    'webhook_events_waiting',
    'Events that the webhook has not taken; where there is none, all that are kept.',
    () => store.eventsWaiting(),
  );
  return {
    decided: ({ decision, reason }) => decisions.inc({ decision, reason }),
    scored: (count) => windows.inc(count),
    learnt: () => templates.inc(),
    attempted: (outcome) => attempts.inc({ outcome }),
  };
}

/**
 * Counts users, and those who have drifted, for metrics. If more have drifted than false flags explain, it
 * tells the operator that a new projection is due. It counts flags and names nobody.
 */
export class Population {
  readonly #store: SqliteAuthenticatorStore;
  readonly #log: Logger;
  readonly #level: number;
  readonly #falseAlarm: number;
  #census: ReturnType<SqliteAuthenticatorStore['census']> = [];
  #outdated: ReadonlySet<Digest> = new Set();

  constructor(options: {
    readonly store: SqliteAuthenticatorStore;
    readonly log: Logger;
    readonly metrics: Metrics;
    /** The probability that a user who has not drifted is flagged. */
    readonly level: number;
    /** The probability that false flags alone say that a new projection is due. */
    readonly falseAlarm: number;
  }) {
    this.#store = options.store;
    this.#log = options.log;
    this.#level = options.level;
    this.#falseAlarm = options.falseAlarm;
    const { metrics } = options;
    const enrolled = () => this.#census.filter(({ state }) => state !== 'revoked');
    metrics.gauge('users_enrolled', 'Users with a device.', () => total(enrolled()));
    metrics.gauge('users_locked', 'Users who are locked.', () =>
      total(enrolled().filter(({ state }) => state === 'locked')),
    );
    metrics.gauge('users_drifting', 'Users whose windows have drifted from their templates.', () =>
      total(enrolled().filter(({ drifting }) => drifting)),
    );
    const help = 'Projections with more users who have drifted than chance flags: new ones are due.';
    metrics.gauge('projections_outdated', help, () => this.#outdated.size);
    this.look();
  }

  /** Counts again, which takes milliseconds for 100,000 users, so metrics use the last count. */
  look(): void {
    this.#census = this.#store.census();
    const enrolled = this.#census.filter(({ state }) => state !== 'revoked');
    const outdated = new Set<Digest>();
    for (const projection of new Set(enrolled.map((group) => group.projection))) {
      const groups = enrolled.filter((group) => group.projection === projection);
      const [users, drifting] = [total(groups), total(groups.filter((group) => group.drifting))];
      if (drifting < flagBound(users, this.#level, this.#falseAlarm)) continue;
      outdated.add(projection);
      if (!this.#outdated.has(projection))
        this.#log.warn({ projection, users, drifting }, 'users have drifted: a new projection is due');
    }
    this.#outdated = outdated;
  }
}

function total(groups: readonly { readonly users: number }[]): number {
  return groups.reduce((sum, { users }) => sum + users, 0);
}
