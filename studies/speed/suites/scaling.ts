/** Suite `scaling`: time of each role and bytes against the numbers of features, slots, owners and rows. */

import { formatSeries, MISSING } from '../../instrument/quantities.ts';
import type { Block, Section } from '../../instrument/report/document.ts';
import type { Measurement, Omission, Scale, Series, Suite, Unit } from '../../instrument/unit.ts';
import { EXAMPLE_OWNERS, EXAMPLE_SAMPLES_PER_OWNER } from '../example-task.ts';
import { measureFeatures } from '../scaling/features.ts';
import { measureOwners } from '../scaling/owners.ts';
import {
  factOf,
  factSeries,
  type Quantity,
  type Sweep,
  seriesOf,
  sweepBlocks,
  wholeNumber,
} from '../scaling/report.ts';
import { measureSamples } from '../scaling/samples.ts';
import { FEATURES, KEY_BITS } from '../scaling/sweep.ts';

/** One unit: how far it sweeps, how often, and about how long that takes. */
interface Step {
  readonly at: number;
  readonly repetitions: number;
  readonly expectedSeconds: number;
}

const step = (at: number, repetitions: number, expectedSeconds: number): Step => ({
  at,
  repetitions,
  expectedSeconds,
});

const FEATURE_STEPS: Readonly<Record<Scale, readonly Step[]>> = {
  quick: [step(8, 3, 2), step(34, 3, 4)],
  full: [step(8, 5, 3), step(16, 5, 3), step(34, 5, 6), step(50, 5, 10), step(100, 3, 13), step(200, 3, 26)],
};
const OWNER_STEPS: Readonly<Record<Scale, readonly Step[]>> = {
  quick: [step(1, 3, 1), step(10, 3, 1), step(100, 3, 1)],
  full: [step(1, 7, 2), step(10, 7, 2), step(100, 7, 2), step(1000, 5, 8), step(10_000, 3, 42)],
};
const ROW_STEPS: Readonly<Record<Scale, readonly Step[]>> = {
  quick: [step(100, 3, 1), step(1000, 3, 1), step(10_000, 3, 1)],
  full: [step(100, 7, 1), step(1000, 7, 1), step(10_000, 5, 2), step(100_000, 3, 8)],
};

const LEFT_OUT_OF_QUICK: Omission = {
  what: 'More than 34 features, 100 owners and 10,000 rows (`scaling`)',
  why: 'the quick scale sweeps no further',
};

/** Rows of the owner's file in the sweep over features. */
const ROWS = 1000;
/** At 50 features and fewer there are no more ciphertexts than this, so nothing is scaled up. */
const STANDARD_SAMPLE = 64;

export const scaling: Suite = {
  name: 'scaling',
  description: 'time of each role and bytes against the numbers of features, slots, owners and rows',
  async plan(scale) {
    const units = [
      ...FEATURE_STEPS[scale].map(featuresUnit),
      ...OWNER_STEPS[scale].map(ownersUnit),
      ...ROW_STEPS[scale].map(rowsUnit),
    ];
    return { units, omissions: scale === 'quick' ? [LEFT_OUT_OF_QUICK] : [] };
  },
  highlights,
  report,
};

function featuresUnit({ at: features, repetitions, expectedSeconds }: Step): Unit {
  const request = { features, rows: ROWS, repetitions, standardSample: STANDARD_SAMPLE };
  return {
    id: `scaling/features/${features}`,
    title: `scaling: ${features} features`,
    parameters: {
      ...request,
      owners: EXAMPLE_OWNERS,
      samplesPerOwner: EXAMPLE_SAMPLES_PER_OWNER,
      keyBits: KEY_BITS,
    },
    expectedSeconds,
    measure: (note) => measureFeatures(request, note),
  };
}

function ownersUnit({ at: owners, repetitions, expectedSeconds }: Step): Unit {
  const request = { owners, repetitions };
  return {
    id: `scaling/owners/${owners}`,
    title: `scaling: ${wholeNumber(owners)} owners`,
    parameters: {
      ...request,
      features: FEATURES,
      samplesPerOwner: EXAMPLE_SAMPLES_PER_OWNER,
      keyBits: KEY_BITS,
    },
    expectedSeconds,
    measure: (note) => measureOwners(request, note),
  };
}

function rowsUnit({ at: rows, repetitions, expectedSeconds }: Step): Unit {
  const request = { rows, repetitions };
  return {
    id: `scaling/rows/${rows}`,
    title: `scaling: ${wholeNumber(rows)} rows`,
    parameters: { ...request, features: FEATURES, owners: EXAMPLE_OWNERS, keyBits: KEY_BITS },
    expectedSeconds,
    measure: (note) => measureSamples(request, note),
  };
}

