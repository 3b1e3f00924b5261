/** `--only key-length`: what longer keys cost each role, in Eigenveil and in the literal protocol. */

import { withFits } from '../../instrument/fits.ts';
import {
  formatBytesFact,
  formatRatios,
  formatSamples,
  pointOf,
  samplesOf,
  significant,
} from '../../instrument/quantities.ts';
import type { Block, Chart, Line, Section, Table } from '../../instrument/report/document.ts';
import { fitPowerLaw, summarise } from '../../instrument/statistics.ts';
import type { Measurement, Omission, Scale, Suite, Unit } from '../../instrument/unit.ts';
import {
  EXAMPLE_OWNERS,
  EXAMPLE_SAMPLES_PER_OWNER,
  exampleStatistics,
  exampleTask,
} from '../example-task.ts';
import { COMPARISONS, expectedSeconds, measureRoles, ROLES_EXPLANATION, type RoleSeries } from '../roles.ts';

const SCALES = {
  quick: { keyBits: [1024, 2048], features: 8, repetitions: 3, literalSample: 6 },
  full: { keyBits: [1024, 2048, 3072, 4096], features: 34, repetitions: 5, literalSample: 12 },
} as const;

const LEFT_OUT_OF_QUICK: Omission = {
  what: 'Key lengths 3072 and 4096, and contributions of 34 features (`key-length`)',
  why: 'the quick scale measures 1024 and 2048 bits with 8 features',
};

const CONTESTANTS: readonly { readonly role: Role; readonly title: string; readonly series: RoleSeries }[] = [
  { role: 'owner', title: 'literal', series: 'owner/literal' },
  { role: 'owner', title: 'Eigenveil, standard encryption', series: 'owner/standard' },
  { role: 'owner', title: 'Eigenveil, DJN encryption', series: 'owner/djn' },
  { role: 'user', title: 'literal', series: 'user/literal' },
  { role: 'user', title: 'Eigenveil', series: 'user/eigenveil' },
  { role: 'user', title: 'Eigenveil, ciphertexts checked', series: 'user/checked' },
  { role: 'csp', title: 'literal', series: 'csp/literal' },
  { role: 'csp', title: 'Eigenveil', series: 'csp/eigenveil' },
];

const ROLES = { owner: 'owner', user: 'data user, per owner', csp: 'CSP' } as const;
type Role = keyof typeof ROLES;

function unitOf(scale: Scale, keyBits: number): Unit {
  const { features, repetitions, literalSample } = SCALES[scale];
  const task = exampleTask(features, keyBits);
  return {
    id: `key-length/${keyBits}/pca-${features}`,
    title: `${keyBits}-bit keys, PCA of ${features} features`,
    parameters: { method: 'pca', features, keyBits, repetitions, literalSample },
    expectedSeconds: expectedSeconds({ task, repetitions, literalSample }),
    measure: (note) =>
      measureRoles({ task, statistics: exampleStatistics(task), repetitions, literalSample, note }),
  };
}

export const keyLength: Suite = {
  name: 'key-length',
  description: 'time and bytes per role against the key length, Eigenveil and the literal protocol',
  async plan(scale) {
    return {
      units: SCALES[scale].keyBits.map((keyBits) => unitOf(scale, keyBits)),
      omissions: scale === 'quick' ? [LEFT_OUT_OF_QUICK] : [],
    };
  },
  highlights(measurements) {
    const recommended = measurements.find(({ parameters }) => parameters.keyBits === 2048);
    if (recommended === undefined) return [];
    const ratios = COMPARISONS.map(({ title, literal, eigenveil }) => {
      const ratio = formatRatios(samplesOf(recommended, literal), samplesOf(recommended, eigenveil));
      return `${title} ${ratio}`;
    });
    return [
      `Faster than the literal published protocol, with 2048-bit keys and ${recommended.parameters.features} features: ${ratios.join('; ')}.`,
    ];
  },
  report(measurements) {
    const sizes = [...new Set(measurements.map(({ parameters }) => Number(parameters.features)))];
    return sizes
      .sort((a, b) => a - b)
      .map((features) =>
        section(
          features,
          measurements
            .filter(({ parameters }) => parameters.features === features)
            .toSorted((a, b) => keyBitsOf(a) - keyBitsOf(b)),
        ),
      );
  },
};

/** @param measurements at least one, of so many features, by key length */
function section(features: number, measurements: readonly Measurement[]): Section {
  const { parameters, facts } = measurements[0]!;
  const repetitions = Number(parameters.repetitions);
  const blocks: Block[] = [
    ...charts(features, measurements, repetitions),
    times(features, measurements, repetitions),
    contributions(measurements),
    ...growth(measurements),
    {
      kind: 'text',
      text: `PCA of ${features} features; bounds: ${EXAMPLE_OWNERS} owners of ${EXAMPLE_SAMPLES_PER_OWNER} rows, 14 fraction bits, σ = 40. ${ROLES_EXPLANATION}`,
    },
    {
      kind: 'text',
      text: `**Extrapolated:** the literal protocol's times are of ${facts.literalCiphertextsTimed} of ${facts.literalCiphertexts} ciphertexts per repetition, evenly spread over the values in order of size, scaled up to all of them. Keys of 1024 bits protect nothing: they are here because the published figures use them.`,
    },
  ];
  return { title: `Key length against time, ${features} features`, blocks };
}

