/** The two pictures of a data set: error rates by number of components, and DET curves. */
import type { Chart, Line } from '../../instrument/report/document.ts';
import { type Facts, numberOf, percent } from './facts.ts';
import { FALSE_MATCH_RATES } from './rates.ts';

export function componentsChart(dataset: string, facts: Facts): Chart {
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
        ([name, prefix, style]): Line => ({ name, style, points: byComponents(facts, prefix) }),
      ),
    },
  };
}

function byComponents(facts: Facts, prefix: string): { x: number; y: number }[] {
  return Object.keys(facts)
    .flatMap((name) => {
      const [, k] = new RegExp(`^${prefix}/(\\d+)/perSample$`).exec(name) ?? [];
      return k === undefined ? [] : [{ x: Number(k), y: numberOf(facts, name)! }];
    })
    .sort((a, b) => a.x - b.x);
}

export function detChart(dataset: string, facts: Facts): Chart {
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
          points: FALSE_MATCH_RATES.flatMap((rate) => {
            const y = numberOf(facts, `${arm}/det/${percent(rate)}`);
            return y === undefined ? [] : [{ x: percent(rate), y }];
          }),
        }),
      ),
    },
  };
}
