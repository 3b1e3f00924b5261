/** How much noise there is: what methods keep of the ε that they are told, 1/N_i² beside 1/n², and from how many features on Gaussian noise is less. */

import { noisePlan } from '@eigenveil/privacy';
import type { Block, Section, Table } from '../../instrument/report/document.ts';
import type { Measurement } from '../../instrument/unit.ts';
import { calibrateLaplace, secondMomentSensitivity } from '../mechanisms/index.ts';
import { eigenveil, PCA_METHODS, type PcaMethod, stageTask } from '../methods/index.ts';
import {
  DEALINGS,
  type Dealing,
  dealingTitle,
  EPSILONS,
  findUtility,
  keptFact,
  noiseFact,
  POOLED,
  settingOf,
} from '../utility.ts';
import { left, right, SHOWN_EPSILON, text } from './cells.ts';

/** What units of every dealing say of each method, at SHOWN_EPSILON. */
function overDealings(
  measurements: readonly Measurement[],
  datasets: readonly string[],
  of: {
    readonly caption: string;
    readonly methods: readonly PcaMethod[];
    readonly fact: (name: string) => string;
  },
): Table {
  const cell = (dataset: string, { name, dependsOnSites }: PcaMethod, dealing: Dealing): string => {
    const unit = findUtility(measurements, dataset, dependsOnSites ? dealing : POOLED, SHOWN_EPSILON);
    const value = unit?.facts[of.fact(name)];
    return typeof value === 'number' ? value.toPrecision(3) : value === undefined ? '' : 'none';
  };
  return {
    kind: 'table',
    caption: of.caption,
    columns: [left('data set'), left('method'), ...DEALINGS.map((dealing) => right(dealingTitle(dealing)))],
    rows: datasets.flatMap((dataset) =>
      of.methods.map((method) => [
        dataset,
        method.title,
        ...DEALINGS.map((dealing) => cell(dataset, method, dealing)),
      ]),
    ),
  };
}

/** ε that is kept, of every method whose nominal one is not. */
export function unkeptBlocks(measurements: readonly Measurement[], datasets: readonly string[]): Block[] {
  return [
    text(
      'These figures are not to be compared with those of other panels: the methods add less noise than the ε that they are told takes. The table says which ε they keep for a row in its place, by the deviation that they do add, with the same δ; the remarks in the table of promises say why, also where there is none.',
    ),
    overDealings(measurements, datasets, {
      caption: `ε that is kept by methods that are told ε = ${SHOWN_EPSILON}`,
      methods: PCA_METHODS.filter(({ panel }) => panel === 'unkept'),
      fact: keptFact,
    }),
  ];
}

export function noiseSection(measurements: readonly Measurement[], datasets: readonly string[]): Section {
  return {
    title: 'How much noise',
    blocks: [
      text(
        'The deviation of the noise on a diagonal entry of the mean of x xᵀ, in units in which the longest row has length 1 once rows are clipped to C: divided by their length where a method centres them by their exact mean. Noise that every site adds to its own mean has the variance of 1/N_i², and the mean of the sites’ keeps most of it: it grows with the number of sites. Noise that is added once, to a sum of all n rows, has 1/n², and does not. ELFedPCA as published is at 1/n² without hiding a row; repaired it is at the 1/N_i² of the smallest site.',
      ),
      overDealings(measurements, datasets, {
        caption: `Deviation of the noise at ε = ${SHOWN_EPSILON}`,
        methods: PCA_METHODS.filter(({ noiseDeviation }) => noiseDeviation !== undefined),
        fact: noiseFact,
      }),
      text(
        'Laplace noise on Σ x xᵀ has a deviation of (d + 1)/(√2 ε), which grows with the number of features d; Gaussian noise has one that does not. In the Frobenius norm of the whole noise matrix, Laplace noise is less up to the d of the table, and more from there on. Eigenveil’s noise on Σ x and on the number of rows comes on top; methods with Laplace noise here protect neither.',
      ),
      crossings(),
    ],
  };
}

/** E‖N‖² of the noise on Σ x xᵀ. */
function squaredNorm(dimension: number, variances: { readonly on: number; readonly off: number }): number {
  return dimension * variances.on + dimension * (dimension - 1) * variances.off;
}

/** The largest number of features at which Laplace noise of δ = 0 is less than the Gaussian noise of so many draws of the stage. */
export function crossing(epsilon: number, draws: 1 | 2): number {
  const laplaceIsLess = (dimension: number): boolean => {
    const task = stageTask(dimension, 1, settingOf(eigenveil, 1, epsilon));
    const { variances, offDiagonal } = noisePlan(task);
    // In units of rows in the unit ball.
    const unit = 4 ** task.fractionBits;
    const quotient = (variance: typeof offDiagonal) =>
      (draws * Number(variance.numerator)) / Number(variance.denominator) / unit ** 2;
    const scale = calibrateLaplace({
      sensitivity: secondMomentSensitivity(dimension, 'add-remove').l1,
      epsilon,
    });
    const gaussian = squaredNorm(dimension, { on: quotient(variances.R), off: quotient(offDiagonal) });
    return squaredNorm(dimension, { on: 2 * scale ** 2, off: 2 * scale ** 2 }) < gaussian;
  };
  let dimension = 0;
  while (laplaceIsLess(dimension + 1)) dimension += 1;
  return dimension;
}

function crossings(): Table {
  return {
    kind: 'table',
    caption:
      'The largest number of features at which Laplace noise (δ = 0) on Σ x xᵀ is less than Eigenveil’s',
    columns: [right('ε'), right('than both servers’'), right('than one server’s')],
    rows: EPSILONS.map((epsilon) => [`${epsilon}`, `${crossing(epsilon, 2)}`, `${crossing(epsilon, 1)}`]),
  };
}
