/** Discriminant component analysis: (S_B + ρ′I) w = λ (S̄ + ρI) w, or in the book's form with S_W. */
import { checkAll } from '@eigenveil/platform';
import { z } from 'zod';
import { rule } from './codes.ts';
import { ridgeRule } from './common.ts';
import { DISCRIMINANT_WORDS, discriminant, REVEALED } from './discriminant.ts';
import { BOOK_SIGNAL_SHARE, DISCRIMINANT_RIDGE_FLAG, discriminantRidge } from './draft.ts';
import { defineMethod } from './method.ts';
import { Ridge } from './parameters.ts';
import { mostRotatedComponents } from './rank.ts';
import { COMPONENTS_FORM } from './result.ts';

const DcaParameters = z.strictObject({
  kind: z
    .literal('dca')
    .describe(
      'Discriminant components, (S_B + ρ′I) w = λ (S̄ + ρI) w, in one labelling. Reveals: see components.',
    ),
  form: z
    .enum(['standard', 'book'])
    .describe(
      'standard: at most K − 1 components for K classes, unless ρ′ differs from 0. book: (S̄ + (ρ + ρ′)I) w = λ (S_W + ρI) w, with as many components as features; those beyond K − 1 tell no class from another. Reveals: with more than K − 1 components, more of the scatter.',
    ),
  ridge: Ridge,
  signalRidge: z
    .number()
    .min(-1e12)
    .max(1e12)
    .describe(
      'ρ′, which is added to the signal matrix; mostly 0. It may be negative as long as the noise matrix stays positive definite. Reveals: nothing.',
    ),
});

export const dca = defineMethod({
  labellings: 1,
  revealedByRotation: REVEALED,
  isLinear: false,
  parameters: DcaParameters,
  result: COMPONENTS_FORM,
  of({ method: { form, ridge, signalRidge } }) {
    const common = discriminant(ridge);
    return {
      ...common,
      // The book's form, by S_W = S̄ − S_B, is (S_B + ρ′I) w = (1 − 1/λ) (S̄ + (ρ + ρ′)I) w.
      pencil:
        form === 'book'
          ? { ridge: ridge + signalRidge, signalRidge, eigenvalue: (nu) => 1 / (1 - nu), divides: true }
          : { ridge, signalRidge, eigenvalue: (nu) => nu, divides: false },
      checkProgram: () =>
        checkAll(
          ridgeRule(ridge),
          rule(Number.isFinite(signalRidge), 'method.signalRidge', 'a finite number', signalRidge),
        ),
      maximumComponents: (sizes) =>
        form === 'book' || signalRidge !== 0 ? sizes.featureCount : common.maximumComponents(sizes),
      mostRotatedComponents: (told, varying) =>
        mostRotatedComponents(told, varying, {
          rank: varying,
          columns: told.classCounts[0]! - 1 + (signalRidge > 0 ? varying : 0),
        }),
      words: { ...DISCRIMINANT_WORDS, title: 'DCA' },
    };
  },
  draft: {
    purpose:
      'finds components that distinguish the classes of a label column, against the scatter of all rows',
    details: `For K classes there are at most K − 1 components, unless --form or --signal-ridge asks for others.`,
    example: '--label label --components 1',
    flags: {
      form: {
        schema: DcaParameters.shape.form,
        description: 'standard, or book, which has as many components as features',
        default: 'standard',
        placeholder: 'FORM',
      },
      ridge: DISCRIMINANT_RIDGE_FLAG,
      signalRidge: {
        schema: z.number(),
        description: `ρ′, which is added to the signal matrix; where form and ρ are the book's, 0 stands for ${BOOK_SIGNAL_SHARE} times ρ`,
        default: 0,
        placeholder: 'NUMBER',
      },
    },
    parameters: ({ form, ridge, signalRidge }, drafted) => ({
      method: { kind: 'dca' as const, form, ridge: discriminantRidge(ridge, drafted), signalRidge },
    }),
    hasComponents: true,
    takesEpsilon: true,
  },
});
