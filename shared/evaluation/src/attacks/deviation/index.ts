/** What a data user or a CSP gains that deviates from the protocol. */
import type { Experiment } from '../../experiment.ts';

export const EXPERIMENTS: readonly Experiment[] = [];
