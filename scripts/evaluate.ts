/** `npm run evaluate`: the instrument that evaluates the security of a task, on bundled scenes or on a task and rows of one's own. */

import { createProgram, runCommand } from '@eigenveil/command';
import type { EvaluateOptions } from '@eigenveil/studies/evaluation/run/command';
import { addScale } from '@eigenveil/studies/instrument/scale';
import { wholeNumber } from '@eigenveil/studies/instrument/settings';
import { Option } from 'commander';
import { withCompileCache } from './compile-cache.ts';

const program = addScale(
  createProgram({
    name: 'evaluate',
    version: '0.1.0',
    description:
      'Attacks what tasks reveal, compares views with simulated ones, and says of every claim what was seen of it.',
  }),
  'full',
  { quick: 'fewer units, in under two minutes, at a level of 0.001', full: 'all units' },
)
  .option('--seed <TEXT>', 'of all that is drawn here; real runs draw their own secrets', '1')
  .option('--only <ID...>', 'only these experiments')
  .option('--task <FILE>', 'a proposal of your own, as eigenveil-user task create takes it; with --data')
  .option(
    '--data <FILE>',
    'CSV file with a header row: rows for that task, dealt to owners, outsiders and a public sample',
  )
  .option('--label <COLUMN>', "what the projection is for; default: the task's first labelling")
  .option('--private-label <COLUMN>', "what shall not be guessed; default: the task's second labelling")
  .option('--person <COLUMN>', "whose row it is; default: each row is a person's own")
  .option(
    '--owners <NUMBER>',
    "how many owners get rows; default: the task's minimumOwners",
    wholeNumber(2, 200),
  )
  .addOption(
    new Option('--two-party <NAME>', "another two-party protocol than the task's").choices([
      'garbled',
      'rotated',
      'simulated',
    ]),
  )
  .option('--views <FILE>', 'look at one bundle of recorded views and nothing else: docs/evaluation-views.md')
  .option('--attack <FILE>', 'an attack of your own beside the others: docs/evaluation.md')
  .option('--render <FILE>', 'measure nothing: write the report of this report.json, in the words of today')
  .option('--out <DIR>', 'folder for the report', new URL('../out/evaluation', import.meta.url).pathname)
  .addHelpText(
    'after',
    `
A run that is interrupted (Ctrl-C) leaves a report of what it has; the same command goes on from there, as long as neither the code nor the
machine has changed. What refutes a claim is run again on a fresh seed before it counts. The exit code is 1 when an experiment refutes a claim,
when a known leak is not found, or when an experiment fails; it is 4 when nothing is wrong but that this machine is too noisy for a known leak
to show by its time: run it again when less else is running.

Examples:
  npm run evaluate -- --quick
  npm run evaluate -- --only reconstruction-linear --seed 2
  npm run evaluate -- --task task.json --data rows.csv --private-label age_group
  npm run evaluate -- --views out/evaluation/views/<recording>/csp.view`,
  )
  .action(async (options: EvaluateOptions) => {
    const { runEvaluation } = await withCompileCache(
      () => import('@eigenveil/studies/evaluation/run/command'),
    );
    await runEvaluation(program, options);
  });

await runCommand(program, process.argv);
