/** Linear discriminant analysis: S_B w = λ (S_W + ρI) w. */
import { z } from 'zod';
import { DISCRIMINANT_WORDS, discriminant, REVEALED } from './discriminant.ts';
import { defineMethod } from './method.ts';
import { Ridge } from './parameters.ts';

const LdaParameters = z.strictObject({
  kind: z
    .literal('lda')
    .describe('Linear discriminants, S_B w = λ (S_W + ρI) w, in one labelling. Reveals: see components.'),
  ridge: Ridge,
});

export const lda = defineMethod({
  labellings: 1,
  revealedByRotation: REVEALED,
  parameters: LdaParameters,
  of: ({ method: { ridge } }) => ({
    ...discriminant(ridge),
    words: { ...DISCRIMINANT_WORDS, title: 'LDA' },
  }),
});
