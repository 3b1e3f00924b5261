/** The published tables of efficiency row by row, with the literal protocol and Eigenveil here. */
import { draftTask } from '@eigenveil/data-user';
import { DEFAULT_FRACTION_BITS } from '@eigenveil/methods';
import { least, median, only } from '../instrument/figure.ts';
import { interleavedSamples } from '../instrument/measure.ts';
import { defineStudy, type Omission } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { dataFile } from './decompositions.ts';
import { melted } from './melted.ts';
import { fileOfCase } from './own-rows.ts';
import { dealRows, OWNERS, sumRows } from './owners.ts';
import {
  PUBLISHED_EFFICIENCY,
  PUBLISHED_KEY_BITS,
  type PublishedEfficiency,
  type PublishedMethod,
  publishedRow,
} from './published.ts';
import { COMPARISONS, comparisonsOf, expectedSeconds, measureRoles, ROLE_TITLES } from './roles.ts';
import type { StepsTask } from './steps.ts';

const SCALES = {
  quick: { repetitions: 3, literalSample: 12 },
  full: { repetitions: 7, literalSample: 250 },
} as const;
const QUICK_SETS: readonly string[] = ['pima', 'ionosphere'];
const METHODS: readonly PublishedMethod[] = ['pca', 'dca'];

/** The figures that the published tables give of each role, in the units that they have. */
const PUBLISHED_TIMES: Readonly<
  Record<(typeof COMPARISONS)[number]['name'], (row: PublishedEfficiency) => string>
> = {
  ownerStandard: ({ ownerSeconds }) => `${ownerSeconds} s`,
  ownerDjn: ({ ownerSeconds }) => `${ownerSeconds} s`,
  user: ({ userMillisecondsPerOwner }) => `${userMillisecondsPerOwner} ms`,
  userChecked: ({ userMillisecondsPerOwner }) => `${userMillisecondsPerOwner} ms`,
  csp: ({ cspSeconds }) => `${cspSeconds} s`,
};
const OWNER_COLUMNS = ['owner/literal', 'owner/standard', 'owner/djn'] as const;

interface Case extends Tidy {
  readonly method: PublishedMethod;
  readonly dataset: string;
  readonly keyBits: number;
  readonly owners: number;
  readonly repetitions: number;
  readonly literalSample: number;
}

async function taskOf(
  method: PublishedMethod,
  file: string,
): Promise<{ task: StepsTask; ignored: string[] }> {
  const [labels, ignored] = method === 'pca' ? [[], ['label']] : [['label'], []];
  const { rows, ...draft } = await draftTask(file, { method, labels, ignore: ignored });
  const task: StepsTask = {
    ...draft,
    fractionBits: DEFAULT_FRACTION_BITS,
    maximumOwners: OWNERS,
    maximumSamplesPerOwner: Math.ceil(rows / OWNERS),
    keyBits: PUBLISHED_KEY_BITS,
    statisticalSecurityBits: 40,
    encryption: 'djn', // both schemes are measured
    twoParty: 'garbled',
  };
  return { task, ignored };
}

/** The owner's times, with the published one beside them. */
function ownersOf(records: readonly Tidy[]): Tidy[] {
  const published = records.flatMap(({ method, dataset, features, repetition }) => {
    const row = repetition === 1 ? publishedRow(method, dataset) : undefined;
    return row === undefined
      ? []
      : [{ method: method!, features: features!, quantity: 'published', ms: 1000 * row.ownerSeconds }];
  });
  return [...published, ...melted(records, OWNER_COLUMNS)];
}

