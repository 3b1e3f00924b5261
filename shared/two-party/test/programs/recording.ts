/** Statistics that programs are recorded on: data sets that ship, degenerate ones, and random tasks; see recorded.test.ts. */

import { createHash } from 'node:crypto';
import { type MethodParameters, methodOf, type Output } from '@eigenveil/methods';
import type { Program } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import { ClearSession } from '../../src/garbling/index.ts';
import { runProgram } from '../../src/programs/index.ts';
import { maskedCorrelation } from '../../src/programs/masked-correlation.ts';
import { labelledDataset } from '../rotated/datasets.ts';
import { spread } from '../rotated/settings.ts';
import { around, turns } from './check.ts';
import { type Given, type Setting, settingOf } from './data.ts';

export interface Case {
  readonly name: string;
  /** Another program than that of the task. */
  readonly run?: (session: ClearSession, setting: Setting) => Promise<unknown>;
  readonly setting: () => Setting;
}

/** SHA-256 of everything that is revealed, bit for bit, and the code of an error after it; AND gates; batches. */
export async function recordOf({ setting, run = ofTask }: Case): Promise<string> {
  const session = new ClearSession();
  const hash = createHash('sha256');
  const reveal = session.reveal.bind(session);
  session.reveal = async (outputs) => {
    const revealed = await reveal(outputs);
    for (const bits of revealed) hash.update(`${bits.length} `).update(bits);
    return revealed;
  };
  let code = '';
  try {
    await run(session, setting());
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    code = ` ${error.code}`;
  }
  const { andGates, batches } = session.gates;
  return `${hash.digest('hex').slice(0, 32)}${code} ${andGates} ${batches}`;
}

function ofTask(session: ClearSession, { task, program, garbler, evaluator }: Setting): Promise<unknown> {
  return runProgram(session, task, program, { garbler, evaluator });
}

/** The first step of `rotated` of a correlation matrix; its masks are public here. */
function masked(session: ClearSession, { task, program, garbler, evaluator }: Setting): Promise<unknown> {
  const ringBits = 80;
  const d = task.features.length;
  const masks = Array.from({ length: (d * (d + 1)) / 2 }, (_, e) =>
    BigInt.asUintN(ringBits, BigInt(e + 1) * 0x9e37_79b9_7f4a_7c15_0000n),
  );
  return maskedCorrelation(session, task, program, { garbler, evaluator }, ringBits, masks);
}

const PCA: MethodParameters = { kind: 'pca' };
const CORRELATION: MethodParameters = { kind: 'pca', scale: 'correlation' };
const MDR: MethodParameters = { kind: 'mdr', ridge: 1 };
const RIDGE: MethodParameters = { kind: 'ridge', ridge: 1 };
const LDA: MethodParameters = { kind: 'lda', ridge: 0.1 };
const dca = (ridge: number, signalRidge = 0, form: 'standard' | 'book' = 'standard'): MethodParameters => ({
  kind: 'dca',
  form,
  ridge,
  signalRidge,
});

