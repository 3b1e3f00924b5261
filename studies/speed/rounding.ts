/** The distance by which rounding rows moves each method's result. */
import { methodOf } from '@eigenveil/methods';
import { RoundedRows } from '@eigenveil/projection';
import { TaskProposal } from '@eigenveil/task';
import { readRecords } from '../demo/dataset.ts';
import { type Figure, written } from '../instrument/figure.ts';
import { defineStudy } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { fileOfCase } from './own-rows.ts';
import { setsThere } from './planned-sets.ts';

const DATA_SETS = ['iris', 'pima', 'breast_cancer', 'ionosphere', 'australian', 'german', 'optdigits'];
const QUICK = ['iris', 'pima'];
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

/** The angle of each number of digits: `7e-6; 3e-7`. */
const angles: Figure = (records) => ({
  value: undefined,
  text: records
    .map(({ angle }) => (typeof angle === 'number' ? written(angle, { power: true }) : 'refused'))
    .join('; '),
});

export const rounding = defineStudy({
  id: 'speed/rounding',
  isApart: true,
  plan: async ({ scale, own }) => {
    const names = scale === 'quick' ? QUICK : DATA_SETS;
    const methods = Object.entries(METHODS);
    const wanted = names.flatMap((dataset) =>
      methods
        .filter(([, { kind }]) => kind !== 'mdr' || dataset === AGE.dataset)
        .map(([method]) => ({ dataset, method })),
    );
    if (own === undefined) {
      const { sets, omissions } = await setsThere(wanted);
      return { cases: sets, omissions };
    }
    const ofOwn = methods.filter(([, { kind }]) => kind !== 'mdr');
    return {
      cases: ofOwn.map(([method]) => ({ dataset: own.name, method })),
      omissions: [{ what: 'MDR', why: 'it asks for a second label' }],
    };
  },
  titleOf: ({ dataset, method }) => `${method} of ${dataset}`,
  expectedSeconds: () => 1,
  async measure({ dataset, method }, { own }): Promise<Tidy[]> {
    const records = await readRecords(await fileOfCase(dataset, own));
    const [header, ...lines] = records as [string[], ...string[][]];
    return anglesOf(header, lines, METHODS[method]!).map((angle, b) => ({
      bits: BITS[b]!,
      ...(angle !== null && { angle }),
    }));
  },
  columns: { method: { values: { 'MDR, ρ = 1': 'MDR (by age), ρ = 1' } } },
  tables: {
    angles: {
      caption: `Angles after rounding to ${BITS.join(' and to ')} binary digits`,
      rows: ['method'],
      across: { column: 'dataset', cell: angles },
    },
  },
  words: new URL('rounding.md', import.meta.url),
});

function anglesOf(
  header: readonly string[],
  records: readonly (readonly string[])[],
  method: TaskProposal['method'],
): (number | null)[] {
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
