/** `npm run bench`: measures what the suites plan, and writes a report to look at, to read and to compute with. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, createProgram, onShutdown, printResult, runCommand } from '@eigenveil/command';
import { InvalidArgumentError } from 'commander';
import { describeEnvironment } from './bench/environment.ts';
import { Journal } from './bench/journal.ts';
import { showProgress } from './bench/progress.ts';
import { type BenchData, BenchDataSchema, benchReport } from './bench/report.ts';
import { measuredOf, measureUnits, planSuites, unitsLeft } from './bench/runner.ts';
import { SUITES } from './bench/suites/index.ts';
import { writeReport } from './report/write.ts';

const OUT = fileURLToPath(new URL('../out/bench', import.meta.url));
const INTERRUPTED = 130;
const NAMES = SUITES.map(({ name }) => name);

interface Options {
  readonly quick?: true;
  readonly only: readonly string[];
  readonly out: string;
  readonly render?: string;
}

const program = createProgram({
  name: 'bench',
  version: '0.1.0',
  description:
    'Measures Eigenveil against the published protocol and writes report.html, report.md and report.json.',
})
  .option('--quick', 'a first look in under two minutes: fewer sizes, data sets and repetitions')
  .option('--only <LIST>', 'only these suites, separated by commas', parseSuites, NAMES)
  .option('--out <DIR>', 'folder for the report', OUT)
  .option('--render <FILE>', 'measure nothing: write the report of the measurements in this report.json')
  .addHelpText(
    'after',
    `
Suites:
${SUITES.map(({ name, description }) => `  ${name.padEnd(14)} ${description}`).join('\n')}

A run that is interrupted (Ctrl-C) leaves a report of what it has; the same command goes on from there, as long as neither the code nor the
machine has changed. Data sets that are not bundled are taken from the folder EIGENVEIL_DATA and left out where it lacks them.

Examples:
  npm run bench -- --quick
  npm run bench -- --only key-length,two-party`,
  )
  .action(async (options: Options) => {
    if (options.render === undefined) await measure(options);
    else await finish(options.out, await readData(options.render));
  });

await runCommand(program, process.argv);

async function measure({ quick, only, out }: Options): Promise<void> {
  const suites = SUITES.filter(({ name }) => only.includes(name));
  const description = {
    scale: quick ? ('quick' as const) : ('full' as const),
    suites: suites.map(({ name }) => name),
    environment: await describeEnvironment(),
  };
  const plans = await planSuites(suites, description.scale);
  const units = plans.flatMap((plan) => plan.units);
  const omissions = plans.flatMap((plan) => plan.omissions);
  const journal = await Journal.open(join(out, 'measurements.jsonl'), description);
  if (journal.resumed > 0) process.stderr.write(`going on with ${journal.resumed} units of an earlier run\n`);
  const left = unitsLeft(units, journal);
  const progress = showProgress(left, { resumed: units.length - left.length });

  const dataOf = (failures: BenchData['omissions'] = []): BenchData => ({
    format: 'eigenveil-bench/1',
    description,
    finishedAt: new Date().toISOString(),
    measurements: measuredOf(units, journal),
    omissions: [...omissions, ...failures],
  });
  const stopListening = onShutdown(['SIGINT', 'SIGTERM'], async () => {
    progress.stop();
    const missing = unitsLeft(units, journal);
    await finish(
      out,
      dataOf(missing.map(({ title }) => ({ what: title, why: 'the run was interrupted before it' }))),
    );
    process.stderr.write(
      `interrupted with ${missing.length} of ${units.length} units left: run the same command to go on\n`,
    );
    process.exit(INTERRUPTED);
  });
  const { failures } = await measureUnits(left, journal, progress);
  stopListening();
  progress.stop();
  for (const { what, why } of failures) process.stderr.write(`${what}: ${why}\n`);
  await finish(out, dataOf(failures));
  if (failures.length > 0) throw new Error(`${failures.length} of ${units.length} units failed`);
  await journal.end();
}

async function finish(folder: string, data: BenchData): Promise<void> {
  await writeReport({ folder, report: benchReport(data, SUITES), data });
  const files = ['report.html', 'report.md', 'report.json'].map((name) => join(folder, name));
  printResult(program, { json: { files, units: data.measurements.length }, text: files.join('\n') });
}

async function readData(file: string): Promise<BenchData> {
  const data = BenchDataSchema.safeParse(JSON.parse(await readFile(file, 'utf8')));
  if (!data.success) {
    throw new ConfigurationError(`"--render" expected a report.json of this program, got ${file}`);
  }
  return data.data;
}

function parseSuites(text: string): string[] {
  const names = text.split(',');
  if (!names.every((name) => NAMES.includes(name)))
    throw new InvalidArgumentError(`Expected some of ${NAMES.join(',')}.`);
  return names;
}
