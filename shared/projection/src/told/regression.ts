/** A regression in words and as a table. */
import type { Fitted } from '@eigenveil/methods';
import { csvLine } from '@eigenveil/statistics/owner';
import { Predictor } from '../projector/predictor.ts';
import { byPredictor } from '../projector/reducer.ts';
import { regressionInUnits } from '../reference/ridge.ts';
import type { Telling, Told } from './form.ts';

export const REGRESSION_TOLD: Telling = {
  noun: 'a regression',
  /** In the columns' units, what a unit of each column adds to the predicted one. */
  lines(told: Told<Fitted>) {
    const { features } = told.task;
    const inUnits = regressionInUnits(told);
    const longest = Math.max(...features.map(({ name }) => name.length));
    const lineOf = (name: string, value: number) =>
      `  ${name.padEnd(longest)}  ${value.toPrecision(6).padStart(12)}`;
    return [
      `${features.at(-1)!.name} = the sum of each column times`,
      ...inUnits.weights.map((weight, i) => lineOf(features[i]!.name, weight)),
      `and ${inUnits.intercept.toPrecision(6)}, within the agreed ranges`,
    ];
  },
  /**
   * One line per feature but the last: its weight where all features lie in [−1, 1], and in the columns'
   * units; and the intercept.
   */
  csv(told: Told<Fitted>) {
    const { weights: scaled, intercept } = told.projection.regression;
    const inUnits = regressionInUnits(told);
    const lines = scaled.map((weight, i) => [told.task.features[i]!.name, weight, inUnits.weights[i]!]);
    return [
      ['feature', 'weight_scaled', 'weight_in_units'],
      ...lines,
      ['', intercept, inUnits.intercept], // the intercept
    ]
      .map(csvLine)
      .join('\n');
  },
  size: ({ regression }: Fitted) => `${regression.weights.length} weights`,
  summary: ({ regression }: Fitted) => ({ regression }),
  rows: {
    done: 'predicted in',
    by: ({ task, projection }) => byPredictor(new Predictor(task, projection)),
  },
};
