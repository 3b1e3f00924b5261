/** `npm run study -- NAME`: measures studies, goes on after an interruption, and writes one report of them. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_CODES, createProgram, isJson, onShutdown, runCommand } from '@eigenveil/command';
import { CodedError } from '@eigenveil/platform';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { STUDY_CODES } from './codes.ts';
import { commandOf } from './command-of.ts';
import { describeEnvironment } from './environment.ts';
import { Journal } from './journal.ts';
import { type OwnData, type OwnDataOptions, readOwnData } from './own-data.ts';
import { listed, pagesIn, readPage } from './page.ts';
import { MISSING } from './quantities.ts';
import { tablesToMarkdown } from './report/markdown.ts';
import { MeasuredCase, RunDescription, StudyResults } from './results.ts';
import { jobsLeft, measureJobs, planRun } from './run.ts';
import { addScale, scaleOf } from './scale.ts';
import { Settings } from './settings.ts';
import type { Omission, Study, StudyGroup } from './study.ts';
import type { Value } from './tidy.ts';
import { measuredOf, namedFacts, nameOf, reportOf, toldOf } from './told.ts';

const INTERRUPTED = 130;

/** Where the command was given, and its words. */
interface Given {
  readonly root: string;
  readonly words: readonly string[];
}

/** The results of a run, before facts are made of them. */
type Measured = Omit<StudyResults, 'facts'>;

/** Loads a group when it is asked for. */
export type Groups = Readonly<Record<string, () => Promise<StudyGroup>>>;

interface Options extends Partial<OwnDataOptions> {
  readonly quick?: true;
  readonly full?: true;
  readonly only?: readonly string[];
  readonly out: string;
  readonly render?: string;
  readonly [setting: string]: unknown;
}

/** Runs what the command line asks for. Its first word names a group, such as `privacy`, or a study, such as `privacy/clipping`. */
export async function runStudies(
  groups: Groups,
  root: string,
  argv: readonly string[] = process.argv,
): Promise<void> {
  const [first = ''] = argv.slice(2);
  const [name, study] = first.split('/') as [string, string | undefined];
  const group = await groups[name]?.();
  if (group === undefined || (study !== undefined && !group.studies.some((it) => nameOf(it) === study)))
    await runCommand(withoutName(groups, root, group), [...argv]);
  else {
    const program = await ofGroup(group, study, { root, words: argv.slice(2) });
    await runCommand(program, [...argv.slice(0, 2), ...argv.slice(3)]);
  }
}

/** @param group that of a study which it does not have */
function withoutName(groups: Groups, root: string, group?: StudyGroup): Command {
  return (
    createProgram({
      name: 'study',
      version: '0.1.0',
      description: 'Measures a study, or all studies of a group, and writes a report of them.',
    })
      .argument('[NAME]', `a group or one of its studies: ${Object.keys(groups).join(', ')}`)
      .option('--list', 'print what can be measured')
      // An error about a name that is not there comes before one about its options.
      .allowUnknownOption()
      .allowExcessArguments()
      .addHelpText(
        'after',
        `
Examples:
  npm run study -- --list
  npm run study -- privacy --quick
  npm run study -- privacy/clipping --help`,
      )
      .action(async (asked: string | undefined, { list }: { list?: true }) => {
        if (!list)
          throw new CodedError(
            COMMAND_CODES.ERR_CONFIGURATION,
            `"NAME" expected ${group === undefined ? `one of ${Object.keys(groups).join(', ')}, or one of their studies` : `one of ${group.studies.map(({ id }) => id).join(', ')}`}; got ${asked ?? 'none'}; --list prints all`,
          );
        for (const page of await pagesIn(join(root, 'studies'), Object.keys(groups)))
          print(listed(page.id, page, 28));
      })
  );
}

