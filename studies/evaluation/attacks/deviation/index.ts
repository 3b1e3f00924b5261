/** Servers that deviate: what they gain, beside what the documents say. */
import type { Experiment } from '../../experiment.ts';
import { ANSWERING } from './answers.ts';
import { GARBLING } from './garbler.ts';
import { HISTOGRAMS } from './histograms.ts';
import { REFUSALS } from './refusals.ts';
import { ROTATING } from './rotation.ts';
import { SLOTS } from './slots.ts';
import { GUESSING } from './transfers.ts';
import { WEIGHING } from './weights.ts';

export const EXPERIMENTS: readonly Experiment[] = [
  ...WEIGHING,
  ...HISTOGRAMS,
  ...SLOTS,
  ...ANSWERING,
  ...GUESSING,
  ...GARBLING,
  ...ROTATING,
  ...REFUSALS,
];
