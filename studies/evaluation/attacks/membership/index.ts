/** Membership of a row: inference from what tasks release, and audits of differential privacy. */
import type { Experiment } from '../../experiment.ts';
import { AUDITS } from './audit/experiments.ts';
import { INFERENCES } from './experiments.ts';

export const EXPERIMENTS: readonly Experiment[] = [...INFERENCES, ...AUDITS];
