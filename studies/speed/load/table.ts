/** The result of a load as tables for people. */
import { formatQuantity, significant } from '../../instrument/quantities.ts';
import { figures, renderTable } from '../../instrument/table.ts';
import type { LoadResult } from './run.ts';

type Window = LoadResult['windows'][number];

export function renderLoad(result: LoadResult): string {
  const { contributions, connections, features, keyBits, contributionBytes, seconds, perSecond } = result;
  const { latency, sync, computation } = result;
  const ms = (value: number) => formatQuantity(value, 'ms');
  const bytes = (value: number) => formatQuantity(value, 'bytes');
  const rows = renderTable(result.windows, [
    figures('contributions', (window) => window.contributions),
    figures('per second', (window) => significant(window.perSecond)),
    figures('p50', (window) => ms(window.p50Milliseconds)),
    figures('p95', (window) => ms(window.p95Milliseconds)),
    figures('p99', (window) => ms(window.p99Milliseconds)),
    figures('CPU data user', (window) => ms(window.dataUserCpuMilliseconds)),
    ...(result.database === 'postgres'
      ? [figures<Window>('CPU PostgreSQL', (window) => ms(window.databaseCpuMilliseconds))]
      : []),
    figures('CPU client', (window) => ms(window.clientCpuMilliseconds)),
    figures('memory', (window) => bytes(window.dataUserResidentBytes)),
    figures('database', (window) => bytes(window.databaseBytes)),
  ]);
  const stages = Object.entries(computation.stages).map(([name, time]) => `${name} ${ms(time)}`);
  return `${rows}
Rates, latencies and CPU times (per contribution) are of the contributions since the line before; memory and database at that moment.
${contributions} contributions of ${bytes(contributionBytes)} (${features} features${result.sketch === undefined ? '' : `, a sketch of ${result.sketch} columns`}, ${keyBits} bits) over ${connections} connections to ${result.processes} process${result.processes === 1 ? '' : 'es'} with ${result.database}: ${significant(perSecond)} per second for ${ms(seconds * 1000)};
p50 ${ms(latency.p50Milliseconds)}, p95 ${ms(latency.p95Milliseconds)}, p99 ${ms(latency.p99Milliseconds)}; peak memory of the data user ${bytes(result.dataUserPeakBytes)}.
A synced write of ${bytes(sync.bytes)} on this disk: p50 ${ms(sync.p50Milliseconds)}, p95 ${ms(sync.p95Milliseconds)}, p99 ${ms(sync.p99Milliseconds)}. Preparation: ${ms(result.preparationSeconds * 1000)}.
Computation: ${ms(computation.seconds * 1000)} (${stages.join(', ')}), CPU ${significant(computation.dataUserCpuSeconds)} s at the data user and ${significant(computation.cspCpuSeconds)} s at the CSP,
peak memory ${bytes(computation.dataUserPeakBytes)} and ${bytes(computation.cspPeakBytes)}. Its result counts all ${computation.samples} rows; largest error of an eigenvalue ${significant(computation.maxEigenvalueError)} λ₁.`;
}
