/** Simulators of what each role sees, and tests that compare real views with simulated ones. */
import type { Experiment } from '../experiment.ts';
import { blindedSlots } from './blinded-slots.ts';
import { contributionsAtDataUser, randomisersAtCsp } from './ciphertexts.ts';
import { experimentsOf } from './game.ts';
import { garbledEvaluator } from './garbled-evaluator.ts';
import { pencilDataUser } from './pencil-data-user.ts';
import { rotatedDataUser } from './rotated-data-user.ts';

export const EXPERIMENTS: readonly Experiment[] = [
  rotatedDataUser,
  pencilDataUser,
  blindedSlots,
  garbledEvaluator,
  contributionsAtDataUser,
  randomisersAtCsp,
].flatMap(experimentsOf);
