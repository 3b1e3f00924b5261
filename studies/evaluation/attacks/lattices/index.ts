/** Attacks on results that are whole numbers, or combinations of them, underneath: lattice reduction finds what real numbers leave open. */
import { worded } from '../../worded.ts';
import { pairs } from './counts.ts';
import { MATRICES } from './exact.ts';
import { MDR } from './mdr.ts';
import { MISJUDGED } from './misjudged.ts';
import { NUMBERS_OF_ROWS } from './number-of-rows.ts';
import { ONE_HOTS } from './one-hot.ts';
import { PLANTED } from './planted.ts';
import { SKETCHES } from './sketch.ts';
import { SKETCH_COUNTS } from './sketch-counts.ts';

export const EXPERIMENTS = worded(new URL('../lattices.md', import.meta.url), [
  pairs,
  ...MATRICES,
  ...MDR,
  ...NUMBERS_OF_ROWS,
  ...PLANTED,
  ...MISJUDGED,
  ...ONE_HOTS,
  ...SKETCHES,
  ...SKETCH_COUNTS,
]);
