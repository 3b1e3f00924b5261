/** Principal components of the correlation matrix: features are standardised inside the computation. */
import { rule } from './codes.ts';
import { COMPONENT_WORDS } from './common.ts';
import { defineMethod, type Told } from './method.ts';
import { PcaParameters, PRINCIPAL } from './pca.ts';
import { leastRankOf, ruleOfRanks } from './rank.ts';
import { COMPONENTS_FORM } from './result.ts';

/** The whole diagonal of a correlation matrix is public (rank.ts). */
const leastRank = (told: Omit<Told, 'classCounts'>) => leastRankOf(told, { equations: told.featureCount });

export const correlation = defineMethod({
  labellings: 0,
  revealedByRotation: ['sampleCount', 'spectrum', 'variances'],
  isLinear: false,
  parameters: PcaParameters,
  result: COMPONENTS_FORM,
  of: () => ({
    ...PRINCIPAL,
    ...ruleOfRanks(leastRank),
    decomposes: 'correlation',
    checkProgram: ({ noisy }) =>
      rule(
        !noisy,
        'method.scale',
        'covariance with differential privacy: its public shift would be part of every variance',
        'correlation',
      )(),
    words: {
      ...COMPONENT_WORDS,
      title: 'PCA',
      matrix: ' of the correlation matrix',
      spectrum: 'correlation matrix',
      tellsOfFeatures: ['the variance of every feature, since vectors of a correlation matrix tell them'],
    },
  }),
  draft: {
    purpose: 'finds components of the correlation matrix: features count alike, however much they vary',
    details:
      'Features are standardised inside the two-party computation, and nobody learns their variances but by the vectors.',
    example: '--ignore label --components 5',
    flags: {},
    parameters: () => ({ method: { kind: 'pca', scale: 'correlation' } as const }),
    hasComponents: true,
    takesEpsilon: false,
  },
});
