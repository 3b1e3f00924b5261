/** `--only published`: the published tables of efficiency row by row, with the literal protocol and Eigenveil here. */
import { draftTask } from '@eigenveil/data-user';
import { DEFAULT_FRACTION_BITS } from '@eigenveil/methods';
import { interleavedSamples } from '../../instrument/measure.ts';
import {
  formatBytesFact,
  formatRatios,
  formatSamples,
  MISSING,
  pointOf,
  samplesOf,
  significant,
} from '../../instrument/quantities.ts';
import type { Block, Chart, Table } from '../../instrument/report/document.ts';
import type { Measurement, Omission, Scale, Suite, Unit } from '../../instrument/unit.ts';
import { dataFile } from '../decompositions.ts';
import { dealRows, OWNERS, sumRows } from '../owners.ts';
import {
  PUBLISHED_EFFICIENCY,
  PUBLISHED_KEY_BITS,
  PUBLISHED_SOURCE,
  type PublishedEfficiency,
  type PublishedMethod,
} from '../published.ts';
import { COMPARISONS, expectedSeconds, measureRoles, ROLES_EXPLANATION } from '../roles.ts';
import type { StepsTask } from '../steps.ts';

const SCALES = {
  quick: { datasets: ['pima', 'ionosphere'], repetitions: 3, literalSample: 12 },
  full: {
    datasets: PUBLISHED_EFFICIENCY.pca.map(({ dataset }) => dataset),
    repetitions: 7,
    literalSample: 250,
  },
} as const satisfies Record<
  Scale,
  { datasets: readonly string[]; repetitions: number; literalSample: number }
>;
const STATISTICAL_SECURITY_BITS = 40;
const METHODS: readonly PublishedMethod[] = ['pca', 'dca'];
const STAND_IN = 'synthetic50';

/** What the published tables give of each role, in milliseconds. */
const PUBLISHED_MILLISECONDS = {
  owner: ({ ownerSeconds }: PublishedEfficiency) => 1000 * ownerSeconds,
  user: ({ userMillisecondsPerOwner }: PublishedEfficiency) => userMillisecondsPerOwner,
  csp: ({ cspSeconds }: PublishedEfficiency) => 1000 * cspSeconds,
};

interface Wanted {
  readonly method: PublishedMethod;
  readonly row: PublishedEfficiency;
  readonly file: string;
  readonly repetitions: number;
  readonly literalSample: number;
}

async function taskOf({ method, file }: Wanted): Promise<{ task: StepsTask; ignored: string[] }> {
  const [labels, ignored] = method === 'pca' ? [[], ['label']] : [['label'], []];
  const { rows, ...draft } = await draftTask(file, { method, labels, ignore: ignored });
  const task: StepsTask = {
    ...draft,
    fractionBits: DEFAULT_FRACTION_BITS,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: Math.ceil(rows / OWNERS),
    keyBits: PUBLISHED_KEY_BITS,
    statisticalSecurityBits: STATISTICAL_SECURITY_BITS,
    encryption: 'djn', // both schemes are measured
    twoParty: 'garbled',
  };
  return { task, ignored };
}

async function unitOf(wanted: Wanted): Promise<Unit> {
  const { method, row, file, repetitions, literalSample } = wanted;
  const { task, ignored } = await taskOf(wanted);
  return {
    id: idOf(method, row),
    title: `${row.dataset}, ${method.toUpperCase()}, against the published figures`,
    parameters: {
      method,
      dataset: row.dataset,
      keyBits: PUBLISHED_KEY_BITS,
      owners: OWNERS,
      repetitions,
      literalSample,
    },
    expectedSeconds: expectedSeconds({ task, repetitions, literalSample }),
    async measure(note) {
      const rows = (await dealRows(file, task, ignored))[0]!;
      const statistics = sumRows(task, rows);
      const { series, facts } = await measureRoles({ task, statistics, repetitions, literalSample, note });
      const { summing } = await interleavedSamples(
        { summing: { run: () => sumRows(task, rows) } },
        repetitions,
      );
      return {
        series: { ...series, 'owner/summing': { unit: 'ms', samples: summing } },
        facts: { ...facts, rowsOfOwner: rows.length },
      };
    },
  };
}