function times(features: number, measurements: readonly Measurement[], repetitions: number): Table {
  return {
    kind: 'table',
    caption: `Time of each role by key length, ${features} features: medians of ${repetitions} repetitions with quartiles; ratios of literal to Eigenveil within a repetition`,
    columns: [
      { title: 'role', align: 'left' },
      { title: 'key bits', align: 'right' },
      { title: 'literal', align: 'right' },
      { title: 'Eigenveil', align: 'right' },
      { title: 'literal / Eigenveil', align: 'right' },
    ],
    rows: COMPARISONS.flatMap((comparison) =>
      measurements.map((measurement) => {
        const literal = samplesOf(measurement, comparison.literal);
        const eigenveil = samplesOf(measurement, comparison.eigenveil);
        return [
          comparison.title,
          `${keyBitsOf(measurement)}`,
          formatSamples(literal, 'ms'),
          formatSamples(eigenveil, 'ms'),
          formatRatios(literal, eigenveil),
        ];
      }),
    ),
  };
}

function contributions(measurements: readonly Measurement[]): Table {
  return {
    kind: 'table',
    caption: 'One contribution: ciphertexts and bytes, exact',
    columns: [
      { title: 'key bits', align: 'right' },
      { title: 'literal, ciphertexts', align: 'right' },
      { title: 'literal, bytes', align: 'right' },
      { title: 'Eigenveil, ciphertexts', align: 'right' },
      { title: 'Eigenveil, bytes', align: 'right' },
      { title: 'literal / Eigenveil, bytes', align: 'right' },
    ],
    rows: measurements.map((measurement) => {
      const { facts } = measurement;
      return [
        `${keyBitsOf(measurement)}`,
        `${facts.literalCiphertexts}`,
        formatBytesFact(facts.literalContributionBytes),
        `${facts.eigenveilCiphertexts}`,
        formatBytesFact(facts.eigenveilContributionBytes),
        `${significant(Number(facts.literalContributionBytes) / Number(facts.eigenveilContributionBytes))}×`,
      ];
    }),
  };
}

/** Nothing where a single key length was measured. */
function growth(measurements: readonly Measurement[]): Block[] {
  if (measurements.length < 2) return [];
  const lengths = measurements.map(keyBitsOf).join(', ');
  return [
    {
      kind: 'text',
      text: 'Eigenveil puts more values into a longer ciphertext, so its ciphertexts become fewer as keys grow, and its exponents should be about 1 below those of the literal protocol. Contestants take turns, key lengths do not: load that changes between two of them goes into the exponents, while ratios cancel it.',
    },
    {
      kind: 'table',
      caption: `Growth of time with key length (${lengths} bits): time ∝ bits^exponent, least squares on the logarithms of the medians, 95 % interval by Student's t`,
      columns: [
        { title: 'role', align: 'left' },
        { title: 'contestant', align: 'left' },
        { title: 'exponent', align: 'right' },
        { title: '95 % interval', align: 'right' },
      ],
      rows: CONTESTANTS.map(({ role, title, series }) => {
        const { exponent, low, high } = fitPowerLaw(
          measurements.map((measurement) => ({
            x: keyBitsOf(measurement),
            y: summarise(samplesOf(measurement, series)!).median,
          })),
        );
        const interval = Number.isFinite(low)
          ? `${low.toFixed(2)} to ${high.toFixed(2)}`
          : 'none from two key lengths';
        return [ROLES[role], title, exponent.toFixed(2), interval];
      }),
    },
  ];
}

function charts(features: number, measurements: readonly Measurement[], repetitions: number): Chart[] {
  return (Object.keys(ROLES) as Role[]).map((role) => ({
    kind: 'chart',
    name: `key-length-${role}-${features}`,
    caption: `Key length against time of the ${ROLES[role]}, ${features} features, log-log: medians of ${repetitions} repetitions, whiskers at the quartiles; dashed: the fitted power laws`,
    drawing: {
      kind: 'lines',
      x: { title: 'key length (bits)', scale: 'log' },
      y: { title: 'time', scale: 'log', unit: 'ms' },
      lines: withFits(
        CONTESTANTS.filter((it) => it.role === role).map(
          ({ title, series }): Line => ({
            name: title,
            points: measurements.map((measurement) =>
              pointOf(keyBitsOf(measurement), samplesOf(measurement, series)!),
            ),
            style: 'solid',
          }),
        ),
      ),
    },
  }));
}

function keyBitsOf({ parameters }: Measurement): number {
  return Number(parameters.keyBits);
}
