/** Means, variances and correlations of all features under differential privacy: all of it that is not computed. */

import { checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { rule } from './codes.ts';
import { COMPONENT_WORDS } from './common.ts';
import { isForBins } from './features.ts';
import { LIMITS } from './limits.ts';
import { checkLinear, linear } from './linear.ts';
import { defineMethod, type Proposed } from './method.ts';
import { SCATTER_WEIGHTS } from './pca.ts';
import type { ResultForm } from './result.ts';

const MomentsParameters = z.strictObject({
  kind: z
    .literal('moments')
    .describe(
      'Means, variances and correlations of all features: by linear, with differential privacy and 0 components. Reveals: sums and sums of products of all features and the number of rows, with the noise of both servers.',
    ),
});

/** A number with noise, and the interval that the number without noise is in. */
const Told = z.strictObject({ value: z.number(), from: z.number(), to: z.number() });

const MOMENTS_FORM = {
  kind: 'moments',
  members: {
    /** Moments of features in [−1, 1]. Nothing of features is told where noise leaves no rows. */
    moments: z.strictObject({
      /** The opened sums, with noise: R, V and the number of rows. Everything else follows from them. */
      sums: z.array(z.int()),
      rows: Told,
      means: z.array(Told),
      variances: z.array(Told),
      /** The upper triangle without the diagonal, row by row; null where a variance may be noise alone. */
      correlations: z.array(Told.nullable()),
      /** The upper triangle of a positive semidefinite matrix, row by row. */
      covariances: z.array(z.number()),
    }),
  },
  elsewhere: 'one of moments, and none of other methods',
} as const satisfies ResultForm;

export const moments = defineMethod({
  labellings: 0,
  revealedByRotation: [],
  isLinear: true,
  parameters: MomentsParameters,
  result: MOMENTS_FORM,
  of: () => ({
    ...linear('moments'),
    sums: () => ({ R: true, columns: 0, counts: [], classes: [1] }),
    // Correlations take the most noise. Of powers of two for either weight, none makes their intervals narrower
    // by more than a seventh, and means are known better than correlations: docs/moments.md has the figures.
    weights: SCATTER_WEIGHTS,
    check: checkMoments,
    checkSums() {},
    checkLast() {},
    words: {
      ...COMPONENT_WORDS,
      title: 'Means, variances and correlations',
      size: ({ features: { length } }) => `${(length * (length - 1)) / 2} correlations`,
      opened: 'moments: noisy sums of every feature, and of products of every two',
      result: 'means, variances and correlations with noise',
      tells: ({ features }) => [
        `means, variances and correlations of ${features.length} features, the covariance matrix and the number of rows: all of it from sums with the noise of both servers`,
      ],
    },
  }),
  draft: {
    purpose: 'tells means, variances and correlations, under differential privacy',
    details: `Means, variances, the covariance matrix and correlations of all columns that are not in --ignore, each with an interval, for --epsilon (docs/moments.md). Ranges that come from the rows void the guarantee: write --range, or take them from a histogram.
The clipping norm of a draft, √d for d features, shortens no row. A smaller one takes less noise, and correlations are those of shortened rows then.`,
    example: '--ignore label --epsilon 1',
    flags: {},
    parameters: () => ({ method: { kind: 'moments' as const } }),
    hasComponents: false,
    takesEpsilon: true,
    // Rows that are shortened have other correlations, by more than the noise in many cases: docs/moments.md.
    clippingNorm: Math.sqrt,
  },
});

/** Checks what a task of moments has and has not beyond its sums. */
function checkMoments(task: Proposed): void {
  const { differentialPrivacy: setting, maximumOwners, maximumSamplesPerOwner } = task;
  const rows = maximumOwners * maximumSamplesPerOwner;
  const most = 2 ** (MOST_BITS - 2 * task.fractionBits);
  checkAll(
    () =>
      checkLinear('moments', task, {
        [`at most ${LIMITS.features} features`]: task.features.length <= LIMITS.features,
        'no logarithmic or shared features': !task.features.some(isForBins),
      }),
    rule(
      setting?.noise === 'servers',
      'differentialPrivacy',
      'noise of servers: moments are released with noise alone, since without it the sums would be the whole scatter matrix',
      setting?.noise ?? 'null',
    ),
    rule(
      rows <= most,
      'maximumSamplesPerOwner',
      `at most ${most} rows of all owners, or fewer fractionBits`,
      rows,
    ),
  );
}

/** Sums are told as numbers of JSON, which are exact below 2^53; noise takes what is left of that. */
const MOST_BITS = 52;
