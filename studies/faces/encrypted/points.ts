/** Points of the study of faces through the services, a sketched PCA and DCA on its components, beside the same in the clear. */

import { join } from 'node:path';
import { seedOf } from '@eigenveil/testbed/random';
import { count, distinct, type Figure, least, mean, most, only, spread } from '../../instrument/figure.ts';
import { writePictures } from '../../instrument/report/apart.ts';
import { type Bench, type ChartOf, defineStudy, type Fact } from '../../instrument/study.ts';
import type { Tidy } from '../../instrument/tidy.ts';
import { ERRORS, errorsOf as inLongForm, KINDS } from '../dimensions.ts';
import { loadFaces, madeUpOf } from '../faces.ts';
import type { Matrix } from '../span.ts';
import { RIDGE, rounded } from '../trials.ts';
import {
  accuracies,
  asInStudy,
  dcaOfPixels,
  dcaOfReduced,
  differenceOf,
  exactPca,
  sizedSplit,
  sketchedPca,
} from './arms.ts';
import { ARMS, type ArmName, COMPARED, differencesOf, RAISED_SIGNAL_RIDGE, verdictsOf } from './compared.ts';
import { errorsOf } from './errors.ts';
import { throughServices } from './services.ts';
import { servicesSheet } from './sheets.ts';

/** The book's numbers of components that a sketch of at most 80 columns can have. */
const PCA_DIMENSIONS = [2, 5, 8, 10, 14, 20, 26, 39];
/** 29 are the most that `rotated` gives of 39 with ρ′ > 0. */
const DCA_DIMENSIONS = [2, 5, 8, 10, 14, 24, 29];
const SETS = ['yale', 'olivetti'] as const;
const SIDES = [16, 32, 64] as const;

/** l of the sketch, and k of the PCA that the chain goes on with, by pixels a side. Points with fewer components are its first ones. */
const SIZES = {
  16: { columns: 80, components: 39 },
  32: { columns: 80, components: 39 },
  64: { columns: 60, components: 39 },
} as const;
const QUICK_SIZES = { columns: 60, components: 39 };
const NUMBERS = { ridge: RIDGE, signalRidge: RAISED_SIGNAL_RIDGE, owners: 3, keyBits: 2048 };

/** Splits, and of them those that go through the services, by size. */
const SPLITS = { 16: [10, 2], 32: [10, 1], 64: [5, 1] } as const;
/** First guesses in seconds: of a split in the clear, and of its tasks. */
const EXPECTED: Readonly<Record<number, readonly [clear: number, tasks: number]>> = {
  16: [10, 60],
  32: [15, 130],
  64: [30, 300],
};

/** Each task with its title, the arm that it is compared with, and its own. */
const TASKS = {
  pca: ['PCA', 'pca sketch', 'pca services'],
  dca: ['DCA', 'dca sketch', 'dca services'],
  raised: [`DCA, ρ′ = ${RAISED_SIGNAL_RIDGE}`, 'dca raised sketch', 'dca raised services'],
} as const satisfies Readonly<Record<string, readonly [title: string, ArmName, ArmName]>>;

/** Errors that are kept: `rebuilt` is of the inverse that the services' projection has itself. */
const SHOWN = {
  centred: ERRORS.centred,
  heldOut: ERRORS.heldOut,
  listing: ERRORS.listing,
  rebuilt: 'centred, by the projection’s own inverse',
};

type Part = {
  readonly set: (typeof SETS)[number];
  readonly side: number;
  readonly split: number;
  readonly services: 'yes' | 'no';
  readonly columns: number;
  readonly components: number;
  readonly owners: number;
  readonly keyBits: number;
};

const methodOf = (arm: string): string => arm.slice(0, 3).toUpperCase();
const POWER = { power: true } as const;
const accuracyIn: Figure = spread('accuracy', { digits: 1 });

