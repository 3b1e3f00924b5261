/** The result of a load as tables for people. */
import Table from 'cli-table3';
import { formatQuantity, significant } from '../quantities.ts';
import type { LoadResult } from './run.ts';

export function renderLoad(result: LoadResult): string {
  const { contributions, connections, features, keyBits, contributionBytes, seconds, perSecond } = result;
  const { latency, sync, computation } = result;
  const ms = (value: number) => formatQuantity(value, 'ms');
  const bytes = (value: number) => formatQuantity(value, 'bytes');
  const rows = new Table({
    head: [
      'contributions',
      'per second',
      'p50',
      'p95',
      'p99',
      'CPU data user',
      ...(result.database === 'postgres' ? ['CPU PostgreSQL'] : []),
      'CPU client',
      'memory',
      'database',
    ],
    colAligns: Array(10).fill('right'),
    style: { head: [], border: [] },
  });
  for (const window of result.windows) {
    rows.push([
      window.contributions,
      significant(window.perSecond),
      ms(window.p50Milliseconds),
      ms(window.p95Milliseconds),
      ms(window.p99Milliseconds),
      ms(window.dataUserCpuMilliseconds),
      ...(result.database === 'postgres' ? [ms(window.databaseCpuMilliseconds)] : []),
      ms(window.clientCpuMilliseconds),
      bytes(window.dataUserResidentBytes),
      bytes(window.databaseBytes),
    ]);
  }
  const stages = Object.entries(computation.stages).map(([name, time]) => `${name} ${ms(time)}`);
  return `${rows.toString()}
Rates, latencies and CPU times (per contribution) are of the contributions since the line before; memory and database at that moment.
${contributions} contributions of ${bytes(contributionBytes)} (${features} features, ${keyBits} bits) over ${connections} connections to ${result.processes} process${result.processes === 1 ? '' : 'es'} with ${result.database}: ${significant(perSecond)} per second for ${ms(seconds * 1000)};
p50 ${ms(latency.p50Milliseconds)}, p95 ${ms(latency.p95Milliseconds)}, p99 ${ms(latency.p99Milliseconds)}; peak memory of the data user ${bytes(result.dataUserPeakBytes)}.
A synced write of ${bytes(sync.bytes)} on this disk: p50 ${ms(sync.p50Milliseconds)}, p95 ${ms(sync.p95Milliseconds)}, p99 ${ms(sync.p99Milliseconds)}. Preparation: ${ms(result.preparationSeconds * 1000)}.
Computation: ${ms(computation.seconds * 1000)} (${stages.join(', ')}), CPU ${significant(computation.dataUserCpuSeconds)} s at the data user and ${significant(computation.cspCpuSeconds)} s at the CSP,
peak memory ${bytes(computation.dataUserPeakBytes)} and ${bytes(computation.cspPeakBytes)}. Its result counts all ${computation.samples} rows; largest error of an eigenvalue ${significant(computation.maxEigenvalueError)} λ₁.`;
}
