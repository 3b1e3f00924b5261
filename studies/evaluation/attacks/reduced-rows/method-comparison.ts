/** Methods of projection beside each other: how well the utility label is told from reduced rows, and how well the private one. */

import { mean } from '@eigenveil/testbed/goodness/mean';
import { only } from '../../../instrument/figure.ts';
import type { Block, Line } from '../../../instrument/report/document.ts';
import type { Draws } from '../../draws.ts';
import type { Setting } from '../../experiment.ts';
import type { Person, Scene } from '../../scene.ts';
import { lineChart, recordTable } from '../../shown.ts';
import { momentsOf } from './inverses.ts';
import { blind, labelsOf, measured } from './private-label.ts';
import {
  bookReduction,
  directionsOf,
  firstOf,
  methodReduction,
  noReduction,
  type Reduction,
} from './reductions.ts';

const directions = (scene: Scene): number => directionsOf(scene, labelsOf(scene).utility);

/** Methods at the settings of drafts; PCA with as many components as the scene's own task. */
export const METHODS = {
  none: noReduction,
  pca: (scene, draws) => methodReduction(scene, { method: 'pca' }, draws),
  dca: (scene, draws) => methodReduction(scene, { method: 'dca', components: directions(scene) }, draws),
  lda: (scene, draws) => methodReduction(scene, { method: 'lda', components: directions(scene) }, draws),
  mdr: (scene, draws) => withRidge(scene, 1, draws),
} as const satisfies Record<string, (scene: Scene, draws: Draws) => Reduction>;

/** MDR: the smaller ρ, the more alike are the means of the private classes. */
function withRidge(scene: Scene, ridge: number, draws: Draws): Reduction {
  const reduction = methodReduction(scene, { method: 'mdr', components: directions(scene), ridge }, draws);
  return { ...reduction, name: `MDR, ρ = ${ridge}` };
}

const RIDGES = [0.01, 1, 100] as const;
/** Deviations of the noise that makes DCA worse, in those of its reduced rows. */
const NOISES = [0.5, 1, 2, 4] as const;

/** DCA with noise on its reduced rows: what it costs in utility to hide a label by saying less of everything. */
function noisy(reduction: Reduction, factor: number, scene: Scene, draws: Draws): Reduction {
  const { deviations } = momentsOf(reduction.reduce(scene.publicSample));
  return {
    ...reduction,
    name: `DCA, noise of ${factor} deviations`,
    reduce: (rows) =>
      reduction
        .reduce(rows)
        .map((row) => row.map((value, c) => value + factor * deviations[c]! * draws.normal())),
  };
}

/** Reductions that one line of the chart is made of. */
interface Arm extends Pick<Line, 'name' | 'style'> {
  readonly reductions: readonly Reduction[];
}

/** Lists the lines of the chart, by number of components, ρ or noise. */
function armsOf({ scene, effort }: Setting, draws: Draws): readonly Arm[] {
  const single = (method: keyof typeof METHODS, name: string): Arm => ({
    name,
    style: 'points',
    reductions: [METHODS[method](scene, draws.of(method))],
  });
  const dca = single('dca', 'DCA');
  if (effort === 'quick') return [single('pca', 'PCA'), dca, single('mdr', 'MDR')];
  const { features, components } = scene.proposal;
  const most = Math.min(features.length, MOST_COMPONENTS);
  const numbers = [...new Set([1, 2, 4, 8, 16, most, components])]
    .filter((k) => k <= most)
    .sort((a, b) => a - b);
  const line = (name: string, reductions: readonly Reduction[]): Arm => ({
    name,
    style: 'solid',
    reductions,
  });
  const sweep = (name: string, reduction: Reduction) =>
    line(
      name,
      numbers.map((k) => firstOf(reduction, k)),
    );
  const noiseOf = (factor: number) => noisy(dca.reductions[0]!, factor, scene, draws.of(`noise ${factor}`));
  const mdr = RIDGES.map((ridge) => withRidge(scene, ridge, draws));
  return [
    sweep('PCA, by components', methodReduction(scene, { method: 'pca', components: most }, draws)),
    sweep('DCA, the book’s form, by components', bookReduction(scene, most, draws)),
    dca,
    single('lda', 'LDA'),
    { name: 'DCA with noise on reduced rows', style: 'dashed', reductions: NOISES.map(noiseOf) },
    line('MDR, by ρ', mdr),
    single('none', 'no projection'),
  ];
}

/** Largest number of components in charts. */
const MOST_COMPONENTS = 32;

export async function comparison(
  id: string,
  setting: Setting,
  draws: Draws,
  members: readonly Person[],
): Promise<Block[]> {
  const { scene } = setting;
  const arms = armsOf(setting, draws);
  const reductions = arms.flatMap((arm) => arm.reductions);
  const all = await measured(scene, members, reductions, draws.of('certainty'));
  const { byUtility, majority } = blind(scene, members);
  const pointOf = new Map(all.map(({ utility, alone }, i) => [reductions[i]!, { x: utility, y: alone }]));
  const lines = arms.map(({ name, style, reductions: own }): Line => {
    const points = own.map((reduction) => pointOf.get(reduction)!);
    return { name, style, points };
  });
  const chart = lineChart(
    {
      name: `${id}-${scene.name}`,
      caption: `${scene.name}: the private label ${labelsOf(scene).private} guessed from reduced rows alone, over the utility label ${labelsOf(scene).utility} told from them; a method that hides well lies low and to the right`,
    },
    'utility label right',
    'private label right',
    lines,
    { 'from the utility label alone': mean(byUtility), 'most frequent': majority },
  );
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const shares = { digits: 1, percent: true, unit: '%' } as const;
  const table = recordTable(
    {
      caption: `${scene.name}: shares of rows that are guessed right; ${percent(mean(byUtility))} from the utility label alone, ${percent(majority)} by the most frequent`,
      rows: ['reduced by', 'components'],
      cells: {
        utility: only('utility', shares),
        'private, from reduced rows': only('alone', shares),
        'and the utility label': only('together', shares),
        ...(all[0]?.certainty && {
          '|Pr(+|z) − Pr(−|z)|': only('seen', { digits: 2 }),
          'by chance': only('chance', { digits: 2 }),
        }),
      },
    },
    all.map(({ components, utility, alone, together, certainty }, i) => ({
      ...{ 'reduced by': reductions[i]!.name, components, utility, alone, together: mean(together) },
      ...certainty,
    })),
  );
  return [chart, ...table];
}
