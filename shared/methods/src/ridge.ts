/** Ridge regression of the last feature on all others, w = (S_xx + ρI)⁻¹ s_xy: all of it that is not computed. */
import { checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { rule } from './codes.ts';
import { checkFew, checkRidgeOf, ridgeRule } from './common.ts';
import { RIDGE_FLAG, TARGET_FLAG } from './draft.ts';
import { varyingFeatures } from './features.ts';
import { defineMethod } from './method.ts';
import { Ridge } from './parameters.ts';
import { basisRule, noNoiseRule, predictorsRule, REGRESSION, REGRESSION_WORDS } from './regression.ts';
import { REGRESSION_FORM } from './result.ts';

const RidgeParameters = z.strictObject({
  kind: z
    .literal('ridge')
    .describe(
      'Ridge regression of the last feature on all others, w = (S_xx + ρI)⁻¹ s_xy: by garbled or simulated, with 0 components and without differential privacy. Reveals: one weight for each other feature, and the intercept, to the data user.',
    ),
  ridge: Ridge,
});

export const ridge = defineMethod({
  labellings: 0,
  revealedByRotation: [],
  isLinear: false,
  parameters: RidgeParameters,
  result: REGRESSION_FORM,
  of: ({ method }) => ({
    ...REGRESSION, // nothing bounds the right side of the triangular system under noise
    check: (task) =>
      checkAll(
        () => checkFew(task),
        () => checkRidgeOf(method.ridge, task.features.slice(0, -1), task),
        basisRule('ridge', task),
      ),
    checkProgram(program) {
      const { components, outputs } = program;
      checkAll(
        noNoiseRule('ridge', program),
        rule(components === 0, 'components', '0 for ridge, whose weights are no vectors', components),
        predictorsRule('ridge', program),
        rule(
          !outputs.includes('spectrum'),
          'outputs',
          'no spectrum for ridge, which decomposes nothing',
          'spectrum',
        ),
        ridgeRule(method.ridge),
      );
    },
    maximumComponents: () => 0,
    /**
     * Each weight is an equation for the entries of S̄, and so are the trace and the variance of a feature
     * with two values (rank.ts).
     */
    revealsScatter({ features }, { outputs, twoValued }) {
      const varying = varyingFeatures(features);
      const told = (outputs.includes('trace') ? 1 : 0) + twoValued;
      return varying - 1 + told >= (varying * (varying + 1)) / 2;
    },
    words: {
      ...REGRESSION_WORDS,
      title: 'Ridge regression',
      size: ({ features }) => `${JSON.stringify(features.at(-1)!.name)} predicted from the others`,
      tells: ({ features }) => [
        `${features.length - 1} weights and an intercept, which predict ${JSON.stringify(features.at(-1)!.name)} from the other features: as many equations for the entries of the scatter matrix as there are weights`,
      ],
    },
  }),
  draft: {
    purpose: 'predicts one column from all others by a regression',
    details:
      'It predicts --target from all other columns, which are not in --ignore. Result and weights go to you, and nobody sees rows (docs/ridge.md).',
    example: '--target price',
    flags: { target: TARGET_FLAG, ridge: RIDGE_FLAG },
    parameters: ({ ridge }, drafted) => ({
      method: { kind: 'ridge' as const, ridge: ridge ?? drafted.ridge },
    }),
    hasComponents: false,
    takesEpsilon: false,
  },
});
