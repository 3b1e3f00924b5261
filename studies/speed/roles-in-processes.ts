/** Memory, processor time and bytes on the wire of each role, in the whole protocol over processes and TLS. */
import { canReadUsage } from '@eigenveil/testbed/processes/process-usage';
import { type Figure, median, middleOf, only } from '../instrument/figure.ts';
import { median as middle } from '../instrument/statistics.ts';
import { type ChartOf, defineStudy, type Omission } from '../instrument/study.ts';
import type { Tidy } from '../instrument/tidy.ts';
import { dataFile } from './decompositions.ts';
import { melted } from './melted.ts';
import { fileOfCase } from './own-rows.ts';
import { runWhole, type UsageByRole, type WholeRun } from './whole-protocol.ts';

interface Case extends Tidy {
  readonly dataset: string;
  readonly method: 'pca' | 'dca';
  readonly twoParty: 'garbled' | 'rotated';
  readonly owners: number;
  readonly components: number;
  readonly repetitions: number;
}

const full = (dataset: string, method: Case['method'], twoParty: Case['twoParty']): Case => ({
  ...{ dataset, method, twoParty },
  ...{ owners: 10, components: 15, repetitions: 3 },
});
const FULL: readonly Case[] = [
  full('pima', 'pca', 'garbled'),
  full('pima', 'pca', 'rotated'),
  full('pima', 'dca', 'garbled'),
  full('ionosphere', 'pca', 'garbled'),
  full('ionosphere', 'pca', 'rotated'),
  full('ionosphere', 'dca', 'garbled'),
  full('synthetic50', 'pca', 'rotated'),
];
const QUICK: readonly Case[] = [
  { dataset: 'iris', method: 'pca', twoParty: 'rotated', owners: 3, components: 2, repetitions: 2 },
];
const LEFT_OUT_OF_QUICK: Omission = {
  what: 'Memory and bytes of each role with 10 owners, on larger data sets and by garbled (`processes`)',
  why: 'the quick scale runs one small task of 3 owners by rotated',
};
/** A first guess, most of which is the start of processes. */
const EXPECTED_SECONDS = 30;

const ROLES = { csp: 'CSP', 'data-user': 'data user', owner: 'one owner' } as const;
type Role = keyof typeof ROLES;
const LINES = {
  'owner-to-csp': 'owner → CSP',
  'csp-to-owner': 'CSP → owner',
  'owner-to-data-user': 'owner → data user',
  'data-user-to-owner': 'data user → owner',
  'data-user-to-csp': 'data user → CSP',
  'csp-to-data-user': 'CSP → data user',
} as const;
type Line = keyof typeof LINES;

/** Returns what a run shows; without /proc bytes and time alone. */
export function recordOf(run: WholeRun): Tidy {
  const { idle, ended, owners, ownersAtCsp, ownersAtDataUser, dataUserAtCsp } = run;
  const bytes: Readonly<Record<Line, number>> = {
    'owner-to-csp': ownersAtCsp.toService / owners,
    'csp-to-owner': ownersAtCsp.fromService / owners,
    'owner-to-data-user': ownersAtDataUser.toService / owners,
    'data-user-to-owner': ownersAtDataUser.fromService / owners,
    'data-user-to-csp': dataUserAtCsp.toService,
    'csp-to-data-user': dataUserAtCsp.fromService,
  };
  return {
    features: run.features,
    components: run.components,
    ...(idle &&
      ended && { ...peaksOf(idle, 'idle'), ...peaksOf(ended, 'ended'), ...cpuBetween(idle, ended) }),
    ...bytes,
    task: run.taskMilliseconds,
  };
}

function peaksOf({ csp, dataUser, owners }: UsageByRole, when: 'idle' | 'ended'): Tidy {
  return {
    [`csp/${when}`]: csp.peakMemoryBytes,
    [`data-user/${when}`]: dataUser.peakMemoryBytes,
    [`owner/${when}`]: Math.max(...owners.map(({ peakMemoryBytes }) => peakMemoryBytes)),
  };
}

function cpuBetween(idle: UsageByRole, ended: UsageByRole): Tidy {
  const since = (role: 'csp' | 'dataUser') => ended[role].cpuMilliseconds - idle[role].cpuMilliseconds;
  const owners = ended.owners.map(
    ({ cpuMilliseconds }, i) => cpuMilliseconds - idle.owners[i]!.cpuMilliseconds,
  );
  return { 'csp/cpu': since('csp'), 'data-user/cpu': since('dataUser'), 'owner/cpu': middle(owners) };
}

const titleOf = (dataset: string) => (dataset.startsWith('synthetic') ? 'synthetic' : dataset);
const runOf = ({ dataset, method, twoParty }: Tidy) =>
  `${titleOf(String(dataset))}, ${String(method).toUpperCase()}, ${twoParty}`;

/** The peak of each role after the task. */
const memoryOf = (records: readonly Tidy[]): Tidy[] =>
  melted(
    records,
    Object.keys(ROLES).map((role) => `${role}/ended`),
    'bytes',
  ).map((record) => ({
    ...record,
    role: String(record.quantity).slice(0, -'/ended'.length),
    run: runOf(record),
  }));

