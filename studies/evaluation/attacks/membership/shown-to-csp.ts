/** What a CSP that adds all noise itself makes of a result that it is shown: it knows the noise, and computes what the result would be with a row and without. */

import type { FlatResult } from '@eigenveil/methods';
import { addStatistics } from '@eigenveil/statistics';
import type { TaskProposal } from '@eigenveil/task';
import { dot, minus } from '../../../recognition/alignment.ts';
import { Draws } from '../../draws.ts';
import type { Setting, Trials, Unworded } from '../../experiment.ts';
import { releasedOf, statisticsOf } from '../../released.ts';
import type { Person } from '../../scene.ts';
import { variantOf } from '../../scenes/split.ts';
import { privacyOf } from '../private.ts';
import { omitsPrivate, rowsOf } from './omissions.ts';
import { drawWorlds, poolOf } from './worlds.ts';

const TRIALS = { quick: 40, full: 300 } as const;

/** Squared, of all that the result has. */
function distance(a: FlatResult, b: FlatResult): number {
  const numbers = ({ vectors, eigenvalues }: FlatResult) => [...vectors.flat(), ...eigenvalues];
  const difference = minus(numbers(a), numbers(b));
  return dot(difference, difference);
}

function runShown({ scene, effort, seed }: Setting): Trials {
  const proposal: TaskProposal = variantOf(scene, {
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
    // The same noise for the same name: that of the task, which the CSP keeps.
    const released = (noise: string, person: Person) =>
      releasedOf(proposal, addStatistics(rest, statisticsOf(proposal, person)), own.of(noise));
    const isTaken = (shown: FlatResult, noise: string) =>
      Number(distance(shown, released(noise, candidate)) < distance(shown, released(noise, stranger)));
    return {
      attack: isTaken(released('noise', candidate), 'noise'),
      control: isTaken(released('noise', stranger), 'noise'),
      // What is left of it for somebody who does not know the noise and puts some of its own in its place.
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
      'taken for a member without knowing the noise':
        trials.filter(({ unknown }) => unknown === 1).length / trials.length,
    },
  };
}

export const shownToCsp: Unworded = {
  id: 'membership-shown-to-csp',
  kind: 'attack',
  attacker: 'CSP',
  secret: 'membership',
  expectation: 'admitted',
  claims: ['P-77', 'S-159'],
  unit: 'run',
  scenes: ['pima'],
  omits: omitsPrivate,
  run: async (setting) => runShown(setting),
};
