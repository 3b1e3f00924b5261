/** Linear discriminant analysis: S_B w = λ (S_W + ρI) w. */
import { z } from 'zod';
import { DISCRIMINANT_WORDS, discriminant, REVEALED } from './discriminant.ts';
import { DISCRIMINANT_RIDGE_FLAG, discriminantRidge } from './draft.ts';
import { defineMethod } from './method.ts';
import { Ridge } from './parameters.ts';
import { COMPONENTS_FORM } from './result.ts';

const LdaParameters = z.strictObject({
  kind: z
    .literal('lda')
    .describe('Linear discriminants, S_B w = λ (S_W + ρI) w, in one labelling. Reveals: see components.'),
  ridge: Ridge,
});

export const lda = defineMethod({
  labellings: 1,
  revealedByRotation: REVEALED,
  isLinear: false,
  parameters: LdaParameters,
  result: COMPONENTS_FORM,
  of: ({ method: { ridge } }) => ({
    ...discriminant(ridge),
    words: { ...DISCRIMINANT_WORDS, title: 'LDA' },
  }),
  draft: {
    purpose:
      'finds components that distinguish the classes of a label column, against the scatter within them',
    details: 'For K classes there are at most K − 1 components.',
    example: '--label label --components 1',
    flags: { ridge: DISCRIMINANT_RIDGE_FLAG },
    parameters: ({ ridge }, drafted) => ({
      method: { kind: 'lda' as const, ridge: discriminantRidge(ridge, drafted) },
    }),
    hasComponents: true,
    takesEpsilon: true,
  },
});
