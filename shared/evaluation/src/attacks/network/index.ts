/** What sizes and times of messages tell. */
import type { Experiment } from '../../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
