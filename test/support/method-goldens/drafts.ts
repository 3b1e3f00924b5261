/** What is drafted of two small samples, by method, and how a draft is asked for on the command line. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MethodName } from '@eigenveil/methods';
import { runInProcess } from '../in-process.ts';
import { rowsOf, taskOf } from './cases.ts';

export interface Draft {
  /** Whether `npm test` has it. */
  readonly quick?: boolean;
  readonly method: MethodName;
  /** Many columns, rather than few with labels. */
  readonly wide?: boolean;
  /** Label columns; all others are left out. */
  readonly labels?: readonly string[];
  /** By the names of settings. */
  readonly options?: Readonly<Record<string, string | number | true>>;
}

const LABELS = ['outcome', 'region'];
const ONE = { components: 1 };
const UTILITY = ['outcome'];

export const DRAFTS: Readonly<Record<string, Draft>> = {
  pca: { method: 'pca', options: { components: 2, outputs: 'mean,trace,sampleCount' } },
  'pca, exact': { method: 'pca', options: { components: 2, exact: true, fractionBits: 13 } },
  'pca by rotated': {
    method: 'pca',
    options: { ...ONE, twoParty: 'rotated', releases: 5 },
  },
  'pca by simulated': {
    quick: true,
    method: 'pca',
    options: { ...ONE, twoParty: 'simulated', closes: 'deadline,full' },
  },
  'pca with noise': { method: 'pca', options: { ...ONE, epsilon: 2 } },
  'the mean first': { method: 'pca', options: { ...ONE, epsilon: 2, delta: 1e-7, meanFirst: true } },
  correlation: { method: 'correlation', options: { ...ONE, outputs: 'mean' } },
  'correlation by rotated': { quick: true, method: 'correlation', options: { ...ONE, twoParty: 'rotated' } },
  sketch: { quick: true, method: 'sketch', wide: true, options: { ...ONE, twoParty: 'rotated' } },
  'sketch, exact': {
    method: 'sketch',
    wide: true,
    options: { ...ONE, sketchColumns: 5, twoParty: 'rotated', exact: true },
  },
  dca: { method: 'dca', labels: UTILITY, options: { components: 2 } },
  'dca of the book': { method: 'dca', labels: UTILITY, options: { components: 3, form: 'book', ridge: 0.5 } },
  'dca with a signal ridge': {
    method: 'dca',
    labels: UTILITY,
    options: { components: 3, signalRidge: 0.25 },
  },
  'dca by rotated': { quick: true, method: 'dca', labels: UTILITY, options: { ...ONE, twoParty: 'rotated' } },
  'dca with noise': { method: 'dca', labels: UTILITY, options: { ...ONE, epsilon: 2 } },
  lda: { quick: true, method: 'lda', labels: UTILITY, options: { components: 2, outputs: 'classCounts' } },
  'lda by rotated': { method: 'lda', labels: UTILITY, options: { ...ONE, ridge: 0.5, twoParty: 'rotated' } },
  mdr: { method: 'mdr', labels: LABELS, options: { components: 2 } },
  'mdr by rotated': { quick: true, method: 'mdr', labels: LABELS, options: { ...ONE, twoParty: 'rotated' } },
  'mdr with noise': { method: 'mdr', labels: LABELS, options: { ...ONE, epsilon: 2 } },
  ridge: { quick: true, method: 'ridge', options: { target: 'pulse' } },
  'ridge, exact': { method: 'ridge', options: { target: 'visits', ridge: 0.5, exact: true } },
  pcr: { method: 'pcr', options: { target: 'pulse', components: 2 } },
  'pcr by simulated': {
    quick: true,
    method: 'pcr',
    options: { target: 'visits', components: 3, ridge: 0.5, twoParty: 'simulated' },
  },
  moments: { quick: true, method: 'moments', options: { epsilon: 1, releases: 3 } },
  histogram: { quick: true, method: 'histogram', options: { epsilon: 1, range: '[0, 250]', height: 6 } },
  'histogram for counts': {
    method: 'histogram',
    options: { epsilon: 1, delta: 0, range: '[0, 250]', height: 4, workload: 'counts' },
  },
  'histogram for ranges': {
    method: 'histogram',
    options: { epsilon: 1, range: '[0, 250]', workload: 'ranges' },
  },
  'logarithmic histogram': {
    quick: true,
    method: 'histogram',
    options: { epsilon: 1, range: '[-1000, 1000]', logarithmic: 0.5 },
  },
};

/** The one place that knows how the command spells a draft. */
function argumentsOf({ method, wide = false, labels = [], options = {} }: Draft): string[] {
  const ignored = wide ? [] : LABELS.filter((label) => !labels.includes(label));
  return [
    ...['task', 'draft', method],
    ...labels.flatMap((label) => ['--label', label]),
    ...ignored.flatMap((label) => ['--ignore', label]),
    ...Object.entries(options).flatMap(([name, value]) => {
      const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      return value === true ? [flag] : [flag, `${value}`];
    }),
  ];
}

const ROWS = 100;

/** Writes the samples, and a file of rows for owners, into a folder. */
export async function writeSamples(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const samples = [
    ['few', taskOf('mdr', 'garbled', 'a floor')],
    ['wide', taskOf('sketch', 'rotated', 'a floor')],
  ] as const;
  for (const [name, task] of samples) {
    const [{ values, classes }] = rowsOf(task) as [ReturnType<typeof rowsOf>[number]];
    const { features, labellings } = task;
    const lines = values
      .slice(0, ROWS)
      .map((row, i) =>
        [...row, ...labellings.map((labelling, l) => labelling.classes[classes[i]![l]!])].join(','),
      );
    const header = [...features.map((it) => it.name), ...labellings.map((it) => it.column)].join(',');
    await writeFile(join(folder, `${name}.csv`), `${[header, ...lines].join('\n')}\n`);
  }
}

/** The draft, without what differs from one run to the next, and the notes on it. */
export async function toldOfDraft(folder: string, draft: Draft): Promise<string> {
  const sample = join(folder, `${draft.wide ? 'wide' : 'few'}.csv`);
  const sizes = ['--data', sample, '--owners', '4'];
  const { exitCode, stdout, stderr } = await runInProcess('user', ...argumentsOf(draft), ...sizes);
  const proposal = stdout.replace(/^ *"(?:\$schema|deadline)": .*\n/gm, '');
  return `exit code ${exitCode}\n${stderr.replaceAll(folder, '')}${proposal}`;
}
