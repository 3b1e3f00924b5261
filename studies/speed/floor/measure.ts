/** What the floor costs: results of the clear reference with noise of both servers, against the same rows without. */

import {
  betweenClassScatter,
  decompose,
  principalAngles,
  totalScatter,
  varianceCaptured,
} from '@eigenveil/projection';
import { drawNoise, flatten, noisedStatistics, type Statistics } from '@eigenveil/statistics';
import { programOf, type TaskProposal } from '@eigenveil/task';
import { predictableRandomness } from '@eigenveil/testbed/random';

/** Fewer say little, more take long. */
export const DRAWS = 8;

interface Cost {
  /** Of a PCA the part of the variance that its components capture, of a LDA that which classes explain of its scores. */
  readonly exact: number;
  /** The same with the floor, on average over the draws. */
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
  const told = decompose({ ...programOf({ ...task, exact: true }), minimumOwners: 1 }, exact);
  const scatter = totalScatter(exact, task.fractionBits);
  const between = task.method.kind === 'pca' ? undefined : betweenClassScatter(exact, 0, task.fractionBits);
  const kept = (vectors: Matrix) =>
    between === undefined
      ? varianceCaptured(vectors, scatter)
      : along(vectors[0]!, between) / along(vectors[0]!, scatter);
  const draws = Array.from({ length: DRAWS }, (_, draw) => {
    const { vectors, eigenvalues } = decompose(
      { ...programOf(task), minimumOwners: 1 },
      floored(task, exact, `${name} ${draw}`),
    );
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

/** What both servers compute with. */
function floored(task: TaskProposal, exact: Statistics, seed: string): Statistics {
  const source = predictableRandomness(seed);
  const noises = (['csp', 'dataUser'] as const).map((server) => drawNoise(task, server, source));
  return noisedStatistics(task, flatten(task, exact), noises);
}

const along = (w: readonly number[], matrix: Matrix) =>
  matrix.reduce((sum, row, i) => sum + w[i]! * row.reduce((t, x, j) => t + x * w[j]!, 0), 0);