export const published = defineStudy<Case>({
  id: 'speed/published',
  async plan({ scale, own }) {
    const names = own === undefined ? PUBLISHED_EFFICIENCY.pca.map(({ dataset }) => dataset) : [own.name];
    const omissions: Omission[] = [];
    const cases: Case[] = [];
    for (const method of METHODS) {
      for (const dataset of names) {
        const leaveOut = (why: string) =>
          omissions.push({ what: `${dataset}, ${method.toUpperCase()} (\`published\`)`, why });
        if (own === undefined && scale === 'quick' && !QUICK_SETS.includes(dataset))
          leaveOut(`the quick scale measures ${QUICK_SETS.join(' and ')} only`);
        else if (own === undefined && (await dataFile(dataset)) === undefined)
          leaveOut('its file is neither bundled nor in the folder EIGENVEIL_DATA');
        else cases.push({ method, dataset, keyBits: PUBLISHED_KEY_BITS, owners: OWNERS, ...SCALES[scale] });
      }
    }
    return { cases, omissions };
  },
  titleOf: ({ method, dataset }) => `${dataset}, ${method.toUpperCase()}, against the published figures`,
  expectedSeconds: ({ method, dataset, keyBits, ...others }) =>
    expectedSeconds({ keyBits, features: publishedRow(method, dataset)?.features ?? 30, ...others }),
  async measure({ method, dataset, repetitions, literalSample }, { note, own }) {
    const file = await fileOfCase(dataset, own);
    const { task, ignored } = await taskOf(method, file);
    const rows = (await dealRows(file, task, ignored))[0]!;
    const statistics = sumRows(task, rows);
    const records = await measureRoles({ task, statistics, repetitions, literalSample, note });
    const { summing } = await interleavedSamples(
      { summing: { run: () => sumRows(task, rows) } },
      repetitions,
    );
    return records.map((record, i) => ({
      ...record,
      'owner/summing': summing[i]!,
      rowsOfOwner: rows.length,
      features: task.features.length,
    }));
  },
  columns: {
    method: { values: { pca: 'PCA', dca: 'DCA' } },
    dataset: {
      title: 'data set',
      values: Object.fromEntries(
        PUBLISHED_EFFICIENCY.pca.map(({ dataset, title }) => [
          dataset,
          dataset.startsWith('synthetic') ? `synthetic, in place of ${title}` : title,
        ]),
      ),
    },
    comparison: {
      title: 'role',
      values: Object.fromEntries(COMPARISONS.map(({ name, title }) => [name, title])),
    },
    quantity: { values: { ...ROLE_TITLES, published: 'published, on another machine' } },
  },
  frames: {
    comparisons: (records) =>
      Map.groupBy(records, ({ method, dataset }) => `${method} ${dataset}`)
        .values()
        .toArray()
        .flatMap(comparisonsOf)
        .map((record) => {
          const row = publishedRow(record.method, record.dataset);
          const name = record.comparison as keyof typeof PUBLISHED_TIMES;
          return row === undefined ? record : { ...record, published: PUBLISHED_TIMES[name](row) };
        }),
    owners: ownersOf,
  },
  tables: {
    times: {
      of: 'comparisons',
      each: ['method'],
      caption: `{method}, ${PUBLISHED_KEY_BITS} bits, ${OWNERS} owners: medians with quartiles; ratios of literal to Eigenveil within a repetition`,
      rows: ['dataset', 'features', 'comparison'],
      cells: {
        published: only('published'),
        'literal here': median('literal', { unit: 'ms' }),
        'Eigenveil here': median('eigenveil', { unit: 'ms' }),
        'literal / Eigenveil': median('times', { unit: '×' }),
      },
    },
    contributions: {
      of: 'comparisons',
      // Sizes and sums are the same beside every role.
      where: { comparison: 'csp' },
      each: ['method'],
      caption:
        '{method}: one contribution. Where fewer literal ciphertexts were timed than there are, evenly spread over the values in order of size, the literal times of owner, data user and CSP are scaled up',
      rows: ['dataset'],
      cells: {
        'rows of the owner': only('rowsOfOwner'),
        'summing them': median('owner/summing', { unit: 'ms' }),
        'literal, ciphertexts': only('literalCiphertexts'),
        'of them timed': only('literalCiphertextsTimed'),
        'literal, bytes': only('literalContributionBytes', { unit: 'bytes' }),
        'Eigenveil, ciphertexts': only('eigenveilCiphertexts'),
        'Eigenveil, bytes': only('eigenveilContributionBytes', { unit: 'bytes' }),
        'literal / Eigenveil, bytes': only('timesBytes', { unit: '×' }),
      },
    },
  },
  charts: {
    'published-owner': {
      of: 'owners',
      each: ['method'],
      caption:
        "{method}: features against the owner's time, both axes logarithmic; medians with quartiles as whiskers. Published: on another machine, with SensIT Vehicle (acoustic) at 50 features",
      mark: 'line',
      x: { column: 'features', scale: 'log' },
      y: { figure: median('ms'), title: "owner's time", scale: 'log', unit: 'ms' },
      colour: 'quantity',
    },
  },
  facts: {
    leastTimes: {
      of: 'comparisons',
      figure: least('times', { unit: '×' }),
    },
  },
  holds: { faster: (fact) => fact('leastTimes') > 1 },
  words: new URL('published-tables.md', import.meta.url),
});
