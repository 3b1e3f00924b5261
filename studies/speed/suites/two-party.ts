/** The decomposition between the two servers: `garbled`, `rotated` and `simulated` in turn, beside what was published. */

import {
  formatExponent,
  formatQuantity,
  formatRatio,
  formatSamples,
  MISSING,
  samplesOf,
} from '../../instrument/quantities.ts';
import type { Block, Line, Point, Section } from '../../instrument/report/document.ts';
import { fitPowerLaw, summarise } from '../../instrument/statistics.ts';
import type { Measurement, Omission, Scale, Suite, Unit, UnitResult } from '../../instrument/unit.ts';
import { type Case, dataFile, type Measured, measureCase } from '../decompositions.ts';
import {
  PUBLISHED_EFFICIENCY,
  PUBLISHED_SOURCE,
  type PublishedEfficiency,
  type PublishedMethod,
} from '../published.ts';

type Protocol = Case['twoParty'];
/** A method, or a PCA of the correlation matrix. */
type Kind = PublishedMethod | 'correlation';
type Row = Pick<PublishedEfficiency, 'dataset' | 'title' | 'features' | 'components'> &
  Partial<Pick<PublishedEfficiency, 'garbledSeconds'>>;

const NAME = 'two-party';
const PROTOCOLS: readonly Protocol[] = ['garbled', 'rotated', 'simulated'];
const TITLES: Readonly<Record<Kind, string>> = {
  pca: 'PCA',
  correlation: 'PCA of the correlation matrix',
  dca: 'DCA',
};
const KINDS = Object.keys(TITLES) as readonly Kind[];
const ROWS: Readonly<Record<Kind, readonly Row[]>> = {
  ...PUBLISHED_EFFICIENCY,
  // Known variances leave room for fewer components.
  correlation: PUBLISHED_EFFICIENCY.pca
    .filter(({ dataset }) => ['pima', 'ionosphere', 'synthetic50'].includes(dataset))
    .map(({ dataset, title, features, components }) => ({
      dataset,
      title,
      features,
      components: Math.min(components, features - 5),
    })),
};
/** What a quick run leaves out takes more than a second or two per run by `garbled`. */
const QUICK_SETS: readonly string[] = ['pima'];
const QUICK_REPETITIONS = 2;
/** Where a run of all protocols in turn takes more than this, there are 3 repetitions rather than 5. */
const LONG_SECONDS = 5;

/** First guesses for the time left: seconds of one run by all protocols, processes and warm-up aside. */
const EXPECTED_SECONDS: Readonly<Record<Kind, readonly number[]>> = {
  pca: [2, 2.4, 3, 8, 13, 24],
  correlation: [2, 15, 28],
  dca: [2, 2, 2.2, 3.5, 5.5, 13],
};
const PROCESS_SECONDS = 1.5;

function unitOf(kind: Kind, row: Row, at: number, scale: Scale): Unit {
  const { dataset, title, components } = row;
  const method = kind === 'correlation' ? 'pca' : kind;
  const standardised = kind === 'correlation' ? ({ scale: 'correlation' } as const) : {};
  const seconds = EXPECTED_SECONDS[kind][at]!;
  const repetitions = scale === 'quick' ? QUICK_REPETITIONS : seconds > LONG_SECONDS ? 3 : 5;
  return {
    id: `${NAME}/${kind}-${dataset}`,
    title: `two-party computation: ${TITLES[kind]} of ${title}`,
    parameters: { method, ...standardised, dataset, components, repetitions, protocols: PROTOCOLS.join(',') },
    expectedSeconds: (repetitions + 1) * (seconds + PROCESS_SECONDS * PROTOCOLS.length),
    measure: (note) => measure({ method, ...standardised, dataset, components }, repetitions, note),
  };
}

/** Fresh processes for every run: the warm-up is what fills the system's caches. Its protocol is the fastest one. */
async function measure(
  wanted: Omit<Case, 'twoParty'>,
  repetitions: number,
  note: (text: string) => void,
): Promise<UnitResult> {
  const file = await dataFile(wanted.dataset);
  if (file === undefined) throw new Error(`the data set ${wanted.dataset} has gone`);
  const run = (twoParty: Protocol) => measureCase({ ...wanted, twoParty }, file);
  await run('simulated');
  const runs = new Map(PROTOCOLS.map((protocol) => [protocol, [] as Measured[]]));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const twoParty of repetition % 2 === 0 ? PROTOCOLS : PROTOCOLS.toReversed()) {
      note(`${twoParty}, ${repetition + 1} of ${repetitions}`);
      runs.get(twoParty)!.push(await run(twoParty));
    }
  }
  const series: Record<string, UnitResult['series'][string]> = {};
  const facts: Record<string, number> = {};
  for (const [protocol, done] of runs) {
    const first = done[0]!;
    facts.features = first.features;
    series[`${protocol} time`] = { unit: 'ms', samples: done.map(({ seconds }) => 1000 * seconds) };
    series[`${protocol} wait`] = {
      unit: 'ms',
      samples: done.map(({ waitSeconds }) => 1000 * waitSeconds),
    };
    series[`${protocol} bytes`] = { unit: 'bytes', samples: done.map(({ bytes }) => bytes) };
    series[`${protocol} garbler memory`] = {
      unit: 'bytes',
      samples: done.map(({ garbler }) => garbler.peakMemoryBytes),
    };
    series[`${protocol} evaluator memory`] = {
      unit: 'bytes',
      samples: done.map(({ evaluator }) => evaluator.peakMemoryBytes),
    };
    facts[`${protocol} AND gates`] = first.andGates;
    facts[`${protocol} components`] = first.components;
    facts[`${protocol} sine times gap`] = Math.max(...done.map(({ maxSineGap }) => maxSineGap));
    facts[`${protocol} eigenvalue error`] = Math.max(
      ...done.map(({ maxEigenvalueError }) => maxEigenvalueError),
    );
  }
  return { series, facts };
}

