/** The cost of a sketched PCA for each role against features and columns, and what it loses and saves beside the exact one. */
import { PaillierPool, type PublicKey } from '@eigenveil/paillier';
import { CodedError } from '@eigenveil/platform';
import { STUDY_CODES } from '../instrument/codes.ts';
import { atLargest, type Figure, mean, median, middleOf, most, only } from '../instrument/figure.ts';
import { MISSING } from '../instrument/quantities.ts';
import { defineStudy, type Omission, type TableOf } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { dataFile } from './decompositions.ts';
import { melted } from './melted.ts';
import { fileOfCase } from './own-rows.ts';
import { KEY_BITS, measureExact, measureSketch, type SketchMeasured } from './sketch/measure.ts';
import { exponentsOf, type Sweep, sweepChart } from './sweeps.ts';

/** A sweep over features or columns, or one data set beside its exact PCA. */
interface Case extends Tidy {
  readonly sweep: 'features' | 'columns' | 'exact';
  readonly dataset: string;
  readonly columns: number;
  readonly components: number;
  readonly repetitions: number;
  readonly twoParty: 'rotated';
  readonly keyBits: number;
}

type Wide = readonly [features: number, columns: number, components: number, repetitions: number];
const FEATURE_STEPS: Readonly<Record<Scale, readonly Wide[]>> = {
  quick: [
    [128, 20, 5, 1],
    [256, 20, 5, 1],
  ],
  full: [
    [256, 60, 20, 3],
    [512, 60, 20, 3],
    [1024, 60, 20, 3],
    [2048, 60, 20, 1],
    [4096, 60, 20, 1],
  ],
};
const COLUMN_STEPS: Readonly<Record<Scale, readonly Wide[]>> = {
  quick: [],
  full: [20, 40, 60, 80].map((columns) => [1024, columns, 10, 3]),
};
/** Sets of at most 200 features, with k; l is what drafts take. */
const BESIDE_EXACT: Readonly<Record<Scale, readonly (readonly [dataset: string, components: number])[]>> = {
  quick: [['ionosphere', 5]],
  full: [
    ['ionosphere', 5],
    ['optdigits', 10],
    ['meu_keystroke', 10],
    ['synthetic100', 10],
    ['synthetic200', 10],
  ],
};
const columnsFor = (components: number) => 3 * components + 10;
const OWN_COMPONENTS = 5;
const MOST_EXACT_FEATURES = 200;

function caseOf(
  sweep: Case['sweep'],
  {
    dataset,
    columns,
    components,
    repetitions,
  }: Pick<Case, 'dataset' | 'columns' | 'components' | 'repetitions'>,
): Case {
  return { sweep, dataset, columns, components, repetitions, twoParty: 'rotated', keyBits: KEY_BITS };
}
const wide = (sweep: Case['sweep'], [features, columns, components, repetitions]: Wide): Case =>
  caseOf(sweep, { dataset: `wide${features}`, columns, components, repetitions });
const besideExact = (dataset: string, components: number): Case =>
  caseOf('exact', { dataset, columns: columnsFor(components), components, repetitions: 1 });

let key: Promise<PublicKey> | undefined;

/** One for all cases of a process: no time is of a key. */
function publicKeyOnce(): Promise<PublicKey> {
  const make = async () => {
    const paillier = new PaillierPool({ threads: 0 });
    const { publicKey } = await paillier.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
    await paillier.close();
    return publicKey;
  };
  key ??= make();
  return key;
}

const present = (columns: Readonly<Record<string, number | string | null | undefined>>): Tidy =>
  Object.fromEntries(
    Object.entries(columns).flatMap(([name, value]) => (value == null ? [] : [[name, value]])),
  );
const milliseconds = (seconds: number | null | undefined) => (seconds == null ? undefined : 1000 * seconds);