const COMMON = `PCA, ${KEY_BITS}-bit keys, 14 fraction bits, σ = 40; every role on one thread, without HTTP, signatures and storage; one warm-up before the
repetitions. Rows are pseudo-random numbers in [−1, 1].`;

const FEATURES_TEXT = `${COMMON} Bounds are ${EXAMPLE_OWNERS} owners of ${wholeNumber(EXAMPLE_SAMPLES_PER_OWNER)} rows; the owner's file has ${wholeNumber(ROWS)}. Every repetition has
a new key, and a role's set-up for it is part of its time (the table of DJN too), except where the data user works on one contribution of many. The
owner's reading includes discretising and summing, its encryption packing and encoding; the data user's blinding is drawing, packing and encrypting
with full-length randomisers, and adding; the CSP checks, decrypts and reads the slots. Validation
includes one gcd for each contribution, however many ciphertexts it has. Two-party decompositions are measured elsewhere.`;

const SAMPLED_TEXT = `Where there are more than ${STANDARD_SAMPLE} ciphertexts, ${STANDARD_SAMPLE} of the standard encryptions (of the owner's and of the blinding) were
timed and scaled up to all: each is one exponentiation with the same exponent. Everything else was done in full.`;

const SLOTS_TEXT = `The same measurements against the number of slots, d(d + 1)/2 + d + 2 for a PCA: what the owner, the data user and the CSP do grows with the
ciphertexts into which these are packed.`;

const OWNERS_TEXT = `${COMMON} ${FEATURES} features, at most ${wholeNumber(EXAMPLE_SAMPLES_PER_OWNER)} rows for each owner, and bounds that fit the number of owners (of two for one), so that slots
widen with it. The data user validates each contribution when it comes and adds them in batches of 32 when the task is closed, as its service does.
All contributions hold the same values, but each is rerandomised, so that no bytes repeat; that is not timed. The sum was decrypted and compared
with the values.`;

const ROWS_TEXT = `${COMMON} ${FEATURES} features. The owner reads a CSV file, discretises and sums its rows. What it sends grows with the bound on its rows only in that
slots widen.`;

const FEATURE_QUANTITIES: Readonly<
  Record<'sum' | 'standard' | 'djn' | 'validate' | 'add' | 'blind' | 'unblind', Quantity>
> = {
  sum: { title: 'owner: read and sum', of: seriesOf('owner/sum') },
  standard: { title: 'owner: encrypt, standard', of: seriesOf('owner/standard') },
  djn: { title: 'owner: encrypt, DJN', of: seriesOf('owner/djn') },
  validate: { title: 'data user: validate one', of: seriesOf('user/validate') },
  add: { title: 'data user: add one', of: seriesOf('user/add') },
  blind: { title: 'data user: blind', of: seriesOf('user/blind') },
  unblind: { title: 'CSP: unblind', of: seriesOf('csp/unblind') },
};

const SIZE_FACTS: Sweep['facts'] = [
  { title: 'slots', of: (measurement) => wholeNumber(factOf('slots')(measurement)) },
  { title: 'ciphertexts', of: (measurement) => wholeNumber(factOf('ciphertexts')(measurement)) },
];
const CONTRIBUTION: Quantity = {
  title: 'one contribution',
  of: factSeries('contributionBytes', 'bytes'),
};

/** With fewer features there are so few ciphertexts that the set-up for a key counts as much as they do. */
const FIT_FEATURES = 34;

const features: Sweep = {
  name: 'scaling-features',
  what: 'Time of each role against the number of features',
  x: { title: 'features', of: parameterOf('features') },
  y: { title: 'time', unit: 'ms' },
  fitFrom: FIT_FEATURES,
  quantities: Object.values(FEATURE_QUANTITIES),
  facts: SIZE_FACTS,
};

const featureBytes: Sweep = {
  ...features,
  name: 'scaling-features-bytes',
  what: 'Bytes of a contribution, and as many of the blinded sum, against the number of features',
  y: { title: 'bytes', unit: 'bytes' },
  quantities: [CONTRIBUTION],
};

const slots: Sweep = {
  ...features,
  name: 'scaling-slots',
  what: 'Packing with encryption, and unblinding, against the number of slots',
  x: { title: 'slots', of: factOf('slots') },
  fitFrom: (FIT_FEATURES * (FIT_FEATURES + 1)) / 2,
  quantities: [
    FEATURE_QUANTITIES.standard,
    FEATURE_QUANTITIES.djn,
    FEATURE_QUANTITIES.blind,
    FEATURE_QUANTITIES.unblind,
  ],
  facts: [
    ...SIZE_FACTS.slice(1),
    {
      title: 'slots per ciphertext',
      of: (measurement) => {
        const [of, by] = [factOf('slots')(measurement), factOf('ciphertexts')(measurement)];
        return of === undefined || by === undefined ? MISSING : (of / by).toFixed(1);
      },
    },
    {
      title: 'of which standard encryptions timed',
      of: (measurement) => wholeNumber(factOf('standardTimed')(measurement)),
    },
  ],
};