/** A row of the published tables, or of ours, with what was measured for it, if it was. */
interface Compared {
  readonly row: Row;
  readonly measured: Measurement | undefined;
}

function timeCell(measured: Measurement | undefined, protocol: Protocol): string {
  return formatSamples(samplesOf(measured, `${protocol} time`), 'ms');
}

function bytesCell(measured: Measurement | undefined, protocol: Protocol): string {
  return formatSamples(samplesOf(measured, `${protocol} bytes`), 'bytes');
}

function medianOf(measured: Measurement | undefined, name: string): number | undefined {
  const list = samplesOf(measured, name);
  return list === undefined ? undefined : summarise(list).median;
}

function table(kind: Kind, compared: readonly Compared[]): Block {
  const isPublished = compared.some(({ row }) => row.garbledSeconds !== undefined);
  return {
    kind: 'table',
    caption: `${TITLES[kind]}: from the request for a connection to the result, base transfers included; medians with quartiles, and bytes in both directions. Of the time by rotated its waits until public moments${isPublished ? `. Published: ${PUBLISHED_SOURCE}, by a garbled circuit in Obliv-C on another machine` : ''}`,
    columns: [
      { title: 'data set', align: 'left' },
      { title: 'd', align: 'right' },
      { title: 'k', align: 'right' },
      ...(isPublished ? [{ title: 'published', align: 'right' as const }] : []),
      ...PROTOCOLS.flatMap((protocol) => [
        { title: protocol, align: 'right' as const },
        ...(protocol === 'rotated' ? [{ title: 'of it waits', align: 'right' as const }] : []),
        { title: 'bytes', align: 'right' as const },
      ]),
      ...(isPublished ? [{ title: 'published / garbled', align: 'right' as const }] : []),
    ],
    rows: compared
      .filter(({ measured }) => measured !== undefined)
      .map(({ row, measured }) => {
        const garbled = medianOf(measured, 'garbled time');
        const { garbledSeconds } = row;
        return [
          row.dataset.startsWith('synthetic')
            ? `synthetic${garbledSeconds === undefined ? '' : ` (published: ${row.title})`}`
            : row.title,
          `${row.features}`,
          `${row.components}`,
          ...(garbledSeconds === undefined ? [] : [formatQuantity(1000 * garbledSeconds, 'ms')]),
          ...PROTOCOLS.flatMap((protocol) => [
            timeCell(measured, protocol),
            ...(protocol === 'rotated' ? [formatSamples(samplesOf(measured, 'rotated wait'), 'ms')] : []),
            bytesCell(measured, protocol),
          ]),
          ...(garbledSeconds === undefined
            ? []
            : [garbled === undefined ? MISSING : formatRatio((1000 * garbledSeconds) / garbled)]),
        ];
      }),
  };
}

function accuracy(kind: Kind, compared: readonly Compared[]): Block {
  const fact = (measured: Measurement, name: string) => Number(measured.facts[name]).toExponential(0);
  return {
    kind: 'table',
    caption: `${TITLES[kind]}: largest error against the clear reference over all repetitions, AND gates, and the larger process's peak memory. Sine × gap is of the largest angle between the subspaces, times the gap after the last component over λ₁`,
    columns: [
      { title: 'data set', align: 'left' },
      { title: 'protocol', align: 'left' },
      { title: 'sine × gap', align: 'right' },
      { title: '|Δλ|/λ₁', align: 'right' },
      { title: 'AND gates', align: 'right' },
      { title: 'memory', align: 'right' },
    ],
    rows: compared.flatMap(({ row, measured }) =>
      measured === undefined
        ? []
        : PROTOCOLS.filter((protocol) => `${protocol} components` in measured.facts).map((protocol) => [
            row.dataset,
            protocol,
            fact(measured, `${protocol} sine times gap`),
            fact(measured, `${protocol} eigenvalue error`),
            Number(measured.facts[`${protocol} AND gates`]) === 0
              ? MISSING
              : `${(Number(measured.facts[`${protocol} AND gates`]) / 1e6).toPrecision(3)} million`,
            formatQuantity(
              Math.max(
                medianOf(measured, `${protocol} garbler memory`)!,
                medianOf(measured, `${protocol} evaluator memory`)!,
              ),
              'bytes',
            ),
          ]),
    ),
  };
}

