/** What rows that were reduced give away: their values, and private labels. */
import type { Experiment } from '../../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
