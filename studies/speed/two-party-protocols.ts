/** The decomposition between the two servers: `garbled`, `rotated` and `simulated` in turn, beside what was published. */
import {
  atLargest,
  type Figure,
  growth,
  least,
  median,
  middleOf,
  most,
  only,
  where,
} from '../instrument/figure.ts';
import { type ChartOf, defineStudy, type Omission, type TableOf } from '../instrument/study.ts';
import type { Scale, Tidy } from '../instrument/tidy.ts';
import { type Case as Decomposed, dataFile, measureCase } from './decompositions.ts';
import { fileOfCase } from './own-rows.ts';
import { PUBLISHED_EFFICIENCY, type PublishedMethod, publishedRow } from './published.ts';

type Protocol = Decomposed['twoParty'];
/** A method, or a PCA of the correlation matrix. */
type Kind = PublishedMethod | 'correlation';

interface Case extends Tidy {
  readonly kind: Kind;
  readonly dataset: string;
  readonly components: number;
  readonly repetitions: number;
  readonly protocols: string;
}

const PROTOCOLS = ['garbled', 'rotated', 'simulated'] as const satisfies readonly Protocol[];
const TITLES: Readonly<Record<Kind, string>> = {
  pca: 'PCA',
  correlation: 'PCA of the correlation matrix',
  dca: 'DCA',
};
const KINDS = Object.keys(TITLES) as readonly Kind[];

interface Wanted {
  readonly dataset: string;
  readonly features: number;
  readonly components: number;
}
const ROWS: Readonly<Record<Kind, readonly Wanted[]>> = {
  ...PUBLISHED_EFFICIENCY,
  // Known variances leave room for fewer components.
  correlation: PUBLISHED_EFFICIENCY.pca
    .filter(({ dataset }) => ['pima', 'ionosphere', 'synthetic50'].includes(dataset))
    .map(({ dataset, features, components }) => ({
      dataset,
      features,
      components: Math.min(components, features - 5),
    })),
};
/** The cases that a quick run leaves out take more than a second or two per run by `garbled`. */
const QUICK_SETS: readonly string[] = ['pima'];
const QUICK_REPETITIONS = 2;
/** Where a run of all protocols in turn takes more than this, there are 3 repetitions rather than 5. */
const LONG_SECONDS = 5;
const PROCESS_SECONDS = 1.5;
const MOST_OWN_COMPONENTS = 15;

/** A first guess: seconds of one run by all protocols, processes and warm-up aside. */
const secondsOf = (kind: Kind, features: number): number =>
  2 + { pca: 0.009, correlation: 0.0104, dca: 0.0044 }[kind] * features ** 2;

function caseOf(kind: Kind, { dataset, features, components }: Wanted, scale: Scale): Case {
  const isLong = secondsOf(kind, features) > LONG_SECONDS;
  const repetitions = scale === 'quick' ? QUICK_REPETITIONS : isLong ? 3 : 5;
  return { kind, dataset, components, repetitions, protocols: PROTOCOLS.join(',') };
}

const methodOf = (kind: Kind): Pick<Decomposed, 'method' | 'scale'> =>
  kind === 'correlation' ? { method: 'pca', scale: 'correlation' } : { method: kind };

const of = (protocol: Protocol, figure: Figure): Figure => where({ protocol }, figure);
const tableOf = (kind: Kind): TableOf => ({
  of: 'beside',
  where: { kind },
  caption: `${TITLES[kind]}: from the request for a connection to the result, base transfers of circuits included; medians with quartiles, and bytes in both directions. Of the time by rotated its waits until public moments`,
  rows: ['dataset', 'features', 'components'],
  cells: {
    ...(kind !== 'correlation' && { published: only('published', { unit: 'ms' }) }),
    ...Object.fromEntries(
      PROTOCOLS.flatMap((protocol): [string, Figure][] => [
        [protocol, of(protocol, median('ms', { unit: 'ms' }))],
        ...(protocol === 'rotated'
          ? [['of it waits', of(protocol, median('waitMs', { unit: 'ms' }))] as [string, Figure]]
          : []),
        [`${protocol}: bytes`, of(protocol, median('bytes', { unit: 'bytes' }))],
      ]),
    ),
    ...(kind !== 'correlation' && { 'published / garbled': of('garbled', median('times', { unit: '×' })) }),
  },
});

