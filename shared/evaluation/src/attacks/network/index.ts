/** What the lines show, by lengths and times. */
import type { Experiment } from '../../experiment.ts';
import { SIZES } from './sizes.ts';

export const EXPERIMENTS: readonly Experiment[] = [...SIZES];
