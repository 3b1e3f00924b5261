/** Principal component regression of the last feature: ridge regression on the scores of the others' components. */
import { checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { rule } from './codes.ts';
import { checkFew, ridgeRule } from './common.ts';
import { RIDGE_FLAG, TARGET_FLAG } from './draft.ts';
import { type Feature, varyingFeatures } from './features.ts';
import { defineMethod, type Told } from './method.ts';
import { Ridge } from './parameters.ts';
import { ruleOfRanks } from './rank.ts';
import { basisRule, noNoiseRule, predictorsRule, REGRESSION, REGRESSION_WORDS } from './regression.ts';
import { REGRESSION_FORM } from './result.ts';

const PcrParameters = z.strictObject({
  kind: z
    .literal('pcr')
    .describe(
      'Principal component regression of the last feature on as many components of all others as `components` says, w = Σ u (uᵀ s_xy) / (λ + ρ): by garbled or simulated, and without differential privacy. Reveals: one weight for each other feature, and the intercept, to the data user; no component and no eigenvalue.',
    ),
  ridge: Ridge,
});

/**
 * The least rank r of the predictors' scatter from which weights may be revealed. Weights that lie in a known
 * space of r dimensions are r equations, whatever the number of components, and every variance of a feature
 * with two values is one, and the trace (rank.ts). They must be fewer than the (r + 1)(r + 2)/2 numbers that
 * the scatter of predictors and predicted feature has on that space. And a component is a direction in which
 * predictors vary.
 */
function leastRank({ components, outputs, twoValued }: Omit<Told, 'classCounts'>): number {
  const known = twoValued + (outputs.includes('trace') ? 1 : 0);
  let r = 1;
  while (((r + 1) * (r + 2)) / 2 <= r + known) r += 1;
  return Math.max(components, r);
}

const predictors = (features: readonly Feature[]) => features.slice(0, -1);

export const pcr = defineMethod({
  labellings: 0,
  revealedByRotation: [],
  isLinear: false,
  parameters: PcrParameters,
  result: REGRESSION_FORM,
  of: ({ method }) => ({
    ...REGRESSION, // weights are over eigenvalues, and nothing keeps those of noise away from 0
    ...ruleOfRanks(leastRank, predictors),
    check(task) {
      const varying = varyingFeatures(predictors(task.features));
      checkAll(
        () => checkFew(task),
        basisRule('pcr', task),
        rule(
          task.components <= varying,
          'components',
          `at most ${varying}, the number of predictors that vary`,
          task.components,
        ),
      );
    },
    checkProgram(program) {
      const { components, featureCount, outputs } = program;
      checkAll(
        noNoiseRule('pcr', program),
        predictorsRule('pcr', program),
        rule(
          components >= 1 && components < featureCount,
          'components',
          'from 1 to one less than features for pcr',
          components,
        ),
        rule(
          !outputs.includes('spectrum'),
          'outputs',
          'no spectrum for pcr, which reveals no eigenvalue',
          'spectrum',
        ),
        ridgeRule(method.ridge),
      );
    },
    maximumComponents: ({ featureCount }) => featureCount - 1,
    words: {
      ...REGRESSION_WORDS,
      title: 'Principal component regression',
      size: ({ features, components }) =>
        `${JSON.stringify(features.at(-1)!.name)} predicted from ${components} components of the others`,
      tells: ({ features }, components) => [
        `${features.length - 1} weights and an intercept, which predict ${JSON.stringify(features.at(-1)!.name)} from the first ${components} components of the other features: as many equations for the entries of the scatter matrix as there are weights`,
      ],
    },
  }),
  draft: {
    purpose: 'predicts one column from the main directions in which the others vary',
    details:
      'It predicts --target from the first --components of all other columns, which are not in --ignore. Result and weights go to you, and nobody sees rows or components (docs/pcr.md).',
    example: '--target price --components 5',
    flags: {
      target: TARGET_FLAG,
      ridge: { ...RIDGE_FLAG, description: 'ρ, in units of the scatter of features in [−1, 1] (default: 0)' },
    },
    parameters: ({ ridge }) => ({ method: { kind: 'pcr' as const, ridge: ridge ?? 0 } }),
    hasComponents: true,
    takesEpsilon: false,
  },
});