const PRIVACY = {
  epsilon: 1,
  delta: 1e-5,
  neighbours: 'add-remove',
  clippingNorm: 2,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;

function made(name: string, given: Given, changes: Partial<Program> = {}): Case {
  return {
    name,
    setting: () => {
      const setting = settingOf(given);
      return { ...setting, program: { ...setting.program, ...changes } };
    },
  };
}

export function datasets(): Case[] {
  return (['iris', 'pima', 'breast_cancer', 'ionosphere'] as const).flatMap((name) => {
    const { rows, labels } = labelledDataset(name);
    const kinds = [...new Set(labels)].sort((a, b) => a - b);
    const classes = kinds.length;
    const labelled = { classes, labels: labels.map((label) => kinds.indexOf(label)) };
    const common = { rows, maximumSamplesPerOwner: 400 };
    const components = Math.min(4, rows[0]!.length - 1);
    // What does not vary cannot be standardised.
    const varying = rows[0]!.map((_, j) => j).filter((j) => rows.some((row) => row[j] !== rows[0]![j]));
    const standard = rows.map((row) => varying.map((j) => row[j]!));
    return [
      made(
        `${name} pca`,
        { ...common, components },
        { outputs: ['mean', 'trace', 'sampleCount', 'spectrum'] },
      ),
      made(
        `${name} correlation`,
        { ...common, rows: standard, components, method: CORRELATION },
        { outputs: ['mean', 'variances'] },
      ),
      ...([dca(1), dca(1, 0.25), LDA] as const).map((method, i) =>
        made(`${name} ${['dca', 'dca ridged', 'lda'][i]}`, {
          ...common,
          components: classes - 1,
          method,
          labellings: [labelled],
        }),
      ),
      made(`${name} ridge`, { ...common, components: 0, method: RIDGE }, { outputs: ['mean', 'trace'] }),
      made(`${name} mdr`, {
        ...common,
        components: 1,
        method: MDR,
        labellings: [labelled, turns(rows.length, 3)],
      }),
    ];
  });
}

/** Statistics without rank, without rows, with empty classes, at the limits, and ridges of both signs. */
export function edges(): Case[] {
  const axes = [0, 1, 2, 3, 4, 5];
  const next = generator(21);
  const signs = Array.from({ length: 2000 }, () => [0, 0, 0].map(() => (next() < 0.5 ? -1 : 1)));
  const pca: readonly (readonly [string, number[][], number])[] = [
    ['one feature', [[0.5], [-0.25], [1]], 1],
    ['two features', spread(40, 2, 2), 2],
    ['fewer rows than features', spread(3, 8, 5), 6],
    ['constant features', spread(30, 3, 9).map((row) => [0.25, ...row, -1]), 4],
    ['equal eigenvalues', axes.flatMap((i) => [0.5, -0.5].map((v) => axes.map((j) => (i === j ? v : 0)))), 5],
    ['equal features', spread(30, 2, 4).map(([a, b]) => [a!, a!, a!, b!, a!, a!]), 4],
    [
      'largest last',
      axes.flatMap((i) => [1, -1].map((s) => axes.map((j) => (i === j ? (s * (i + 1)) / 6 : 0)))),
      4,
    ],
    ['equal rows', new Array<number[]>(5).fill([0.5, -0.5, 0.25, 0]), 3],
    ['tiny scatter', spread(4, 4, 8).map((row) => row.map((value) => value / 500)), 2],
    ['largest scatter', signs, 3],
    ['no rows', [], 2],
  ];
  const classed = (
    method: MethodParameters,
    d: number,
    classes: number,
    components: number,
    label?: (i: number) => number,
  ) => ({
    rows: around(30 * classes, d, classes),
    components,
    method,
    labellings: [turns(30 * classes, classes, label)],
  });
  const discriminants: readonly (readonly [string, Given])[] = [
    ['one feature', classed(dca(0.1), 1, 2, 1)],
    ['more classes than features', classed(dca(0.1), 4, 9, 4)],
    ['lda', classed(LDA, 6, 3, 2)],
    ['lda without ridge', classed({ kind: 'lda', ridge: 0 }, 4, 3, 2)],
    ...[0.05, 2, -0.05, -2].map((r) => [`ridge ${r}`, classed(dca(0.1, r), 5, 3, 4)] as const),
    ...[0, 0.05, -0.05].map((r) => [`book ${r}`, classed(dca(0.1, r, 'book'), 6, 3, 2)] as const),
    ['no definite noise', { ...classed(dca(0), 6, 2, 1), rows: spread(4, 6, 3), labellings: [turns(4, 2)] }],
    ['first class empty', classed(dca(0.1), 5, 3, 2, (i) => 1 + (i % 2))],
    ['last class empty', classed(LDA, 5, 3, 2, (i) => i % 2)],
    ['one class alone', classed(LDA, 5, 3, 2, () => 1)],
    ['equal means', classed(dca(0.1), 5, 2, 1, (i) => (i >> 1) % 2)],
  ];
  const both = (
    d: number,
    utility: number,
    privacy: number,
    components: number,
    hidden?: (i: number) => number,
  ) => ({
    rows: around(24 * utility, d, utility),
    components,
    method: MDR,
    labellings: [
      turns(24 * utility, utility),
      turns(24 * utility, privacy, hidden ?? ((i) => Math.floor(i / 7) % privacy)),
    ],
  });
  const mdrs: readonly (readonly [string, Given])[] = [
    ['one feature', both(1, 2, 2, 1)],
    ['few classes', both(8, 3, 3, 2)],
    ['more privacy contrasts than features', both(4, 2, 7, 1)],
    ['more utility contrasts than features', both(4, 9, 3, 4)],
    ['one privacy class', both(5, 3, 3, 2, () => 1)],
    ['utility as privacy', both(6, 3, 3, 2, (i) => i % 3)],
  ];
  return [
    ...pca.map(([name, rows, components]) =>
      made(`pca, ${name}`, { rows, components, d: rows[0]?.length ?? 3 }, { outputs: ['mean', 'spectrum'] }),
    ),
    ...pca
      .slice(1)
      .map(([name, rows, components]) =>
        made(`correlation, ${name}`, { rows, components, d: rows[0]?.length ?? 3, method: CORRELATION }),
      ),
    made('pca, full rank', { rows: spread(3, 8, 5), components: 3 }, { allowFullRank: false }),
    made('pca, too few owners', { rows: spread(9, 3, 5), components: 1 }, { minimumOwners: 9 }),
    ...[2, 5].map((d) => ({
      ...made(`masked correlation, ${d} features`, {
        rows: spread(30, d, 9),
        components: 1,
        method: CORRELATION,
      }),
      run: masked,
    })),
    ...discriminants.map(([name, given]) => made(`discriminant, ${name}`, given)),
    ...mdrs.map(([name, given]) => made(`mdr, ${name}`, given)),
  ];
}

/** A task of any method and size up to 8 features, a third of them with noise. */
export function random(count: number): Case[] {
  const next = generator(2026);
  const upTo = (most: number): number => 1 + Math.floor(next() * most);
  return Array.from({ length: count }, (_, k) => {
    const d = upTo(8);
    const classes = 1 + upTo(4);
    const kind = Math.floor(next() * 8);
    const ridge = 2 ** (4 * next() - 2);
    const signal = 4 * next() - 2;
    const methods = [PCA, CORRELATION, dca(ridge), dca(ridge, signal), dca(ridge, 0, 'book')];
    const method = [...methods, dca(ridge, signal, 'book'), { kind: 'lda', ridge }, { kind: 'mdr', ridge }][
      kind
    ] as MethodParameters;
    const few =
      method.kind === 'lda' ||
      method.kind === 'mdr' ||
      (method.kind === 'dca' && method.signalRidge === 0 && method.form === 'standard');
    const components = upTo(few ? Math.min(d, classes - 1) : d);
    const size = 2 ** -Math.floor(6 * next());
    const rows = around(upTo(90) + 10, d, classes, k + 7).map((row) =>
      row.map((value) => Math.max(-1, Math.min(1, size * value))),
    );
    const labellings = [turns(rows.length, classes), turns(rows.length, classes, (i) => (i >> 2) % classes)];
    const outputs: readonly Output[] = method.kind === 'mdr' ? ['mean'] : ['mean', 'trace', 'sampleCount'];
    const given: Given = {
      rows,
      components,
      method,
      labellings: labellings.slice(0, methodOf({ method }).labellings),
      fractionBits: 8 + upTo(8),
      differentialPrivacy: next() < 0.33 && method !== CORRELATION ? PRIVACY : null,
    };
    return made(`random ${k}, ${method.kind}`, given, { outputs });
  });
}
