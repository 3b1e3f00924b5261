/** A CSP that adds all noise itself is shown a result: it knows the noise, and computes what the result would be with a row and without. */

import type { FlatResult } from '@eigenveil/methods';
import { addStatistics } from '@eigenveil/statistics';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { dot, minus } from '../../../recognition/alignment.ts';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting } from '../../experiment.ts';
import { releasedOf, statisticsOf } from '../../released.ts';
import type { Person } from '../../scene.ts';
import { variantOf } from '../../scenes/split.ts';
import { privacyOf } from '../private.ts';
import { drawWorlds, poolOf, rowsOf } from './worlds.ts';

const TRIALS = { quick: 40, full: 300 } as const;

/** Squared, of all that the result has. */
function distance(a: FlatResult, b: FlatResult): number {
  const numbers = ({ vectors, eigenvalues }: FlatResult) => [...vectors.flat(), ...eigenvalues];
  const difference = minus(numbers(a), numbers(b));
  return dot(difference, difference);
}

export async function shownToCsp({ scene, effort, seed }: Setting): Promise<Outcome> {
  const proposal = variantOf(scene, {
    method: 'pca',
    differentialPrivacy: { ...privacyOf(scene), noise: 'csp' },
  });
  const pool = poolOf(scene);
  const rows = rowsOf(scene);
  const draws = new Draws(seed);
  const trials = Array.from({ length: TRIALS[effort] }, (_, trial) => {
    const own = draws.of(trial);
    const { candidate, others, stranger } = drawWorlds(pool, rows, own);
    const rest = statisticsOf(proposal, others);
    // Noise of one name is always the same: that of the task, which the CSP keeps.
    const released = (noise: string, person: Person) =>
      releasedOf(proposal, addStatistics(rest, statisticsOf(proposal, person)), own.of(noise));
    const isTaken = (shown: FlatResult, noise: string) =>
      Number(distance(shown, released(noise, candidate)) < distance(shown, released(noise, stranger)));
    return {
      attack: isTaken(released('noise', candidate), 'noise'),
      control: isTaken(released('noise', stranger), 'noise'),
      // Somebody is left with this who does not know the noise and puts some of its own in its place.
      unknown: isTaken(released('noise', candidate), 'other noise'),
    };
  });
  return {
    kind: 'trials',
    attack: trials.map(({ attack }) => attack),
    control: trials.map(({ control }) => control),
    paired: true,
    baseline: 0.5,
    facts: {
      rows,
      'taken for a member without knowing the noise': mean(trials.map(({ unknown }) => unknown)),
    },
  };
}