const owners: Sweep = {
  name: 'scaling-owners',
  what: 'Time of the data user for the contributions of all owners',
  x: { title: 'owners', of: parameterOf('owners') },
  y: { title: 'time', unit: 'ms' },
  fitFrom: 10,
  quantities: [
    { title: 'validate', of: seriesOf('user/validate') },
    { title: 'add', of: seriesOf('user/add') },
    { title: 'both', of: seriesOf('user/whole') },
  ],
  facts: [
    SIZE_FACTS[1]!,
    {
      title: 'received',
      of: (measurement) => formatSeries(factSeries('receivedBytes', 'bytes')(measurement)),
    },
    { title: 'both, per contribution', of: (measurement) => formatSeries(perOwner(measurement)) },
  ],
};

const rows: Sweep = {
  name: 'scaling-rows',
  what: "Time of an owner's reading, discretising and summing against its rows",
  x: { title: 'rows', of: parameterOf('rows') },
  y: { title: 'time', unit: 'ms' },
  fitFrom: 1000,
  quantities: [{ title: 'read and sum', of: seriesOf('owner/sum') }],
  facts: [
    { title: 'file', of: (measurement) => formatSeries(factSeries('fileBytes', 'bytes')(measurement)) },
    SIZE_FACTS[1]!,
    { title: 'one contribution', of: (measurement) => formatSeries(CONTRIBUTION.of(measurement)) },
  ],
};

function report(measurements: readonly Measurement[]): readonly Section[] {
  const of = (kind: string) => measurements.filter(({ id }) => id.startsWith(`scaling/${kind}/`));
  const byFeatures = of('features');
  const isSampled = byFeatures.some((measurement) => {
    const [all, done] = [factOf('ciphertexts')(measurement), factOf('standardTimed')(measurement)];
    return all !== undefined && done !== undefined && done < all;
  });
  const featuresText = isSampled ? `${FEATURES_TEXT} ${SAMPLED_TEXT}` : FEATURES_TEXT;
  return [
    section('Growth with the number of features', featuresText, [
      ...sweepBlocks(features, byFeatures),
      ...sweepBlocks(featureBytes, byFeatures),
    ]),
    section('Growth with the number of slots', SLOTS_TEXT, sweepBlocks(slots, byFeatures)),
    section('Growth with the number of owners', OWNERS_TEXT, sweepBlocks(owners, of('owners'))),
    section("Growth with the number of an owner's rows", ROWS_TEXT, sweepBlocks(rows, of('rows'))),
  ].filter(({ blocks }) => blocks.length > 0);
}

/** The far ends of the sweeps. */
function highlights(measurements: readonly Measurement[]): readonly string[] {
  const last = (kind: 'features' | 'owners') =>
    measurements
      .filter(({ id, series }) => id.startsWith(`scaling/${kind}/`) && Object.keys(series).length > 0)
      .toSorted((a, b) => parameterOf(kind)(a)! - parameterOf(kind)(b)!)
      .at(-1);
  const [widest, crowd] = [last('features'), last('owners')];
  const lines: string[] = [];
  if (widest !== undefined) {
    const { standard, djn, unblind } = FEATURE_QUANTITIES;
    lines.push(
      `With ${widest.parameters.features} features an owner encrypts ${wholeNumber(widest.facts.slots)} values in ${formatSeries(standard.of(widest))} (DJN: ${formatSeries(djn.of(widest))}) and sends ${formatSeries(CONTRIBUTION.of(widest))}; the CSP unblinds their sum in ${formatSeries(unblind.of(widest))}, one thread each.`,
    );
  }
  if (crowd !== undefined) {
    lines.push(
      `The data user validates and adds the contributions of ${wholeNumber(crowd.parameters.owners)} owners, ${crowd.parameters.features} features each, in ${formatSeries(crowd.series['user/whole'])} on one thread: ${formatSeries(perOwner(crowd))} for each.`,
    );
  }
  return lines;
}

/** Without blocks when there is nothing to report. */
function section(title: string, text: string, blocks: readonly Block[]): Section {
  return { title, blocks: blocks.length === 0 ? [] : [{ kind: 'text', text }, ...blocks] };
}

function parameterOf(name: string) {
  return ({ parameters }: Measurement): number | undefined =>
    typeof parameters[name] === 'number' ? parameters[name] : undefined;
}

function perOwner(measurement: Measurement): Series | undefined {
  const whole = measurement.series['user/whole'];
  const count = parameterOf('owners')(measurement);
  if (whole === undefined || count === undefined) return undefined;
  return { unit: whole.unit, samples: whole.samples.map((sample) => sample / count) };
}
