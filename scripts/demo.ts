/**
 * `npm run demo`: the true protocol on one machine. A CSP, a data user and the data owners run as processes of their own
 * and talk HTTPS; the result is compared with the clear decomposition of the pooled rows.
 */

import { addSettings, createProgram, runCommand } from '@eigenveil/command';
import type { ProjectionKind } from '@eigenveil/methods';
import { READING_OPTIONS } from '@eigenveil/statistics/reading-options';
import type { DemoOptions } from '@eigenveil/studies/demo/run';
import { someOf, wholeNumber } from '@eigenveil/studies/instrument/settings';
import { Option } from 'commander';
import { z } from 'zod';
import { withCompileCache } from './compile-cache.ts';

const METHODS: readonly ProjectionKind[] = ['pca', 'dca', 'lda'];

const program = createProgram({
  name: 'demo',
  version: '0.1.0',
  description: 'Runs the whole protocol on this machine and compares it with the clear reference.',
})
  .option(
    '--data <FILE>',
    'CSV file with a header row, also in a gzip archive, or Parquet file, whatever its name; a folder of such files; * and ** name several, in quotes: rows of one owner, which are dealt to all',
    new URL('../data/ionosphere.csv', import.meta.url).pathname,
  )
  .option('--label <COLUMN>', 'label column', 'label')
  .option('--owners <NUMBER>', 'number of data owners', wholeNumber(2, 200), 10)
  .option('--method <LIST>', 'methods, separated by commas: pca, dca, lda', someOf(METHODS), ['pca', 'dca'])
  .addOption(
    new Option(
      '--chain <LIST>',
      'instead of --method: tasks that stand on each other, each over the components of the one before; pca,dca: Fisherfaces',
    )
      .argParser(someOf(METHODS))
      .conflicts('method'),
  )
  .option(
    '--components <NUMBER>',
    'components of a PCA; discriminant methods have at most classes − 1',
    wholeNumber(1, 200),
    15,
  )
  .option(
    '--key-bits <NUMBER>',
    'length of the Paillier keys; under 2048 is NOT secure',
    wholeNumber(1024, 4096),
    2048,
  )
  .addOption(
    new Option('--two-party <NAME>', 'two-party protocol; simulated is NOT private')
      .choices(['garbled', 'rotated', 'simulated'])
      .default('garbled'),
  )
  .addOption(
    new Option(
      '--ranges <KIND>',
      'private: a histogram under differential privacy comes first, whose noisy counts give the ranges of the features (default: minima and maxima of the file)',
    )
      .choices(['private'])
      .conflicts('chain'),
  )
  .option('--out <DIR>', 'folder for the results', 'out')
  .option('--keep', 'go on when done, until Ctrl-C, with pages to look at and commands for use by hand')
  .addHelpText(
    'after',
    `\nA PCA gets at most one component less than there are varying features, by rotated two less: more would tell the scatter matrix.\n\nExample:\n  npm run demo -- --data data/iris.csv --owners 3 --components 2\n  npm run demo -- --two-party rotated --keep\n  npm run demo -- --chain pca,dca\n  npm run demo -- --ranges private`,
  )
  .action(async (options: DemoOptions) => {
    const { runDemo } = await withCompileCache(async () => {
      const [demo] = await Promise.all([
        import('@eigenveil/studies/demo/run'),
        import('@eigenveil/data-owner'),
      ]);
      return demo;
    });
    const { ignore, ...reading } = configuration();
    await runDemo({ ...options, ...program.opts<{ json?: true }>(), ignore, reading });
  });

const configuration = addSettings(program, 'EIGENVEIL_DEMO', {
  ignore: {
    schema: z.array(z.string()),
    description:
      "columns to leave out, with commas between or as a JSON list; '#3' is the third one, if it has no name",
    default: [],
    placeholder: 'LIST',
  },
  ...READING_OPTIONS,
});

await runCommand(program, process.argv);
