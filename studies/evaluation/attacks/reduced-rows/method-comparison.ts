/** Methods of projection beside each other: how well the utility label is told from reduced rows, and how well the private one. */

import { mean } from '@eigenveil/testbed/goodness/mean';
import type { Block, Line } from '../../../instrument/report/document.ts';
import type { Draws } from '../../draws.ts';
import type { Setting } from '../../experiment.ts';
import type { Scene } from '../../scene.ts';
import { blind, labelsOf, measured, type People } from './private-label.ts';
import {
  bookReduction,
  chartName,
  directionsOf,
  firstOf,
  methodReduction,
  noReduction,
  type Reduction,
} from './reductions.ts';

type Maker = (scene: Scene, draws: Draws) => Reduction;

const directions = (scene: Scene): number => directionsOf(scene, labelsOf(scene).utility);

/** At the settings of drafts; PCA with as many components as the scene's own task. */
export const METHODS = {
  none: noReduction,
  pca: (scene, draws) =>
    methodReduction(scene, { method: 'pca', components: scene.proposal.components }, draws),
  dca: (scene, draws) => methodReduction(scene, { method: 'dca', components: directions(scene) }, draws),
  lda: (scene, draws) => methodReduction(scene, { method: 'lda', components: directions(scene) }, draws),
  mdr: (scene, draws) => withRidge(scene, 1, draws),
} as const satisfies Record<string, Maker>;

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
  const sample = reduction.reduce(scene.publicSample);
  const units = sample[0]!.map((_, c) => {
    const centre = mean(sample.map((row) => row[c]!));
    return Math.sqrt(mean(sample.map((row) => (row[c]! - centre) ** 2)));
  });
  return {
    ...reduction,
    name: `DCA, noise of ${factor} deviations`,
    reduce: (rows) =>
      reduction.reduce(rows).map((row) => row.map((value, c) => value + factor * units[c]! * draws.normal())),
  };
}

/** What one line of the chart is made of. */
interface Arm {
  readonly title: string;
  readonly style: Line['style'];
  readonly reductions: readonly Reduction[];
}

/** By number of components, ρ or noise. */
function armsOf({ scene, effort }: Setting, draws: Draws): readonly Arm[] {
  const single = (method: keyof typeof METHODS, title: string): Arm => ({
    title,
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
  const sweep = (title: string, reduction: Reduction): Arm => ({
    title,
    style: 'solid',
    reductions: numbers.map((k) => firstOf(reduction, k)),
  });
  return [
    sweep('PCA, by components', methodReduction(scene, { method: 'pca', components: most }, draws)),
    sweep('DCA, the book’s form, by components', bookReduction(scene, most, draws)),
    dca,
    single('lda', 'LDA'),
    {
      title: 'DCA with noise on reduced rows',
      style: 'dashed',
      reductions: NOISES.map((factor) =>
        noisy(dca.reductions[0]!, factor, scene, draws.of(`noise ${factor}`)),
      ),
    },
    {
      title: 'MDR, by ρ',
      style: 'solid',
      reductions: RIDGES.map((ridge) => withRidge(scene, ridge, draws)),
    },
    single('none', 'no projection'),
  ];
}

/** Of charts. */
const MOST_COMPONENTS = 32;

export async function comparison(id: string, setting: Setting, draws: Draws, members: People) {
  const { scene } = setting;
  const arms = armsOf(setting, draws);
  const all = await measured(
    scene,
    members,
    arms.flatMap(({ reductions }) => reductions),
  );
  const { byUtility, majority } = blind(scene, members);
  let next = 0;
  const lines = arms.map(({ title, style, reductions }): Line => {
    const own = reductions.map(() => all[next++]!);
    return {
      name: title,
      style,
      points: own.map(({ utility, alone }) => ({ x: utility, y: alone })),
    };
  });
  const xs = all.map(({ utility }) => utility);
  const level = (name: string, y: number): Line => ({
    name,
    style: 'dashed',
    points: [Math.min(...xs), Math.max(...xs)].map((x) => ({ x, y })),
  });
  const chart: Block = {
    kind: 'chart',
    name: chartName(id, scene),
    caption: `${scene.name}: the private label ${labelsOf(scene).private} guessed from reduced rows alone, over the utility label ${labelsOf(scene).utility} told from them; a method that hides well lies low and to the right`,
    drawing: {
      kind: 'lines',
      x: { title: 'utility label right', scale: 'linear' },
      y: { title: 'private label right', scale: 'linear' },
      lines: [
        ...lines,
        level('from the utility label alone', mean(byUtility)),
        level('most frequent', majority),
      ],
    },
  };
  const names = arms.flatMap(({ reductions }) => reductions.map(({ name }) => name));
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const table: Block = {
    kind: 'table',
    caption: `${scene.name}: shares of rows that are guessed right; ${percent(mean(byUtility))} from the utility label alone, ${percent(majority)} by the most frequent`,
    columns: [
      { title: 'reduced by', align: 'left' },
      ...['components', 'utility', 'private, from reduced rows', 'and the utility label'].map((title) => ({
        title,
        align: 'right' as const,
      })),
    ],
    rows: all.map(({ components, utility, alone, together }, i) => [
      names[i]!,
      `${components}`,
      percent(utility),
      percent(alone),
      percent(mean(together)),
    ]),
  };
  return [chart, table];
}
