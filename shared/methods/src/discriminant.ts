/** The parts that discriminant methods share: pencils A w = λ B w of two matrices. */

import { checkAll } from '@eigenveil/platform';
import type { SumWeights } from '@eigenveil/privacy/parts';
import { COMPONENT_WORDS, COMPONENTS, checkFew, checkRidgeOf, ridgeRule } from './common.ts';
import type { Method, Proposed, Sizes } from './method.ts';
import { mostRotatedComponents } from './rank.ts';

/** The weights where sums of classes are what the result is about. */
export const CLASS_WEIGHTS: SumWeights = { V: 1, M: 1 };

/** The outputs that the data user learns by `rotated` of every pencil. */
export const REVEALED = ['sampleCount', 'spectrum', 'classCounts'] as const;

/** The most components where the signal is S_B of K classes alone, whose rank is at most K − 1. */
const byClasses = ({ featureCount, classCounts }: Sizes): number =>
  Math.min(featureCount, classCounts[0]! - 1);

/**
 * The members of every discriminant method.
 * @param ridge ρ
 */
export const discriminant = (ridge: number) =>
  ({
    ...COMPONENTS,
    decomposes: 'pencil',
    // S_B w = λ (S̄ − S_B + ρI) w.
    pencil: { ridge, signalRidge: 0, eigenvalue: (nu: number) => nu / (1 - nu), divides: true },
    weights: CLASS_WEIGHTS,
    check: (task: Proposed) =>
      checkAll(
        () => checkFew(task),
        () => checkRidgeOf(ridge, task.features, task),
      ),
    checkProgram: () => ridgeRule(ridge)(),
    maximumComponents: byClasses,
    mostRotatedComponents: (told, varying) =>
      mostRotatedComponents(told, varying, { rank: varying, columns: told.classCounts[0]! - 1 }),
  }) as const satisfies Partial<Method>;

export const DISCRIMINANT_WORDS = {
  ...COMPONENT_WORDS,
  tellsByRotation: [
    'the lengths of the vectors, and all eigenvalues of the pencil, also beyond the components',
  ],
} as const;
