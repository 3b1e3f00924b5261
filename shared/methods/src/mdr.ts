/** Multiclass discriminant ratio: S_B of the utility labels against S_B of the privacy labels, and no R. */
import { checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { rule } from './codes.ts';
import { checkFew, ridgeRule } from './common.ts';
import { DISCRIMINANT_WORDS, discriminant, REVEALED } from './discriminant.ts';
import { DISCRIMINANT_RIDGE_FLAG, discriminantRidge } from './draft.ts';
import { defineMethod } from './method.ts';
import { Ridge } from './parameters.ts';
import { mostRotatedComponents } from './rank.ts';
import { COMPONENTS_FORM } from './result.ts';

const MdrParameters = z.strictObject({
  kind: z
    .literal('mdr')
    .describe(
      'S_B w = λ (S_B′ + ρI) w: tells the classes of the first labelling (utility) apart and, the smaller ρ, the less those of the second (privacy), without a guarantee. Reveals: see components.',
    ),
  ridge: Ridge,
});

export const mdr = defineMethod({
  labellings: 2,
  revealedByRotation: REVEALED,
  isLinear: false,
  parameters: MdrParameters,
  result: COMPONENTS_FORM,
  of: ({ method: { ridge } }) => ({
    // The pencil of LDA, with S_B of utility and S_B of privacy together in place of S̄.
    ...discriminant(ridge),
    sums: ({ labellings }) => ({
      R: false,
      columns: 0,
      counts: [],
      classes: labellings.map(({ classes }) => classes.length),
    }),
    check: (task) =>
      checkAll(
        () => checkFew(task),
        rule(
          ridge !== 0,
          'method.ridge',
          'more than 0 for mdr: S_B of the privacy labels alone is singular',
          ridge,
        ),
      ),
    checkProgram: ({ outputs }) =>
      checkAll(
        ridgeRule(ridge),
        rule(!outputs.includes('trace'), 'outputs', 'no trace for mdr, which does not collect R', 'trace'),
      ),
    // Its matrix has no variances that a mean could tell, and its rank is the number of its classes'
    // contrasts: one more than its components is enough, unless its null space is public.
    leastRank: ({ components }) => components + 1,
    mostRotatedComponents(told, varying) {
      const contrasts = told.classCounts.map((count) => count - 1);
      const all = contrasts.reduce((sum, count) => sum + count, 0);
      return mostRotatedComponents(told, varying, { rank: Math.min(varying, all), columns: contrasts[0]! });
    },
    words: { ...DISCRIMINANT_WORDS, title: 'MDR', spectrum: 'sum of both between-class scatters' },
  }),
  draft: {
    purpose: 'finds components that tell the classes of one label column, and little of those of another',
    details: `--label names the utility labels first, which components distinguish, and then the privacy labels, of which they tell the less the smaller ρ is,
without a guarantee. A note says where ρ is too large or too small for the sample.`,
    example: '--label outcome,region --components 1',
    flags: { ridge: DISCRIMINANT_RIDGE_FLAG },
    parameters: ({ ridge }, drafted) => ({
      method: { kind: 'mdr' as const, ridge: discriminantRidge(ridge, drafted) },
    }),
    hasComponents: true,
    takesEpsilon: true,
  },
});
