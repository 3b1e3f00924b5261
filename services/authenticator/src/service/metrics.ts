/** The metrics of the authenticator. None of them names a user. */
import type { Metrics } from '@eigenveil/server';
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
