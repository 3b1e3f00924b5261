/** The experiments on the recorded views of real processes. */
import type { Experiment } from '../experiment.ts';
import { worded } from '../worded.ts';
import { BLINDED } from './blinded.ts';
import { CONTROLS } from './controls.ts';
import { SEARCHES } from './experiments.ts';
import { RELEASED } from './released.ts';
import { WIDTHS } from './widths.ts';

export const EXPERIMENTS: readonly Experiment[] = worded(new URL('../views.md', import.meta.url), [
  ...SEARCHES,
  BLINDED,
  WIDTHS,
  RELEASED,
  ...CONTROLS,
]);
