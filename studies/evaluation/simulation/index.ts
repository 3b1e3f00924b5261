/** Simulators of what each role sees, and tests that compare real views with simulated ones. */
import type { Experiment } from '../experiment.ts';
import { basePoints } from './base-points.ts';
import { blindedSlots } from './blinded-slots.ts';
import { contributionsAtDataUser, randomisersAtCsp } from './ciphertexts.ts';
import { experimentsOf } from './game.ts';
import { garbledCsp } from './garbled-csp.ts';
import { garbledEvaluator } from './garbled-evaluator.ts';
import { ownerOfProvenance } from './owner.ts';
import { pencilDataUser } from './pencil-data-user.ts';
import { rotatedCsp } from './rotated-csp.ts';
import { rotatedDataUser } from './rotated-data-user.ts';

export const EXPERIMENTS: readonly Experiment[] = [
  rotatedDataUser,
  pencilDataUser,
  blindedSlots,
  rotatedCsp,
  garbledCsp,
  garbledEvaluator,
  basePoints,
  contributionsAtDataUser,
  randomisersAtCsp,
  ownerOfProvenance,
].flatMap(experimentsOf);
