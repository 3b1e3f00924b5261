/** Measures the peak memory and the speed of one owner that reads a long CSV file and sums its statistics. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { csvOfRows, featureName } from '@eigenveil/bench/rows';
import { statisticsOfCsv } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { Command, Option } from 'commander';
import { wholeNumber } from './options.ts';

/** What an owner may use at most, whatever the number of rows. */
const LIMIT_MEGABYTES = 300;

interface Options {
  rows: number;
  features: number;
  json: boolean;
  child: boolean;
}

interface Measurement {
  rows: number;
  features: number;
  seconds: number;
  rowsPerSecond: number;
  peakRssMegabytes: number;
}

const options = new Command('bench-owner-memory')
  .description(
    'Peak memory and speed of an owner that reads CSV rows and sums its statistics, in a process of its own.',
  )
  .option('--rows <number>', 'rows to read', wholeNumber(), 1_000_000)
  .option('--features <number>', 'columns to read', wholeNumber(), 50)
  .option('--json', 'print one JSON object', false)
  .addOption(new Option('--child', 'read the rows from standard input').default(false).hideHelp())
  .addHelpText(
    'after',
    `
Exits with 1 when the peak is above ${LIMIT_MEGABYTES} MB.

Example:
  node scripts/bench-owner-memory.ts --rows 200000 --features 34 --json`,
  )
  .parse()
  .opts<Options>();

if (options.child) process.stdout.write(JSON.stringify(await measure(options)));
else await report(options);

/** Runs in the child: everything that the owner's process would do before it encrypts. */
async function measure({ rows, features }: Options): Promise<Measurement> {
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
  const owner = await statisticsOfCsv(process.stdin, task);
  const seconds = (performance.now() - start) / 1000;
  if (owner.rows !== rows) throw new Error(`expected ${rows} rows, read ${owner.rows}`);
  return {
    rows,
    features,
    seconds,
    rowsPerSecond: rows / seconds,
    peakRssMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

async function report(options: Options): Promise<void> {
  const { rows, features } = options;
  const child = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), '--child', '--rows', `${rows}`, '--features', `${features}`],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  // A child that fails closes its input early; its exit code says so below.
  child.stdin.on('error', () => {});
  Readable.from(csvOfRows(rows, features)).pipe(child.stdin);
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk;
  const [code] = await exit;
  if (code !== 0) throw new Error(`the measured process ended with ${code}`);
  const measurement: Measurement = JSON.parse(output);
  if (options.json) console.log(JSON.stringify(measurement));
  else {
    const { seconds, rowsPerSecond, peakRssMegabytes } = measurement;
    console.log(
      `${rows} rows x ${features} features: ${seconds.toFixed(1)} s, ${Math.round(rowsPerSecond)} rows/s`,
    );
    console.log(
      `peak memory of the process: ${Math.round(peakRssMegabytes)} MB (limit ${LIMIT_MEGABYTES} MB)`,
    );
  }
  if (measurement.peakRssMegabytes > LIMIT_MEGABYTES) process.exitCode = 1;
}
