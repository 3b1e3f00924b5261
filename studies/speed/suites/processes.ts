/** Suite `processes`: memory, processor time and bytes on the wire of each role, in the whole protocol over processes and TLS. */

import { canReadUsage } from '@eigenveil/testbed/processes/process-usage';
import { formatSeries, MISSING } from '../../instrument/quantities.ts';
import type { BarDrawing, Block, Section, Whiskered } from '../../instrument/report/document.ts';
import { summarise } from '../../instrument/statistics.ts';
import type {
  Measurement,
  Omission,
  Plan,
  Scale,
  Series,
  Suite,
  Unit,
  UnitResult,
} from '../../instrument/unit.ts';
import { dataFile } from '../decompositions.ts';
import { runWhole, type UsageByRole, type WholeCase, type WholeRun } from '../whole-protocol.ts';

interface Planned {
  readonly wanted: WholeCase;
  readonly repetitions: number;
  readonly expectedSeconds: number;
}

const full = (
  dataset: string,
  method: 'pca' | 'dca',
  twoParty: 'garbled' | 'rotated',
  expectedSeconds: number,
): Planned => ({
  wanted: { dataset, method, twoParty, owners: 10, components: 15 },
  repetitions: 3,
  expectedSeconds,
});

const PLANNED: Readonly<Record<Scale, readonly Planned[]>> = {
  quick: [
    {
      wanted: { dataset: 'iris', method: 'pca', twoParty: 'rotated', owners: 3, components: 2 },
      repetitions: 2,
      expectedSeconds: 9,
    },
  ],
  full: [
    full('pima', 'pca', 'garbled', 30),
    full('pima', 'pca', 'rotated', 25),
    full('pima', 'dca', 'garbled', 27),
    full('ionosphere', 'pca', 'garbled', 80),
    full('ionosphere', 'pca', 'rotated', 32),
    full('ionosphere', 'dca', 'garbled', 38),
    full('synthetic50', 'pca', 'rotated', 37),
  ],
};

const LEFT_OUT_OF_QUICK: Omission = {
  what: 'Memory and bytes of each role with 10 owners, on larger data sets and by garbled (`processes`)',
  why: 'the quick scale runs one small task of 3 owners by rotated',
};

const ROLES = [
  { key: 'csp', title: 'CSP' },
  { key: 'data-user', title: 'data user' },
  { key: 'owner', title: 'one owner' },
] as const;

const LINES = [
  { key: 'owner-to-csp', title: 'owner → CSP' },
  { key: 'csp-to-owner', title: 'CSP → owner' },
  { key: 'owner-to-data-user', title: 'owner → data user' },
  { key: 'data-user-to-owner', title: 'data user → owner' },
  { key: 'data-user-to-csp', title: 'data user → CSP' },
  { key: 'csp-to-data-user', title: 'CSP → data user' },
] as const;
type LineKey = (typeof LINES)[number]['key'];

/** What each role sends, whoever gets it. */
const SENT: readonly {
  readonly title: string;
  readonly once: readonly LineKey[];
  readonly perOwner: readonly LineKey[];
}[] = [
  { title: 'one owner', once: ['owner-to-csp', 'owner-to-data-user'], perOwner: [] },
  { title: 'data user', once: ['data-user-to-csp'], perOwner: ['data-user-to-owner'] },
  { title: 'CSP', once: ['csp-to-data-user'], perOwner: ['csp-to-owner'] },
];

const EXPLANATION = `One CSP, one data user and the owners run as processes of their own on one machine, talk HTTPS (TLS 1.3), enrol, and take one
task from its proposal to the owners' reduced rows, with 2048-bit keys and standard encryption, as the demo does. Every repetition starts all
processes anew, so there is no warm-up: what a process needs to start is in its memory, and shown as idle. Memory is the peak of the resident set
(VmHWM of /proc/PID/status) since the process started, of the owners the largest; pages that processes share count for each of them. Processor time
(/proc/PID/stat, in steps of 10 ms) is that of all threads since the process was idle, of the owners the median. Each service runs two worker threads.`;

const BYTES_EXPLANATION = `Bytes were counted by TCP proxies, one before each service: payload of TCP, so TLS handshakes and records, HTTP headers, tokens and
signatures are included, headers of TCP and IP are not. Of the owners these are means: all of them together, divided by their number, enrolment included.
The requests of the data user to the CSP and their two-party channel are counted together. The proxies run within the benchmark, on the same cores as the roles.`;

export const processes: Suite = {
  name: 'processes',
  description: 'memory, processor time and bytes on the wire of each role, over real processes and TLS',
  plan,
  highlights,
  report,
};

