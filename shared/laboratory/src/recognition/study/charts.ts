/** The two pictures of a data set: error rates by number of components, and DET curves. */
import type { Measurement } from '@eigenveil/bench/unit';
import type { Chart, Line } from '@eigenveil/report/document';
import { numberOf, percent } from './facts.ts';
import { FALSE_MATCH_RATES } from './rates.ts';

export function componentsChart(dataset: string, unit: Measurement): Chart {
  const lines = [
    ['DCA', 'k/dca/frames', 'solid'],
    ['PCA', 'k/pca/frames', 'solid'],
    ['DCA, cohort of insiders', 'k/dca/insiders', 'dashed'],
    ['PCA, cohort of insiders', 'k/pca/insiders', 'dashed'],
  ] as const;
  return {
    kind: 'chart',
    name: `components-${dataset.replaceAll('_', '-')}`,
    caption: `${dataset}: pooled EER of single rows by number of components; all else chosen by validation for each`,
    drawing: {
      kind: 'lines',
      x: { title: 'components', scale: 'linear' },
      y: { title: 'EER in percent', scale: 'linear' },
      lines: lines.map(
        ([name, prefix, style]): Line => ({ name, style, points: byComponents(unit, prefix) }),
      ),
    },
  };
}

function byComponents(unit: Measurement, prefix: string): { x: number; y: number }[] {
  return Object.keys(unit.facts)
    .flatMap((name) => {
      const [, k] = new RegExp(`^${prefix}/(\\d+)/perSample$`).exec(name) ?? [];
      return k === undefined ? [] : [{ x: Number(k), y: numberOf(unit, name)! }];
    })
    .sort((a, b) => a.x - b.x);
}

export function detChart(dataset: string, unit: Measurement): Chart {
  const arms = [
    ['DCA', 'dca', 'solid'],
    ['PCA', 'pca', 'solid'],
    ['raw, scaled Manhattan', 'manhattan', 'dashed'],
    ['raw, pooled Mahalanobis', 'mahalanobis', 'dashed'],
    ['random projection', 'random', 'dashed'],
  ] as const;
  return {
    kind: 'chart',
    name: `det-${dataset.replaceAll('_', '-')}`,
    caption: `${dataset}: DET of single rows, a frame for each user: FNMR where FMR is at most this`,
    drawing: {
      kind: 'lines',
      x: { title: 'FMR in percent', scale: 'log' },
      y: { title: 'FNMR in percent', scale: 'linear' },
      lines: arms.map(
        ([name, arm, style]): Line => ({
          name,
          style,
          points: FALSE_MATCH_RATES.map((rate) => ({
            x: percent(rate),
            y: numberOf(unit, `${arm}/det/${percent(rate)}`) ?? 100,
          })),
        }),
      ),
    },
  };
}
