/** `--only encrypted`: points of the study through the services, a sketched PCA and DCA on its components, beside the same in the clear. */
import { join } from 'node:path';
import { seedOf } from '@eigenveil/testbed/random';
import { writePictures } from '../../instrument/report/apart.ts';
import type { Series, Suite, Unit, UnitResult } from '../../instrument/unit.ts';
import { ERRORS, seriesOf as studySeriesOf } from '../dimensions.ts';
import { loadFaces } from '../faces.ts';
import type { Errors } from '../reconstruction.ts';
import { SIGNAL_RIDGES } from '../signal-ridge.ts';
import type { Matrix } from '../span.ts';
import { RIDGE } from '../trials.ts';
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
import { errorsOf } from './errors.ts';
import { type Computed, throughServices } from './services.ts';
import { servicesSheet } from './sheets.ts';

export const ENCRYPTED = 'encrypted';

/** Of the book's numbers of components those that a sketch of at most 80 columns can have. */
export const PCA_DIMENSIONS = [2, 5, 8, 10, 14, 20, 26, 39];
/** 29 are the most that `rotated` gives of 39 with ρ′ > 0. */
export const DCA_DIMENSIONS = [2, 5, 8, 10, 14, 24, 29];
/** Of the study's values of ρ′ the largest; `rotated` refuses those below 0. */
export const RAISED_SIGNAL_RIDGE = Math.max(...SIGNAL_RIDGES);
export const ENCRYPTED_SETS = ['yale', 'olivetti'] as const;
export const SIDES = [16, 32, 64] as const;

/** l of the sketch, and k of the PCA that the chain goes on with, by pixels a side. Points with fewer components are its first ones. */
const SIZES = {
  16: { columns: 80, components: 39 },
  32: { columns: 80, components: 39 },
  64: { columns: 60, components: 39 },
} as const;
const QUICK_SIZES = { columns: 60, components: 39 };
const OWNERS = 3;
const KEY_BITS = 2048;

/** Arms by what they are compared in. `sketch` is in the clear, by the Ω of the services' task where there is one. */
export const ARMS = {
  'pca exact': 'PCA, exact, in the clear',
  'pca sketch': 'PCA by a sketch, in the clear',
  'pca services': 'PCA by a sketch, through the services',
  'dca pixels': 'DCA on pixels, in the clear',
  'dca exact': 'PCA, then DCA, exact, in the clear',
  'dca sketch': 'sketch, then DCA, in the clear',
  'dca services': 'sketch, then DCA, through the services',
  'dca raised sketch': `sketch, then DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}, in the clear`,
  'dca raised services': `sketch, then DCA with ρ′ = ${RAISED_SIGNAL_RIDGE}, through the services`,
} as const;
export type ArmName = keyof typeof ARMS;

/** Tasks through the services, by the beginning of their facts. */
export const TASKS = { pca: 'PCA', dca: 'DCA', raised: `DCA, ρ′ = ${RAISED_SIGNAL_RIDGE}` } as const;
export type TaskName = keyof typeof TASKS;

export interface EncryptedPart {
  readonly set: (typeof ENCRYPTED_SETS)[number];
  readonly side: (typeof SIDES)[number];
  readonly split: number;
  readonly services: 'yes' | 'no';
}

/** Splits, and of them those that go through the services, by size. */
const SPLITS = { 16: [10, 2], 32: [10, 1], 64: [5, 1] } as const;
/** All of a quick run. */
const QUICK_PART: EncryptedPart = { set: 'yale', side: 16, split: 1, services: 'yes' };

/** First guesses in seconds: of a split in the clear, and of its tasks. */
const EXPECTED = { 16: [10, 60], 32: [15, 130], 64: [30, 300] } as const;

/** `rebuilt`: the error centred, by the inverse that the services' projection has itself. */
export type Measured = 'accuracy' | keyof Errors | 'rebuilt';
export const seriesOf = (arm: ArmName, k: number, what: Measured = 'accuracy'): string =>
  what === 'rebuilt' ? `${arm}/${k} rebuilt` : studySeriesOf(arm, k, what);

export function encryptedSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: ENCRYPTED,
    description: 'the same points through the services: a sketched PCA and DCA on it, beside the clear ones',
    plan: async (scale) => {
      const parts: EncryptedPart[] = ENCRYPTED_SETS.flatMap((set) =>
        SIDES.flatMap((side) =>
          Array.from({ length: SPLITS[side][0] }, (_, i) => ({
            set,
            side,
            split: i + 1,
            services: i < SPLITS[side][1] ? ('yes' as const) : ('no' as const),
          })),
        ),
      );
      // The first splits of all sizes come first, Yale's before Olivetti's: a run that is interrupted has the book's set at each size.
      const planned = scale === 'quick' ? [QUICK_PART] : parts.sort((one, other) => one.split - other.split);
      const units = await Promise.all(
        planned.map((part) => unitOf(part, scale === 'quick' ? QUICK_SIZES : SIZES[part.side])),
      );
      const left = {
        what: 'Through the services: Olivetti, and faces of 32 and 64 pixels a side',
        why: 'left to the full run',
      };
      return { units, omissions: scale === 'quick' ? [left] : [] };
    },
    ...reporting,
  };
}

