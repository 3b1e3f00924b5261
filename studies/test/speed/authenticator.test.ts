/** `npm run bench:authenticator` as a process, with a load that is small enough for a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { canReadUsage } from '@eigenveil/testbed/processes/process-usage';
import { describe, expect, it } from 'vitest';
import type { AuthenticatorResult } from '../../speed/authenticator/run.ts';

const PROGRAM = fileURLToPath(new URL('../../../scripts/bench-authenticator.ts', import.meta.url));

describe.runIf(canReadUsage())('bench:authenticator', { tags: ['long'] }, () => {
  it('opens a session for each device, and has batches and single windows taken', {
    timeout: 120_000,
  }, async () => {
    const args = ['--users', '100', '--sessions', '20', '--seconds', '1', '--json'];
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number | null]>,
    ]);
    expect(errors).toBe('');
    expect(code).toBe(0);
    const { library, opening, batches, singles, peakBytes } = JSON.parse(output) as AuthenticatorResult;
    expect(Object.values(library.perSecond).every((perSecond) => perSecond > 0)).toBe(true);
    expect(batches.windowsPerSecond).toBeCloseTo(20 * batches.requestsPerSecond, 6);
    for (const { requestsPerSecond, latency } of [opening, batches, singles]) {
      expect(requestsPerSecond).toBeGreaterThan(0);
      expect(latency.p99Milliseconds).toBeGreaterThanOrEqual(latency.p50Milliseconds);
    }
    expect(peakBytes).toBeGreaterThanOrEqual(singles.residentBytes);
  });
});
