/** `npm run bench:sketch`: PCA of thousands of features by a sketch: owner, both servers, and the variance that is lost. */

import { LIMITS, TwoPartyName } from '@eigenveil/methods';
import { PaillierPool } from '@eigenveil/paillier';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity, MISSING } from '@eigenveil/studies/instrument/quantities';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import { dataFile } from '@eigenveil/studies/speed/decompositions';
import { KEY_BITS, measureSketch, type SketchMeasured } from '@eigenveil/studies/speed/sketch/measure';
import { featuresOf, SKETCH_SETS } from '@eigenveil/studies/speed/sketch/sets';
import { benchmark, printJson, someOf, wholeNumber, wholeNumbers } from './options.ts';

const EXPLANATION = `The rows of a set are dealt to ten owners. Owner: one of them in a fresh process of one thread reads its file of rows, sums Xᵀ(XΩ), packs, encrypts (DJN,
2048 bits) and writes its contribution to a file; its seconds are processor time of the whole process, what a core of its own would take. Memory is that process's
peak. Two-party: both servers are fresh processes that talk over TLS 1.3 on the loopback interface, which is a fast line; from the request for a connection to the result. Where the
protocol refuses sketches, the table says so, two-party figures are left out (null), and the variance is that of simulated, which is NOT private.
Variance lost is the share of what as many exact components of the same rows capture; clear: of the reference sketch by the same signs. Ω comes
from a fixed seed. Sets of the name wide are made up from a seed (500 rows); those that are not bundled are taken from the folder EIGENVEIL_DATA.`;

const FEATURES = [...new Set(SKETCH_SETS.map(featuresOf))].sort((a, b) => a - b);

const { json, sets, features, columns, components, twoParty } = benchmark({
  name: 'bench:sketch',
  description: 'Times PCA of thousands of features by a sketch, and says what variance it loses.',
  explanation: EXPLANATION,
  example: '--sets wide1024,yale32 --columns 60 --components 20',
})
  .option('--sets <LIST>', 'only these data sets', someOf(SKETCH_SETS), [...SKETCH_SETS])
  .option('--features <LIST>', 'only sets of so many features', someOf(FEATURES, Number), [...FEATURES])
  .option('--columns <LIST>', 'of the sketch, l', wholeNumbers, [60])
  .option('--components <count>', 'k, at most l − 2', wholeNumber(1, LIMITS.sketchColumns - 2), 20)
  .option(
    '--two-party <protocol>',
    'the protocol that is asked for',
    (name) => someOf(TwoPartyName.options)(name)[0]!,
    'rotated' as const,
  )
  .parse()
  .opts<{
    json?: true;
    sets: string[];
    features: number[];
    columns: number[];
    components: number;
    twoParty: 'rotated' | 'garbled' | 'simulated';
  }>();

async function measureAll(): Promise<SketchMeasured[]> {
  const paillier = new PaillierPool({ threads: 0 });
  const { publicKey } = await paillier.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
  const wanted = sets
    .filter((name) => features.includes(featuresOf(name)))
    .flatMap((dataset) => columns.map((l) => ({ dataset, columns: l, components, twoParty })));
  const rows = await measureEach(
    wanted,
    (it) => `${it.dataset} by ${it.columns} columns`,
    async (it) => {
      const file = await dataFile(it.dataset);
      if (file !== undefined) return [await measureSketch(it, file, { publicKey })];
      process.stderr.write(`${it.dataset} is left out: it is not in the folder EIGENVEIL_DATA\n`);
      return [];
    },
  );
  await paillier.close();
  return rows;
}

function render(rows: readonly SketchMeasured[]): string {
  const seconds = (value: number | null) => (value === null ? MISSING : formatQuantity(1000 * value, 'ms'));
  const bytes = (value: number | null | undefined) =>
    value === null || value === undefined ? MISSING : formatQuantity(value, 'bytes');
  const percent = (share: number) => (100 * share).toFixed(2);
  return renderTable(rows, [
    words('data set', (it) => it.dataset),
    figures('rows', (it) => it.rows),
    figures('d', (it) => it.features),
    figures('l', (it) => it.columns),
    figures('k', (it) => it.components),
    figures('owner, CPU', (it) => seconds(it.ownerSeconds)),
    figures('memory', (it) => bytes(it.ownerPeakMemoryBytes)),
    figures('sent', (it) => bytes(it.ownerBytes)),
    figures('two-party', (it) => seconds(it.twoPartySeconds)),
    figures('bytes', (it) => bytes(it.twoPartyBytes)),
    figures(
      'memory, CSP / data user',
      (it) => `${bytes(it.csp?.peakMemoryBytes)} / ${bytes(it.dataUser?.peakMemoryBytes)}`,
    ),
    figures('lost, %', (it) => percent(it.varianceLost)),
    figures('clear, %', (it) => percent(it.varianceLostClear)),
  ]);
}

const rows = await measureAll();
const refusals = [...new Set(rows.flatMap(({ refused }) => refused ?? []))];
const statements = refusals.map(
  (refused) => `${twoParty} refuses sketches (${refused}): accuracy is of simulated, which is NOT private.`,
);
if (json) {
  for (const statement of statements) process.stderr.write(`${statement}\n`);
  await printJson({ rows });
} else console.log([render(rows), ...statements, EXPLANATION].join('\n'));
