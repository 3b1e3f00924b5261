/** The demo's page: what came out beside the clear reference, times by role, and what each party saw. */

import type { Task } from '@eigenveil/task';
import type { Chart, Paragraph, Report, Section, Table } from '../instrument/report/document.ts';
import { chosenSeries } from './sample.ts';
import { keptInWords, keyOf, nameOf, type RoleTimes, type Summary } from './summary.ts';

/** A row in the first two coordinates of a method; the second is missing where the method has one component. */
export type Place = readonly [first: number, second?: number];

/** What a method's section shows. */
export interface MethodFigures {
  readonly result: Summary['results'][number];
  readonly times: RoleTimes;
  readonly eigenvalues: readonly number[];
  readonly clearEigenvalues: readonly number[];
  /** Of the pooled rows, in the order of the file. */
  readonly rows: readonly { readonly label: string; readonly computed: Place; readonly clear: Place }[];
  /** How many encrypted plaintexts a contribution has. */
  readonly plaintexts: number;
  /** What the task declares beyond vectors and eigenvalues. */
  readonly outputs: readonly Output[];
}

type Output = Task['outputs'][number];

const OUTPUTS: Readonly<Record<Output, string>> = {
  mean: 'the mean of the features',
  trace: 'the trace of the scatter matrix',
  sampleCount: 'the number of rows',
  spectrum: 'all eigenvalues',
  classCounts: 'the numbers of rows by class',
  variances: 'the variances of the features',
};

export function demoReport(summary: Summary, methods: readonly MethodFigures[]): Report {
  const { dataset, samples, features, owners, keyBits, twoParty, totalSeconds } = summary;
  return {
    title: `Eigenveil: ${owners} owners of ${dataset}`,
    introduction: [
      `${owners} data owners, a data user and a CSP, each a process of its own, computed this on one machine: ${samples} rows × ${features} features, ${keyBits}-bit keys, two-party protocol \`${twoParty}\`, in ${totalSeconds.toFixed(1)} s.`,
      ...(twoParty === 'simulated'
        ? ['**`simulated` is NOT private: the data user saw the pooled statistics.**']
        : []),
      ...(keyBits < 2048 ? [`**Keys of ${keyBits} bits are NOT secure.**`] : []),
      'Beside each result stands the same decomposition of the pooled rows in the clear, which nobody could compute without seeing all rows. Here one process has all of them, to compare. It is exact, while the results have the floor, noise of both servers: the distance between them is mostly that.',
    ],
    sections: [
      ...methods.map(methodSection),
      { title: 'Times by role', blocks: [timesChart(methods)] },
      { title: 'What each party saw', blocks: methods.map((method) => partiesText(summary, method)) },
    ],
  };
}

function methodSection(method: MethodFigures): Section {
  const { result } = method;
  const name = nameOf(method.result);
  const figures: Table = {
    kind: 'table',
    caption: `${name} against the clear decomposition; kept is ${result.kept.of === 'variance' ? 'the part of the variance within the components' : 'what classes explain of the variance of the scores'}, with the floor and exact`,
    columns: [
      { title: 'Components', align: 'left' },
      { title: 'Largest angle to rounded rows, rad', align: 'right' },
      { title: 'To rows as they are, rad', align: 'right' },
      { title: 'Largest |Δλ|/λ₁', align: 'right' },
      { title: 'Kept', align: 'right' },
      { title: 'Exact', align: 'right' },
      { title: 'Seconds', align: 'right' },
    ],
    rows: [
      [
        String(result.components),
        result.maxAngle.toExponential(1),
        result.maxAngleUnrounded.toExponential(1),
        result.maxEigenvalueError.toExponential(1),
        ...keptInWords(result.kept),
        result.seconds.toFixed(2),
      ],
    ],
  };
  return { title: name, blocks: [figures, screeChart(method), ...scatterCharts(method)] };
}

function screeChart({ result, eigenvalues, clearEigenvalues }: MethodFigures): Chart {
  const y = { title: 'Eigenvalue', scale: 'linear' } as const;
  const series = [
    { name: 'In the clear', style: 'solid', values: clearEigenvalues },
    { name: 'By Eigenveil', style: 'points', values: eigenvalues },
  ] as const;
  return {
    kind: 'chart',
    name: `scree-${keyOf(result)}`,
    caption: `Eigenvalues of the components of ${nameOf(result)}.`,
    drawing:
      eigenvalues.length === 1 // of which no line can be drawn
        ? {
            kind: 'bars',
            groups: ['Component 1'],
            y,
            bars: series.map(({ name, values }) => ({ name, values: values.map((value) => ({ value })) })),
          }
        : {
            kind: 'lines',
            x: { title: 'Component', scale: 'linear' },
            y,
            lines: series.map(({ name, style, values }) => ({
              name,
              style,
              points: values.map((y, i) => ({ x: i + 1, y })),
            })),
          },
  };
}

