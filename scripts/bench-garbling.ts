/** `npm run bench:garbling`: AND gates per second of garbler and evaluator, and whole decompositions between two processes. */

import { measureEach } from '@eigenveil/studies/instrument/cases';
import { formatQuantity } from '@eigenveil/studies/instrument/quantities';
import { median } from '@eigenveil/studies/instrument/statistics';
import { figures, renderTable, words } from '@eigenveil/studies/instrument/table';
import { BITS, measureCircuits, PLACES, type Row, widest } from '@eigenveil/studies/speed/circuits';
import {
  type Case,
  cpuSeconds,
  dataFile,
  type Measured,
  measureCase,
  peakMegabytes,
} from '@eigenveil/studies/speed/decompositions';
import { benchmark, printJson, someOf, wholeNumber } from './options.ts';

const CIRCUITS_EXPLANATION = `Circuits: medians after one uncounted warm-up. Both parties take turns on one core, over a channel in memory: each is timed alone, with
reading and writing its messages, without a network. Circuits work on ${BITS}-bit numbers with ${PLACES} fraction bits. Bytes are
what the garbler sends.`;

const PROGRAMS_EXPLANATION = `Programs: garbler and evaluator are fresh processes that talk over TLS 1.3 on the loopback interface. A time is from the request for
a connection to the result, base transfers included; the median of so many runs as fit into 20 s, at most 3. Bytes are of both directions;
CPU seconds and memory (the largest resident set) are those of the garbler's and the evaluator's whole process. The cosine is the smallest among components whose eigenvalue is at least 5 %
from its neighbours; variance is that of the first matrix of the pencil within the subspace, against the clear reference's. synthetic50
has 50 features and 3 classes and comes from a seeded generator. Data sets that are not bundled are taken from the folder EIGENVEIL_DATA.`;

const CASES: readonly Case[] = [
  { twoParty: 'garbled', method: 'pca', dataset: 'pima', components: 7 },
  { twoParty: 'garbled', method: 'pca', dataset: 'breast_cancer_10', components: 8 },
  { twoParty: 'garbled', method: 'pca', dataset: 'australian', components: 8 },
  { twoParty: 'garbled', method: 'pca', dataset: 'german', components: 15 },
  { twoParty: 'garbled', method: 'pca', dataset: 'ionosphere', components: 15 },
  { twoParty: 'garbled', method: 'pca', dataset: 'synthetic50', components: 15 },
  { twoParty: 'garbled', method: 'dca', dataset: 'pima', components: 1 },
  { twoParty: 'garbled', method: 'dca', dataset: 'breast_cancer_10', components: 1 },
  { twoParty: 'garbled', method: 'dca', dataset: 'australian', components: 1 },
  { twoParty: 'garbled', method: 'dca', dataset: 'german', components: 1 },
  { twoParty: 'garbled', method: 'dca', dataset: 'ionosphere', components: 1 },
  { twoParty: 'garbled', method: 'dca', dataset: 'synthetic50', components: 2 },
];

const MOST_RUNS = 3;
const ENOUGH_SECONDS = 20;

function renderCircuits(rows: readonly Row[]): string {
  return renderTable(rows, [
    words('circuit', (row) => row.circuit),
    figures('width', (row) => row.width),
    figures('gates', (row) => row.gates),
    figures('bytes', (row) => row.bytes),
    figures('garble', (row) => formatQuantity(1000 * row.garbleSeconds, 'ms')),
    figures('evaluate', (row) => formatQuantity(1000 * row.evaluateSeconds, 'ms')),
    figures('garble M/s', (row) => (row.garblePerSecond / 1e6).toFixed(1)),
    figures('evaluate M/s', (row) => (row.evaluatePerSecond / 1e6).toFixed(1)),
  ]);
}

function renderPrograms(programs: readonly Measured[]): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
  return renderTable(programs, [
    words('method', (it) => it.method),
    words('data set', (it) => it.dataset),
    figures('d', (it) => it.features),
    figures('k', (it) => it.components),
    figures('AND gates', (it) => it.andGates),
    figures('MB', (it) => megabytes(it.bytes)),
    figures('time', (it) => formatQuantity(1000 * it.seconds, 'ms')),
    figures('CPU s', cpuSeconds),
    figures('memory, MB', (it) => peakMegabytes(it, megabytes)),
    figures('cosine', (it) => it.minCosine.toFixed(7)),
    figures('1 − variance', (it) => (1 - it.varianceRatio).toExponential(0)),
  ]);
}

/** The first run with the median time; nothing where the data are not there. */
async function measureProgram(wanted: Case): Promise<Measured[]> {
  const file = await dataFile(wanted.dataset);
  if (file === undefined) {
    process.stderr.write(`${wanted.dataset} is left out: it is not in the folder EIGENVEIL_DATA\n`);
    return [];
  }
  const runs: Measured[] = [];
  let total = 0;
  while (runs.length < MOST_RUNS && total < ENOUGH_SECONDS) {
    const run = await measureCase(wanted, file);
    runs.push(run);
    total += run.seconds;
  }
  return [{ ...runs[0]!, seconds: median(runs.map(({ seconds }) => seconds)) }];
}

const nameOf = ({ method, dataset }: Case) => `${method}:${dataset}`;
const NAMES = ['circuits', ...CASES.map(nameOf)];

const { json, repetitions, only } = benchmark({
  name: 'bench:garbling',
  description:
    'Times garbling and evaluating AND gates, circuits and whole decompositions. Takes some minutes.',
  explanation: `${CIRCUITS_EXPLANATION}\n\n${PROGRAMS_EXPLANATION}`,
  example: '--only pca:pima,dca:german',
})
  .option('--repetitions <count>', 'timed repetitions of each circuit', wholeNumber(), 9)
  .option('--only <LIST>', 'only circuits, or programs such as pca:pima', someOf(NAMES), NAMES)
  .parse()
  .opts<{ json?: true; repetitions: number; only: string[] }>();

const rows = await measureEach(only.includes('circuits') ? ['circuits'] : [], String, () =>
  measureCircuits(repetitions, (circuit) => void process.stderr.write(`  ${circuit} …\n`)),
);
const programs = await measureEach(
  CASES.filter((it) => only.includes(nameOf(it))),
  nameOf,
  measureProgram,
);
if (json) {
  const { garblePerSecond, evaluatePerSecond } = widest(rows) ?? {};
  await printJson({ garblePerSecond, evaluatePerSecond, programs, rows });
} else {
  if (rows.length > 0) console.log(`${renderCircuits(rows)}\n${CIRCUITS_EXPLANATION}\n`);
  if (programs.length > 0) console.log(`${renderPrograms(programs)}\n${PROGRAMS_EXPLANATION}`);
}
