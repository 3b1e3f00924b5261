/** The load of an authenticator, small enough for a test. */
import { canReadUsage } from '@eigenveil/testbed/processes/process-usage';
import { describe, expect, it } from 'vitest';
import { runAuthenticator } from '../../speed/authenticator/run.ts';

const SMALL = { users: 100, sessions: 20, seconds: 1, batchConnections: 16, singleConnections: 4 };

describe.runIf(canReadUsage())('the load of an authenticator', { tags: ['long'] }, () => {
  it('opens a session for each device, and has batches and single windows taken', {
    timeout: 120_000,
  }, async () => {
    const { library, opening, batches, singles, peakBytes } = await runAuthenticator(SMALL, () => undefined);
    expect(Object.values(library.perSecond).every((perSecond) => perSecond > 0)).toBe(true);
    expect(batches.windowsPerSecond).toBeCloseTo(20 * batches.requestsPerSecond, 6);
    for (const { requestsPerSecond, latency } of [opening, batches, singles]) {
      expect(requestsPerSecond).toBeGreaterThan(0);
      expect(latency.p99Milliseconds).toBeGreaterThanOrEqual(latency.p50Milliseconds);
    }
    expect(peakBytes).toBeGreaterThanOrEqual(singles.residentBytes);
  });
});
