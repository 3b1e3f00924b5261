/** What the recorded views of real processes hold. */
import type { Experiment } from '../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
