/** What several tasks, spectra or colluding parties give away together, and references that are known to be broken. */
import type { Experiment } from '../../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
