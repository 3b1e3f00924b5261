/** Time of each role and bytes against the numbers of features, slots, owners and rows. */

import { atLargest, type Figure, growth, least, median, middleOf, only } from '../instrument/figure.ts';
import { defineStudy, type Omission } from '../instrument/study.ts';
import type { Scale } from '../instrument/tidy.ts';
import { EXAMPLE_OWNERS, EXAMPLE_SAMPLES_PER_OWNER } from './example-task.ts';
import { melted } from './melted.ts';
import { measureFeatures } from './scaling/features.ts';
import { measureOwners } from './scaling/owners.ts';
import { measureSamples } from './scaling/samples.ts';
import { FEATURES, KEY_BITS } from './scaling/sweep.ts';
import { exponentsOf, type Sweep, sweepChart } from './sweeps.ts';

type Counted<Sweep extends string, Columns extends string> = { readonly sweep: Sweep } & Readonly<
  Record<Columns | 'features' | 'owners' | 'repetitions' | 'keyBits', number>
>;
type Case =
  | Counted<'features', 'rows' | 'standardSample' | 'samplesPerOwner'>
  | Counted<'owners', 'samplesPerOwner'>
  | Counted<'rows', 'rows'>;

/** The points of each sweep, and the number of repetitions there. */
type Step = readonly [at: number, repetitions: number];
const STEPS: Readonly<Record<Scale, Readonly<Record<Case['sweep'], readonly Step[]>>>> = {
  quick: {
    features: [
      [8, 3],
      [34, 3],
    ],
    owners: [
      [1, 3],
      [10, 3],
      [100, 3],
    ],
    rows: [
      [100, 3],
      [1000, 3],
      [10_000, 3],
    ],
  },
  full: {
    features: [
      [8, 5],
      [16, 5],
      [34, 5],
      [50, 5],
      [100, 3],
      [200, 3],
    ],
    owners: [
      [1, 7],
      [10, 7],
      [100, 7],
      [1000, 5],
      [10_000, 3],
    ],
    rows: [
      [100, 7],
      [1000, 7],
      [10_000, 5],
      [100_000, 3],
    ],
  },
};
const LEFT_OUT_OF_QUICK: Omission = {
  what: 'More than 34 features, 100 owners and 10,000 rows (`scaling`)',
  why: 'the quick scale sweeps no further',
};

/** Rows of the owner's file in the sweep over features. */
const ROWS = 1000;
/** At 50 features and fewer there are no more ciphertexts than this, so nothing is scaled up. */
const STANDARD_SAMPLE = 64;
/** Fewer features than these have ciphertexts so few that the set-up for a key counts as much as they do. */
const FIT_FEATURES = 34;
const FIT_SLOTS = (FIT_FEATURES * (FIT_FEATURES + 1)) / 2;

function caseOf(sweep: Case['sweep'], [at, repetitions]: Step): Case {
  const others = { repetitions, keyBits: KEY_BITS };
  const samplesPerOwner = EXAMPLE_SAMPLES_PER_OWNER;
  if (sweep === 'owners') return { sweep, owners: at, features: FEATURES, samplesPerOwner, ...others };
  if (sweep === 'rows') return { sweep, rows: at, features: FEATURES, owners: EXAMPLE_OWNERS, ...others };
  return {
    ...{ sweep, features: at, rows: ROWS, owners: EXAMPLE_OWNERS, samplesPerOwner },
    ...{ standardSample: STANDARD_SAMPLE, ...others },
  };
}

const TITLES = {
  'owner/sum': 'owner: read and sum',
  'owner/standard': 'owner: encrypt, standard',
  'owner/djn': 'owner: encrypt, DJN',
  'user/validate': 'data user: validate',
  'user/add': 'data user: add',
  'user/whole': 'data user: both',
  'user/blind': 'data user: blind',
  'csp/unblind': 'CSP: unblind',
} as const;
type Column = keyof typeof TITLES;
const SLOTTED: readonly Column[] = ['owner/standard', 'owner/djn', 'user/blind', 'csp/unblind'];
const OF_OWNERS: readonly Column[] = ['user/validate', 'user/add', 'user/whole'];

const medians = (columns: readonly Column[]): Record<string, Figure> =>
  Object.fromEntries(columns.map((column) => [TITLES[column], median(column, { unit: 'ms' })]));
const bytes = (column: string) => only(column, { unit: 'bytes' });

/** The columns that grow along a sweep: all of its times, or those of `columns`. */
function swept(sweep: Case['sweep'], from: number, x: string = sweep, columns?: readonly string[]): Sweep {
  const isOfThese = (quantity: unknown) => columns === undefined || columns.includes(String(quantity));
  return {
    of: 'times',
    where: (record) => record.sweep === sweep && isOfThese(record.quantity),
    ...{ x, from },
  };
}
const OVER_FEATURES = swept('features', FIT_FEATURES);
const OVER_SLOTS = swept('features', FIT_SLOTS, 'slots', SLOTTED);
const OVER_OWNERS = swept('owners', 10);
const OVER_ROWS = swept('rows', 1000);
/** Exact, so that one repetition would do. */
const BYTES: Sweep = { of: 'bytes', x: 'features', from: FIT_FEATURES, y: 'bytes' };

const widest = (figure: Figure) => ({ where: { sweep: 'features' }, figure: atLargest('features', figure) });
const crowd = (figure: Figure) => ({ where: { sweep: 'owners' }, figure: atLargest('owners', figure) });

