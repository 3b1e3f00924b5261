/** The test of whether real runs release what the attacks are given: attacks compute releases by the clear reference, hundreds of times. */
import { principalAngles } from '@eigenveil/projection';
import type { Unworded } from '../experiment.ts';
import { releasedBy } from '../released.ts';
import { honestRuns, type RecordedRun, TOGETHER, tooLong } from './runs.ts';

/** The bound of an angle in radians, and of an eigenvalue's error in parts of the first: fixed-point arithmetic of `garbled` is below both. */
const BOUND = 1e-3;

export const RELEASED: Unworded = {
  id: 'released-equals-real',
  terms: { bound: BOUND },
  kind: 'attack',
  attacker: 'recipient',
  secret: 'result',
  expectation: 'holds',
  claims: [],
  unit: 'run',
  together: TOGETHER,
  scenes: ['pima'],
  omits: (scene) =>
    scene.proposal.differentialPrivacy === null
      ? tooLong(scene)
      : 'the release has noise, which is another in each run',
  async run(setting) {
    const errors = (await honestRuns(setting)).map((run) => ({
      own: errorOf(run, run.rows),
      without: errorOf(run, run.rows.slice(1)),
    }));
    const worst = Math.min(1, Math.max(...errors.map(({ own }) => own)));
    const least = Math.min(...errors.map(({ without }) => without));
    return {
      kind: 'test',
      // Nothing is drawn: a release either is the reference's or is not.
      p: worst <= BOUND ? 1 : 0,
      n: errors.length,
      distance: { value: worst, low: worst, high: worst },
      // An owner that is left out makes a difference that is seen in every run.
      ...{ detectable: least > BOUND ? { leak: 'a release that is off by this', size: BOUND } : undefined },
      facts: { 'largest error': worst, 'least error without one owner': least },
    };
  },
};

/** The largest angle or relative error of an eigenvalue, against what the reference releases of these rows. */
function errorOf({ task, projection }: RecordedRun, rows: RecordedRun['rows']): number {
  const { vectors, eigenvalues } = releasedBy(task, rows);
  const errors = eigenvalues.map(
    (value, i) => Math.abs(value - projection.eigenvalues[i]!) / Math.abs(eigenvalues[0]!),
  );
  return Math.max(...principalAngles(projection.vectors, vectors), ...errors);
}
