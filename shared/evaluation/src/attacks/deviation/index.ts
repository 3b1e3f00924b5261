/** Servers that deviate: what they gain, beside what the documents say. */
import type { Experiment } from '../../experiment.ts';
import { SLOTS } from './slots.ts';
import { WEIGHING } from './weights.ts';

export const EXPERIMENTS: readonly Experiment[] = [...WEIGHING, ...SLOTS];
