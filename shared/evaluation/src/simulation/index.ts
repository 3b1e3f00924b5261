/** Simulators of what each role sees, and tests that compare real views with simulated ones. */
import type { Experiment } from '../experiment.ts';
import { blindedSlots } from './blinded-slots.ts';
import { experimentsOf } from './game.ts';
import { rotatedDataUser } from './rotated-data-user.ts';

export const EXPERIMENTS: readonly Experiment[] = [rotatedDataUser, blindedSlots].flatMap(experimentsOf);