const ERRORS = {
  'largest sine · gap/λ₁': most('sineGap', { power: true, digits: 1 }),
  'eigenvalue error/λ₁': most('eigenvalueError', { power: true, digits: 1 }),
};
const errorsOf = (kind: Kind): TableOf => ({
  where: { kind },
  caption: `${TITLES[kind]}: largest error against the clear reference over all repetitions, AND gates, and the peak memory of both processes. The sine is of the largest angle between the subspaces, times the gap after the last component over λ₁`,
  rows: ['dataset', 'protocol'],
  cells: {
    ...ERRORS,
    'AND gates': most('andGates', { grouped: true }),
    'garbler, memory': median('garblerMemory', { unit: 'bytes' }),
    'evaluator, memory': median('evaluatorMemory', { unit: 'bytes' }),
  },
});
const growthOf = (kind: Kind): TableOf => ({
  of: 'lines',
  where: { kind },
  caption: `${TITLES[kind]}: exponents of time over the number of features, fitted on logarithms, with 95 % intervals`,
  rows: ['protocol'],
  cells: { exponent: growth('features', 'ms') },
});
/** Errors as documents have them: where all components are asked for, they span everything, so that no angle is left. */
const documented = (kind: Kind, protocol: Protocol): TableOf => ({
  where: (record) =>
    record.kind === kind && record.protocol === protocol && record.components !== record.features,
  caption: `${TITLES[kind]} by ${protocol}: errors against the clear reference`,
  rows: ['dataset', 'features', kind === 'dca' ? 'classes' : 'components'],
  cells: ERRORS,
});
const chartOf = (kind: Kind): ChartOf => ({
  of: 'lines',
  where: { kind },
  caption: `${TITLES[kind]}: time of the decomposition over the number of features; medians with quartiles`,
  mark: 'line',
  x: { column: 'features', title: 'features', scale: 'log' },
  y: { figure: median('ms'), title: 'time', scale: 'log', unit: 'ms' },
  colour: 'protocol',
});
const factsOf = (kind: Kind) => {
  const largest = (figure: Figure) => ({
    of: 'beside',
    where: { kind },
    figure: atLargest('features', figure),
  });
  return {
    [`${kind}Features`]: largest(only('features')),
    [`${kind}Components`]: largest(only('components')),
    ...Object.fromEntries(
      PROTOCOLS.map((protocol) => [
        `${kind}${protocol.slice(0, 1).toUpperCase()}${protocol.slice(1)}`,
        largest(of(protocol, middleOf('ms', { unit: 'ms' }))),
      ]),
    ),
    [`${kind}Published`]: largest(only('published', { unit: 'ms' })),
  };
};

