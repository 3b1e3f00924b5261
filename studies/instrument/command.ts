/** The command line of a set of suites: measures what they plan, goes on after an interruption, and writes the report. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_CODES, createProgram, onShutdown, printResult, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { InvalidArgumentError } from 'commander';
import { describeEnvironment } from './environment.ts';
import { Journal } from './journal.ts';
import { showProgress } from './progress.ts';
import type { Report } from './report/document.ts';
import { writeReport } from './report/write.ts';
import { type BenchData, BenchDataSchema } from './report.ts';
import { measuredOf, measureUnits, planSuites, unitsLeft } from './runner.ts';
import { addScale, scaleOf } from './scale.ts';
import type { Scale, Suite } from './unit.ts';

const FAILURE = codes({ ERR_MEASUREMENTS_CONTRADICT: { title: 'Measurements contradict each other' } });

const INTERRUPTED = 130;

export interface BenchCommand {
  /** As in `npm run <name>`. */
  readonly name: string;
  readonly description: string;
  readonly suites: readonly Suite[];
  /** Folder of the report unless another is named. */
  readonly folder: string;
  readonly examples: readonly string[];
  report(data: BenchData): Report;
  /** What else a run leaves in the folder, and nothing that is only written again does. */
  beside?(folder: string): Promise<void>;
  /** A run is quick unless `--full` asks for all of it; without this it is full unless `--quick` asks for less. Both are taken. */
  readonly quickUnlessFull?: true;
  /** What the measurements contradict: the report says it, and the command fails. */
  contradictions?(data: BenchData): readonly string[];
}

interface Options {
  readonly quick?: true;
  readonly full?: true;
  readonly only: readonly string[];
  readonly out: string;
  readonly render?: string;
}

type Finish = (folder: string, data: BenchData) => Promise<void>;

export async function runBenchCommand(command: BenchCommand): Promise<void> {
  const { name, description, suites, folder, examples } = command;
  const names = suites.map((suite) => suite.name);
  const usual = command.quickUnlessFull ? 'quick' : 'full';
  const program = addScale(createProgram({ name, version: '0.1.0', description }), usual, {
    quick: 'a first look in under two minutes: fewer sizes, data sets and repetitions',
    full: 'all sizes, data sets and repetitions',
  })
    .option(
      '--only <LIST>',
      'only these suites, separated by commas',
      (text) => parseSuites(text, names),
      names,
    )
    .option('--out <DIR>', 'folder for the report', folder)
    .option('--render <FILE>', 'measure nothing: write the report of the measurements in this report.json')
    .addHelpText(
      'after',
      `
Suites:
${suites.map((suite) => `  ${suite.name.padEnd(14)} ${suite.description}`).join('\n')}

A run that is interrupted (Ctrl-C) leaves a report of what it has; the same command goes on from there, as long as neither the code nor the
machine has changed. Data sets that are not bundled are taken from the folder EIGENVEIL_DATA and left out where it lacks them.

Examples:
${examples.map((example) => `  npm run ${name} -- ${example}`).join('\n')}`,
    )
    .action(async (options: Options) => {
      if (options.render === undefined) {
        check(await measure(suites, { ...options, scale: scaleOf(options, usual) }, finish));
        await command.beside?.(options.out);
      } else {
        const data = await readData(options.render);
        await finish(options.out, data);
        check(data);
      }
    });
  const check = (data: BenchData) => {
    const found = command.contradictions?.(data) ?? [];
    if (found.length > 0) throw new CodedError(FAILURE.ERR_MEASUREMENTS_CONTRADICT, found.join('\n'));
  };
  const finish: Finish = async (out, data) => {
    await writeReport({ folder: out, report: command.report(data), data });
    const files = ['report.html', 'report.md', 'report.json'].map((file) => join(out, file));
    const tables = suites.flatMap((suite) => {
      const own = data.measurements.filter(({ id }) => id.startsWith(`${suite.name}/`));
      return suite.table?.(own) ?? [];
    });
    printResult(program, {
      json: { files, units: data.measurements.length },
      text: [...tables, ...files].join('\n'),
    });
  };
  await runCommand(program, process.argv);
}

async function measure(
  known: readonly Suite[],
  { scale, only, out }: Pick<Options, 'only' | 'out'> & { readonly scale: Scale },
  finish: Finish,
): Promise<BenchData> {
  const suites = known.filter(({ name }) => only.includes(name));
  const description = {
    scale,
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
  const { failures } = await measureUnits(left, journal, progress, out);
  stopListening();
  progress.stop();
  for (const { what, why } of failures) process.stderr.write(`${what}: ${why}\n`);
  const data = dataOf(failures);
  await finish(out, data);
  if (failures.length > 0) throw new Error(`${failures.length} of ${units.length} units failed`);
  await journal.end();
  return data;
}

async function readData(file: string): Promise<BenchData> {
  try {
    return BenchDataSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new CodedError(
      COMMAND_CODES.ERR_CONFIGURATION,
      `"--render" expected a report.json of this program, got ${file}`,
      { cause },
    );
  }
}

function parseSuites(text: string, known: readonly string[]): string[] {
  const names = text.split(',');
  if (!names.every((name) => known.includes(name)))
    throw new InvalidArgumentError(`Expected some of ${known.join(',')}.`);
  return names;
}
