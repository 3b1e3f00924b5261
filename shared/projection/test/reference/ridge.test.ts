/** Ridge regression of pooled rows: against its definition, as predictions in the columns' units, and refused where it is not the task's. */
import { ofKind } from '@eigenveil/methods';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgreedTask } from '../../src/claims/claimed.ts';
import { checkAgreed, Predictor, Projector, regressionInUnits, resultInClear } from '../../src/index.ts';
import { DATASETS, prepare } from '../samples.ts';

const OUTPUTS = ['mean', 'sampleCount'] as const;

function fitted(name: (typeof DATASETS)[number], ridge: number) {
  const { program, statistics, rounded } = prepare(name, { kind: 'ridge', ridge });
  const clear = resultInClear({ ...program, components: 0, outputs: OUTPUTS }, statistics);
  const decomposition = ofKind('regression', clear);
  const { weights, intercept } = decomposition.regression;
  return { decomposition, weights, intercept, rounded };
}

describe('ridge regression', () => {
  it.each(DATASETS.flatMap((name) => [0.1, 1, 50].map((ridge) => [name, ridge] as const)))(
    'of %s with ρ = %f is where the loss has no slope',
    (name, ridge) => {
      const { weights, intercept, rounded } = fitted(name, ridge);
      const rest = rounded.map((row) =>
        weights.reduce((sum, w, i) => sum + w * row[i]!, intercept - row.at(-1)!),
      );
      const slope = (of: (row: number[]) => number) =>
        rounded.reduce((sum, row, n) => sum + rest[n]! * of(row), 0);
      expect(Math.abs(slope(() => 1))).toBeLessThan(1e-9 * rounded.length);
      for (const [i, w] of weights.entries())
        expect(Math.abs(slope((row) => row[i]!) + ridge * w)).toBeLessThan(1e-9 * rounded.length);
    },
  );

  it('is refused where a feature does not vary and nothing is added to it', () => {
    // The second feature of ionosphere is 0 throughout.
    expect(() => fitted('ionosphere', 0)).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_POSITIVE_DEFINITE' }),
    );
  });
});

/** Three columns of units of their own, the last of them predicted. */
const task: AgreedTask = {
  method: { kind: 'ridge', ridge: 1 },
  twoParty: 'garbled',
  features: [
    { name: 'age', min: 18, max: 98 },
    { name: 'rooms', min: 2, max: 2 },
    { name: 'area', min: 0, max: 200 },
    { name: 'price', min: 100, max: 900 },
  ],
  labellings: [],
  fractionBits: 14,
  maximumOwners: 2,
  maximumSamplesPerOwner: 1000,
  keyBits: 2048,
  statisticalSecurityBits: 40,
  differentialPrivacy: null,
  components: 0,
  outputs: [],
  minimumOwners: 1,
  allowFullRank: false,
};
const { method, twoParty, features, fractionBits, outputs, differentialPrivacy } = task;
const projection = {
  ...{ method, twoParty, features, fractionBits, outputs, differentialPrivacy },
  ...{ vectors: [], eigenvalues: [], converged: [] },
  regression: { weights: [-0.25, 0.125, 0.5], intercept: 0.1 },
};

describe('a predictor', () => {
  it('scales, clips and scales back', () => {
    const predictor = new Predictor(task, projection);
    expect(predictor.featureNames).toEqual(['age', 'rooms', 'area']);
    expect(predictor.targetName).toBe('price');
    // In [−1, 1]: 0, 0, 0 and 1, 0, −1 and, beyond its range, −1, 0, 1.
    const predicted = predictor.predict([
      [58, 2, 100],
      [98, 2, 0],
      [18, 2, 400],
    ]);
    for (const [i, scaled] of [0.1, 0.1 - 0.75, 0.1 + 0.75].entries())
      expect(predicted[i]).toBeCloseTo(500 + 400 * scaled, 9);
    expect(predictor.clippedCells).toEqual([0, 0, 1]);
  });

  it('says within the ranges what weights in the columns’ units say', () => {
    const { weights, intercept } = regressionInUnits({ task, projection });
    expect(weights).toEqual([-2.5, 0, 2]);
    const predictor = new Predictor(task, projection);
    const row = fc.tuple(fc.integer({ min: 18, max: 98 }), fc.constant(2), fc.integer({ min: 0, max: 200 }));
    fc.assert(
      fc.property(row, (cells) => {
        const [predicted] = predictor.predict([cells]);
        const line = weights.reduce((sum, w, i) => sum + w * cells[i]!, intercept);
        // Cells are rounded to 2^−14.
        expect(Math.abs(predicted! - line)).toBeLessThan(400 * 0.75 * 2 ** -14);
      }),
    );
  });

  it('takes the weights of a regression on components as well', () => {
    const other = { method: { kind: 'pcr', ridge: 1 } } as const;
    const predictor = new Predictor({ ...task, ...other, components: 1 }, { ...projection, ...other });
    const [predicted] = new Predictor(task, projection).predict([[58, 2, 100]]);
    expect(predictor.predict([[58, 2, 100]])).toEqual([predicted]);
  });

  it.each([
    ['another number of weights', { weights: [1, 1], intercept: 0 }],
    ['weights that no such rows have', { weights: [50, 0, 0], intercept: 0 }],
    ['an intercept beyond their reach', { weights: [0.5, 0, 0], intercept: 2 }],
    ['what is no number', { weights: [Number.NaN, 0, 0], intercept: 0 }],
    ['none', undefined],
  ])('refuses %s', (_, regression) => {
    const claimed = { ...projection, regression };
    expect(() => new Predictor(task, claimed)).toThrow(
      expect.objectContaining({
        code: 'ERR_PROJECTION_INVALID',
        message: expect.stringContaining('regression'),
      }),
    );
  });

  it('refuses rows of another width, and cells that are no numbers', () => {
    const predictor = new Predictor(task, projection);
    expect(() => predictor.predict([[1, 2]])).toThrow(RangeError);
    expect(() => predictor.predict([[1, 2, Number.NaN]])).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FINITE', message: expect.stringContaining('rows[0]') }),
    );
  });

  it('is what a projector, which would reduce every row to nothing, names where it refuses the result', () => {
    expect(() => new Projector(task, projection)).toThrow(
      expect.objectContaining({
        code: 'ERR_PROJECTION_INVALID',
        message: expect.stringContaining('Predictor'),
      }),
    );
  });

  it('is not for other methods, whose results have no regression', () => {
    const pca = { ...task, method: { kind: 'pca' }, components: 1 } as const;
    const claimed = {
      ...projection,
      method: pca.method,
      vectors: [[1, 0, 0, 0]],
      eigenvalues: [1],
      converged: [true],
    };
    expect(() => checkAgreed(pca, claimed)).toThrow(/regression/);
    const { regression: _, ...without } = claimed;
    checkAgreed(pca, without);
    expect(() => new Predictor(pca, without)).toThrow(/regression/);
  });
});
