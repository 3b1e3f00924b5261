/** Principal components of the covariance: S̄ w = λ w. */
import type { SumWeights } from '@eigenveil/privacy/parts';
import { z } from 'zod';
import { COMPONENT_WORDS, COMPONENTS, checkFew } from './common.ts';
import { LIMITS } from './limits.ts';
import { defineMethod } from './method.ts';
import { leastRank, ruleOfRanks } from './rank.ts';
import { COMPONENTS_FORM } from './result.ts';

export const Scale = z.enum(['covariance', 'correlation']);
export type Scale = z.infer<typeof Scale>;

/** The signed form of a PCA, of its sketch and of a correlation matrix alike. */
export const PcaParameters = z.strictObject({
  kind: z.literal('pca').describe('Principal components of all rows. Reveals: see components.'),
  scale: Scale.optional().describe(
    "Which matrix is decomposed: covariance, which is meant where it is left out, or correlation, which standardises the features inside the computation. Reveals: with correlation the vectors tell combinations of the features' variances.",
  ),
});

/** The weights where the sum of products R is what the result is about. */
export const SCATTER_WEIGHTS: SumWeights = { V: 0.5, M: 0.5 };

/** The members of every method that decomposes S̄, or its correlation matrix, alone. */
export const PRINCIPAL = {
  ...COMPONENTS,
  weights: SCATTER_WEIGHTS,
  maximumComponents: ({ featureCount }: { readonly featureCount: number }) => featureCount,
} as const;

export const pca = defineMethod({
  labellings: 0,
  revealedByRotation: ['sampleCount', 'spectrum'],
  isLinear: false,
  parameters: PcaParameters,
  result: COMPONENTS_FORM,
  of: () => ({
    ...PRINCIPAL,
    ...ruleOfRanks(leastRank),
    decomposes: 'scatter',
    check: (task) => checkFew(task, task.twoParty === 'rotated' ? LIMITS.turnedFeatures : LIMITS.features),
    words: { ...COMPONENT_WORDS, title: 'PCA', matrix: ' of the covariance matrix' },
  }),
  draft: {
    purpose: 'finds the directions in which rows vary most: components of the covariance matrix',
    details: `Components of the covariance matrix go by units: features with wide ranges weigh more in [−1, 1] the more their values spread over them.
"task draft correlation" standardises features, and "task draft sketch" takes more of them than ${LIMITS.features}, by rotated ${LIMITS.turnedFeatures}.`,
    example: '--ignore label --components 5',
    flags: {},
    parameters: () => ({ method: { kind: 'pca' as const } }),
    hasComponents: true,
    takesEpsilon: true,
  },
});
