/** The data sets of the demo of authentication, and what was chosen for each by validation within its first 60 %. */
import type { ScoreKind } from '@eigenveil/authentication';

export interface SetSetting {
  /** The words for a window. */
  readonly window: string;
  readonly components: number;
  /** ρ, as a task has it. */
  readonly ridge: number;
  /** Unit of the signed logarithm, in the file's units. */
  readonly logUnit: number;
  readonly score: ScoreKind;
}

/**
 * By the study's validation of a DCA with the service's own scores: the second fifth of everybody's rows by the first, the third by the first two, and
 * the third by the first. Test rows were not looked at for any of this.
 */
export const SETS = {
  wisdm_walk_user: {
    window: 'ten seconds of walking with a phone',
    components: 4,
    ridge: 0.1,
    logUnit: 1,
    score: 'mahalanobis',
  },
  meu_keystroke: {
    window: 'one typing of the same password',
    components: 16,
    ridge: 1,
    logUnit: 0.01,
    score: 'euclidean',
  },
} as const satisfies Readonly<Record<string, SetSetting>>;
export type SetName = keyof typeof SETS;
export const SET_NAMES = Object.keys(SETS) as SetName[];
