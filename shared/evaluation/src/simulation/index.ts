/** Real views against those that a simulator makes from the ideal outputs alone. */
import type { Experiment } from '../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