export const twoParty = defineStudy<Case>({
  id: 'speed/two-party',
  async plan({ scale, own }) {
    if (own !== undefined) {
      const [features, classes] = [own.columns.length, own.classes.length];
      const components = {
        pca: Math.min(MOST_OWN_COMPONENTS, features),
        correlation: Math.min(MOST_OWN_COMPONENTS, Math.max(1, features - 5)),
        dca: Math.min(classes - 1, features),
      };
      return {
        cases: KINDS.map((kind) =>
          caseOf(kind, { dataset: own.name, features, components: components[kind] }, scale),
        ),
      };
    }
    const cases: Case[] = [];
    const omissions: Omission[] = [];
    for (const kind of KINDS) {
      for (const row of ROWS[kind]) {
        const what = `two-party computation, ${TITLES[kind]} of ${row.dataset}`;
        if (scale === 'quick' && (kind === 'correlation' || !QUICK_SETS.includes(row.dataset)))
          omissions.push({ what, why: 'left to the full run' });
        else if ((await dataFile(row.dataset)) === undefined)
          omissions.push({ what, why: `${row.dataset}.csv is not in the folder EIGENVEIL_DATA` });
        else cases.push(caseOf(kind, row, scale));
      }
    }
    return { cases, omissions };
  },
  titleOf: ({ kind, dataset }) => `${TITLES[kind]} of ${dataset}`,
  expectedSeconds: ({ kind, dataset, repetitions }) =>
    (repetitions + 1) *
    (secondsOf(kind, publishedRow('pca', dataset)?.features ?? 30) + PROCESS_SECONDS * PROTOCOLS.length),
  /** Fresh processes for every run: the warm-up is what fills the system's caches. Its protocol is the fastest one. */
  async *measure({ kind, dataset, components, repetitions }, { note, own }) {
    const file = await fileOfCase(dataset, own);
    const run = (protocol: Protocol) =>
      measureCase({ ...methodOf(kind), dataset, components, twoParty: protocol }, file);
    await run('simulated');
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      for (const protocol of repetition % 2 === 1 ? PROTOCOLS : PROTOCOLS.toReversed()) {
        note(`${protocol}, ${repetition} of ${repetitions}`);
        const measured = await run(protocol);
        yield {
          ...{ repetition, protocol, features: measured.features, components: measured.components },
          classes: measured.classes,
          ms: 1000 * measured.seconds,
          waitMs: 1000 * measured.waitSeconds,
          bytes: measured.bytes,
          garblerMemory: measured.garbler.peakMemoryBytes,
          evaluatorMemory: measured.evaluator.peakMemoryBytes,
          andGates: measured.andGates,
          sineGap: measured.maxSineGap,
          eigenvalueError: measured.maxEigenvalueError,
        };
      }
    }
  },
  columns: {
    dataset: {
      title: 'data set',
      values: Object.fromEntries(
        PUBLISHED_EFFICIENCY.pca.map(({ dataset, title }) => [
          dataset,
          dataset.startsWith('synthetic') ? 'synthetic' : title,
        ]),
      ),
    },
    features: { title: 'd' },
    components: { title: 'k' },
    classes: { title: 'K' },
    protocol: { values: { published: 'published, on another machine' } },
  },
  frames: {
    beside: (records) =>
      records.map((record) => {
        const row = publishedRow(record.kind, record.dataset);
        if (row === undefined) return record;
        const milliseconds = 1000 * row.garbledSeconds;
        return { ...record, published: milliseconds, times: milliseconds / Number(record.ms) };
      }),
    lines: (records) => [
      ...Map.groupBy(records, ({ kind, dataset }) => `${kind} ${dataset}`)
        .values()
        .flatMap(([first]) => {
          const { kind, dataset, features } = first!;
          const row = publishedRow(kind, dataset);
          return row === undefined
            ? []
            : [{ kind: kind!, features: features!, protocol: 'published', ms: 1000 * row.garbledSeconds }];
        }),
      ...records,
    ],
  },
  tables: {
    pca: tableOf('pca'),
    pcaErrors: errorsOf('pca'),
    pcaGrowth: growthOf('pca'),
    correlation: tableOf('correlation'),
    correlationErrors: errorsOf('correlation'),
    dca: tableOf('dca'),
    dcaErrors: errorsOf('dca'),
    dcaGrowth: growthOf('dca'),
    garbledErrors: documented('pca', 'garbled'),
    garbledErrorsDca: documented('dca', 'garbled'),
    rotatedErrors: documented('pca', 'rotated'),
  },
  charts: {
    'two-party-pca': { ...chartOf('pca'), isKept: true },
    'two-party-correlation': chartOf('correlation'),
    'two-party-dca': chartOf('dca'),
  },
  facts: {
    ...factsOf('pca'),
    ...factsOf('correlation'),
    ...factsOf('dca'),
    leastTimes: { of: 'beside', where: { protocol: 'garbled' }, figure: least('times', { unit: '×' }) },
    garbledError: { where: { protocol: 'garbled' }, figure: most('eigenvalueError', { power: true }) },
    rotatedError: { where: { protocol: 'rotated' }, figure: most('eigenvalueError', { power: true }) },
  },
  holds: {
    fasterThanPublished: (fact) => fact('leastTimes') > 1,
    rotatedIsFaster: (fact) => fact('pcaRotated') < fact('pcaGarbled'),
    rotatedIsMoreExact: (fact) => fact('rotatedError') < fact('garbledError'),
  },
  words: new URL('two-party-protocols.md', import.meta.url),
});
