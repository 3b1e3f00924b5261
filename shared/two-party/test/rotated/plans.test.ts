/** Every product of a task that the limits of rings take has room in a modulus: both ends plan after owners have contributed. */
import { type MethodParameters, methodOf } from '@eigenveil/methods';
import { programOf, type StatisticsTask } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { pencilParameters } from '../../src/rotated/pencil/parameters.ts';
import { rotatedPlan } from '../../src/rotated/plans.ts';
import { sketchParameters } from '../../src/rotated/sketch/parameters.ts';
import { OWNERS, taskOf } from '../shapes.ts';
import { dca, lda, mdr } from './pencils.ts';

interface Wanted {
  readonly method: MethodParameters;
  readonly d: number;
  readonly classes: readonly number[];
  readonly components: number;
  readonly rows: number;
  readonly grain?: number | 'cell' | undefined;
  readonly columns?: number;
}

function taskAndProgram({ rows, grain, components, ...shape }: Wanted) {
  const made = taskOf(shape);
  const task: StatisticsTask = {
    ...made,
    maximumSamplesPerOwner: Math.ceil(rows / OWNERS),
    twoParty: 'rotated',
    exact: grain === undefined,
    releases: 1,
    features: made.features.map((feature) => ({ ...feature, ...(grain !== undefined && { grain }) })),
  };
  const outputs = methodOf({ method: shape.method, sketch: task.sketch }).revealedByRotation;
  return {
    task,
    program: programOf({ ...task, components, outputs, minimumOwners: 2, allowFullRank: true }),
  };
}

/** Returns whether rings take the task; then it must have a plan. */
async function isTaken(
  wanted: Wanted,
  parametersOf: (task: StatisticsTask, program: ReturnType<typeof programOf>) => object,
): Promise<boolean> {
  const { task, program } = taskAndProgram(wanted);
  try {
    parametersOf(task, program);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_TASK_RANGE' });
    return false;
  }
  const { products } = await rotatedPlan(task, program);
  expect(products.length, JSON.stringify(wanted)).toBeGreaterThan(10);
  return true;
}

const GRAINS = [undefined, 2, 'cell'] as const;
const ROWS = [10 ** 3, 10 ** 8];

describe('every task that rings take has a plan:', () => {
  for (const [name, method, labellings, grains] of [
    ['LDA', lda(1), 1, GRAINS],
    ['DCA with a ridge on the signal', dca(1, 0.25), 1, [undefined]],
    ['MDR', mdr(1), 2, [undefined, 'cell']],
  ] as const)
    it(name, async () => {
      const taken: boolean[] = [];
      for (const grain of grains)
        for (const [d, K] of [
          [3, 2],
          [34, 3],
          [100, 100],
          [199, 2],
        ] as const)
          for (const rows of ROWS) {
            const classes = new Array<number>(labellings).fill(K);
            const wanted = { method, d: Math.min(d, 200 - K), classes, components: 1, rows, grain };
            taken.push(await isTaken(wanted, pencilParameters));
          }
      expect(taken.filter(Boolean).length).toBeGreaterThan(taken.length / 2);
    });

  it('sketches', async () => {
    const taken: boolean[] = [];
    for (const grain of [undefined, 2, 'cell'] as const)
      for (const [d, columns] of [
        [30, 4],
        [256, 80],
        [10_000, 80],
      ] as const)
        for (const rows of ROWS) {
          const wanted: Wanted = {
            ...{ method: { kind: 'pca' }, d, classes: [], components: 2, rows, grain, columns },
          };
          taken.push(await isTaken(wanted, sketchParameters));
        }
    expect(taken.filter(Boolean).length).toBeGreaterThan(taken.length / 2);
  });
});
