/** The cost of the floor: results of the clear reference with noise of both servers, against the same rows without. */

import {
  betweenClassScatter,
  decompose,
  principalAngles,
  project,
  totalScatter,
  varianceCaptured,
} from '@eigenveil/projection';
import { drawNoise, flatten, noisedStatistics, type Statistics } from '@eigenveil/statistics';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { scaledRows } from '../../evaluation/released.ts';
import { searchAll } from '../accuracy/svm.ts';
import { sumRows } from '../owners.ts';
import { type Method, type Read, taskOf } from './sets.ts';

/** Fewer say little, more take long. */
export const DRAWS = 8;

interface Cost {
  /** For a PCA the part of the variance that its components capture, for an LDA that which classes explain of its scores. */
  readonly exact: number;
  /** The part with the floor, on average over the draws. */
  readonly floor: number;
  /** The largest between the components and the exact ones, in radians, on average. */
  readonly angle: number;
  /** The largest |Δλ|/λ₁, on average. */
  readonly eigenvalue: number;
}

/**
 * @param exact the rows' statistics, as a task sums them
 * @param name of the draws: the same gives the same noise
 * @throws as `decompose`
 */
export function floorCost(task: TaskProposal, exact: Statistics, name: string): Cost {
  const told = decomposed({ ...task, exact: true }, exact);
  const scatter = totalScatter(exact, task.fractionBits);
  const between = task.method.kind === 'pca' ? undefined : betweenClassScatter(exact, 0, task.fractionBits);
  const kept = (vectors: Matrix) =>
    between === undefined
      ? varianceCaptured(vectors, scatter)
      : along(vectors[0]!, between) / along(vectors[0]!, scatter);
  const draws = Array.from({ length: DRAWS }, (_, draw) => {
    const { vectors, eigenvalues } = decomposed(task, floored(task, exact, `${name} ${draw}`));
    return {
      floor: kept(vectors),
      angle: Math.max(...principalAngles(vectors, told.vectors)),
      eigenvalue:
        Math.max(...eigenvalues.map((value, i) => Math.abs(value - told.eigenvalues[i]!))) /
        told.eigenvalues[0]!,
    };
  });
  const mean = (of: (draw: (typeof draws)[number]) => number) =>
    draws.reduce((sum, draw) => sum + of(draw), 0) / DRAWS;
  return {
    exact: kept(told.vectors),
    floor: mean((draw) => draw.floor),
    angle: mean((draw) => draw.angle),
    eigenvalue: mean((draw) => draw.eigenvalue),
  };
}

type Matrix = readonly (readonly number[])[];

/** A machine learns and is tried on this number of rows at most. */
const MOST_ROWS = 1000;

export interface Told {
  /** The part of the held-out rows whose label is told from rows that the exact result reduces. */
  readonly told: number;
  /** The share that is told with the floor, on average over the draws. */
  readonly toldFloor: number;
}

/**
 * Measures how well labels of held-out rows are told from reduced rows, by an SVM (RBF, C = 1, γ one over the number of components) that has learnt on the rows that were summed.
 * @throws as `decompose`
 */
export async function toldWith(read: Read, method: Method, components: number, name: string): Promise<Told> {
  const task = taskOf(read, method, components);
  const exact = statisticsOf(task, read);
  const all = [
    decomposed({ ...task, exact: true }, exact),
    ...Array.from({ length: DRAWS }, (_, draw) => decomposed(task, floored(task, exact, `${name} ${draw}`))),
  ];
  const [train, test] = [read.rows.slice(0, MOST_ROWS), read.test.slice(0, MOST_ROWS)];
  const scaled = [train, test].map((rows) => scaledRows(task, rows));
  const outcomes = await searchAll(
    all.map(({ vectors }) => {
      const [learnt, tried] = scaled.map((rows) => project({ vectors }, rows));
      return {
        train: { rows: learnt!, labels: train.map(({ classes }) => classes[0]!) },
        test: tried!,
        folds: [],
        grid: { costs: [1], gammas: [1 / vectors.length] },
      };
    }),
  );
  const [first, ...others] = outcomes.map(
    ({ predicted }) => test.filter(({ classes }, i) => predicted[i] === classes[0]).length / test.length,
  );
  return { told: first!, toldFloor: others.reduce((sum, part) => sum + part, 0) / DRAWS };
}

/** Computes the result in the clear, of however few owners. */
const decomposed = (task: TaskProposal, statistics: Statistics) =>
  decompose({ ...programOf(task), minimumOwners: 1 }, statistics);

/** The rows' statistics, as the task sums them. */
export const statisticsOf = (task: TaskProposal, { rows }: Pick<Read, 'rows'>): Statistics =>
  sumRows(task, task.labellings.length > 0 ? rows : rows.map(({ values }) => ({ values, classes: [] })));

/** The statistics that both servers compute with. */
function floored(task: TaskProposal, exact: Statistics, seed: string): Statistics {
  const source = predictableRandomness(seed);
  const noises = (['csp', 'dataUser'] as const).map((server) => drawNoise(task, server, source));
  return noisedStatistics(task, flatten(task, exact), noises);
}

const along = (w: readonly number[], matrix: Matrix) =>
  matrix.reduce((sum, row, i) => sum + w[i]! * row.reduce((t, x, j) => t + x * w[j]!, 0), 0);
