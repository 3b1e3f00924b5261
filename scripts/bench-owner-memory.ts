/** Measures the peak memory and the speed of one owner that reads many rows, of CSV and of Parquet, and sums its statistics. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DuckDBInstance } from '@duckdb/node-api';
import { statisticsOfCsv, statisticsOfRows } from '@eigenveil/statistics';
import { readStoredRows } from '@eigenveil/statistics/duckdb';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { csvOfRows, featureName } from '@eigenveil/studies/speed/rows';
import type { StatisticsTask } from '@eigenveil/task';
import { Command, Option } from 'commander';
import { printJson, wholeNumber } from './options.ts';

/** What an owner may use at most, whatever the number of rows. DuckDB alone may use 512. */
const LIMIT_MEGABYTES = { csv: 300, parquet: 1000 } as const;
type Source = keyof typeof LIMIT_MEGABYTES;
const SOURCES = Object.keys(LIMIT_MEGABYTES) as Source[];

interface Options {
  rows: number;
  features: number;
  source?: Source;
  json: boolean;
  child?: string;
}

interface Measurement {
  source: Source;
  rows: number;
  features: number;
  seconds: number;
  /** Of all threads; on a busy machine this says more. */
  cpuSeconds: number;
  rowsPerSecond: number;
  peakRssMegabytes: number;
}

const options = new Command('bench-owner-memory')
  .description(
    'Peak memory and speed of an owner that reads CSV rows and sums its statistics, in a process of its own.',
  )
  .option('--rows <number>', 'rows to read', wholeNumber(), 1_000_000)
  .option('--features <number>', 'columns to read', wholeNumber(), 50)
  .addOption(
    new Option('--source <name>', 'what to read them from (default: one after the other)').choices(SOURCES),
  )
  .option('--json', 'print one JSON object', false)
  .addOption(
    new Option('--child <file>', 'read the rows of this file, or CSV from standard input').hideHelp(),
  )
  .addHelpText(
    'after',
    `
Exits with 1 when a peak is above ${SOURCES.map((it) => `${LIMIT_MEGABYTES[it]} MB (${it})`).join(', ')}.

Example:
  node scripts/bench-owner-memory.ts --rows 200000 --features 34 --json`,
  )
  .parse()
  .opts<Options>();

if (options.child !== undefined) {
  process.stdout.write(JSON.stringify(await measure(options, options.source!, options.child)));
} else {
  const sources = options.source === undefined ? SOURCES : [options.source];
  const measured = await measureEach(sources, String, async (source) => [await inChild(options, source)]);
  if (options.json) await printJson({ rows: measured });
  else for (const measurement of measured) print(measurement);
  if (measured.some(({ source, peakRssMegabytes }) => peakRssMegabytes > LIMIT_MEGABYTES[source]))
    process.exitCode = 1;
}

/** Runs in the child: everything that the owner's process would do before it encrypts. */
async function measure({ rows, features }: Options, source: Source, file: string): Promise<Measurement> {
  const task: StatisticsTask = {
    method: { kind: 'pca' },
    features: Array.from({ length: features }, (_, i) => ({ name: featureName(i), min: -1, max: 1 })),
    labellings: [],
    fractionBits: 14,
    maximumOwners: 10,
    maximumSamplesPerOwner: rows,
    keyBits: 2048,
    statisticalSecurityBits: 40,
  };
  const start = performance.now();
  const before = process.cpuUsage();
  const owner =
    source === 'csv'
      ? await statisticsOfCsv(process.stdin, task)
      : await statisticsOfRows(task, {}, (all) => readStoredRows({ parquet: [file] }, task, all));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  if (owner.rows !== rows) throw new Error(`expected ${rows} rows, read ${owner.rows}`);
  return {
    source,
    rows,
    features,
    seconds,
    cpuSeconds: (user + system) / 1e6,
    rowsPerSecond: rows / seconds,
    peakRssMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

async function inChild(options: Options, source: Source): Promise<Measurement> {
  const { rows, features } = options;
  const folder = await mkdtemp(join(tmpdir(), 'eigenveil-bench-'));
  try {
    const file = join(folder, 'rows.parquet');
    if (source === 'parquet') await writeParquetRows(file, rows, features);
    const words = ['--child', file, '--source', source, '--rows', `${rows}`, '--features', `${features}`];
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...words], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    // A child that fails closes its input early; its exit code says so below.
    child.stdin.on('error', () => {});
    if (source === 'csv') Readable.from(csvOfRows(rows, features)).pipe(child.stdin);
    else child.stdin.end();
    let output = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk;
    const [code] = await exit;
    if (code !== 0) throw new Error(`the measured process ended with ${code}`);
    return JSON.parse(output) as Measurement;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function print(measurement: Measurement): void {
  const { source, rows, features, seconds, cpuSeconds, rowsPerSecond, peakRssMegabytes } = measurement;
  console.log(
    `${rows} rows x ${features} features of ${source}: ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of CPU), ${Math.round(rowsPerSecond)} rows/s`,
  );
  console.log(
    `peak memory of the process: ${Math.round(peakRssMegabytes)} MB (limit ${LIMIT_MEGABYTES[source]} MB)`,
  );
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
