/** `npm run bench:histogram`: a private histogram of many features from the proposal to the result. */
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import { figures, renderTable } from '@eigenveil/studies/instrument/table';
import { measureHistogram } from '@eigenveil/studies/speed/histogram/measure';
import { benchmark, printJson, wholeNumber } from './options.ts';

const EXPLANATION = `A CSP, a data user and the owners run as processes of this machine, over TLS 1.3 and SQLite, with keys of 2048 bits and DJN encryption. Seconds are from the
proposal to the countersigned result: "owners" until the last of them, which count, encrypt and send all at once, has its receipt; "servers" from there, with the public wait, which
follows from the number of sums alone. All of it shares the cores of one machine; owners of their own would have theirs. Memory is the peak of the
process. Rows are made up from a seed, as many for each owner. In --json, runs are in the order in which they were made.`;

const { json, features, height, owners, rows, runs } = benchmark({
  name: 'bench:histogram',
  description: 'Times a private histogram from the proposal to the result.',
  explanation: EXPLANATION,
  example: '--features 34 --height 10 --owners 10',
})
  .option('--features <count>', 'each with bins of its own', wholeNumber(1, 100), 34)
  .option('--height <h>', 'of 2^h bins for each feature', wholeNumber(2, 12), 10)
  .option('--owners <count>', 'who contribute', wholeNumber(1, 100), 10)
  .option('--rows <count>', 'of each owner', wholeNumber(1, 1_000_000), 1000)
  .option('--runs <count>', 'one after the other, each with processes of its own', wholeNumber(1, 100), 1)
  .parse()
  .opts<{ json?: true; features: number; height: number; owners: number; rows: number; runs: number }>();

const measured = await measureEach(
  Array.from({ length: runs }, (_, i) => i + 1),
  (run) => `run ${run} of ${runs}`,
  async () => [await measureHistogram({ features, height, owners, rowsPerOwner: rows })],
);

const seconds = (value: number) => formatQuantity(1000 * value, 'ms');
const bytes = (value: number) => formatQuantity(value, 'bytes');
if (json) await printJson({ runs: measured });
else
  console.log(
    [
      renderTable(measured, [
        figures('features', (it) => it.features),
        figures('bins', (it) => 2 ** it.height),
        figures('owners', (it) => it.owners),
        figures('sums', (it) => it.sums),
        figures('in all', (it) => seconds(it.seconds)),
        figures('owners', (it) => seconds(it.contributeSeconds)),
        figures('servers', (it) => seconds(it.computeSeconds)),
        figures('of it public wait', (it) => seconds(it.publicWaitSeconds)),
        figures('sent by each', (it) => bytes(it.contributionBytes)),
        figures(
          'memory, CSP / data user',
          (it) => `${bytes(it.cspPeakMemoryBytes)} / ${bytes(it.dataUserPeakMemoryBytes)}`,
        ),
      ]),
      EXPLANATION,
    ].join('\n'),
  );