/** Of the case with the most bytes between the servers: what a deployment must have room for. */
function highlights(measurements: readonly Measurement[]): readonly string[] {
  const medianOf = (measurement: Measurement, name: string) => {
    const series = measurement.series[name];
    return series === undefined ? 0 : summarise(series.samples).median;
  };
  const largest = measurements.toSorted(
    (a, b) => medianOf(b, 'wire/csp-to-data-user') - medianOf(a, 'wire/csp-to-data-user'),
  )[0];
  if (largest === undefined) return [];
  const memory = ROLES.filter(({ key }) => largest.series[`memory/ended/${key}`] !== undefined).map(
    ({ key, title }) => `${title} ${formatSeries(largest.series[`memory/ended/${key}`])}`,
  );
  const sent = `${formatSeries(largest.series['wire/owner-to-data-user'])} from each owner and ${formatSeries(largest.series['wire/csp-to-data-user'])} from the CSP to the data user`;
  const memoryText = memory.length === 0 ? '' : `; peak memory: ${memory.join(', ')}`;
  return [`Over real processes (${groupOf(largest)}): ${sent}${memoryText}.`];
}

async function plan(scale: Scale): Promise<Plan> {
  const units: Unit[] = [];
  const omissions: Omission[] = scale === 'quick' ? [LEFT_OUT_OF_QUICK] : [];
  for (const planned of PLANNED[scale]) {
    const { dataset } = planned.wanted;
    const file = await dataFile(dataset);
    if (file !== undefined) units.push(unitOf(planned, file));
    else {
      omissions.push({
        what: `processes: ${titleOf(planned.wanted)}`,
        why: `the data set "${dataset}" is neither bundled nor in EIGENVEIL_DATA`,
      });
    }
  }
  if (!canReadUsage()) {
    omissions.push({
      what: 'processes: memory and processor time of each role',
      why: 'the system has no /proc, from which they are read',
    });
  }
  return { units, omissions };
}

function unitOf({ wanted, repetitions, expectedSeconds }: Planned, file: string): Unit {
  const { dataset, method, twoParty, owners } = wanted;
  return {
    id: `processes/${dataset}/${method}-${twoParty}/${owners}`,
    title: titleOf(wanted),
    parameters: { ...wanted, repetitions },
    expectedSeconds,
    async measure(note) {
      const runs: WholeRun[] = [];
      for (let repetition = 1; repetition <= repetitions; repetition += 1) {
        runs.push(await runWhole(wanted, file, (text) => note(`${repetition} of ${repetitions}: ${text}`)));
      }
      return resultOf(runs);
    },
  };
}

export function resultOf(runs: readonly WholeRun[]): UnitResult {
  const series: Record<string, Series> = {};
  const collect = (name: string, unit: Series['unit'], value: (run: WholeRun) => number | undefined) => {
    const samples = runs.map(value).filter((sample) => sample !== undefined);
    if (samples.length > 0) series[name] = { unit, samples };
  };
  for (const { key } of ROLES) {
    collect(`memory/idle/${key}`, 'bytes', ({ idle }) => idle && peaksOf(idle)[key]);
    collect(`memory/ended/${key}`, 'bytes', ({ ended }) => ended && peaksOf(ended)[key]);
    collect(`cpu/${key}`, 'ms', ({ idle, ended }) => idle && ended && cpuBetween(idle, ended)[key]);
  }
  const bytes: Readonly<Record<LineKey, (run: WholeRun) => number>> = {
    'owner-to-csp': ({ ownersAtCsp, owners }) => ownersAtCsp.toService / owners,
    'csp-to-owner': ({ ownersAtCsp, owners }) => ownersAtCsp.fromService / owners,
    'owner-to-data-user': ({ ownersAtDataUser, owners }) => ownersAtDataUser.toService / owners,
    'data-user-to-owner': ({ ownersAtDataUser, owners }) => ownersAtDataUser.fromService / owners,
    'data-user-to-csp': ({ dataUserAtCsp }) => dataUserAtCsp.toService,
    'csp-to-data-user': ({ dataUserAtCsp }) => dataUserAtCsp.fromService,
  };
  for (const { key } of LINES) collect(`wire/${key}`, 'bytes', bytes[key]);
  collect('task', 'ms', ({ taskMilliseconds }) => taskMilliseconds);
  const { features, components } = runs[0]!;
  return { series, facts: { features, components } };
}

function peaksOf({ csp, dataUser, owners }: UsageByRole) {
  return {
    csp: csp.peakMemoryBytes,
    'data-user': dataUser.peakMemoryBytes,
    owner: Math.max(...owners.map(({ peakMemoryBytes }) => peakMemoryBytes)),
  };
}

function cpuBetween(idle: UsageByRole, ended: UsageByRole) {
  const since = (role: 'csp' | 'dataUser') => ended[role].cpuMilliseconds - idle[role].cpuMilliseconds;
  const owners = ended.owners.map(
    ({ cpuMilliseconds }, i) => cpuMilliseconds - idle.owners[i]!.cpuMilliseconds,
  );
  return { csp: since('csp'), 'data-user': since('dataUser'), owner: summarise(owners).median };
}