async function ofGroup(group: StudyGroup, study: string | undefined, given: Given): Promise<Command> {
  const { root } = given;
  const pages = await Promise.all(group.studies.map(({ words }) => readPage(words)));
  const known = group.studies.map(nameOf);
  const settings = new Map(
    group.studies
      .filter((it) => (study === undefined ? !it.isApart : nameOf(it) === study))
      .flatMap((it) => it.settings ?? [])
      .map((it) => [it.name, it]),
  );
  const program = addScale(
    createProgram({ name: `study -- ${group.name}`, version: '0.1.0', description: group.title }),
    group.usual,
    {
      quick: 'a first look: fewer sizes, data sets and repetitions',
      full: 'all sizes, data sets and repetitions',
    },
  )
    .option('--only <LIST>', 'only these studies, separated by commas', (text) => someOfStudies(text, known))
    .option('--data <FILE>', 'your own rows in place of all data sets: CSV with a header row')
    .option('--label <COLUMN>', 'the column of its classes')
    .option('--private-label <COLUMN>', 'a second column of classes, for studies of two labels')
    .option('--ranges <FILE>', 'public ranges of its columns: JSON {"column": [least, largest]}')
    .option('--range <COLUMN=LEAST:LARGEST...>', 'public ranges, one by one')
    .option('--out <DIR>', 'folder of the report', join(root, 'out', group.name, study ?? ''))
    .option('--render <FILE>', 'measure nothing: write the report of this report.json');
  for (const { name, says, quick, full, parse } of settings.values())
    program.option(`--${name} <VALUE>`, `${says} (quick: ${quick}; full: ${full})`, parse);
  return program
    .addHelpText(
      'after',
      `
Studies:
${pages.map((page) => `  ${listed(nameOf(page), page, 18)}`).join('\n')}

A run that is interrupted (Ctrl-C) leaves a report of what it has; the same command goes on from there, as long as neither the code nor the
machine has changed. Data sets that are not bundled are taken from the folder EIGENVEIL_DATA and left out where it lacks them. The last line
that is printed is JSON with the facts of the run; --json leaves the others out.

Examples:
  npm run study -- ${group.name} --quick
  npm run study -- ${group.name}/${known[0]} --data rows.csv --label class --ranges ranges.json`,
    )
    .action(async (options: Options) => {
      const usual = group.studies.filter(({ isApart }) => !isApart).map(nameOf);
      const only = study === undefined ? (options.only ?? usual) : [study];
      const run = new Run(group, only, options, { program, given });
      await (options.render === undefined ? run.measure() : run.render(options.render));
    });
}

function someOfStudies(text: string, known: readonly string[]): string[] {
  const names = text.split(',');
  if (!names.every((name) => known.includes(name)))
    throw new InvalidArgumentError(`Expected some of ${known.join(',')}.`);
  return names;
}

class Run {
  readonly #group: StudyGroup;
  readonly #studies: readonly Study[];
  readonly #options: Options;
  readonly #program: Command;
  readonly #given: Given;

  constructor(
    group: StudyGroup,
    only: readonly string[],
    options: Options,
    { program, given }: { readonly program: Command; readonly given: Given },
  ) {
    this.#group = group;
    this.#studies = group.studies.filter((study) => only.includes(nameOf(study)));
    this.#options = options;
    this.#program = program;
    this.#given = given;
  }