/** A task that a protocol does not compute has no columns. */
export const recordOf = (run: SketchMeasured): Tidy =>
  present({
    features: run.features,
    ciphertexts: run.ciphertexts,
    ownerBytes: run.ownerBytes,
    owner: milliseconds(run.ownerSeconds),
    ownerMemory: run.ownerPeakMemoryBytes,
    twoPartyMs: milliseconds(run.twoPartySeconds),
    twoPartyBytes: run.twoPartyBytes,
    csp: milliseconds(run.csp?.cpuSeconds),
    cspMemory: run.csp?.peakMemoryBytes,
    dataUser: milliseconds(run.dataUser?.cpuSeconds),
    dataUserMemory: run.dataUser?.peakMemoryBytes,
    refused: run.refused,
    varianceLost: run.varianceLost,
    varianceLostClear: run.varianceLostClear,
  });

const ms = (column: string) => median(column, { unit: 'ms' });
const bytes = (column: string) => median(column, { unit: 'bytes' });
const percent = (column: string) => mean(column, { percent: true, digits: 2 });

const TITLES = {
  owner: 'owner, processor time',
  twoPartyMs: 'two-party',
  csp: 'CSP, processor time',
  dataUser: 'data user, processor time',
  ownerBytes: 'one contribution',
  twoPartyBytes: 'two-party, both directions',
};

/** With fewer features what does not grow, starting a process for one, counts as much. */
const FIT_FEATURES = 512;
const over = (sweep: 'features' | 'columns', y: 'ms' | 'bytes'): Sweep => ({
  of: y === 'ms' ? 'times' : 'bytes',
  where: { sweep },
  x: sweep,
  from: sweep === 'features' ? FIT_FEATURES : 0,
  y,
});
const sweepTable = (sweep: 'features' | 'columns'): TableOf => ({
  where: { sweep },
  caption: `Sketches against the number of ${sweep}: medians with quartiles`,
  rows: [sweep, 'components', 'ciphertexts'],
  cells: {
    [TITLES.owner]: ms('owner'),
    'owner, memory': bytes('ownerMemory'),
    [TITLES.ownerBytes]: bytes('ownerBytes'),
    [TITLES.twoPartyMs]: ms('twoPartyMs'),
    [TITLES.twoPartyBytes]: bytes('twoPartyBytes'),
    [TITLES.csp]: ms('csp'),
    'CSP, memory': bytes('cspMemory'),
    [TITLES.dataUser]: ms('dataUser'),
    'data user, memory': bytes('dataUserMemory'),
    'variance lost, %': percent('varianceLost'),
    'in the clear, %': percent('varianceLostClear'),
  },
});

/** The reasons of the protocol where it refuses sketches. */
const reasons: Figure = (records) => {
  const all = new Set(records.flatMap(({ refused }) => refused ?? []));
  return { value: undefined, text: all.size === 0 ? MISSING : [...all].join('; ') };
};
const largest = (figure: Figure) => ({ where: { sweep: 'features' }, figure: atLargest('features', figure) });

