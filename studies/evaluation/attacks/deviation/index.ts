/** Servers that deviate: what they gain, beside what the documents say. */
import { worded } from '../../worded.ts';
import { ANSWERING } from './answers.ts';
import { FORMING } from './forms.ts';
import { GARBLING } from './garbler.ts';
import { HISTOGRAMS } from './histograms.ts';
import { REFUSALS } from './refusals.ts';
import { ROTATING } from './rotation.ts';
import { SLOTS } from './slots.ts';
import { GUESSING } from './transfers.ts';
import { WEIGHING } from './weights.ts';

export const EXPERIMENTS = worded(new URL('../deviation.md', import.meta.url), [
  ...WEIGHING,
  ...HISTOGRAMS,
  ...SLOTS,
  ...ANSWERING,
  ...GUESSING,
  ...GARBLING,
  ...ROTATING,
  ...FORMING,
  ...REFUSALS,
]);