/** Two components side by side with the clear ones; one component against the clear one. */
function scatterCharts(method: MethodFigures): readonly Chart[] {
  const { result, rows } = method;
  const { series, note } = chosenSeries(rows);
  const name = nameOf(method.result);
  const chart = (
    which: string,
    words: string,
    titles: readonly [x: string, y: string],
    pointOf: (row: MethodFigures['rows'][number]) => Place,
  ): Chart => ({
    kind: 'chart',
    name: `${which}-${keyOf(result)}`,
    caption: `${words}${note}`,
    drawing: {
      kind: 'lines',
      x: { title: titles[0], scale: 'linear' },
      y: { title: titles[1], scale: 'linear' },
      lines: series.map(({ label, members }) => ({
        name: label,
        style: 'points',
        points: members.map((row) => {
          const [x, y] = pointOf(row);
          return { x, y: y! };
        }),
      })),
    },
  });
  if (result.components === 1)
    return [
      chart(
        'rows',
        `Rows by label: component 1 of ${name} by Eigenveil and in the clear. Equal components lie on the diagonal.`,
        ['Component 1 by Eigenveil', 'Component 1 in the clear'],
        ({ computed, clear }) => [computed[0], clear[0]],
      ),
    ];
  const titles = ['Component 1', 'Component 2'] as const;
  return [
    chart(
      'rows',
      `Rows by label, reduced by the vectors of ${name} by Eigenveil.`,
      titles,
      (row) => row.computed,
    ),
    chart(
      'clear-rows',
      `The same rows, reduced by the vectors of ${name} in the clear.`,
      titles,
      (row) => row.clear,
    ),
  ];
}

function timesChart(methods: readonly MethodFigures[]): Chart {
  const groups = {
    'An owner: sum, encrypt, send': ({ ownerMilliseconds }: RoleTimes) => ownerMilliseconds,
    'Data user: add, blind': ({ stages }: RoleTimes) => stages.aggregate,
    'CSP: unblind': ({ stages }: RoleTimes) => stages.unblind,
    'Both servers: decompose': ({ stages }: RoleTimes) => stages.decompose,
  };
  const barOf = (milliseconds: number | undefined) =>
    milliseconds === undefined || milliseconds <= 0 ? undefined : { value: milliseconds };
  return {
    kind: 'chart',
    name: 'times',
    caption: "Times by role; an owner's is the median while all owners work at once on this machine.",
    drawing: {
      kind: 'bars',
      groups: Object.keys(groups),
      y: { title: 'Time', scale: 'log', unit: 'ms' },
      bars: methods.map((method) => ({
        name: nameOf(method.result),
        values: Object.values(groups).map((of) => barOf(of(method.times))),
      })),
    },
  };
}

function partiesText(summary: Summary, method: MethodFigures): Paragraph {
  const { owners, twoParty } = summary;
  const { result, outputs, plaintexts, times } = method;
  const one = result.components === 1;
  const projection = [
    one ? 'one vector with its eigenvalue' : `${result.components} vectors with their eigenvalues`,
    ...outputs.map((output) => OUTPUTS[output]),
  ].join(', ');
  const size = `${plaintexts} ciphertexts, ${(times.contributionBytes / 1024).toFixed(1)} KiB`;
  const seesAll = twoParty === 'simulated';
  return {
    kind: 'text',
    text: `${nameOf(result)}:

- **An owner** sent its sums once, encrypted (${size}). It saw the signed task, the signed projection (${projection}) and that ${owners} owners took part: nothing else of another owner.
- **The data user** held the ciphertexts of ${owners} owners, their encrypted sum and its own blinding values. It saw who contributed, and the projection${seesAll ? '. **Since `simulated` is NOT private, it also saw the pooled statistics**; but no row and no contribution.' : ': no row, no contribution, and of the pooled statistics no more than that.'}
- **The CSP** held the secret key of the task. It saw who contributed, the size of the task, and ${plaintexts} plaintexts full of sums, each hidden by a random blinding value: no row, no contribution, no unblinded value and no projection.`,
  };
}