const verdict = (where: Tidy | ((record: Tidy) => boolean), figure: Figure): Fact => ({
  of: 'verdicts',
  where,
  figure,
});
const isOfServices = ({ compared }: Tidy) => String(compared).endsWith('Services');
/** Points within noise, all of them, and the largest mean difference. */
const verdictsOn = (compared: keyof typeof COMPARED) => ({
  [`${compared}Within`]: verdict({ compared, verdict: 'within' }, count),
  [`${compared}Points`]: verdict({ compared }, count),
  [`${compared}Most`]: verdict({ compared }, most('size', { digits: 1 })),
});
const errorsBy = (name: string, arm: ArmName, ...dimensions: readonly number[]) =>
  Object.fromEntries(
    dimensions.map((k): [string, Fact] => [
      `${name}${k}`,
      { where: { set: 'yale', side: 16, arm, k }, figure: mean('centred', { digits: 1 }) },
    ]),
  );
const largest = (compared: keyof typeof COMPARED, where: Tidy = {}): Fact => ({
  of: 'differences',
  where: { compared, ...where },
  figure: most('size', POWER),
});
const isBetterOnExact = ({ compared, verdict, difference }: Tidy) =>
  compared === 'dcaExact' && verdict === 'beyond' && Number(difference) > 0;

const curves = (quantity: string, y: ChartOf['y'], where: ChartOf['where']): ChartOf => ({
  caption: `{set}{kind}, {side} × {side}, {method}: ${quantity} over components; whiskers are a standard deviation to either side`,
  of: 'points',
  ...(where && { where }),
  each: ['method', 'set', 'side', 'kind'],
  mark: 'line',
  x: { column: 'k', scale: 'category' },
  y,
  colour: 'arm',
});

