/** `npm run bench:load`: how many contributions a second the data user takes for good, and whether that depends on how many it has. */

import { type LoadOptions, runLoad } from '@eigenveil/studies/speed/load/run';
import { renderLoad } from '@eigenveil/studies/speed/load/table';
import { Option } from 'commander';
import { benchmark, printJson, wholeNumber } from './options.ts';

const EXPLANATION = `A CSP and a data user are started as processes of their own, with a task of PCA by the protocol rotated. Before the clock starts, owners are
enrolled and their contributions encrypted: eight different ones, rerandomised for every owner. Then one more process sends them over
TLS connections that stay open, each with a fresh proof of possession, and waits for each receipt, which the data user gives once the contribution is
on the disk. All processes share the cores of this machine. A load ends with the computation; it fails unless its result counts every row of every owner.
CPU times are of all threads of a process; memory is its resident set.`;

const program = benchmark({
  name: 'bench:load',
  description: 'Measures how fast the data user takes contributions.',
  explanation: EXPLANATION,
  example: '--contributions 10000 --json',
})
  .option('--contributions <NUMBER>', 'owners, each with one contribution', wholeNumber(), 2000)
  .option('--connections <NUMBER>', 'requests at a time', wholeNumber(), 32)
  .option('--features <NUMBER>', 'features of the task', wholeNumber(), 34)
  .option('--sketch <COLUMNS>', 'a sketched PCA, for hundreds or thousands of features', wholeNumber())
  .option('--bits <NUMBER>', 'key length', wholeNumber(), 2048)
  .addOption(
    new Option('--database <NAME>', 'where the data user keeps contributions')
      .choices(['sqlite', 'postgres'])
      .default('sqlite'),
  )
  .option('--processes <NUMBER>', 'of the data user; several share a PostgreSQL database', wholeNumber(), 1)
  .parse();
const options = program.opts<LoadOptions>();
if (options.processes > 1 && options.database === 'sqlite')
  program.error("error: option '--processes' expected 1 with SQLite, which is for one process");

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(code));
}
const result = await runLoad(options);
if (options.json) await printJson(result);
else process.stdout.write(`${renderLoad(result)}\n`);