export const sketch = defineStudy<Case>({
  id: 'speed/sketch',
  async plan({ scale, own }) {
    if (own !== undefined) {
      const { length } = own.columns;
      if (length <= columnsFor(OWN_COMPONENTS) || length > MOST_EXACT_FEATURES)
        throw new CodedError(
          STUDY_CODES.ERR_STUDY_DATA,
          `a sketch beside the exact PCA expected ${columnsFor(OWN_COMPONENTS) + 1} to ${MOST_EXACT_FEATURES} columns beside the label, got ${length}`,
        );
      return { cases: [besideExact(own.name, OWN_COMPONENTS)] };
    }
    const cases = [
      ...FEATURE_STEPS[scale].map((it) => wide('features', it)),
      ...COLUMN_STEPS[scale].map((it) => wide('columns', it)),
    ];
    const omissions: Omission[] = [];
    if (scale === 'quick')
      omissions.push({
        what: 'More than 256 features, and growth with columns (`sketch`)',
        why: 'left to the full run',
      });
    for (const [dataset, components] of BESIDE_EXACT[scale]) {
      if ((await dataFile(dataset)) !== undefined) cases.push(besideExact(dataset, components));
      else
        omissions.push({
          what: `A sketch of ${dataset} beside the exact PCA`,
          why: `${dataset} is not in the folder EIGENVEIL_DATA`,
        });
    }
    return { cases, omissions };
  },
  titleOf: ({ sweep, dataset, columns }) =>
    `${dataset}, ${columns} columns${sweep === 'exact' ? ', beside the exact PCA' : ''}`,
  expectedSeconds: ({ columns, repetitions }) => repetitions * Math.max(5, columns / 2),
  async *measure({ sweep, dataset, columns, components, repetitions }, { note, own }) {
    const file = await fileOfCase(dataset, own);
    const publicKey = await publicKeyOnce();
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      const told = (text: string) => note(`${repetition} of ${repetitions}: ${text}`);
      const wanted = { dataset, columns, components, twoParty: 'rotated' as const };
      const sketched = recordOf(await measureSketch(wanted, file, { publicKey, note: told }));
      if (sweep !== 'exact') yield { repetition, ...sketched };
      else {
        told('exact');
        const exact = await measureExact({ dataset, components }, file, publicKey);
        yield {
          ...{ repetition, ...sketched },
          exactOwner: 1000 * exact.ownerSeconds,
          exactOwnerBytes: exact.ownerBytes,
          exactTwoPartyMs: 1000 * exact.twoPartySeconds,
          exactTwoPartyBytes: exact.twoPartyBytes,
          exactVarianceLost: exact.varianceLost,
        };
      }
    }
  },
  columns: { dataset: { title: 'data set' }, quantity: { values: TITLES } },
  frames: {
    times: (records) => melted(records, ['owner', 'twoPartyMs', 'csp', 'dataUser']),
    bytes: (records) => melted(records, ['ownerBytes', 'twoPartyBytes'], 'bytes'),
    differences: (records) =>
      records.map(({ varianceLost, varianceLostClear }) => ({
        difference: Math.abs(Number(varianceLost) - Number(varianceLostClear)),
      })),
  },
  tables: {
    features: sweepTable('features'),
    featuresTimes: exponentsOf(over('features', 'ms')),
    featuresBytes: exponentsOf(over('features', 'bytes')),
    columns: sweepTable('columns'),
    columnsTimes: exponentsOf(over('columns', 'ms')),
    columnsBytes: exponentsOf(over('columns', 'bytes')),
    exact: {
      where: { sweep: 'exact' },
      caption:
        'A sketch beside the exact PCA by `rotated`, where that is offered: what it costs in accuracy and saves in bytes, or does not; single runs. Variance lost is the share of what exact components in the clear capture',
      rows: ['dataset', 'features', 'components', 'columns'],
      cells: {
        'variance lost, %': percent('varianceLost'),
        'exact, %': percent('exactVarianceLost'),
        'one contribution': bytes('ownerBytes'),
        'exact, one contribution': bytes('exactOwnerBytes'),
        'owner, processor time': ms('owner'),
        'exact, owner': ms('exactOwner'),
        'two-party': bytes('twoPartyBytes'),
        'exact, two-party': bytes('exactTwoPartyBytes'),
        'two-party time': ms('twoPartyMs'),
        'exact, two-party time': ms('exactTwoPartyMs'),
      },
    },
  },
  charts: {
    'sketch-features': sweepChart('Sketches: time against the number of features', over('features', 'ms')),
    'sketch-features-bytes': sweepChart(
      'Sketches: bytes against the number of features',
      over('features', 'bytes'),
    ),
    'sketch-columns': sweepChart('Sketches: time against the number of columns', over('columns', 'ms')),
    'sketch-columns-bytes': sweepChart(
      'Sketches: bytes against the number of columns',
      over('columns', 'bytes'),
    ),
  },
  facts: {
    features: largest(only('features', { grouped: true })),
    columns: largest(only('columns')),
    owner: largest(middleOf('owner', { unit: 'ms' })),
    ownerBytes: largest(middleOf('ownerBytes', { unit: 'bytes' })),
    twoParty: largest(middleOf('twoPartyMs', { unit: 'ms' })),
    refused: { figure: reasons },
    difference: { of: 'differences', figure: most('difference', { power: true }) },
    /** There only where the sweep over columns was measured. */
    mostColumns: { where: { sweep: 'columns' }, figure: most('columns', { digits: 0 }) },
  },
  holds: { asTheClearOne: (fact) => fact('difference') < 1e-4 },
  words: new URL('sketch.md', import.meta.url),
});
