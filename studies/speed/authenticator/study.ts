/** Continuous authentication: windows a second in the library and over HTTPS, latency, and memory with many users. */

import { only } from '../../instrument/figure.ts';
import { setting, wholeNumber } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { type AuthenticatorOptions, type Phase, runAuthenticator } from './run.ts';

const number = (name: string, says: string, quick: number, full: number, most?: number) =>
  setting({ name, says, parse: wholeNumber(1, most), quick, full });
const USERS = number('users', 'enrolled', 1000, 100_000);
const SESSIONS = number('sessions', 'open at a time, each of a user of its own', 100, 10_000);
const SECONDS = number('seconds', 'of batches, and of single windows', 1, 10, 3600);
const BATCHES = number('batch-connections', 'requests at a time, of batches', 16, 16);
const SINGLES = number('single-connections', 'requests at a time, of single windows', 4, 4);

const MS = { unit: 'ms' } as const;
const BYTES = { unit: 'bytes' } as const;

export const authenticator = defineStudy<AuthenticatorOptions & Tidy>({
  id: 'speed/authenticator',
  isApart: true,
  settings: [USERS, SESSIONS, SECONDS, BATCHES, SINGLES],
  plan: ({ settings }) => {
    return {
      cases: [
        {
          ...{ users: settings.of(USERS), sessions: settings.of(SESSIONS), seconds: settings.of(SECONDS) },
          ...{ batchConnections: settings.of(BATCHES), singleConnections: settings.of(SINGLES) },
        },
      ],
    };
  },
  titleOf: ({ users, sessions }) => `${users} users, ${sessions} sessions`,
  expectedSeconds: ({ users, seconds }) => 20 + users / 2000 + 2 * seconds,
  async measure(options, { note }): Promise<Tidy[]> {
    const { library, sync, opening, batches, singles, peakBytes } = await runAuthenticator(options, note);
    const { features, components, perSecond } = library;
    return [
      ...Object.entries(perSecond).map(([step, windows]) => ({
        ...{ part: 'library', features, components, step, perSecond: windows, ms: 1000 / windows },
      })),
      phaseOf('opening sessions', opening),
      phaseOf(`batches of ${batches.batch}`, batches),
      phaseOf('single windows', singles),
      {
        ...{ part: 'service', peakBytes, syncBytes: sync.bytes },
        ...{ syncP50: sync.p50Milliseconds, syncP99: sync.p99Milliseconds },
      },
    ];
  },
  tables: {
    library: {
      caption: 'In the library, on one thread',
      where: { part: 'library' },
      rows: ['step'],
      cells: { 'windows per second': only('perSecond'), each: only('ms', MS) },
    },
    https: {
      caption: 'Over HTTPS',
      where: { part: 'https' },
      rows: ['phase', 'connections'],
      cells: {
        'requests per second': only('requestsPerSecond'),
        'windows per second': only('windowsPerSecond'),
        p50: only('p50', MS),
        p95: only('p95', MS),
        p99: only('p99', MS),
        'CPU, service': only('serviceCpu', MS),
        'CPU, client': only('clientCpu', MS),
        memory: only('residentBytes', BYTES),
      },
    },
    service: {
      caption: 'The service and its disk',
      where: { part: 'service' },
      rows: ['users', 'sessions'],
      cells: {
        'peak memory of the service': only('peakBytes', BYTES),
        'a synced write of': only('syncBytes', BYTES),
        p50: only('syncP50', MS),
        p99: only('syncP99', MS),
      },
    },
  },
  facts: {
    features: { where: { step: 'whole' }, figure: only('features') },
    components: { where: { step: 'whole' }, figure: only('components') },
  },
  words: new URL('authenticator.md', import.meta.url),
});

function phaseOf(phase: string, { batch: _, latency, ...measured }: Phase): Tidy {
  return {
    ...{ part: 'https', phase, connections: measured.connections },
    ...{ requestsPerSecond: measured.requestsPerSecond, windowsPerSecond: measured.windowsPerSecond },
    ...{ p50: latency.p50Milliseconds, p95: latency.p95Milliseconds, p99: latency.p99Milliseconds },
    ...{ serviceCpu: measured.serviceCpuMilliseconds, clientCpu: measured.clientCpuMilliseconds },
    residentBytes: measured.residentBytes,
  };
}
