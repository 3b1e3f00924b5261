/** The parts that regressions of the last feature share. */
import { rule } from './codes.ts';
import { COMPONENT_WORDS, COMPONENTS } from './common.ts';
import type { Checked, Method, Proposed } from './method.ts';

/** The members of every regression. Nothing bounds its numbers under noise for differential privacy. */
export const REGRESSION = {
  ...COMPONENTS,
  decomposes: undefined,
  weights: undefined,
} as const satisfies Partial<Method>;

export const REGRESSION_WORDS = { ...COMPONENT_WORDS, result: 'weights and intercept' } as const;

/** @returns a check that a task stands on no earlier result */
export function basisRule(name: string, { basis }: Proposed): () => void {
  return rule(
    basis === undefined,
    'basis',
    `none for ${name}: a component is nothing to predict`,
    `${basis}`,
  );
}

/** @returns a check that there is no noise for differential privacy */
export function noNoiseRule(name: string, { noisy }: Checked): () => void {
  const expected = `null for ${name}, whose numbers noise would not fit`;
  return rule(!noisy, 'differentialPrivacy', expected, 'a setting');
}

/** @returns a check that there is a feature to predict and one to predict it from */
export function predictorsRule(name: string, { featureCount }: Checked): () => void {
  return rule(featureCount >= 2, 'features', `two or more for ${name}: the last is predicted`, featureCount);
}
