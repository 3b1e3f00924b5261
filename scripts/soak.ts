/** `npm run soak`: lets both services die, and loses their messages, for as long as you like, and looks for what they do not survive. */
import { randomInt } from 'node:crypto';
import { createProgram, every, LINE_MILLISECONDS, printResult, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { wholeNumber } from '@eigenveil/studies/instrument/settings';
import { Postgres } from '@eigenveil/testbed/databases/postgres';
import { Presets, SingleBar } from 'cli-progress';
import { Option } from 'commander';
import type { Scenario } from '../test/support/simulation/operations.ts';
import type { Finished } from '../test/support/simulation/run.ts';
import { type Finding, ServicesPool, search } from '../test/support/simulation/search.ts';

const FAILURE = codes({ ERR_SOAK: { title: 'A seed failed' } });

const RUNS_PER_SEED = 5;
const LARGEST_SEED = 2 ** 30;
const MINUTE_MILLISECONDS = 60_000;

const DESCRIPTION = [
  'Runs a real CSP and a real data user as processes, and has fast-check do to them what happens to',
  'services: owners contribute, repeat, change their minds and withdraw; requests and answers are lost;',
  'both processes are killed at any moment and right before or after a durable write; the clock jumps;',
  'tasks are closed, computed and cancelled. After each run everything works again, and the task must',
  'come to an end in which every owner that holds a receipt is counted exactly once. What must hold,',
  'and what is not deterministic, stands in test/support/simulation/run.ts.',
].join(' ');

interface Options {
  readonly database: 'sqlite' | 'postgres';
  readonly minutes: number;
  readonly runs?: number;
  readonly seed: number;
  readonly length: number;
  readonly shrinkMinutes: number;
}

const program = createProgram({
  name: 'soak',
  version: '0.1.0',
  description: DESCRIPTION,
})
  .addOption(
    new Option('--database <NAME>', 'where the data user stores')
      .choices(['sqlite', 'postgres'])
      .default('sqlite'),
  )
  .option('--minutes <NUMBER>', 'how long to look for a failure', wholeNumber(1, 10_000), 10)
  .option('--runs <NUMBER>', 'end after this number of runs, even if there is time left', wholeNumber())
  .option(
    '--seed <NUMBER>',
    'to repeat: as printed with a failure',
    wholeNumber(1, LARGEST_SEED),
    randomInt(1, LARGEST_SEED),
  )
  .option('--length <NUMBER>', 'the most operations of a run, about', wholeNumber(1, 1000), 24)
  .option(
    '--shrink-minutes <NUMBER>',
    'how long to look for a smaller run that fails, too',
    wholeNumber(1, 10_000),
    5,
  )
  .addHelpText(
    'after',
    `
A failure is printed as a seed and as the operations that are left after shrinking. To see it again:
  npm run soak -- --seed SEED --minutes 1 (and the same --database and --length)
To keep it: paste its scenario into the named cases of test/simulation.test.ts.`,
  )
  .action(soak);

/** The sums over all runs. */
interface Tally {
  runs: number;
  operations: number;
  requests: number;
  lost: number;
  deaths: number;
  done: number;
  cancelled: number;
  failed: number;
}

async function soak({
  database,
  minutes,
  runs: most = Infinity,
  seed,
  length,
  shrinkMinutes,
}: Options): Promise<void> {
  const tally: Tally = {
    runs: 0,
    operations: 0,
    requests: 0,
    lost: 0,
    deaths: 0,
    done: 0,
    cancelled: 0,
    failed: 0,
  };
  const bar = new SingleBar(
    { format: '{bar} {minute}/{total} min  {runs} runs, {operations} operations', stream: process.stderr },
    Presets.shades_classic,
  );
  const started = Date.now();
  const elapsed = () => (Date.now() - started) / MINUTE_MILLISECONDS;
  const told = () => ({ ...tally, minute: Math.min(elapsed(), minutes).toFixed(1) });
  process.stderr.write(`seed ${seed}\n`);
  bar.start(minutes, 0, told());
  const isDue = every(LINE_MILLISECONDS);
  const onRun = (finished: Finished) => {
    count(tally, finished);
    const { minute, runs, operations } = told();
    if (process.stderr.isTTY) bar.update(Math.min(elapsed(), minutes), told());
    else if (isDue())
      process.stderr.write(`${minute} of ${minutes} min: ${runs} runs, ${operations} operations\n`);
  };
  const postgres = database === 'postgres' ? await Postgres.launch() : undefined;
  const pool = new ServicesPool(async () => ({ databaseUrl: await postgres?.database() }));
  const shrinkMilliseconds = shrinkMinutes * MINUTE_MILLISECONDS;
  let finding: Finding | undefined;
  try {
    for (let next = seed; finding === undefined && elapsed() < minutes && tally.runs < most; next += 1) {
      const runs = Math.min(RUNS_PER_SEED, most - tally.runs);
      finding = await search(pool, { seed: next, runs, length, shrinkMilliseconds, onRun });
    }
  } finally {
    bar.stop();
    await pool.close();
    await postgres?.close();
  }
  const { runs, ...counted } = tally;
  const counts = Object.entries(counted).map(([name, number]) => `${number} ${name}`);
  const summary = `${runs} runs: ${counts.join(', ')}; first seed ${seed}`;
  printResult(program, {
    json: { database, seed, ...tally, finding: finding ?? null },
    text: finding === undefined ? summary : `${summary}\n\n${describe(finding)}`,
  });
  if (finding !== undefined) throw new CodedError(FAILURE.ERR_SOAK, `seed ${finding.seed} failed`);
}

function count(tally: Tally, { end, operations, requests, lost, deaths }: Finished): void {
  tally.runs += 1;
  tally[end] += 1;
  tally.operations += operations;
  tally.requests += requests;
  tally.lost += lost;
  tally.deaths += deaths;
}

function describe({ seed, scenario, fault }: Finding): string {
  return `seed ${seed}\n${fault}\n\n${describeScenario(scenario)}`;
}

/** One operation on a line, in a form that can be pasted. */
function describeScenario({ operations, ...task }: Scenario): string {
  const lines = operations.map((operation) => `    ${JSON.stringify(operation)},`);
  return [JSON.stringify(task).replace(/}$/, ', "operations": ['), ...lines, '  ]}'].join('\n');
}

await runCommand(program, process.argv);