/** The bytes that each role sends to the others, whoever gets them: owners send and get as much each. */
const sentOf = (records: readonly Tidy[]): Tidy[] =>
  records.flatMap((record) => {
    const of = (line: Line) => Number(record[line]);
    const owners = Number(record.owners);
    const sent: Readonly<Record<Role, number>> = {
      owner: of('owner-to-csp') + of('owner-to-data-user'),
      'data-user': of('data-user-to-csp') + owners * of('data-user-to-owner'),
      csp: of('csp-to-data-user') + owners * of('csp-to-owner'),
    };
    return Object.entries(sent).map(([role, bytes]) => ({ role, bytes, run: runOf(record) }));
  });

const bars = (of: string, y: Pick<ChartOf['y'], 'title' | 'scale'>, caption: string): ChartOf => ({
  of,
  caption,
  mark: 'bar',
  x: { column: 'run' },
  y: { ...y, figure: median('bytes'), unit: 'bytes' },
  colour: 'role',
});
const CASE_COLUMNS = ['dataset', 'features', 'components', 'method', 'twoParty', 'owners'];
const bytes = (column: string) => median(column, { unit: 'bytes' });
const hasUsage = (record: Tidy) => record['csp/ended'] !== undefined;
/** The figure of the task with the most bytes between the servers: what a deployment must have room for. */
const largest = (figure: Figure) => ({
  figure: (records: readonly Tidy[]) => {
    const most = records.toSorted((a, b) => Number(b['csp-to-data-user']) - Number(a['csp-to-data-user']))[0];
    return figure(records.filter((record) => most !== undefined && runOf(record) === runOf(most)));
  },
});

export const processes = defineStudy<Case>({
  id: 'speed/processes',
  async plan({ scale, own }) {
    const omissions: Omission[] = [];
    if (!canReadUsage())
      omissions.push({
        what: 'processes: memory and processor time of each role',
        why: 'the system has no /proc, from which they are read',
      });
    if (own !== undefined)
      return {
        cases: FULL.filter(({ dataset }) => dataset === 'pima').map((it) => ({ ...it, dataset: own.name })),
        omissions,
      };
    if (scale === 'quick') omissions.push(LEFT_OUT_OF_QUICK);
    const cases: Case[] = [];
    for (const planned of scale === 'quick' ? QUICK : FULL) {
      if ((await dataFile(planned.dataset)) !== undefined) cases.push(planned);
      else
        omissions.push({
          what: `processes: ${runOf(planned)}`,
          why: `the data set "${planned.dataset}" is neither bundled nor in EIGENVEIL_DATA`,
        });
    }
    return { cases, omissions };
  },
  titleOf: (it) => `${runOf(it)}, ${it.owners} owners`,
  expectedSeconds: ({ owners, repetitions }) => (EXPECTED_SECONDS * owners * repetitions) / 30,
  async *measure(wanted, { note, own }) {
    const { repetitions } = wanted;
    const file = await fileOfCase(wanted.dataset, own);
    for (let repetition = 1; repetition <= repetitions; repetition += 1) {
      const run = await runWhole(wanted, file, (text) => note(`${repetition} of ${repetitions}: ${text}`));
      yield { repetition, ...recordOf(run) };
    }
  },
  columns: {
    dataset: { title: 'data set', values: { synthetic50: 'synthetic' } },
    features: { title: 'd' },
    components: { title: 'k' },
    method: { values: { pca: 'PCA', dca: 'DCA' } },
    twoParty: { title: 'two-party protocol' },
    role: { values: ROLES },
  },
  frames: { memory: memoryOf, sent: sentOf },
  tables: {
    usage: {
      where: hasUsage,
      caption: 'Peak memory when idle and after the task, and processor time: medians with quartiles',
      rows: CASE_COLUMNS,
      cells: {
        ...Object.fromEntries(
          Object.entries(ROLES).flatMap(([role, title]) => [
            [`${title}: idle`, bytes(`${role}/idle`)],
            [`${title}: after the task`, bytes(`${role}/ended`)],
            [`${title}: processor time`, median(`${role}/cpu`, { unit: 'ms' })],
          ]),
        ),
        'the task took': median('task', { unit: 'ms' }),
      },
    },
    wire: {
      caption: 'Bytes between the roles, of owners per owner: medians with quartiles',
      rows: CASE_COLUMNS,
      cells: Object.fromEntries(Object.entries(LINES).map(([line, title]) => [title, bytes(line)])),
    },
  },
  charts: {
    'processes-memory': bars(
      'memory',
      { title: 'peak resident memory' },
      "Peak resident memory of each role's process after the task; medians with quartiles",
    ),
    'processes-bytes': bars(
      'sent',
      { title: 'bytes sent', scale: 'log' },
      'Bytes that each role sends to the others, on a logarithmic scale; medians with quartiles',
    ),
  },
  facts: {
    dataset: largest(only('dataset')),
    method: largest((records) => {
      const told = only('method')(records);
      return { ...told, text: told.text.toUpperCase() };
    }),
    twoParty: largest(only('twoParty')),
    ownerSends: largest(middleOf('owner-to-data-user', { unit: 'bytes' })),
    cspSends: largest(middleOf('csp-to-data-user', { unit: 'bytes' })),
    cspMemory: largest(middleOf('csp/ended', { unit: 'bytes' })),
    dataUserMemory: largest(middleOf('data-user/ended', { unit: 'bytes' })),
    ownerMemory: largest(middleOf('owner/ended', { unit: 'bytes' })),
  },
  words: new URL('roles-in-processes.md', import.meta.url),
});
