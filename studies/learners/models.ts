/** Models that gradient descent learns: multinomial logistic regression, and a small network with one hidden layer, each with the gradient of one row. */

import type { RandomSource } from '@eigenveil/privacy';
import { checkCount } from '@eigenveil/privacy/parts';
import { RealDraws } from '../privacy/random/real.ts';

/** Parameters are one list; scores are those of classes, before softmax. */
export interface Model {
  readonly start: (source: RandomSource) => Float64Array;
  readonly scores: (parameters: Float64Array, row: readonly number[]) => Float64Array;
  /** Writes the gradient of −ln softmax of the label over what was in `gradient`. */
  readonly gradient: (
    parameters: Float64Array,
    row: readonly number[],
    label: number,
    gradient: Float64Array,
  ) => void;
}

/** Class by class: a weight for each feature, then a constant. Starts at 0. */
export function logisticModel(features: number, classes: number): Model {
  checkCount('features', features, 1);
  checkCount('classes', classes, 2);
  const scores = (parameters: Float64Array, row: readonly number[]) =>
    layer(parameters, 0, row, features, classes);
  return {
    start: () => new Float64Array(classes * (features + 1)),
    scores,
    gradient: (parameters, row, label, gradient) => {
      layerGradient(gradient, 0, row, errorsOf(scores(parameters, row), label));
    },
  };
}

/** tanh in between. Weights start at N(0, 1/inputs), whatever the rows are; those of the last layer at 0. */
export function networkModel(features: number, hidden: number, classes: number): Model {
  checkCount('features', features, 1);
  checkCount('hidden', hidden, 1);
  checkCount('classes', classes, 2);
  const first = hidden * (features + 1);
  const inner = (parameters: Float64Array, row: readonly number[]) =>
    layer(parameters, 0, row, features, hidden).map(Math.tanh);
  const outer = (parameters: Float64Array, between: Float64Array) =>
    layer(parameters, first, between, hidden, classes);
  return {
    start: (source) => {
      const draws = new RealDraws(source);
      const parameters = new Float64Array(first + classes * (hidden + 1));
      for (let i = 0; i < first; i += 1) parameters[i] = draws.normal() / Math.sqrt(features);
      return parameters;
    },
    scores: (parameters, row) => outer(parameters, inner(parameters, row)),
    gradient: (parameters, row, label, gradient) => {
      const between = inner(parameters, row);
      const errors = errorsOf(outer(parameters, between), label);
      layerGradient(gradient, first, between, errors);
      const back = between.map((value, unit) => {
        const weightOf = (c: number) => parameters[first + c * (hidden + 1) + unit]!;
        const sum = errors.reduce((total, error, c) => total + error * weightOf(c), 0);
        return sum * (1 - value * value);
      });
      layerGradient(gradient, 0, row, back);
    },
  };
}

function layer(
  parameters: Float64Array,
  from: number,
  inputs: ArrayLike<number>,
  width: number,
  outputs: number,
): Float64Array {
  return Float64Array.from({ length: outputs }, (_, unit) => {
    const at = from + unit * (width + 1);
    let sum = parameters[at + width]!;
    for (let i = 0; i < width; i += 1) sum += parameters[at + i]! * inputs[i]!;
    return sum;
  });
}

function layerGradient(
  gradient: Float64Array,
  from: number,
  inputs: ArrayLike<number>,
  errors: Float64Array,
): void {
  const width = inputs.length;
  for (let unit = 0; unit < errors.length; unit += 1) {
    const at = from + unit * (width + 1);
    for (let i = 0; i < width; i += 1) gradient[at + i] = errors[unit]! * inputs[i]!;
    gradient[at + width] = errors[unit]!;
  }
}

/** softmax less the one of the label. */
function errorsOf(scores: Float64Array, label: number): Float64Array {
  const largest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  const errors = powers.map((power) => power / sum);
  errors[label]! -= 1;
  return errors;
}