export const points = defineStudy<Part & { readonly kind: string }>({
  id: 'faces-encrypted/points',
  plan: async ({ scale }) => {
    const all = SETS.flatMap((set) =>
      SIDES.flatMap((side) =>
        Array.from({ length: SPLITS[side][0] }, (_, i) => ({
          set,
          side,
          split: i + 1,
          services: i < SPLITS[side][1] ? ('yes' as const) : ('no' as const),
          ...(scale === 'quick' ? QUICK_SIZES : SIZES[side]),
          ...NUMBERS,
        })),
      ),
    );
    // The first splits of all sizes come first, Yale's before Olivetti's: a run that is interrupted has the book's set at each size.
    const planned = scale === 'quick' ? all.slice(0, 1) : all.sort((one, other) => one.split - other.split);
    const sets = await Promise.all(SETS.map((set) => loadFaces(set)));
    const left = { what: 'Olivetti, and faces of 32 and 64 pixels a side', why: 'left to the full run' };
    return {
      cases: planned.map((part) => ({ ...part, kind: sets[SETS.indexOf(part.set)]!.kind })),
      omissions: [
        ...(scale === 'quick' ? [left] : []),
        ...madeUpOf(scale === 'quick' ? sets.slice(0, 1) : sets, 'through the services'),
      ],
    };
  },
  titleOf: ({ set, side, split, services }) =>
    `${set}, ${side} × ${side}, split ${split}${services === 'yes' ? ', through the services' : ''}`,
  expectedSeconds: ({ side, services }) => {
    const [clear, tasks] = EXPECTED[side]!;
    return clear + (services === 'yes' ? tasks : 0);
  },
  measure: measurePoints,
  columns: {
    kind: { values: KINDS },
    arm: { title: 'reduced by', values: ARMS },
    compared: {
      values: Object.fromEntries(Object.entries(COMPARED).map(([name, [, , title]]) => [name, title])),
    },
    task: { values: Object.fromEntries(Object.entries(TASKS).map(([name, [title]]) => [name, title])) },
    error: { values: SHOWN },
    k: { title: 'components' },
    columns: { title: 'l' },
  },
  frames: {
    points: (records) =>
      records.flatMap((record) =>
        record.accuracy === undefined ? [] : [{ ...record, method: methodOf(String(record.arm)) }],
      ),
    errors: (records) =>
      inLongForm(records, SHOWN).map((record) => ({ ...record, method: methodOf(String(record.arm)) })),
    verdicts: verdictsOf,
    differences: differencesOf,
  },
  tables: {
    tasks: {
      caption:
        'Tasks through the services, from the proposal to the result; all roles share the machine. Difference: the largest of reduced rows from the clear ones by the same Ω, over the largest entry',
      where: ({ task }) => task !== undefined,
      rows: ['set', 'side', 'split', 'columns', 'task', 'k'],
      cells: {
        by: only('twoParty'),
        'what rotated refuses': only('refused'),
        time: mean('ms', { unit: 'ms' }),
        'an owner sends': mean('bytes', { unit: 'bytes' }),
        difference: mean('difference', POWER),
      },
    },
    accuracy: {
      caption: '{set}{kind}, {side} × {side}, {method}: accuracy in percent over components',
      of: 'points',
      each: ['set', 'side', 'method', 'kind'],
      rows: ['arm'],
      across: { column: 'k', cell: accuracyIn },
      cells: { splits: distinct('split') },
    },
    verdicts: {
      caption:
        '{set}, {side} × {side}: mean difference in percentage points by components, and whether it is within noise (the margin in brackets)',
      of: 'verdicts',
      each: ['set', 'side'],
      rows: ['compared'],
      across: { column: 'k', cell: only('told') },
      cells: { splits: most('splits', { digits: 0 }) },
    },
    errors: {
      caption:
        '{set}{kind}, {side} × {side}, {method}: mean error of reconstruction in grey levels over components',
      of: 'errors',
      each: ['set', 'side', 'method', 'kind'],
      rows: ['error', 'arm'],
      across: { column: 'k', cell: spread('greyLevels', { digits: 1 }) },
      cells: { splits: distinct('split') },
    },
    differences: {
      caption:
        '{set}, {side} × {side}: by how much centred errors differ, as a part of the reference’s, by components',
      of: 'differences',
      each: ['set', 'side'],
      rows: ['compared'],
      across: { column: 'k', cell: only('part', { ...POWER, signed: true }) },
    },
  },
  charts: {
    accuracy: curves(
      'accuracy in percent',
      { figure: spread('accuracy'), title: 'accuracy in percent' },
      undefined,
    ),
    errors: curves(
      'mean centred error in grey levels',
      { figure: spread('centred'), title: 'mean centred error in grey levels' },
      ({ centred }) => centred !== undefined,
    ),
  },
  facts: {
    cases: { where: { arm: 'pca exact', k: 2 }, figure: count },
    through: { where: { arm: 'pca services', k: 2 }, figure: count },
    simulated: { where: { twoParty: 'simulated' }, figure: count },
    ...verdictsOn('pcaServices'),
    ...verdictsOn('dcaServices'),
    ...verdictsOn('raisedServices'),
    ...verdictsOn('pcaSketch'),
    ...verdictsOn('dcaSketch'),
    ...verdictsOn('dcaExact'),
    ...verdictsOn('raised'),
    services: verdict(isOfServices, count),
    servicesSame: verdict((it) => isOfServices(it) && it.difference === 0, count),
    servicesLess: verdict((it) => isOfServices(it) && it.difference !== 0 && it.verdict === 'within', count),
    servicesBeyond: verdict((it) => isOfServices(it) && it.verdict === 'beyond', count),
    splits: { where: { side: 16, arm: 'pca exact' }, figure: distinct('split') },
    splitsOfLargest: { where: { side: 64, arm: 'pca exact' }, figure: distinct('split') },
    fewBelow: verdict(
      { compared: 'dcaSketch', set: 'olivetti', side: 16, k: 2 },
      mean('size', { digits: 1 }),
    ),
    exactBetter: verdict(isBetterOnExact, count),
    exactBetterLeast: verdict(isBetterOnExact, least('difference', { digits: 0 })),
    exactBetterMost: verdict(isBetterOnExact, most('difference', { digits: 0 })),
    pcaErrorsDiffer: largest('pcaServices'),
    dcaErrorsDiffer: largest('dcaServices'),
    raisedErrorsDiffer: largest('raisedServices'),
    sketchLoses14: largest('pcaSketch', { set: 'yale', side: 64, k: 14 }),
    sketchLoses39: largest('pcaSketch', { set: 'yale', side: 64, k: 39 }),
    ...errorsBy('pcaExact', 'pca exact', 5, 14, 39),
    ...errorsBy('pcaThrough', 'pca services', 5, 14, 39),
    ...errorsBy('dcaClear', 'dca sketch', 5, 14, 29),
    ...errorsBy('dcaThrough', 'dca services', 5, 14),
    ...errorsBy('raisedThrough', 'dca raised services', 5, 14, 29),
    rowsDiffer: { where: { set: 'yale', side: 64, task: 'pca' }, figure: most('difference', POWER) },
    rowsDifferLeast: { figure: least('difference', POWER) },
    rowsDifferMost: { figure: most('difference', POWER) },
  },
  holds: {
    byRotated: (fact) => fact('simulated') === 0,
    servicesCostNothing: (fact) =>
      fact('servicesSame') > 0.9 * fact('services') && fact('servicesBeyond') <= 0.05 * fact('services'),
    errorsAreTheSame: (fact) =>
      Math.max(...['pcaErrorsDiffer', 'dcaErrorsDiffer', 'raisedErrorsDiffer'].map(fact)) < 1e-3,
    // Each run draws another Ω, and of twenty points that differ in nothing one may be beyond the margin.
    sketchCostsNothing: (fact) => fact('pcaSketchWithin') >= 0.95 * fact('pcaSketchPoints'),
    sketchLosesLate: (fact) => fact('sketchLoses39') > 3 * fact('sketchLoses14'),
  },
  words: new URL('points.md', import.meta.url),
});

