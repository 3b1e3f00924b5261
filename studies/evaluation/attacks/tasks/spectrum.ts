/** What all eigenvalues tell beyond those of the k vectors: of the rest of S̄, and of the number of rows. */

import { symmetricEigen } from '@eigenveil/projection';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { resolutionOf } from '@eigenveil/two-party/plan';
import { Matrix } from 'ml-matrix';
import { Draws } from '../../draws.ts';
import type { Unworded } from '../../experiment.ts';
import { releasedBy } from '../../released.ts';
import type { SceneRow } from '../../scene.ts';
import { curves } from './pictures.ts';
import { explained, type Guess, type Population, populationOf, trialsBeside } from './population.ts';
import { componentsOf, membersOf, pcaOf, runsOf, unlessRefused } from './scenes.ts';
import { expectedRest, outsideOf, toldBy } from './told.ts';

const RUNS = { quick: 80, full: 300 } as const;

/** The rest of S̄ with its true eigenvalues and the population's directions. */
export function restBySpectrum(expected: Matrix, values: readonly number[]): Matrix {
  const { vectors } = symmetricEigen(expected.to2DArray());
  const V = new Matrix(vectors.slice(0, values.length)).transpose();
  return V.mmul(Matrix.diag([...values])).mmul(V.transpose());
}

/** S̄ outside of the k vectors, which a task with consent would show. */
export function trueRest(task: TaskProposal, rows: readonly SceneRow[], outside: Matrix): Matrix {
  const all = { ...task, components: task.features.length, allowFullRank: true };
  const { vectors, eigenvalues } = releasedBy(all, [rows]);
  const V = outside.mmul(new Matrix(vectors).transpose());
  return V.mmul(Matrix.diag([...eigenvalues])).mmul(V.transpose());
}

function restOf(
  task: TaskProposal,
  rows: readonly SceneRow[],
  others: readonly SceneRow[],
  population: Population,
): { own: Guess; other: Matrix } {
  const released = releasedBy(task, [rows]);
  const told = toldBy(released);
  const blind = expectedRest(told, population, rows.length);
  const rest = (spectrum: readonly number[]) => restBySpectrum(blind, spectrum.slice(task.components));
  return {
    own: { guess: rest(released.spectrum!), blind, truth: trueRest(task, rows, outsideOf(told)) },
    other: rest(releasedBy(task, [others]).spectrum!),
  };
}

export const beyondVectors: Unworded = {
  id: 'spectrum-rest',
  kind: 'attack',
  attacker: 'data user',
  secret: 'pooled statistics',
  expectation: 'admitted',
  claims: ['S-53', 'S-362'],
  unit: 'run',
  scenes: ['pima', 'breast_cancer'],
  async run(setting) {
    const { scene, effort } = setting;
    const population = populationOf(scene.proposal, scene.publicSample);
    const of = (components: number, count: number) => {
      const task = pcaOf(scene, { twoParty: 'rotated', components });
      return runsOf(setting, count).map(({ members, outsiders }) =>
        restOf(task, members, outsiders, population),
      );
    };
    const found = of(componentsOf(scene), RUNS[effort]);
    const most = Math.min(6, scene.proposal.features.length - 2);
    // Features that follow from others, such as one-hot columns, leave fewer components than their number allows.
    const byComponents = Array.from({ length: most }, (_, i) => i + 1).flatMap((components) => {
      const runs = unlessRefused(() => of(components, RUNS[effort] / 4));
      return runs === undefined ? [] : [[components, runs] as const];
    });
    const line = (name: string, success: (run: ReturnType<typeof restOf>) => number) => ({
      name,
      points: byComponents.map(([k, runs]) => [k, mean(runs.map(success))] as const),
    });
    return {
      ...trialsBeside(
        found.map(({ own }) => own),
        found.map(({ other }) => other),
      ),
      blocks: [
        curves(setting, {
          name: 'spectrum-rest',
          caption: 'The scatter matrix outside of k vectors, from all eigenvalues and a public sample',
          x: 'components k',
          lines: [
            line('its own spectrum', ({ own }) => explained(own)),
            line('the spectrum of others', ({ own, other }) => explained({ ...own, guess: other })),
          ],
        }),
      ],
    };
  },
};

/** Components that leave most to the spectrum, and what rows there must be for them. */
const FEW = 2;
const LEAST_ROWS = FEW + 4;

/** Rows from a spectrum: one more than its rank, or where all features vary by the trace of a row in the population. */
function rowsBySpectrum(task: TaskProposal, spectrum: readonly number[], { covariance }: Population): number {
  const trace = spectrum.reduce((sum, value) => sum + value, 0);
  const { error } = resolutionOf('garbled', programOf(task), { largest: spectrum[0]!, trace });
  const rank = spectrum.filter((value) => value > error(value)).length;
  const varying = covariance.diagonal().filter((variance) => variance > 0).length;
  return rank < varying ? rank + 1 : Math.round(trace / covariance.trace()) + 1;
}

export const numberOfRows: Unworded = {
  id: 'spectrum-rows',
  kind: 'attack',
  attacker: 'data user',
  secret: 'classes and counts',
  expectation: 'admitted',
  claims: ['S-5', 'S-363'],
  unit: 'run',
  scenes: ['ionosphere'],
  omits: ({ proposal }) => (proposal.features.length < 6 ? 'fewer than six features' : undefined),
  async run(setting) {
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
    const hits = sizes.map((size, i) => (found[i] === size ? 1 : 0));
    const width = Math.ceil((most - LEAST_ROWS + 1) / 6);
    const bands = Map.groupBy(sizes.keys(), (i) => Math.floor((sizes[i]! - LEAST_ROWS) / width));
    return {
      kind: 'trials',
      attack: hits,
      control: sizes.map((size, i) => (found[(i + 1) % found.length] === size ? 1 : 0)),
      baseline: 1 / (most - LEAST_ROWS + 1),
      facts: { features: task.features.length },
      blocks: [
        curves(setting, {
          name: 'spectrum-rows',
          caption: `The number of rows hit exactly, from the spectrum of ${task.features.length} features`,
          x: 'rows, up to',
          y: 'part of the tasks',
          lines: [
            {
              name: 'exactly right',
              points: [...bands]
                .toSorted(([a], [b]) => a - b)
                .map(
                  ([band, at]) =>
                    [LEAST_ROWS + (band + 1) * width - 1, mean(at.map((i) => hits[i]!))] as const,
                ),
            },
          ],
        }),
      ],
    };
  },
};
