/** Rows that were reduced give away their values, and private labels. */
import { worded } from '../../worded.ts';
import { ATTRIBUTES } from './attribute.ts';
import { RECONSTRUCTION } from './reconstruction.ts';

export const EXPERIMENTS = worded(new URL('../reduced-rows.md', import.meta.url), [
  ...RECONSTRUCTION,
  ...ATTRIBUTES,
]);
