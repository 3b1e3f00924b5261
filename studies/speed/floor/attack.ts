/** The part that lattice reduction finds of a PCA of two-valued features by `rotated`, with the floor and without. */

import { RELEASES } from '../../evaluation/attacks/lattices/floor.ts';
import { type MatrixTask, matrixRun } from '../../evaluation/attacks/lattices/matrices.ts';
import { Draws } from '../../evaluation/draws.ts';
import { bundledScene } from '../../evaluation/scenes/bundled.ts';
import type { Tidy } from '../../instrument/tidy.ts';

export type Attacked = { readonly features: number; readonly components: number; readonly rows: number };

const SCENE = 'ionosphere';

/**
 * Records of runs with rows of their own: the part of the numbers of rows that have two features which the reader finds, and which the best estimate in real numbers
 * gives by rounding. Both arms see the same rows. The data user is left with the CSP's noise alone, as whoever knows the other one's would be.
 */
export async function attackRuns(attacked: Attacked, runs: number): Promise<Tidy[]> {
  const scene = await bundledScene(SCENE, 'floor');
  const task: MatrixTask = {
    ...{ method: { kind: 'pca' }, twoParty: 'rotated', outputs: ['mean'], unknown: 'counts' },
    ...attacked,
  };
  const records: Tidy[] = [];
  for (let run = 1; run <= runs; run += 1)
    for (const [arm, wanted] of [
      ['exact', task],
      ['floor', { ...task, releases: RELEASES }],
    ] as const) {
      const { attack, control } = await matrixRun(scene, wanted, new Draws('floor').of(run));
      records.push({ run, arm, found: attack, rounding: control });
    }
  return records;
}
