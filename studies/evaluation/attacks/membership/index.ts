/** Membership of a row: inference from what tasks release, and audits of differential privacy. */
import { worded } from '../../worded.ts';
import { AUDITS } from './audit/experiments.ts';
import { INFERENCES } from './experiments.ts';

export const EXPERIMENTS = worded(new URL('../membership.md', import.meta.url), [...INFERENCES, ...AUDITS]);
