/** `npm run soak:kill`: kills the data user again and again while owners contribute, and sees that nothing is lost. */
import { randomInt } from 'node:crypto';
import { createProgram, printResult, runCommand } from '@eigenveil/command';
import { CodedError, codes } from '@eigenveil/platform';
import { wholeNumber } from '@eigenveil/studies/instrument/settings';
import { Presets, SingleBar } from 'cli-progress';
import { Option } from 'commander';
import { DATABASES, type KillOptions, type KillReport, killCycles } from '../test/support/kill-cycles.ts';

const FAILURE = codes({ ERR_KILL_CYCLES: { title: 'A data user that was killed broke its word' } });

const CYCLES = 200;
/** The generator's seeds end here. */
const SEEDS = 2 ** 31 - 2;

interface Options {
  readonly database: KillOptions['database'];
  readonly cycles: number;
  readonly seed: number;
}

const program = createProgram({
  name: 'soak:kill',
  version: '0.1.0',
  description:
    'Kills the data user (and its database server) at random moments while owners contribute, restarts it, and checks every receipt and result.',
})
  .addOption(new Option('--database <NAME>', 'where it stores').choices(DATABASES).default('sqlite'))
  .option('--cycles <NUMBER>', 'how often something is killed', wholeNumber(1, SEEDS), CYCLES)
  .option(
    '--seed <NUMBER>',
    'of the moments and the rows: as printed by a run',
    wholeNumber(1, SEEDS),
    randomInt(1, SEEDS),
  )
  .action(run);

async function run({ database, cycles, seed }: Options): Promise<void> {
  process.stderr.write(`seed ${seed}\n`);
  const bar = new SingleBar(
    { format: '{bar} {value}/{total}  {eta_formatted} left', stream: process.stderr, noTTYOutput: false },
    Presets.shades_classic,
  );
  bar.start(cycles, 0);
  let report: KillReport;
  try {
    report = await killCycles({ database, cycles, seed, onCycle: () => bar.increment() });
  } catch (cause) {
    throw new CodedError(FAILURE.ERR_KILL_CYCLES, `a data user that was killed broke its word: ${cause}`, {
      cause,
    });
  } finally {
    bar.stop();
  }
  printResult(program, { json: report, text: describe(report) });
}

function describe(report: KillReport): string {
  return [
    `kills of the data user: ${report.killedServing} while serving, ${report.killedStarting} while starting`,
    ...(report.database === 'postgres' ? [`kills of the database server: ${report.killedDatabase}`] : []),
    `receipts: ${report.receipts} handed out; asked for again ${report.receiptsChecked} times, always the same`,
    `requests without an answer: ${report.interrupted}, of which ${report.storedUnanswered} had been stored`,
    `tasks with every owner in the result exactly once: ${report.tasks}`,
  ].join('\n');
}

await runCommand(program, process.argv);
