/** The number of contributions a second that the data user takes for good, and whether it depends on how many it has. */
import { COMMAND_CODES } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { most, only } from '../../instrument/figure.ts';
import { setting, someOf, wholeNumber } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import type { Latency } from './latency.ts';
import { type LoadOptions, type LoadResult, runLoad } from './run.ts';

const number = (name: string, says: string, quick: number, full: number, least = 1) =>
  setting({ name, says, parse: wholeNumber(least), quick, full });
const CONTRIBUTIONS = number('contributions', 'owners, each with one contribution', 100, 2000);
const CONNECTIONS = number('connections', 'requests at a time', 8, 32);
const FEATURES = number('features', 'features of the task', 8, 34);
const SKETCH = number('sketch', 'columns of a sketched PCA, for thousands of features; 0: none', 0, 0, 0);
const BITS = number('bits', 'key length', 2048, 2048);
const PROCESSES = number('processes', 'of the data user; several share a PostgreSQL database', 1, 1);
const DATABASE = setting<LoadOptions['database']>({
  name: 'database',
  says: 'where the data user keeps contributions: sqlite or postgres',
  parse: (text) => someOf(['sqlite', 'postgres'] as const)(text)[0]!,
  quick: 'sqlite',
  full: 'sqlite',
});

const MS = { unit: 'ms' } as const;
const BYTES = { unit: 'bytes' } as const;

export const load = defineStudy<Required<LoadOptions> & Tidy>({
  id: 'speed/load',
  isApart: true,
  settings: [CONTRIBUTIONS, CONNECTIONS, FEATURES, SKETCH, BITS, DATABASE, PROCESSES],
  plan: ({ settings }) => {
    const chosen = {
      ...{ contributions: settings.of(CONTRIBUTIONS), connections: settings.of(CONNECTIONS) },
      ...{ features: settings.of(FEATURES), sketch: settings.of(SKETCH), bits: settings.of(BITS) },
      ...{ database: settings.of(DATABASE), processes: settings.of(PROCESSES) },
    };
    if (chosen.processes > 1 && chosen.database === 'sqlite')
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        '"--processes" expected 1 with SQLite, which is for one process',
      );
    return { cases: [chosen] };
  },
  titleOf: ({ contributions }) => `${contributions} contributions`,
  expectedSeconds: ({ contributions, features }) => 15 + (contributions * features) / 4000,
  async measure({ sketch, ...options }, { note }): Promise<Tidy[]> {
    return recordsOf(await runLoad({ ...options, ...(sketch > 0 && { sketch }) }, note));
  },
  columns: {
    after: { title: 'contributions' },
    samples: { title: 'rows that the result counts' },
    syncBytes: { title: 'bytes' },
  },
  tables: {
    windows: {
      caption: 'Consecutive stretches of the load',
      where: { part: 'window' },
      rows: ['after'],
      cells: {
        'per second': only('perSecond'),
        p50: only('p50', MS),
        p95: only('p95', MS),
        p99: only('p99', MS),
        'CPU, data user': only('dataUserCpu', MS),
        'CPU, PostgreSQL': only('databaseCpu', MS),
        'CPU, client': only('clientCpu', MS),
        memory: only('residentBytes', BYTES),
        database: only('databaseBytes', BYTES),
      },
    },
    whole: {
      caption: 'The whole load',
      where: { part: 'whole' },
      rows: ['database', 'processes', 'contributions', 'connections'],
      cells: {
        'per second': only('perSecond'),
        time: only('ms', MS),
        p50: only('p50', MS),
        p95: only('p95', MS),
        p99: only('p99', MS),
        'a contribution': only('contributionBytes', BYTES),
        'peak memory, data user': only('dataUserPeakBytes', BYTES),
        preparation: only('preparationMs', MS),
      },
    },
    sync: {
      caption: 'A synced write of the size of a contribution on the disk of the database',
      where: { part: 'whole' },
      rows: ['syncBytes'],
      cells: { p50: only('syncP50', MS), p95: only('syncP95', MS), p99: only('syncP99', MS) },
    },
    stages: {
      caption: 'Stages of the computation',
      where: { part: 'stage' },
      rows: ['stage'],
      cells: { time: only('ms', MS) },
    },
    computation: {
      caption: 'The computation',
      where: { part: 'computation' },
      rows: ['samples'],
      cells: {
        time: only('ms', MS),
        'CPU, data user': only('dataUserCpuSeconds', { unit: 's' }),
        'CPU, CSP': only('cspCpuSeconds', { unit: 's' }),
        'peak memory, data user': only('dataUserPeakBytes', BYTES),
        'peak memory, CSP': only('cspPeakBytes', BYTES),
        'largest error of an eigenvalue over λ₁': most('maxEigenvalueError', { power: true }),
      },
    },
  },
  words: new URL('load.md', import.meta.url),
});

function recordsOf(result: LoadResult): Tidy[] {
  const { windows, latency, sync, computation, ...whole } = result;
  const { stages, seconds, ...computed } = computation;
  return [
    {
      part: 'whole',
      ...{ perSecond: whole.perSecond, ms: 1000 * whole.seconds, ...percentiles(latency) },
      ...{ contributionBytes: whole.contributionBytes, preparationMs: 1000 * whole.preparationSeconds },
      dataUserPeakBytes: whole.dataUserPeakBytes,
      syncBytes: sync.bytes,
      ...{ syncP50: sync.p50Milliseconds, syncP95: sync.p95Milliseconds, syncP99: sync.p99Milliseconds },
    },
    ...windows.map((window) => ({
      part: 'window',
      ...{ after: window.contributions, perSecond: window.perSecond, ...percentiles(window) },
      ...{ dataUserCpu: window.dataUserCpuMilliseconds, clientCpu: window.clientCpuMilliseconds },
      ...(whole.database === 'postgres' && { databaseCpu: window.databaseCpuMilliseconds }),
      ...{ residentBytes: window.dataUserResidentBytes, databaseBytes: window.databaseBytes },
    })),
    ...Object.entries(stages).map(([stage, ms]) => ({ part: 'stage', stage, ms })),
    { part: 'computation', ms: 1000 * seconds, ...computed },
  ];
}

const percentiles = (latency: Latency): Tidy => ({
  p50: latency.p50Milliseconds,
  p95: latency.p95Milliseconds,
  p99: latency.p99Milliseconds,
});