/** Seconds over the number of features, one line for each protocol and one for what was published. */
function chart(kind: Kind, compared: readonly Compared[]): Block[] {
  const measuredLines = PROTOCOLS.map(
    (protocol): Line => ({
      name: protocol,
      style: 'solid',
      points: compared.flatMap(({ row, measured }): Point[] => {
        const times = samplesOf(measured, `${protocol} time`);
        if (times === undefined) return [];
        const { median, low, high } = summarise(times);
        return [{ x: row.features, y: median, low, high }];
      }),
    }),
  );
  const published: Line = {
    name: 'published',
    style: 'dashed',
    points: compared.flatMap(({ row }): Point[] =>
      row.garbledSeconds === undefined ? [] : [{ x: row.features, y: 1000 * row.garbledSeconds }],
    ),
  };
  return [
    {
      kind: 'chart',
      name: `two-party-${kind}`,
      caption: `${TITLES[kind]}: time of the decomposition over the number of features; medians with quartiles${published.points.length === 0 ? '' : `. The published line is from ${PUBLISHED_SOURCE}`}`,
      drawing: {
        kind: 'lines',
        x: { title: 'features', scale: 'log' },
        y: { title: 'time', scale: 'log', unit: 'ms' },
        lines: [published, ...measuredLines].filter(({ points }) => points.length > 0),
      },
    },
    ...fits(kind, measuredLines, published),
  ];
}

function fits(kind: Kind, measured: readonly Line[], published: Line): Block[] {
  const lines = [published, ...measured].filter(({ points }) => points.length > 2);
  if (lines.length < 2) return [];
  const list = lines.map(({ name, points }) => `${name} ${formatExponent(fitPowerLaw(points))}`).join('; ');
  return [
    {
      kind: 'text',
      text: `${TITLES[kind]}: exponents of time over the number of features, fitted on logarithms, with 95 % intervals: ${list}. The number of components differs between rows, as in the published table, so these are of the table, not of one program.`,
    },
  ];
}

function comparedOf(kind: Kind, measurements: readonly Measurement[]): Compared[] {
  return ROWS[kind].map((row) => ({
    row,
    measured: measurements.find(({ id }) => id === `${NAME}/${kind}-${row.dataset}`),
  }));
}

function highlight(kind: Kind, { row, measured }: Compared): string {
  const times = PROTOCOLS.flatMap((protocol) => {
    const median = medianOf(measured, `${protocol} time`);
    return median === undefined ? [] : [`${formatQuantity(median, 'ms')} by \`${protocol}\``];
  });
  const published =
    row.garbledSeconds === undefined ? '' : `; published ${formatQuantity(1000 * row.garbledSeconds, 'ms')}`;
  return `The decomposition for ${TITLES[kind]} of ${row.features} features and ${row.components} components: ${times.join(', ')}${published}.`;
}

function sectionOf(measurements: readonly Measurement[]): Section {
  const blocks = KINDS.flatMap((kind): Block[] => {
    const compared = comparedOf(kind, measurements);
    if (compared.every(({ measured }) => measured === undefined)) return [];
    return [...chart(kind, compared), table(kind, compared), accuracy(kind, compared)];
  });
  const introduction: Block = {
    kind: 'text',
    text: 'Garbler and evaluator are fresh processes that talk over TLS 1.3 on the loopback interface. `garbled` reveals the declared outputs alone; `rotated` reveals more: the spectrum and the number of rows, of DCA by class, and the variances of a correlation matrix; `simulated` is **not private** and shows what everything around the cryptography takes. The protocols take turns. With as many components as features (pima) the tasks consent to revealing the scatter matrix, as the published table implies.',
  };
  return { title: 'The decomposition between the two servers', blocks: [introduction, ...blocks] };
}

export const twoParty: Suite = {
  name: NAME,
  description: 'the decomposition by garbled, rotated and simulated, beside the published one',

  async plan(scale) {
    const units: Unit[] = [];
    const omissions: Omission[] = [];
    for (const kind of KINDS) {
      for (const [at, row] of ROWS[kind].entries()) {
        const what = `two-party computation, ${TITLES[kind]} of ${row.title}`;
        if (scale === 'quick' && (kind === 'correlation' || !QUICK_SETS.includes(row.dataset))) {
          omissions.push({ what, why: 'left to the full run' });
        } else if ((await dataFile(row.dataset)) === undefined) {
          omissions.push({ what, why: `${row.dataset}.csv is not in the folder EIGENVEIL_DATA` });
        } else units.push(unitOf(kind, row, at, scale));
      }
    }
    return { units, omissions };
  },

  highlights: (measurements) =>
    KINDS.flatMap((kind) => {
      const largest = comparedOf(kind, measurements).findLast(({ measured }) => measured !== undefined);
      return largest === undefined ? [] : [highlight(kind, largest)];
    }),

  report: (measurements) => (measurements.length === 0 ? [] : [sectionOf(measurements)]),
};