  async measure(): Promise<void> {
    const { out } = this.#options;
    const scale = scaleOf(this.#options, this.#group.usual);
    const own = await this.#ownData();
    const chosen = this.#chosen();
    const asked = { scale, settings: new Settings(scale, chosen), ...(own && { own: own.data }) };
    const description: RunDescription = {
      scale,
      studies: this.#studies.map(({ id }) => id),
      chosen: {
        ...Object.fromEntries([...chosen].map(([name, value]) => [name, String(value)])),
        ...(own && {
          data: `${own.data.name}, ${own.data.rows.length} × ${own.data.columns.length}, SHA-256 ${own.digest}`,
        }),
      },
      environment: await describeEnvironment(),
    };
    const { jobs, omissions } = await planRun(this.#studies, asked);
    if (own !== undefined)
      for (const { what, why } of omissions) process.stderr.write(`left out: ${what}: ${why}\n`);
    const journal = await Journal.of(join(out, 'measurements.jsonl'), description, {
      description: RunDescription,
      entry: MeasuredCase,
    });
    if (journal.resumed > 0)
      process.stderr.write(`going on with ${journal.resumed} cases of an earlier run\n`);
    const stopping = new AbortController();
    const resultsOf = (more: readonly Omission[]): Measured => {
      const cases = jobs.flatMap((job) => journal.find(job) ?? []);
      const finishedAt = new Date().toISOString();
      const all = [...omissions, ...more];
      return {
        format: 'eigenveil-study/1',
        description,
        finishedAt,
        cases,
        omissions: all,
      };
    };
    const stopListening = onShutdown(['SIGINT', 'SIGTERM'], async () => {
      stopping.abort();
      const missing = jobsLeft(jobs, journal);
      await this.#write(
        resultsOf(missing.map(({ title }) => ({ what: title, why: 'the run was interrupted before it' }))),
      );
      process.stderr.write(
        `interrupted with ${missing.length} of ${jobs.length} cases left: run the same command to go on\n`,
      );
      process.exit(INTERRUPTED);
    });
    const failures = await measureJobs(jobs, journal, stopping.signal, {
      folder: out,
      ...(own && { own: own.data }),
    });
    stopListening();
    for (const { what, why } of failures) process.stderr.write(`${what}: ${why}\n`);
    const contradictions = await this.#write(resultsOf(failures));
    if (failures.length > 0)
      throw new CodedError(STUDY_CODES.ERR_STUDY_FAILED, `${failures.length} of ${jobs.length} cases failed`);
    await journal.end();
    await this.#group.beside?.(out, asked);
    check(contradictions);
  }

  async render(file: string): Promise<void> {
    let results: StudyResults;
    try {
      results = StudyResults.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch (cause) {
      throw new CodedError(
        COMMAND_CODES.ERR_CONFIGURATION,
        `"--render" expected a report.json of this program, got ${file}`,
        { cause },
      );
    }
    check(await this.#write(results));
  }

  /** Writes the report and prints the facts. */
  async #write(measured: Measured): Promise<readonly string[]> {
    const { out } = this.#options;
    // Charts are drawn by heavy libraries, which nothing needs before.
    const { writeReport } = await import('./report/write.ts');
    const told = toldOf(this.#group, measured.cases);
    const facts = Object.fromEntries(
      [...namedFacts(measuredOf(told, measured.cases))]
        .filter(([, { text }]) => text !== MISSING)
        .map(([name, { value = null, text }]) => [name, { value, text }]),
    );
    const results: StudyResults = { ...measured, facts };
    const { report, contradictions } = await reportOf(this.#group, results, told);
    await writeReport({ folder: out, report, data: jsonOf(results) });
    const files = ['report.html', 'report.md', 'report.json'].map((file) => join(out, file));
    const study = this.#studies.length === 1 ? this.#studies[0] : undefined;
    if (isJson(this.#program) && study?.json !== undefined) {
      const { description, finishedAt } = results;
      const run = { command: await commandOf(this.#given), finishedAt, environment: description.environment };
      const { records } = told.find((one) => one.study === study)!;
      print(JSON.stringify(study.json(records.of(undefined), run)));
      return contradictions;
    }
    if (!isJson(this.#program)) {
      if (study !== undefined) print(tablesToMarkdown(report));
      print(files.join('\n'));
    }
    print(JSON.stringify({ facts, files, cases: results.cases.length }));
    return contradictions;
  }

  #chosen(): Map<string, Value | readonly Value[]> {
    const all = this.#studies.flatMap(({ settings = [] }) => settings);
    return new Map(
      all.flatMap(({ name }) => {
        const value = this.#options[new Option(`--${name}`).attributeName()] as
          | Value
          | readonly Value[]
          | undefined;
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  async #ownData(): Promise<{ readonly data: OwnData; readonly digest: string } | undefined> {
    const { data, label, privateLabel, ranges, range } = this.#options;
    if (data === undefined) {
      const flags = {
        '--label': label,
        '--private-label': privateLabel,
        '--ranges': ranges,
        '--range': range,
      };
      const given = Object.entries(flags).find(([, it]) => it !== undefined);
      if (given !== undefined)
        throw new CodedError(STUDY_CODES.ERR_STUDY_DATA, `"${given[0]}" expected "--data FILE" beside it`);
      return undefined;
    }
    if (label === undefined)
      throw new CodedError(STUDY_CODES.ERR_STUDY_DATA, '"--data" expected "--label COLUMN" beside it');
    const own = await readOwnData({
      data,
      label,
      learnsNumbers: this.#studies.every((study) => study.learnsNumbers),
      ...(privateLabel !== undefined && { privateLabel }),
      ...(ranges !== undefined && { ranges }),
      ...(range && { range }),
    });
    return { data: own, digest: createHash('sha256').update(JSON.stringify(own)).digest('hex') };
  }
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** A line for each case, so that what changes between runs can be read. */
function jsonOf({ cases, ...rest }: StudyResults): string {
  const head = JSON.stringify(rest, null, 2).slice(0, -2);
  return `${head},\n  "cases": [\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n  ]\n}\n`;
}

function check(contradictions: readonly string[]): void {
  if (contradictions.length > 0)
    throw new CodedError(STUDY_CODES.ERR_STUDY_CONTRADICTED, contradictions.join('\n'));
}
