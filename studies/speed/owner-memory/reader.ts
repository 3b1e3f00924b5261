/** The measured process: everything that an owner's process does before it encrypts, with the rows of a Parquet file or with CSV from standard input. */
import { statisticsOfCsv, statisticsOfRows } from '@eigenveil/statistics';
import { readStoredRows } from '@eigenveil/statistics/duckdb';
import type { StatisticsTask } from '@eigenveil/task';
import { featureName } from '../rows.ts';
import type { Source } from './study.ts';

const [source, file, rows, features] = process.argv.slice(2).map(String) as [Source, string, string, string];
const task: StatisticsTask = {
  method: { kind: 'pca' },
  features: Array.from({ length: Number(features) }, (_, i) => ({ name: featureName(i), min: -1, max: 1 })),
  labellings: [],
  fractionBits: 14,
  maximumOwners: 10,
  maximumSamplesPerOwner: Number(rows),
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
if (owner.rows !== Number(rows)) throw new Error(`expected ${rows} rows, read ${owner.rows}`);
process.stdout.write(
  JSON.stringify({
    seconds,
    cpuSeconds: (user + system) / 1e6,
    rowsPerSecond: owner.rows / seconds,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  }),
);
