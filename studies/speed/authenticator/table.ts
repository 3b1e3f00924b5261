/** The result of an authenticator's load as tables for people. */
import { formatQuantity, significant } from '../../instrument/quantities.ts';
import { figures, renderTable, words } from '../../instrument/table.ts';
import type { AuthenticatorResult, Phase } from './run.ts';

export function renderAuthenticator(result: AuthenticatorResult): string {
  const { library, users, sessions, sync, opening, batches, singles, peakBytes } = result;
  const ms = (value: number) => formatQuantity(value, 'ms');
  const steps = renderTable(Object.entries(library.perSecond), [
    words('in the library', ([step]) => step),
    figures('windows per second', ([, perSecond]) => significant(perSecond)),
    figures('each', ([, perSecond]) => ms(1000 / perSecond)),
  ]);
  const phases: [string, Phase][] = [
    ['opening sessions', opening],
    [`batches of ${batches.batch}`, batches],
    ['single windows', singles],
  ];
  const rows = renderTable(phases, [
    words('over HTTPS', ([name]) => name),
    figures('connections', ([, { connections }]) => connections),
    figures('requests per second', ([, phase]) => significant(phase.requestsPerSecond)),
    figures('windows per second', ([, phase]) => significant(phase.windowsPerSecond)),
    figures('p50', ([, { latency }]) => ms(latency.p50Milliseconds)),
    figures('p95', ([, { latency }]) => ms(latency.p95Milliseconds)),
    figures('p99', ([, { latency }]) => ms(latency.p99Milliseconds)),
    figures('CPU service', ([, phase]) => ms(phase.serviceCpuMilliseconds)),
    figures('CPU client', ([, phase]) => ms(phase.clientCpuMilliseconds)),
    figures('memory', ([, { residentBytes }]) => formatQuantity(residentBytes, 'bytes')),
  ]);
  return `${steps}
Rows of ${library.features} features, windows of ${library.components} components, on one thread. "whole" is reduce, mahalanobis and trust, one window after the other.
${rows}
${users} users enrolled, ${sessions} sessions; CPU times are per request; peak memory of the service ${formatQuantity(peakBytes, 'bytes')}.
Opening a session waits for the disk: a synced write of ${formatQuantity(sync.bytes, 'bytes')} took p50 ${ms(sync.p50Milliseconds)}, p99 ${ms(sync.p99Milliseconds)}.`;
}
