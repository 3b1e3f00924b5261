/** All eigenvalues tell more than those of the k vectors: of the rest of S̄, and of the number of rows. */

import type { FlatResult } from '@eigenveil/methods';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { resolutionOf } from '@eigenveil/two-party/plan';
import { Draws } from '../../draws.ts';
import type { Outcome, Setting, Unworded } from '../../experiment.ts';
import { releasedBy } from '../../released.ts';
import { curves } from '../../shown.ts';
import { attacks } from '../attack.ts';
import { type Population, populationOf, trialsOf } from './population.ts';
import { attempted, componentsOf, membersOf, pcaOf, runsOf } from './scenes.ts';
import { openPart, restBySpectrum } from './told.ts';

const RUNS = { quick: 80, full: 300 } as const;

async function beyondVectors(setting: Setting): Promise<Outcome> {
  const { scene, effort } = setting;
  const population = populationOf(scene.proposal, scene.publicSample);
  const of = (components: number, count: number) => {
    const task = pcaOf(scene, { twoParty: 'rotated', components });
    return runsOf(setting, count).map(({ members, outsiders }) => {
      const { released, blind, truth } = openPart(task, members, population);
      const rest = ({ spectrum }: FlatResult) => restBySpectrum(blind, spectrum!.slice(components));
      return { guess: rest(released), blind, truth, other: rest(releasedBy(task, [outsiders])) };
    });
  };
  const found = of(componentsOf(scene), RUNS[effort]);
  const most = Math.min(6, scene.proposal.features.length - 2);
  // Features that follow from others, such as one-hot columns, leave fewer components than their number allows.
  const byComponents = Array.from({ length: most }, (_, i) => i + 1).flatMap((components) => {
    const { value } = attempted(() => trialsOf(of(components, RUNS[effort] / 4)));
    return value ? [[components, value] as const] : [];
  });
  return {
    ...trialsOf(found),
    blocks: [
      curves(scene, {
        name: 'spectrum-rest',
        caption: 'The scatter matrix outside of k vectors, from all eigenvalues and a public sample',
        x: 'components k',
        lines: {
          'its own spectrum': byComponents.map(([k, { attack }]) => [k, mean(attack)]),
          'the spectrum of others': byComponents.map(([k, { control }]) => [k, mean(control)]),
        },
      }),
    ],
  };
}

/** Components that leave most to the spectrum, and what rows there must be for them. */
const FEW = 2;
const LEAST_ROWS = FEW + 4;

/** Infers rows from a spectrum: one more than its rank, or where all features vary by the trace of a row in the population. */
function rowsBySpectrum(task: TaskProposal, spectrum: readonly number[], { covariance }: Population): number {
  const trace = spectrum.reduce((sum, value) => sum + value, 0);
  const { error } = resolutionOf('garbled', programOf(task), { largest: spectrum[0]!, trace });
  const rank = spectrum.filter((value) => value > error(value)).length;
  const varying = covariance.diagonal().filter((variance) => variance > 0).length;
  return rank < varying ? rank + 1 : Math.round(trace / covariance.trace()) + 1;
}

async function numberOfRows(setting: Setting): Promise<Outcome> {
  const { scene, seed, effort } = setting;
  const task = pcaOf(scene, { components: FEW, outputs: ['spectrum'], allowFullRank: true });
  const most = Math.min(2 * task.features.length, membersOf(scene).length);
  const draws = new Draws(seed).of('sizes');
  const runs = runsOf(setting, 2 * RUNS[effort], () => LEAST_ROWS + draws.below(most - LEAST_ROWS + 1));
  const population = populationOf(task, scene.publicSample);
  const found = runs.map(({ members }) =>
    rowsBySpectrum(task, releasedBy(task, [members]).spectrum!, population),
  );
  const sizes = runs.map(({ members }) => members.length);
  const hits = sizes.map((size, i) => Number(found[i] === size));
  const width = Math.ceil((most - LEAST_ROWS + 1) / 6);
  const bands = Map.groupBy(sizes.keys(), (i) => Math.floor((sizes[i]! - LEAST_ROWS) / width));
  return {
    kind: 'trials',
    attack: hits,
    control: sizes.map((size, i) => Number(found[(i + 1) % found.length] === size)),
    baseline: 1 / (most - LEAST_ROWS + 1),
    facts: { features: task.features.length },
    blocks: [
      curves(scene, {
        name: 'spectrum-rows',
        caption: `The number of rows hit exactly, from the spectrum of ${task.features.length} features`,
        x: 'rows, up to',
        y: 'part of the tasks',
        lines: {
          'exactly right': [...bands]
            .toSorted(([a], [b]) => a - b)
            .map(([band, at]) => [LEAST_ROWS + (band + 1) * width - 1, mean(at.map((i) => hits[i]!))]),
        },
      }),
    ],
  };
}

const attack = attacks({ attacker: 'data user', secret: 'pooled statistics', unit: 'run' });

export const SPECTRA: readonly Unworded[] = [
  attack('spectrum-rest', 'admitted', ['S-53', 'S-362'], ['pima', 'breast_cancer'], beyondVectors),
  attack('spectrum-rows', 'admitted', ['S-5', 'S-363'], ['ionosphere'], numberOfRows, {
    secret: 'classes and counts',
    omits: ({ proposal }) => (proposal.features.length < 6 ? 'fewer than six features' : undefined),
  }),
];
