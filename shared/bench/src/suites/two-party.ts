/** The decomposition between the two servers: `garbled`, `rotated` and `simulated` in turn, beside what was published. */
import type { Block, Line, Point, Section } from '@eigenveil/report/document';
import { type Case, dataFile, type Measured, measureCase } from '../decompositions.ts';
import {
  PUBLISHED_EFFICIENCY,
  PUBLISHED_SOURCE,
  type PublishedEfficiency,
  type PublishedMethod,
} from '../published.ts';
import {
  formatExponent,
  formatQuantity,
  formatRatio,
  formatSamples,
  MISSING,
  samplesOf,
} from '../quantities.ts';
import { fitPowerLaw, summarise } from '../statistics.ts';
import type { Measurement, Omission, Scale, Suite, Unit, UnitResult } from '../unit.ts';

type Protocol = Case['twoParty'];

const NAME = 'two-party';
const PROTOCOLS: Readonly<Record<PublishedMethod, readonly Protocol[]>> = {
  pca: ['garbled', 'rotated', 'simulated'],
  dca: ['garbled', 'simulated'],
};
/** What a quick run leaves out takes more than a second or two per run by `garbled`. */
const QUICK_SETS: readonly string[] = ['pima'];
const QUICK_REPETITIONS = 2;
/** Where a run of all protocols in turn takes more than this, there are 3 repetitions rather than 5. */
const LONG_SECONDS = 5;

/** First guesses for the time left: seconds of one run by all protocols, processes and warm-up aside. */
const EXPECTED_SECONDS: Readonly<Record<PublishedMethod, readonly number[]>> = {
  pca: [2, 2.4, 3, 8, 13, 24],
  dca: [1, 1, 1.2, 2, 3.2, 7.5],
};
const PROCESS_SECONDS = 1.5;

function unitOf(method: PublishedMethod, row: PublishedEfficiency, at: number, scale: Scale): Unit {
  const { dataset, title, components } = row;
  const protocols = PROTOCOLS[method];
  const seconds = EXPECTED_SECONDS[method][at]!;
  const repetitions = scale === 'quick' ? QUICK_REPETITIONS : seconds > LONG_SECONDS ? 3 : 5;
  return {
    id: `${NAME}/${method}-${dataset}`,
    title: `two-party computation: ${method.toUpperCase()} of ${title}`,
    parameters: { method, dataset, components, repetitions, protocols: protocols.join(',') },
    expectedSeconds: (repetitions + 1) * (seconds + PROCESS_SECONDS * protocols.length),
    measure: (note) => measure({ method, dataset, components }, protocols, repetitions, note),
  };
}