function idOf(method: PublishedMethod, { dataset }: PublishedEfficiency): string {
  return `published/${method}/${dataset}`;
}

export const published: Suite = {
  name: 'published',
  description: 'the published tables of efficiency row by row: published, literal here, Eigenveil here',
  async plan(scale) {
    const { datasets, ...settings } = SCALES[scale];
    const units: Unit[] = [];
    const omissions: Omission[] = [];
    const isWanted = ({ dataset }: PublishedEfficiency) => datasets.some((name) => name === dataset);
    const others = PUBLISHED_EFFICIENCY.pca.filter((row) => !isWanted(row));
    if (others.length > 0) {
      omissions.push({
        what: `${others.map(({ dataset }) => dataset).join(', ')} (\`published\`)`,
        why: `the quick scale measures ${datasets.join(' and ')} only`,
      });
    }
    for (const method of METHODS) {
      for (const row of PUBLISHED_EFFICIENCY[method].filter(isWanted)) {
        const file = await dataFile(row.dataset);
        if (file !== undefined) units.push(await unitOf({ method, row, file, ...settings }));
        else {
          omissions.push({
            what: `${row.dataset}, ${method.toUpperCase()} (\`published\`)`,
            why: 'its file is neither bundled nor in the folder EIGENVEIL_DATA',
          });
        }
      }
    }
    return { units, omissions };
  },
  highlights: () => [], // the tables have as many messages as rows; the key lengths say the gist
  report(measurements) {
    const byId = new Map(measurements.map((measurement) => [measurement.id, measurement]));
    const blocks: Block[] = [
      {
        kind: 'text',
        text: `"Published" is ${PUBLISHED_SOURCE}: Paillier with ${PUBLISHED_KEY_BITS} bits and ${OWNERS} owners, on another machine. "Literal" and "Eigenveil" ran here in turns, with keys of ${PUBLISHED_KEY_BITS} bits too (which protect nothing; Eigenveil refuses them unless told otherwise), on the statistics of one of ${OWNERS} owners' rows; so only the ratio of these two says how much faster Eigenveil is. ${ROLES_EXPLANATION}`,
      },
      {
        kind: 'text',
        text: `SensIT Vehicle (acoustic) could not be had: \`${STAND_IN}\`, synthetic data of as many features and classes, stands in its place. The published column of decompositions has its place with the two-party protocols.`,
      },
    ];
    for (const method of METHODS) {
      const rows = PUBLISHED_EFFICIENCY[method].map((row) => ({
        row,
        measurement: byId.get(idOf(method, row)),
      }));
      blocks.push(...chart(method, rows), efficiency(method, rows), contributions(method, rows));
    }
    return [{ title: 'The published tables of efficiency', blocks }];
  },
};

interface Measured {
  readonly row: PublishedEfficiency;
  readonly measurement: Measurement | undefined;
}

function repetitionsOf(rows: readonly Measured[]): string {
  const counts = rows.flatMap(({ measurement }) => measurement?.parameters.repetitions ?? []);
  return counts.length === 0 ? 'nothing measured' : `medians of ${counts[0]} repetitions with quartiles`;
}

function nameOf({ dataset, title }: PublishedEfficiency): string {
  return dataset === STAND_IN ? `synthetic, in place of ${title}` : title;
}

