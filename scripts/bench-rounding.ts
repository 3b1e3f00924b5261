/** `npm run bench:rounding`: how far rounding rows moves each method's result, as docs/precision.md has it. */

import { methodOf } from '@eigenveil/methods';
import { RoundedRows } from '@eigenveil/projection';
import { readRecords } from '@eigenveil/studies/demo/dataset';
import { measureEach } from '@eigenveil/studies/instrument/cases';
import { dataFile } from '@eigenveil/studies/speed/decompositions';
import { TaskProposal } from '@eigenveil/task';
import { benchmark, printJson } from './options.ts';

const DATA_SETS = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german', 'optdigits'];
const BITS = [14, 20] as const;
const COMPONENTS = 3;
/** MDR hides whether somebody is so old, as a column of pima tells it. */
const AGE = { dataset: 'pima', column: 'age', from: 30 };

const METHODS: Readonly<Record<string, TaskProposal['method']>> = {
  PCA: { kind: 'pca' },
  'PCA of correlations': { kind: 'pca', scale: 'correlation' },
  'DCA, ρ = 1': { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 },
  'LDA, ρ = 1': { kind: 'lda', ridge: 1 },
  'LDA, ρ = 0.01': { kind: 'lda', ridge: 0.01 },
  'MDR, ρ = 1': { kind: 'mdr', ridge: 1 },
  'ridge, ρ = 1': { kind: 'ridge', ridge: 1 },
};

const { json } = benchmark({
  name: 'bench:rounding',
  description: `Rounds rows to ${BITS.join(' and ')} binary digits, and compares each method's result with that of the rows as they are.`,
  explanation: `Ranges are minima and maxima of the file. Angles are the largest to the space of the first ${COMPONENTS} components, or of as many as there are classes less
one, in radians; of ridge, which predicts the last feature, it is how far the weights are off, as a part of their length. Data sets that are not bundled come
from the folder EIGENVEIL_DATA, or are left out.`,
  example: '--json',
})
  .parse()
  .opts<{ json?: true }>();

/** One data set by one method. */
interface Case {
  readonly dataset: string;
  readonly file: string;
  readonly method: string;
}

async function casesOf(dataset: string): Promise<Case[]> {
  const file = await dataFile(dataset);
  if (file === undefined) return [];
  return Object.entries(METHODS)
    .filter(([, { kind }]) => kind !== 'mdr' || dataset === AGE.dataset)
    .map(([method]) => ({ dataset, file, method }));
}

const cases = (await Promise.all(DATA_SETS.map(casesOf))).flat();
const measured = await measureEach(
  cases,
  ({ dataset, method }) => `${method} of ${dataset}`,
  async ({ dataset, file, method }) => {
    const [header, ...records] = (await readRecords(file)) as [string[], ...string[][]];
    return [{ dataset, method, angles: anglesOf(header, records, METHODS[method]!) }];
  },
);
if (json) await printJson({ rows: measured });
else process.stdout.write(`${table()}\n`);

function anglesOf(header: string[], records: string[][], method: TaskProposal['method']): (number | null)[] {
  const isMdr = method.kind === 'mdr';
  const age = header.indexOf(AGE.column);
  const columns = header.flatMap((name, i) => (name === 'label' || (isMdr && i === age) ? [] : [i]));
  const rows = records.map((record) => columns.map((i) => Number(record[i])));
  const labels = [...new Set(records.map((record) => record.at(-1)!))];
  const labellings = [
    { column: 'label', classes: labels },
    { column: 'privacy', classes: ['young', 'old'] },
  ].slice(0, methodOf({ method }).labellings);
  const task = TaskProposal.parse({
    method,
    features: columns.map((i, j) => ({
      name: header[i],
      min: rows.reduce((least, row) => Math.min(least, row[j]!), Infinity),
      max: rows.reduce((most, row) => Math.max(most, row[j]!), -Infinity),
      twoValued: false,
    })),
    labellings,
    components: method.kind === 'ridge' ? 0 : Math.min(COMPONENTS, columns.length),
    minimumOwners: 2,
    maximumOwners: 2,
    maximumSamplesPerOwner: records.length,
    exact: true,
    allowFullRank: true,
    deadline: '2100-01-01T00:00:00Z',
  });
  const rounded = new RoundedRows(task, BITS);
  for (const [n, record] of records.entries()) {
    const classes = [labels.indexOf(record.at(-1)!), Number(Number(record[age]) >= AGE.from)];
    rounded.add(rows[n]!, classes.slice(0, labellings.length));
  }
  const moved = rounded.moved();
  return BITS.map((_, b) => moved?.[b]?.angle ?? null);
}

function table(): string {
  const methods = Object.keys(METHODS);
  const sets = [...new Set(measured.map(({ dataset }) => dataset))];
  const cell = (dataset: string, method: string) => {
    const angles = measured.find((it) => it.dataset === dataset && it.method === method)?.angles;
    return angles?.map((angle) => (angle === null ? 'refused' : angle.toExponential(0))).join('; ') ?? '';
  };
  return [
    ['method', ...sets],
    ['---', ...sets.map(() => '--:')],
    ...methods.map((method) => [method, ...sets.map((dataset) => cell(dataset, method))]),
  ]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