/** Fresh processes for every run: the warm-up is what fills the system's caches. Its protocol is the fastest one. */
async function measure(
  wanted: Omit<Case, 'twoParty'>,
  protocols: readonly Protocol[],
  repetitions: number,
  note: (text: string) => void,
): Promise<UnitResult> {
  const file = await dataFile(wanted.dataset);
  if (file === undefined) throw new Error(`the data set ${wanted.dataset} has gone`);
  const run = (twoParty: Protocol) => measureCase({ ...wanted, twoParty }, file);
  await run('simulated');
  const runs = new Map(protocols.map((protocol) => [protocol, [] as Measured[]]));
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    for (const twoParty of repetition % 2 === 0 ? protocols : protocols.toReversed()) {
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

/** A row of the published tables with what was measured for it, if it was. */
interface Compared {
  readonly row: PublishedEfficiency;
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

function table(method: PublishedMethod, compared: readonly Compared[]): Block {
  const protocols = PROTOCOLS[method];
  return {
    kind: 'table',
    caption: `${method.toUpperCase()}: from the request for a connection to the result, base transfers included; medians with quartiles, and bytes in both directions. Published: ${PUBLISHED_SOURCE}, by a garbled circuit in Obliv-C on another machine`,
    columns: [
      { title: 'data set', align: 'left' },
      { title: 'd', align: 'right' },
      { title: 'k', align: 'right' },
      { title: 'published', align: 'right' },
      ...protocols.flatMap((protocol) => [
        { title: protocol, align: 'right' as const },
        { title: 'bytes', align: 'right' as const },
      ]),
      { title: 'published / garbled', align: 'right' },
    ],
    rows: compared
      .filter(({ measured }) => measured !== undefined)
      .map(({ row, measured }) => {
        const garbled = medianOf(measured, 'garbled time');
        return [
          row.dataset.startsWith('synthetic') ? `synthetic (published: ${row.title})` : row.title,
          `${row.features}`,
          `${row.components}`,
          formatQuantity(1000 * row.garbledSeconds, 'ms'),
          ...protocols.flatMap((protocol) => [timeCell(measured, protocol), bytesCell(measured, protocol)]),
          garbled === undefined ? MISSING : formatRatio((1000 * row.garbledSeconds) / garbled),
        ];
      }),
  };
}

function accuracy(method: PublishedMethod, compared: readonly Compared[]): Block {
  const fact = (measured: Measurement, name: string) => Number(measured.facts[name]).toExponential(0);
  return {
    kind: 'table',
    caption: `${method.toUpperCase()}: largest error against the clear reference over all repetitions, AND gates, and the larger process's peak memory. Sine × gap is of the largest angle between the subspaces, times the gap after the last component over λ₁`,
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
        : PROTOCOLS[method].map((protocol) => [
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
function chart(method: PublishedMethod, compared: readonly Compared[]): Block[] {
  const measuredLines = PROTOCOLS[method].map(
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
    points: compared.map(({ row }) => ({ x: row.features, y: 1000 * row.garbledSeconds })),
  };
  return [
    {
      kind: 'chart',
      name: `two-party-${method}`,
      caption: `${method.toUpperCase()}: time of the decomposition over the number of features; medians with quartiles. The published line is from ${PUBLISHED_SOURCE}`,
      drawing: {
        kind: 'lines',
        x: { title: 'features', scale: 'log' },
        y: { title: 'time', scale: 'log', unit: 'ms' },
        lines: [published, ...measuredLines].filter(({ points }) => points.length > 0),
      },
    },
    ...fits(method, measuredLines, published),
  ];
}

function fits(method: PublishedMethod, measured: readonly Line[], published: Line): Block[] {
  const lines = [published, ...measured].filter(({ points }) => points.length > 2);
  if (lines.length < 2) return [];
  const list = lines.map(({ name, points }) => `${name} ${formatExponent(fitPowerLaw(points))}`).join('; ');
  return [
    {
      kind: 'text',
      text: `${method.toUpperCase()}: exponents of time over the number of features, fitted on logarithms, with 95 % intervals: ${list}. The number of components differs between rows, as in the published table, so these are of the table, not of one program.`,
    },
  ];
}

function comparedOf(method: PublishedMethod, measurements: readonly Measurement[]): Compared[] {
  return PUBLISHED_EFFICIENCY[method].map((row) => ({
    row,
    measured: measurements.find(({ id }) => id === `${NAME}/${method}-${row.dataset}`),
  }));
}

function highlight(method: PublishedMethod, { row, measured }: Compared): string {
  const times = PROTOCOLS[method].flatMap((protocol) => {
    const median = medianOf(measured, `${protocol} time`);
    return median === undefined ? [] : [`${formatQuantity(median, 'ms')} by \`${protocol}\``];
  });
  return `The decomposition for ${method.toUpperCase()} of ${row.features} features and ${row.components} components: ${times.join(', ')}; published ${formatQuantity(1000 * row.garbledSeconds, 'ms')}.`;
}

function sectionOf(measurements: readonly Measurement[]): Section {
  const blocks = (['pca', 'dca'] as const).flatMap((method): Block[] => {
    const compared = comparedOf(method, measurements);
    if (compared.every(({ measured }) => measured === undefined)) return [];
    return [...chart(method, compared), table(method, compared), accuracy(method, compared)];
  });
  const introduction: Block = {
    kind: 'text',
    text: 'Garbler and evaluator are fresh processes that talk over TLS 1.3 on the loopback interface. `garbled` reveals the declared outputs alone; `rotated`, measured here for PCA alone, reveals the spectrum and the number of rows, too; `simulated` is **not private** and shows what everything around the cryptography takes. The protocols take turns. With as many components as features (pima) the tasks consent to revealing the scatter matrix, as the published table implies.',
  };
  return { title: 'The decomposition between the two servers', blocks: [introduction, ...blocks] };
}

export const twoParty: Suite = {
  name: NAME,
  description: 'the decomposition by garbled, rotated and simulated, beside the published one',

  async plan(scale) {
    const units: Unit[] = [];
    const omissions: Omission[] = [];
    for (const method of ['pca', 'dca'] as const) {
      for (const [at, row] of PUBLISHED_EFFICIENCY[method].entries()) {
        const what = `two-party computation, ${method.toUpperCase()} of ${row.title}`;
        if (scale === 'quick' && !QUICK_SETS.includes(row.dataset)) {
          omissions.push({ what, why: 'left to the full run' });
        } else if ((await dataFile(row.dataset)) === undefined) {
          omissions.push({ what, why: `${row.dataset}.csv is not in the folder EIGENVEIL_DATA` });
        } else units.push(unitOf(method, row, at, scale));
      }
    }
    return { units, omissions };
  },

  highlights: (measurements) =>
    (['pca', 'dca'] as const).flatMap((method) => {
      const largest = comparedOf(method, measurements).findLast(({ measured }) => measured !== undefined);
      return largest === undefined ? [] : [highlight(method, largest)];
    }),

  report: (measurements) => (measurements.length === 0 ? [] : [sectionOf(measurements)]),
};
