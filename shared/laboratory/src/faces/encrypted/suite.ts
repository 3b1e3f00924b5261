/** `--only encrypted`: points of the study through the services, a sketched PCA and DCA on its components, beside the same in the clear. */
import type { Series, Suite, Unit, UnitResult } from '@eigenveil/bench/unit';
import { seedOf } from '@eigenveil/testbed/random';
import { loadFaces } from '../faces.ts';
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
import { throughServices } from './services.ts';

export const ENCRYPTED = 'encrypted';

/** Of the book's numbers of components those that a sketch of at most 80 columns can have. */
export const PCA_DIMENSIONS = [2, 5, 8, 10, 14, 20, 26, 39];
export const DCA_DIMENSIONS = [2, 5, 8, 10, 14, 24];
export const ENCRYPTED_SETS = ['yale', 'olivetti'] as const;
export const SIDES = [16, 32, 64] as const;

/** l of the sketch, and k of the PCA that the chain goes on with, by pixels a side. Points with fewer components are its first ones. */
const SIZES = {
  16: { columns: 80, components: 39 },
  32: { columns: 80, components: 39 },
  64: { columns: 60, components: 20 },
} as const;
const QUICK_SIZES = { columns: 60, components: 20 };
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
} as const;
export type ArmName = keyof typeof ARMS;

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

export const seriesOf = (arm: ArmName, k: number): string => `${arm}/${k} accuracy`;

export function encryptedSuite(reporting: Pick<Suite, 'highlights' | 'report'>): Suite {
  return {
    name: ENCRYPTED,
    description: 'the same points through the services: a sketched PCA and DCA on it, beside the clear ones',
    plan: async (scale) => {
      const parts: EncryptedPart[] = SIDES.flatMap((side) =>
        ENCRYPTED_SETS.flatMap((set) =>
          Array.from({ length: SPLITS[side][0] }, (_, i) => ({
            set,
            side,
            split: i + 1,
            services: i < SPLITS[side][1] ? ('yes' as const) : ('no' as const),
          })),
        ),
      );
      // The first splits of all sizes come first, so that a run that is interrupted has some of each.
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
      owners: OWNERS,
      keyBits: KEY_BITS,
      madeUp: madeUp ? 'yes' : 'no',
    },
    expectedSeconds: clear + (services === 'yes' ? tasks : 0),
    measure: (note) => measureEncrypted(part, { ...sizes, owners: OWNERS, keyBits: KEY_BITS }, note),
  };
}

/** All arms of one split, those of the services where they are asked for. */
export async function measureEncrypted(
  { set, side, split: number, services }: Omit<EncryptedPart, 'side'> & { readonly side: number },
  { columns, components, owners, keyBits }: Sizes & { readonly owners: number; readonly keyBits: number },
  note: (text: string) => void,
): Promise<UnitResult> {
  const split = await sizedSplit(set, side, number);
  const signals = new Set(split.labels).size - 1;
  const chain =
    services === 'yes'
      ? await throughServices({ ...split, owners, keyBits, columns, components, ridge: RIDGE }, note)
      : undefined;
  note('in the clear');
  const seed = chain?.pca.seed ?? seedFor(set, side, number);
  const exact = exactPca(split, components);
  const sketched = sketchedPca(split, { components, columns, seed });
  const discriminants = chain?.dca.task.components ?? Math.min(signals, components - 2);
  const sketchedDca = dcaOfReduced(sketched, split, discriminants);
  const reduced: Readonly<Partial<Record<ArmName, readonly (readonly number[])[]>>> = {
    'pca exact': exact,
    'pca sketch': sketched,
    ...(chain && { 'pca services': chain.pca.reduced }),
    'dca pixels': dcaOfPixels(split, discriminants),
    'dca exact': dcaOfReduced(exact, split, discriminants),
    'dca sketch': sketchedDca,
    ...(chain && { 'dca services': asInStudy(chain.dca.reduced, split) }),
  };
  const arms = (Object.keys(ARMS) as ArmName[]).flatMap((name) => {
    const rows = reduced[name];
    if (rows === undefined) return [];
    return [{ name, reduced: rows, dimensions: name.startsWith('pca') ? PCA_DIMENSIONS : DCA_DIMENSIONS }];
  });
  const series: Record<string, Series> = {};
  for (const [name, of] of await accuracies(split, arms))
    for (const [k, percent] of of)
      series[seriesOf(name as ArmName, k)] = { unit: 'points', samples: [Number(percent.toFixed(4))] };
  return {
    series,
    facts: {
      testRows: split.test.length,
      features: side ** 2,
      discriminants,
      ...(chain && {
        'pca two-party': chain.pca.twoParty,
        'pca refused': chain.pca.refused ?? '',
        'pca seconds': rounded(chain.pca.seconds),
        'pca bytes': chain.pca.contributionBytes,
        'pca difference': differenceOf(sketched, chain.pca.reduced),
        'dca two-party': chain.dca.twoParty,
        'dca refused': chain.dca.refused ?? '',
        'dca seconds': rounded(chain.dca.seconds),
        'dca bytes': chain.dca.contributionBytes,
        'dca difference': differenceOf(sketchedDca, reduced['dca services']!),
      }),
    },
  };
}

const rounded = (seconds: number): number => Number(seconds.toFixed(1));

/** Where no CSP draws a nonce: so that the figure repeats. */
function seedFor(set: string, side: number, number: number): Uint8Array {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setFloat64(0, seedOf(`sketch ${set} ${side} ${number}`));
  return seed;
}