/** All arms of one split, those of the services where they are asked for. A sheet of faces from the services goes into a part of the folder that must not be shared. */
export async function measurePoints(part: Part, { note, folder }: Bench): Promise<Tidy[]> {
  const { set, side, split: number, services, columns, components } = part;
  const split = await sizedSplit(set, side, number);
  const task = { ...split, ...part, ridge: RIDGE, signalRidge: RAISED_SIGNAL_RIDGE };
  const chain = services === 'yes' ? await throughServices(task, note) : undefined;
  note('in the clear');
  const exact = exactPca(split, components);
  const seed = chain?.pca.seed ?? seedFor(set, side, number);
  const sketched = sketchedPca(split, { components, columns, seed });
  // The clear arms have as many as the services have of either.
  const discriminants = chain
    ? Math.max(chain.dca.task.components, chain.raised.task.components)
    : components - 2;
  const reduced: Readonly<Partial<Record<ArmName, Matrix>>> = {
    'pca exact': exact,
    'pca sketch': sketched,
    ...(chain && { 'pca services': chain.pca.reduced }),
    'dca pixels': dcaOfPixels(split, discriminants),
    'dca exact': dcaOfReduced(exact, split, discriminants),
    'dca sketch': dcaOfReduced(sketched, split, discriminants),
    ...(chain && { 'dca services': asInStudy(chain.dca.reduced, split) }),
    'dca raised sketch': dcaOfReduced(sketched, split, discriminants, RAISED_SIGNAL_RIDGE),
    ...(chain && { 'dca raised services': asInStudy(chain.raised.reduced, split) }),
  };
  const arms = Object.entries(reduced).map(([arm, rows]) => ({
    arm,
    reduced: rows,
    dimensions: arm.startsWith('pca') ? PCA_DIMENSIONS : DCA_DIMENSIONS,
  }));
  const [told, errors] = [await accuracies(split, arms), errorsOf(split, arms)];
  const records: Tidy[] = arms.flatMap(({ arm }, a) =>
    [...told[a]!].map(([k, accuracy]) => {
      const { centred, heldOut, listing } = errors[a]!.get(k)!;
      const kept = { centred: rounded(centred), heldOut: rounded(heldOut), listing: rounded(listing) };
      return { testRows: split.test.length, arm, k, accuracy, ...kept };
    }),
  );
  if (chain === undefined) return records;
  if (folder !== undefined) {
    const { kind } = await loadFaces(set);
    const sheet = servicesSheet({ ...split, name: set, side, kind }, chain);
    await writePictures(join(folder, `encrypted-${set}-${side}-${number}`), [sheet]);
  }
  const tasks = Object.entries(TASKS).map(([name, [, clear, through]]) => {
    const { twoParty, refused, seconds, contributionBytes, missing, task } =
      chain[name as keyof typeof TASKS];
    return {
      ...{ task: name, arm: through, k: task.components, twoParty, refused: refused ?? '' },
      ...{ ms: Math.round(1000 * seconds), bytes: contributionBytes, rebuilt: rounded(missing) },
      difference: differenceOf(reduced[clear]!, reduced[through]!),
    };
  });
  return [...records, ...tasks];
}

/** Where no CSP draws a nonce: so that the figure repeats. */
function seedFor(set: string, side: number, number: number): Uint8Array {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setFloat64(0, seedOf(`sketch ${set} ${side} ${number}`));
  return seed;
}