function efficiency(method: PublishedMethod, rows: readonly Measured[]): Table {
  return {
    kind: 'table',
    caption: `${method.toUpperCase()}, ${PUBLISHED_KEY_BITS} bits, ${OWNERS} owners: ${repetitionsOf(rows)}; ratios of literal to Eigenveil within a repetition`,
    columns: [
      { title: 'data set', align: 'left' },
      { title: 'features', align: 'right' },
      { title: 'role', align: 'left' },
      { title: 'published', align: 'right' },
      { title: 'literal here', align: 'right' },
      { title: 'Eigenveil here', align: 'right' },
      { title: 'literal / Eigenveil', align: 'right' },
    ],
    rows: rows.flatMap(({ row, measurement }) =>
      COMPARISONS.map((comparison) => {
        const literal = samplesOf(measurement, comparison.literal);
        const eigenveil = samplesOf(measurement, comparison.eigenveil);
        return [
          nameOf(row),
          `${row.features}`,
          comparison.title,
          publishedTime(comparison.role, row),
          formatSamples(literal, 'ms'),
          formatSamples(eigenveil, 'ms'),
          formatRatios(literal, eigenveil),
        ];
      }),
    ),
  };
}

/** In the units that the tables have. */
function publishedTime(role: keyof typeof PUBLISHED_MILLISECONDS, row: PublishedEfficiency): string {
  const milliseconds = PUBLISHED_MILLISECONDS[role](row);
  return role === 'user' ? `${milliseconds} ms` : `${milliseconds / 1000} s`;
}

function contributions(method: PublishedMethod, rows: readonly Measured[]): Table {
  return {
    kind: 'table',
    caption: `${method.toUpperCase()}: one contribution. Where fewer literal ciphertexts were timed than there are, evenly spread over the values in order of size, the literal times of owner, data user and CSP are scaled up`,
    columns: [
      { title: 'data set', align: 'left' },
      { title: 'rows of the owner', align: 'right' },
      { title: 'summing them', align: 'right' },
      { title: 'literal, ciphertexts (timed)', align: 'right' },
      { title: 'literal, bytes', align: 'right' },
      { title: 'Eigenveil, ciphertexts', align: 'right' },
      { title: 'Eigenveil, bytes', align: 'right' },
      { title: 'literal / Eigenveil, bytes', align: 'right' },
    ],
    rows: rows.map(({ row, measurement }) => {
      if (measurement === undefined) return [nameOf(row), ...new Array<string>(7).fill(MISSING)];
      const { facts } = measurement;
      return [
        nameOf(row),
        `${facts.rowsOfOwner}`,
        formatSamples(samplesOf(measurement, 'owner/summing'), 'ms'),
        `${facts.literalCiphertexts} (${facts.literalCiphertextsTimed})`,
        formatBytesFact(facts.literalContributionBytes),
        `${facts.eigenveilCiphertexts}`,
        formatBytesFact(facts.eigenveilContributionBytes),
        `${significant(Number(facts.literalContributionBytes) / Number(facts.eigenveilContributionBytes))}×`,
      ];
    }),
  };
}

/** The owner's time, which the literal protocol spends most on; nothing where nothing was measured. */
function chart(method: PublishedMethod, rows: readonly Measured[]): Chart[] {
  if (rows.every(({ measurement }) => measurement === undefined)) return [];
  const measured = (series: string) =>
    rows.flatMap(({ row, measurement }) => {
      const samples = samplesOf(measurement, series);
      return samples === undefined ? [] : [pointOf(row.features, samples)];
    });
  return [
    {
      kind: 'chart',
      name: `published-${method}-owner`,
      caption: `${method.toUpperCase()}: features against the owner's time, log-log; ${repetitionsOf(rows)} as whiskers. Published: ${PUBLISHED_SOURCE}, on another machine, with SensIT Vehicle (acoustic) at 50 features`,
      drawing: {
        kind: 'lines',
        x: { title: 'features', scale: 'log' },
        y: { title: "owner's time", scale: 'log', unit: 'ms' },
        lines: [
          {
            name: 'published',
            points: rows.map(({ row }) => ({ x: row.features, y: 1000 * row.ownerSeconds })),
            style: 'dashed',
          },
          { name: 'literal here', points: measured('owner/literal'), style: 'solid' },
          { name: 'Eigenveil, standard encryption', points: measured('owner/standard'), style: 'solid' },
          { name: 'Eigenveil, DJN encryption', points: measured('owner/djn'), style: 'solid' },
        ],
      },
    },
  ];
}
