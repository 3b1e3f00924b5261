/** Whether a released result tells who was in the data; audits of differential privacy by canaries. */
import type { Experiment } from '../../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
