/** What the recorded views of real processes hold. */
import type { Experiment } from '../experiment.ts';
import { BLINDED } from './blinded.ts';
import { CONTROLS } from './controls.ts';
import { SEARCHES } from './experiments.ts';
import { RELEASED } from './released.ts';
import { WIDTHS } from './widths.ts';

export const EXPERIMENTS: readonly Experiment[] = [...SEARCHES, BLINDED, WIDTHS, RELEASED, ...CONTROLS];
