/** The peak memory and the speed of one owner that reads many rows, of CSV and of Parquet, and sums its statistics. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { count, only } from '../../instrument/figure.ts';
import { setting, someOf, wholeNumber } from '../../instrument/settings.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { timesIn } from '../decomposed.ts';
import { csvOfRows, featureName } from '../rows.ts';

/** The most memory that an owner may use, whatever the number of rows. DuckDB alone may use 512. */
const LIMIT_MEGABYTES = { csv: 300, parquet: 1000 } as const;
export type Source = keyof typeof LIMIT_MEGABYTES;
const SOURCES = Object.keys(LIMIT_MEGABYTES) as Source[];

const ROWS = setting({
  name: 'rows',
  says: 'rows to read',
  parse: wholeNumber(),
  quick: 10_000,
  full: 1_000_000,
});
const FEATURES = setting({
  name: 'features',
  says: 'columns to read',
  parse: wholeNumber(),
  quick: 20,
  full: 50,
});
const FROM = setting({
  name: 'source',
  says: `what to read them from: ${SOURCES.join(' or ')}, or both`,
  parse: someOf(SOURCES),
  quick: SOURCES,
  full: SOURCES,
});

type Chosen = { readonly source: Source; readonly rows: number; readonly features: number };

const megabytes = (source: Source) => ({
  where: { source },
  figure: only('peakMegabytes', { digits: 0, unit: 'MB' }),
});

export const ownerMemory = defineStudy<Chosen>({
  id: 'speed/owner-memory',
  isApart: true,
  settings: [ROWS, FEATURES, FROM],
  plan: ({ settings }) => {
    const size = { rows: settings.of(ROWS), features: settings.of(FEATURES) };
    return { cases: settings.of(FROM).map((source) => ({ source, ...size })) };
  },
  titleOf: ({ source, rows }) => `${rows} rows of ${source}`,
  expectedSeconds: ({ source, rows, features }) => 2 + rows * features * (source === 'csv' ? 4e-7 : 1.5e-7),
  async measure(chosen): Promise<Tidy[]> {
    const measured = await inProcess(chosen);
    const limit = LIMIT_MEGABYTES[chosen.source];
    return [{ ...measured, limit, ...(Number(measured.peakMegabytes) > limit && { tooMuch: 1 }) }];
  },
  columns: { source: { values: { csv: 'CSV', parquet: 'Parquet' } } },
  tables: {
    owner: {
      caption: 'An owner that reads, discretises and sums its rows',
      rows: ['source', 'rows', 'features'],
      cells: {
        time: only('seconds', { unit: 's' }),
        CPU: only('cpuSeconds', { unit: 's' }),
        'rows per second': only('rowsPerSecond', { digits: 0 }),
        'peak memory': only('peakMegabytes', { digits: 0, unit: 'MB' }),
        limit: only('limit', { digits: 0, unit: 'MB' }),
      },
    },
  },
  facts: {
    rows: { figure: only('rows', { grouped: true }) },
    features: { figure: only('features') },
    csvMemory: megabytes('csv'),
    parquetMemory: megabytes('parquet'),
    /** The processor time of Parquet as a multiple of that of CSV. */
    parquetTimes: { figure: timesIn('cpuSeconds', { source: 'parquet' }, { source: 'csv' }) },
    aboveTheLimit: { where: { tooMuch: 1 }, figure: count },
  },
  holds: { withinLimits: (fact) => fact('aboveTheLimit') === 0 },
  words: new URL('owner-memory.md', import.meta.url),
});

/** Writes what the process is to read, has it read, and gives what it says of itself. */
async function inProcess({ source, rows, features }: Chosen): Promise<Tidy> {
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-bench-'));
  try {
    const file = join(folder, 'rows.parquet');
    if (source === 'parquet') await writeParquetRows(file, rows, features);
    const reader = fileURLToPath(new URL('reader.ts', import.meta.url));
    const child = spawn(process.execPath, [reader, source, file, `${rows}`, `${features}`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    // A child that fails closes its input early; its exit code says so below.
    child.stdin.on('error', () => {});
    if (source === 'csv') Readable.from(csvOfRows(rows, features)).pipe(child.stdin);
    else child.stdin.end();
    const output = await text(child.stdout);
    const [code] = await exit;
    if (code !== 0) throw new Error(`the measured process ended with ${code}`);
    return JSON.parse(output) as Tidy;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Numbers with six decimals in [-1, 1]. */
async function writeParquetRows(file: string, rows: number, features: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB' });
  const connection = await instance.connect();
  const columns = Array.from(
    { length: features },
    (_, i) => `round(random() * 2 - 1, 6) AS ${featureName(i)}`,
  );
  await connection.run(
    `COPY (SELECT ${columns.join(', ')} FROM range(${rows})) TO '${file}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}
