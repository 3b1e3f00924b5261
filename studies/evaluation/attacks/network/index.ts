/** What the lines show, by lengths and times. */
import type { Experiment } from '../../experiment.ts';
import { PLANTED_LENGTHS } from './planted-lengths.ts';
import { SIZES } from './sizes.ts';
import { TIMES } from './times.ts';

export const EXPERIMENTS: readonly Experiment[] = [...SIZES, ...PLANTED_LENGTHS, ...TIMES];
