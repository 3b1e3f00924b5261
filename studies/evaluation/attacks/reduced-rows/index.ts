/** What rows that were reduced give away: their values, and private labels. */
import type { Experiment } from '../../experiment.ts';
import { ATTRIBUTES } from './attribute.ts';
import { RECONSTRUCTION } from './reconstruction.ts';

export const EXPERIMENTS: readonly Experiment[] = [...RECONSTRUCTION, ...ATTRIBUTES];
