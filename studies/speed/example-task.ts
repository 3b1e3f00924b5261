/** A task of any size with statistics of pseudo-random rows, for times that do not depend on the values. */
import type { ClaimedProjection } from '@eigenveil/projection';
import { type Statistics, StatisticsAccumulator } from '@eigenveil/statistics';
import type { StatisticsTask } from '@eigenveil/task';
import { generator } from '@eigenveil/testbed/random';
import type { StepsTask } from './steps.ts';

export const EXAMPLE_OWNERS = 10;
export const EXAMPLE_SAMPLES_PER_OWNER = 10_000;
/** Their number changes the values, not the work on them. */
const ROWS = 200;

/** PCA within the bounds of EXAMPLE_OWNERS and EXAMPLE_SAMPLES_PER_OWNER, 14 fraction bits, σ = 40. */
export function exampleTask(d: number, keyBits: number): StepsTask {
  return {
    method: { kind: 'pca' },
    features: Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 })),
    labellings: [],
    fractionBits: 14,
    maximumOwners: EXAMPLE_OWNERS,
    maximumSamplesPerOwner: EXAMPLE_SAMPLES_PER_OWNER,
    keyBits,
    statisticalSecurityBits: 40,
    encryption: 'djn',
    twoParty: 'garbled',
  };
}

/** Statistics of pseudo-random rows around zero, so that values of both signs occur. */
export function exampleStatistics(task: StatisticsTask): Statistics {
  const accumulator = new StatisticsAccumulator(task);
  const next = generator(1);
  const cell = () => Math.round((next() - 0.5) * 2 ** (task.fractionBits + 1));
  for (let row = 0; row < ROWS; row += 1) accumulator.add(Int32Array.from(task.features, cell), []);
  return accumulator.statistics();
}

/** Such a task with a projection of the first unit vectors, which cost what any others do. */
export function exampleProjection(features: number, components: number) {
  const task = {
    ...exampleTask(features, 2048),
    components,
    outputs: [],
    differentialPrivacy: null,
    minimumOwners: 2,
    allowFullRank: false,
  };
  const projection: ClaimedProjection = {
    ...task,
    vectors: Array.from({ length: components }, (_, c) => task.features.map((_, i) => (i === c ? 1 : 0))),
    eigenvalues: Array.from({ length: components }, () => 1),
  };
  return { task, projection };
}