export const scaling = defineStudy<Case>({
  id: 'speed/scaling',
  plan({ scale }) {
    const cases = (['features', 'owners', 'rows'] as const).flatMap((sweep) =>
      STEPS[scale][sweep].map((step) => caseOf(sweep, step)),
    );
    return { cases, omissions: scale === 'quick' ? [LEFT_OUT_OF_QUICK] : [] };
  },
  titleOf: (it) => `${it[it.sweep as 'features']} ${it.sweep}`,
  expectedSeconds(it) {
    if (it.sweep === 'features') return 3 + 23 * (it.features / 200) ** 2;
    return it.sweep === 'owners' ? 2 + 0.004 * it.owners : 1 + 7e-5 * it.rows;
  },
  measure(it, { note }) {
    if (it.sweep === 'features') return measureFeatures(it, note);
    return it.sweep === 'owners' ? measureOwners(it, note) : measureSamples(it, note);
  },
  columns: { quantity: { values: { ...TITLES, contributionBytes: 'one contribution' } } },
  frames: {
    times: (records) => melted(records, Object.keys(TITLES)),
    bytes: (records) =>
      melted(
        records.filter(({ sweep }) => sweep === 'features'),
        ['contributionBytes'],
        'bytes',
      ),
    sizes: (records) =>
      records
        .filter(({ sweep }) => sweep === 'features')
        .map((record) => ({
          ...record,
          slotsPerCiphertext: Number(record.slots) / Number(record.ciphertexts),
        })),
  },
  tables: {
    features: {
      where: { sweep: 'features' },
      caption: 'Time of each role against the number of features: medians with quartiles',
      rows: ['features', 'slots', 'ciphertexts'],
      cells: medians([
        'owner/sum',
        'owner/standard',
        'owner/djn',
        'user/validate',
        'user/add',
        'user/blind',
        'csp/unblind',
      ]),
    },
    featuresGrowth: exponentsOf(OVER_FEATURES),
    bytes: {
      where: { sweep: 'features' },
      caption:
        'Bytes of a contribution, and as many of the blinded sum, against the number of features: exact',
      rows: ['features', 'slots', 'ciphertexts'],
      cells: { 'one contribution': bytes('contributionBytes') },
    },
    slots: {
      of: 'sizes',
      caption: 'Packing with encryption, and unblinding, against the number of slots: medians with quartiles',
      rows: ['slots', 'ciphertexts'],
      cells: {
        'slots per ciphertext': only('slotsPerCiphertext', { digits: 1 }),
        'of which standard encryptions timed': only('standardTimed'),
        ...medians(SLOTTED),
      },
    },
    bytesGrowth: exponentsOf(BYTES),
    slotsGrowth: exponentsOf(OVER_SLOTS),
    owners: {
      where: { sweep: 'owners' },
      caption: 'Time of the data user for the contributions of all owners: medians with quartiles',
      rows: ['owners', 'ciphertexts'],
      cells: {
        received: bytes('receivedBytes'),
        ...medians(OF_OWNERS),
        'both, per contribution': median('perContribution', { unit: 'ms' }),
      },
    },
    ownersGrowth: exponentsOf(OVER_OWNERS),
    rows: {
      where: { sweep: 'rows' },
      caption:
        "Time of an owner's reading, discretising and summing against its rows: medians with quartiles",
      rows: ['rows', 'ciphertexts'],
      cells: {
        file: bytes('fileBytes'),
        'one contribution': bytes('contributionBytes'),
        ...medians(['owner/sum']),
      },
    },
    rowsGrowth: exponentsOf(OVER_ROWS),
  },
  charts: {
    'scaling-features': {
      ...sweepChart('Time of each role against the number of features', OVER_FEATURES),
      isKept: true,
    },
    'scaling-features-bytes': sweepChart('Bytes against the number of features', BYTES),
    'scaling-slots': sweepChart(
      'Packing with encryption, and unblinding, against the number of slots',
      OVER_SLOTS,
    ),
    'scaling-owners': sweepChart('Time of the data user for the contributions of all owners', OVER_OWNERS),
    'scaling-rows': sweepChart("Time of an owner's reading, discretising and summing", OVER_ROWS),
  },
  facts: {
    features: widest(only('features')),
    slots: widest(only('slots', { grouped: true })),
    standard: widest(middleOf('owner/standard', { unit: 'ms' })),
    djn: widest(middleOf('owner/djn', { unit: 'ms' })),
    contribution: widest(bytes('contributionBytes')),
    unblind: widest(middleOf('csp/unblind', { unit: 'ms' })),
    owners: crowd(only('owners', { grouped: true })),
    ownersFeatures: crowd(only('features')),
    whole: crowd(middleOf('user/whole', { unit: 'ms' })),
    perContribution: crowd(middleOf('perContribution', { unit: 'ms' })),
    slotsGrowth: {
      of: 'times',
      where: { sweep: 'features', quantity: 'owner/standard' },
      figure: growth('slots', 'ms', FIT_SLOTS),
    },
    ownersGrowth: {
      of: 'times',
      where: { sweep: 'owners', quantity: 'user/whole' },
      figure: growth('owners', 'ms', OVER_OWNERS.from),
    },
    rowsGrowth: { of: 'times', where: { sweep: 'rows' }, figure: growth('rows', 'ms', OVER_ROWS.from) },
    /** The least number of ciphertexts of which a sample was timed. */
    scaledUp: {
      where: ({ ciphertexts, standardTimed }) => Number(standardTimed) < Number(ciphertexts),
      figure: least('ciphertexts', { digits: 0 }),
    },
  },
  holds: {
    linear: (fact) =>
      ['slotsGrowth', 'ownersGrowth', 'rowsGrowth'].every((name) => Math.abs(fact(name) - 1) < 0.1),
  },
  words: new URL('scaling.md', import.meta.url),
});