interface Sizes {
  readonly columns: number;
  readonly components: number;
}

async function unitOf(part: EncryptedPart, sizes: Sizes): Promise<Unit> {
  const { set, side, split, services } = part;
  const { madeUp } = await loadFaces(set);
  const [clear, tasks] = EXPECTED[side];
  return {
    id: `${ENCRYPTED}/${set}/${side}/${split}`,
    title: `${set}, ${side} × ${side}, split ${split}${services === 'yes' ? ', through the services' : ''}`,
    parameters: {
      ...part,
      ...sizes,
      ridge: RIDGE,
      signalRidge: RAISED_SIGNAL_RIDGE,
      owners: OWNERS,
      keyBits: KEY_BITS,
      madeUp: madeUp ? 'yes' : 'no',
    },
    expectedSeconds: clear + (services === 'yes' ? tasks : 0),
    measure: (note, folder) =>
      measureEncrypted(part, { ...sizes, owners: OWNERS, keyBits: KEY_BITS }, note, folder),
  };
}

/**
 * All arms of one split, those of the services where they are asked for.
 * @param folder where a sheet of faces from the services goes, in a part that is not to be shared
 */
export async function measureEncrypted(
  { set, side, split: number, services }: Omit<EncryptedPart, 'side'> & { readonly side: number },
  { columns, components, owners, keyBits }: Sizes & { readonly owners: number; readonly keyBits: number },
  note: (text: string) => void,
  folder?: string,
): Promise<UnitResult> {
  const split = await sizedSplit(set, side, number);
  const task = { ...split, owners, keyBits, columns, components, ridge: RIDGE };
  const chain =
    services === 'yes'
      ? await throughServices({ ...task, signalRidge: RAISED_SIGNAL_RIDGE }, note)
      : undefined;
  note('in the clear');
  const seed = chain?.pca.seed ?? seedFor(set, side, number);
  const exact = exactPca(split, components);
  const sketched = sketchedPca(split, { components, columns, seed });
  // In the clear as many as the services have of either.
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
  const arms = (Object.keys(ARMS) as ArmName[]).flatMap((name) => {
    const rows = reduced[name];
    if (rows === undefined) return [];
    return [{ name, reduced: rows, dimensions: name.startsWith('pca') ? PCA_DIMENSIONS : DCA_DIMENSIONS }];
  });
  const series: Record<string, Series> = {};
  const keep = (name: ArmName, k: number, what: Measured, value: number) => {
    const unit = what === 'accuracy' ? 'points' : 'grey levels';
    series[seriesOf(name, k, what)] = { unit, samples: [Number(value.toFixed(4))] };
  };
  for (const [name, of] of await accuracies(split, arms))
    for (const [k, percent] of of) keep(name as ArmName, k, 'accuracy', percent);
  for (const [a, of] of errorsOf(split, arms).entries())
    for (const [k, errors] of of) for (const what of ERRORS) keep(arms[a]!.name, k, what, errors[what]);
  const facts: Record<string, number | string> = {};
  for (const [name, clear, services] of chain ? THROUGH : []) {
    const computed = chain![name];
    keep(services, computed.task.components, 'rebuilt', computed.missing);
    Object.assign(facts, factsOf(name, computed), {
      [`${name} difference`]: differenceOf(reduced[clear]!, reduced[services]!),
    });
  }
  if (chain && folder !== undefined) {
    const { madeUp } = await loadFaces(set);
    const sheet = servicesSheet({ ...split, name: set, side, madeUp }, chain);
    await writePictures(join(folder, `${ENCRYPTED}-${set}-${side}-${number}`), [sheet]);
  }
  return { series, facts: { testRows: split.test.length, features: side ** 2, discriminants, ...facts } };
}

/** Each task with the arm that it is compared with, and its own. */
const THROUGH: readonly (readonly [TaskName, ArmName, ArmName])[] = [
  ['pca', 'pca sketch', 'pca services'],
  ['dca', 'dca sketch', 'dca services'],
  ['raised', 'dca raised sketch', 'dca raised services'],
];

const factsOf = (name: TaskName, { twoParty, refused, seconds, contributionBytes, task }: Computed) => ({
  [`${name} two-party`]: twoParty,
  [`${name} refused`]: refused ?? '',
  [`${name} seconds`]: rounded(seconds),
  [`${name} bytes`]: contributionBytes,
  [`${name} components`]: task.components,
});

const rounded = (seconds: number): number => Number(seconds.toFixed(1));

/** Where no CSP draws a nonce: so that the figure repeats. */
function seedFor(set: string, side: number, number: number): Uint8Array {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setFloat64(0, seedOf(`sketch ${set} ${side} ${number}`));
  return seed;
}
