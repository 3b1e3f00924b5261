/** The experiments on what the lines show, by lengths and times. */
import { worded } from '../../worded.ts';
import { PLANTED_LENGTHS } from './planted-lengths.ts';
import { SIZES } from './sizes.ts';
import { TIMES } from './times.ts';

export const EXPERIMENTS = worded(new URL('../network.md', import.meta.url), [
  ...SIZES,
  ...PLANTED_LENGTHS,
  ...TIMES,
]);
