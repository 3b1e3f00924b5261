/** What each method promises, how calibrations differ, and the public ranges. */
import { calibrateAnalyticGaussian, calibrateClassicGaussian, rhoOfBudget } from '@eigenveil/privacy';
import type { Section } from '../../instrument/report/document.ts';
import { RANGES } from '../data.ts';
import { PCA_METHODS, type PcaPromise } from '../methods/index.ts';
import { DP_DELTA, EPSILONS } from '../utility.ts';
import { left, right, text } from './cells.ts';

export function promises(): Section {
  return {
    title: 'What each method promises',
    blocks: [
      text(
        `Rows are scaled by public ranges and divided by √d, so that ‖x‖₂ ≤ 1; δ = ${DP_DELTA}. All methods have the same rows, budgets and seeds. Captured energy is that of the scatter around the mean, in percent of what the best components of that number capture. A method that gives no components, since the noisy number of rows is not positive, captures nothing. Methods whose mean is not protected get it exactly and for free, which flatters them. So does “add-remove” beside a public number of rows: n or N_i, once published, tell neighbours apart, and (ε, δ) holds only for numbers that are given. What they could promise is “replace”, which takes √2 times the Gaussian noise, and twice the Laplace noise; they are measured without that.`,
      ),
      {
        kind: 'table',
        caption: 'Promises, trust, and what of the computation they cover',
        columns: [
          left('method'),
          left('neighbours'),
          left('ε'),
          left('trusts'),
          left('mean'),
          left('number of rows'),
          left('remarks'),
          left('after'),
        ],
        rows: PCA_METHODS.map(({ title, reference, promise }) => [
          title,
          promise.neighbours,
          promise.epsilon,
          promise.trust,
          promise.means,
          countsText(promise),
          promise.remarks,
          reference,
        ]),
      },
      {
        kind: 'table',
        caption: `Deviation of Gaussian noise for sensitivity 1 and δ = ${DP_DELTA}, by calibration`,
        columns: [right('ε'), right('analytic'), right('by zCDP'), right('classic')],
        rows: EPSILONS.map((epsilon) => {
          const budget = { epsilon, dpDelta: DP_DELTA };
          return [
            `${epsilon}`,
            calibrateAnalyticGaussian({ sensitivity: 1, ...budget }).toFixed(2),
            Math.sqrt(1 / (2 * rhoOfBudget(budget))).toFixed(2),
            epsilon <= 1
              ? calibrateClassicGaussian({ sensitivity: 1, ...budget }).toFixed(2)
              : 'does not hold',
          ];
        }),
      },
    ],
  };
}

/** Where the number of rows is public, one row more and one less are told apart by it. */
const countsText = ({ neighbours, counts }: PcaPromise): string =>
  neighbours === 'add-remove' && counts === 'public' ? 'public: ε only for numbers that are given' : counts;

export function dataSection(datasets: readonly string[]): Section {
  return {
    title: 'Public ranges',
    blocks: [
      {
        kind: 'table',
        caption: 'Ranges that the features are scaled by: from what they are, not from the rows',
        columns: [left('data set'), right('features'), left('ranges')],
        rows: datasets.map((dataset) => [dataset, `${RANGES[dataset]!.ranges.length}`, RANGES[dataset]!.why]),
      },
    ],
  };
}
