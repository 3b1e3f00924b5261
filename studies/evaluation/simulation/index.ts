/** The table of parties: whoever sees something in a task, with a simulator of what it sees. */
import type { Experiment } from '../experiment.ts';
import { worded } from '../worded.ts';
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

export const PARTIES = worded(new URL('../simulation.md', import.meta.url), [
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
]);

export const EXPERIMENTS: readonly Experiment[] = PARTIES.flatMap(experimentsOf);