function report(measurements: readonly Measurement[]): readonly Section[] {
  const own = measurements.filter(({ id }) => id.startsWith('processes/'));
  if (own.length === 0) return [];
  const repetitions = [...new Set(own.map(({ parameters }) => parameters.repetitions))].join(' or ');
  const figures = `medians with quartiles of ${repetitions} repetitions`;
  const hasUsage = own.some(({ series }) => ROLES.some(({ key }) => series[`memory/ended/${key}`]));
  const usage: Block[] = hasUsage
    ? [memoryChart(own, figures), usageTable(own, figures)]
    : [{ kind: 'text', text: 'Memory and processor time were not measured: the system has no /proc.' }];
  return [
    {
      title: 'Memory and processor time of each role',
      blocks: [{ kind: 'text', text: EXPLANATION }, ...usage],
    },
    {
      title: 'Bytes on the wire of each role',
      blocks: [{ kind: 'text', text: BYTES_EXPLANATION }, wireChart(own, figures), wireTable(own, figures)],
    },
  ];
}

function memoryChart(own: readonly Measurement[], figures: string): Block {
  const drawing: BarDrawing = {
    kind: 'bars',
    groups: own.map(groupOf),
    y: { title: 'peak resident memory', scale: 'linear', unit: 'bytes' },
    bars: ROLES.map(({ key, title }) => ({
      name: title,
      values: own.map(({ series }) => whiskered(series[`memory/ended/${key}`])),
    })),
  };
  const caption = `Peak resident memory of each role's process after the task; ${figures}.`;
  return { kind: 'chart', name: 'processes-memory', caption, drawing };
}

function usageTable(own: readonly Measurement[], figures: string): Block {
  return {
    kind: 'table',
    caption: `Peak memory when idle and after the task, and processor time; ${figures}.`,
    columns: [
      ...CASE_COLUMNS,
      ...ROLES.flatMap(({ title }) =>
        ['idle', 'after the task', 'processor time'].map((what) => ({
          title: `${title}: ${what}`,
          align: 'right' as const,
        })),
      ),
      { title: 'the task took', align: 'right' },
    ],
    rows: own.map((measurement) => [
      ...caseCells(measurement),
      ...ROLES.flatMap(({ key }) =>
        [`memory/idle/${key}`, `memory/ended/${key}`, `cpu/${key}`].map((name) =>
          formatSeries(measurement.series[name]),
        ),
      ),
      formatSeries(measurement.series.task),
    ]),
  };
}

function wireChart(own: readonly Measurement[], figures: string): Block {
  const drawing: BarDrawing = {
    kind: 'bars',
    groups: own.map(groupOf),
    y: { title: 'bytes sent', scale: 'log', unit: 'bytes' },
    bars: SENT.map(({ title, once, perOwner }) => ({
      name: title,
      values: own.map(({ series, parameters }) => {
        const part = (factor: number) => (key: LineKey) => ({ series: series[`wire/${key}`], factor });
        return whiskered(sumOf([...once.map(part(1)), ...perOwner.map(part(Number(parameters.owners)))]));
      }),
    })),
  };
  const caption = `Bytes that each role sends to the others, on a logarithmic scale; ${figures}.`;
  return { kind: 'chart', name: 'processes-bytes', caption, drawing };
}

function wireTable(own: readonly Measurement[], figures: string): Block {
  return {
    kind: 'table',
    caption: `Bytes between the roles; of owners per owner; ${figures}.`,
    columns: [...CASE_COLUMNS, ...LINES.map(({ title }) => ({ title, align: 'right' as const }))],
    rows: own.map((measurement) => [
      ...caseCells(measurement),
      ...LINES.map(({ key }) => formatSeries(measurement.series[`wire/${key}`])),
    ]),
  };
}

const CASE_COLUMNS = [
  { title: 'data set', align: 'left' },
  { title: 'd', align: 'right' },
  { title: 'k', align: 'right' },
  { title: 'method', align: 'left' },
  { title: 'two-party protocol', align: 'left' },
  { title: 'owners', align: 'right' },
] as const;

function caseCells({ parameters, facts }: Measurement): string[] {
  const { dataset, method, twoParty, owners } = parameters;
  return [
    datasetTitle(String(dataset)),
    String(facts.features ?? MISSING),
    String(facts.components ?? MISSING),
    String(method).toUpperCase(),
    String(twoParty),
    String(owners),
  ];
}

function titleOf({ dataset, method, twoParty, owners }: WholeCase): string {
  return `${datasetTitle(dataset)}, ${method.toUpperCase()} by ${twoParty}, ${owners} owners`;
}

function groupOf({ parameters: { dataset, method, twoParty } }: Measurement): string {
  return `${datasetTitle(String(dataset))}, ${String(method).toUpperCase()}, ${twoParty}`;
}

function datasetTitle(dataset: string): string {
  return dataset.startsWith('synthetic') ? 'synthetic' : dataset;
}

/** Repetition by repetition; undefined unless all parts were measured. */
function sumOf(
  parts: readonly { readonly series: Series | undefined; readonly factor: number }[],
): Series | undefined {
  const count = Math.min(...parts.map(({ series }) => series?.samples.length ?? 0));
  if (count === 0) return undefined;
  const samples = Array.from({ length: count }, (_, i) =>
    parts.reduce((sum, { series, factor }) => sum + factor * series!.samples[i]!, 0),
  );
  return { unit: 'bytes', samples };
}

function whiskered(series: Series | undefined): Whiskered | undefined {
  if (series === undefined || series.samples.length === 0) return undefined;
  const { median, low, high } = summarise(series.samples);
  return { value: median, low, high };
}
