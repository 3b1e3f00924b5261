/** The part of raw features that comes back from windows and templates, by what an attacker knows. */
import { setImmediate } from 'node:timers/promises';
import { beside, most, only, where } from '../../instrument/figure.ts';
import { defineStudy } from '../../instrument/study.ts';
import type { Scale, Tidy } from '../../instrument/tidy.ts';
import { COLUMNS, columnsOf, interval, ofBothSets, SHARE } from '../figures.ts';
import { KEYS, WALK } from '../people.ts';
import { attackedIn, fitting, type OfTemplates, planTemplates } from './attacked.ts';
import { ATTACKS, type Reconstruction, reconstruct } from './reconstructing.ts';

interface Case extends OfTemplates {
  /** Components at which windows are also reconstructed with the frame unknown. */
  readonly few: number;
  /** Components at which they are reconstructed with the frame known, by method. */
  readonly dca: string;
  readonly pca: string;
}

const SIZES: Readonly<Record<string, readonly number[]>> = {
  [KEYS]: [4, 8, 12, 20, 40, 55],
  [WALK]: [2, 4, 8, 12, 20, 35],
};

function sizesOf({ dataset, features, people }: OfTemplates): number[] {
  const known = SIZES[dataset];
  const sizes = known ?? [2, 4, 8, 12, 20, features].map((size) => fitting(size, { features, people }));
  return [...new Set(sizes)];
}

function sweep(of: OfTemplates, scale: Scale) {
  const { features, people } = of;
  if (scale === 'full') {
    const sizes = sizesOf(of).join(' ');
    return { few: fitting(4, of), dca: sizes, pca: sizes };
  }
  const most = Math.max(...sizesOf({ ...of, people: Infinity }));
  return { few: fitting(3, { features, people }), dca: `${of.components}`, pca: `${most}` };
}

function recordOf({ components, byFeature, ...found }: Reconstruction): Tidy {
  return {
    ...{ method: found.method, k: components, attack: found.attack, enrolled: found.enrolled ? 'yes' : 'no' },
    ...columnsOf('windows', found.windows),
    ...columnsOf('mean', found.mean),
    ...columnsOf('alone', found.alone),
    ...columnsOf('gain', found.gain),
    ...byFeature,
    ...{ nearlyWhole: found.nearlyWhole, varying: found.features, verdict: found.verdict },
  };
}

const FRAME_KNOWN = ATTACKS[0]!;

/** The measures of each attack. */
const MEASURES = {
  'of a person’s mean, %': interval('mean', SHARE),
  'features: least, median, most': beside(
    ', ',
    only('least', SHARE),
    only('median', SHARE),
    only('most', SHARE),
  ),
  '≥ 90 %': only('nearlyWhole'),
  'of features': only('varying'),
  verdict: only('verdict'),
};

/** True for an attack that has no window in raw form beside its image. */
const isBlind = ({ attack }: Tidy): boolean => /^(blind|lengths)/.test(String(attack));
const known = (method: string, k: number) => ({ method, k, attack: FRAME_KNOWN.name, enrolled: 'yes' });
const WHOLE = { digits: 0, percent: true } as const;

export const reconstruction = defineStudy<Case>({
  id: 'recognition/reconstruction',
  plan: (asked) => planTemplates(asked, 'reconstruction', sweep),
  titleOf: ({ dataset }) => dataset,
  expectedSeconds: ({ dca, components }) => 6 * dca.split(' ').length + components,
  async *measure(chosen, bench) {
    const { scene } = await attackedIn(chosen, bench);
    for (const method of ['dca', 'pca'] as const)
      for (const components of chosen[method].split(' ').map(Number))
        for (const enrolled of [true, false]) {
          bench.note(`${method}, ${components} components`);
          yield recordOf(reconstruct(scene, { method, components }, FRAME_KNOWN, enrolled));
          await setImmediate(); // so that an interruption is heard
        }
    for (const components of new Set([chosen.few, chosen.components]))
      for (const attack of ATTACKS.slice(1)) {
        bench.note(attack.name);
        yield recordOf(reconstruct(scene, { method: 'dca', components }, attack));
        await setImmediate();
      }
  },
  columns: {
    ...COLUMNS,
    method: { values: { pca: 'PCA', dca: 'DCA' } },
    enrolled: {
      title: 'rows in the projection',
      values: { yes: 'have a part', no: 'no part' },
    },
  },
  tables: {
    known: {
      where: { attack: FRAME_KNOWN.name },
      caption:
        'The frame known, by k. “No part”: the projection was learnt from other people alone, as for users who join later (control)',
      rows: ['dataset', 'method', 'k', 'enrolled'],
      cells: { 'of windows, %': interval('windows', SHARE), ...MEASURES },
    },
    unknown: {
      where: ({ attack }) => attack !== FRAME_KNOWN.name,
      caption: 'The frame not known, DCA. Verdicts are on the gain',
      rows: ['dataset', 'k', 'attack'],
      cells: {
        'of windows, %': interval('windows', SHARE),
        'without any window': only('alone', SHARE),
        'gain, points': interval('gain', SHARE),
        ...MEASURES,
      },
    },
  },
  facts: {
    ...ofBothSets({
      blindGain: { figure: where(isBlind, most('gainHigh', SHARE)) },
    }),
    walkNearlyRaw: { where: { dataset: WALK, ...known('dca', 35) }, figure: only('windows', SHARE) },
    walkNearlyRawPca: { where: { dataset: WALK, ...known('pca', 35) }, figure: only('windows', SHARE) },
    keysNearlyRaw: { where: { dataset: KEYS, ...known('dca', 55) }, figure: only('windows', SHARE) },
    keysNearlyRawPca: { where: { dataset: KEYS, ...known('pca', 55) }, figure: only('windows', SHARE) },
    walkWindows: { where: { dataset: WALK, ...known('dca', 12) }, figure: only('windows', WHOLE) },
    walkMean: { where: { dataset: WALK, ...known('dca', 12) }, figure: only('mean', WHOLE) },
    keysWindows: { where: { dataset: KEYS, ...known('dca', 20) }, figure: only('windows', WHOLE) },
    keysMean: { where: { dataset: KEYS, ...known('dca', 20) }, figure: only('mean', WHOLE) },
    walkByWindows: {
      where: { dataset: WALK, k: 12, attack: 'k known windows' },
      figure: only('windows', WHOLE),
    },
    keysByWindows: {
      where: { dataset: KEYS, k: 20, attack: 'k known windows' },
      figure: only('windows', WHOLE),
    },
  },
  holds: {
    nearlyRaw: (fact) => fact('walkNearlyRaw') > 0.9 && fact('walkNearlyRawPca') > 0.99,
    meansComeBack: (fact) =>
      fact('walkMean') > fact('walkWindows') + 0.2 && fact('keysMean') > fact('keysWindows') + 0.2,
    windowsAreFrame: (fact) =>
      fact('walkByWindows') > fact('walkWindows') - 0.05 &&
      fact('keysByWindows') > fact('keysWindows') - 0.05,
    blindFails: (fact) => fact('walkBlindGain') < 0.05 && fact('keysBlindGain') < 0.05,
  },
  words: new URL('reconstruction.md', import.meta.url),
});
