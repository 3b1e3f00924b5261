/**
 * What an owner's program does where the owner's rows are coarser than a task says.
 *
 * @claims S-721
 */
import { madeUpProjection, madeUpTask } from '@eigenveil/made-up/tasks';
import { newTaskId, type Task } from '@eigenveil/task';
import { describe, expect, test } from 'vitest';
import { eventOf } from '../../src/budget/budget.ts';
import { OwnerPolicy } from '../../src/index.ts';
import { ownFloorInWords, planOwnFloor } from '../../src/owner/own-floor.ts';

const made = madeUpTask('pca', 3);
/** Features from 0 to 1, whose values are said to be these far apart. */
const taskOf = (grains: readonly (number | 'cell')[], changes: Partial<Task> = {}): Task => ({
  ...made,
  ...{ exact: false, allowFullRank: false, releases: 8, id: newTaskId() },
  features: grains.map((grain, i) => ({ ...made.features[i]!, grain })),
  ...changes,
});
const policyOf = (changes: object) => OwnerPolicy.parse(changes);
const plan = (task: Task, found: readonly (number | undefined)[] | undefined, changes: object = {}) =>
  planOwnFloor(task, [], policyOf(changes), found);

describe("the owner's rows", () => {
  test('are compared feature by feature, by what the policy says of them or else by what was found', () => {
    const task = taskOf([0.5, 0.5, 0.5]);
    expect(plan(task, [0.5, undefined, 0.25])).toMatchObject({
      told: { coarser: [], deviation: 0, isChecked: true },
    });
    const coarser = plan(task, [1, 0.5, 0.25])!;
    expect(coarser.told).toEqual({
      coarser: [{ name: 'f0', declared: 0.5, own: 1 }],
      deviation: 0.5 * Math.sqrt(8),
      isChecked: true,
    });
    expect(ownFloorInWords(coarser.told).map(String)).toEqual([
      expect.stringMatching(/"f0" \(1 instead of 0\.5\).*deviation of 1\.41/),
    ]);
    expect(plan(task, [1, 1, 1], { grains: { f0: 0.5, f1: 'cell' } })!.told.coarser).toEqual([
      { name: 'f2', declared: 0.5, own: 1 },
    ]);
    expect(plan(task, undefined, { grains: { f1: 1 } })!.told).toMatchObject({
      coarser: [{ name: 'f1' }],
      isChecked: false,
    });
    expect(ownFloorInWords(plan(task, undefined)!.told).map(String)).toEqual([
      expect.stringContaining('could not be checked'),
    ]);
    expect(plan(task, undefined, { grains: { f0: 0.5, f1: 0.5, f2: 0.5 } })!.told.isChecked).toBe(true);
  });

  test('take no floor of an exact task, and none of a histogram', () => {
    expect(plan(taskOf([0.5, 0.5, 0.5], { exact: true, allowFullRank: true }), [1, 1, 1])).toBeUndefined();
    const method = { kind: 'histogram', height: 2, strategy: 'privelet' } as const;
    expect(plan(taskOf([0.5, 0.5, 0.5], { method }), [1, 1, 1])).toBeUndefined();
  });

  test('cost no more where the owner adds what is missing, and else the square of it', () => {
    const task = taskOf([0.5, 0.5, 0.5]);
    const found = [0.5, 0.75, 0.5];
    expect(eventOf(task, plan(task, found)).part).toBe('1/8');
    const without = plan(task, found, { ownFloor: false })!;
    expect(without.floor).toBeUndefined();
    expect(eventOf(task, without).part).toBe('81/128'); // 1.5⁴/8
    expect(ownFloorInWords(without.told).map(String)).toEqual([
      expect.stringContaining('takes more of your data set'),
    ]);
    expect(eventOf(task, plan(task, [0.25, 0.5, undefined], { ownFloor: false })).part).toBe('1/8');
    const sums = { ...madeUpTask('mdr', 3), features: task.features, exact: false, releases: 8 };
    expect(eventOf(sums, plan(sums, found, { ownFloor: false })).part).toBe('9/32'); // 1.5²/8
  });

  test('hand their spacing on to components that they are reduced to', () => {
    const first = taskOf([0.5, 0.5, 0.5]);
    const { features } = {
      features: [...Array(3).keys()].map((c) => ({
        name: `component_${c + 1}`,
        min: -2,
        max: 2,
        twoValued: false,
      })),
    };
    const second: Task = { ...first, id: newTaskId(), features: features.map((it) => ({ ...it, grain: 1 })) };
    const basis = [{ task: first, projection: madeUpProjection(first, [3, 2, 1]) }];
    expect(planOwnFloor(second, basis, policyOf({}), [0.5, 0.5, 0.5])!.told.coarser).toEqual([]);
    // Twice as coarse a feature makes all components so.
    expect(planOwnFloor(second, basis, policyOf({}), [0.5, 1, undefined])!.told.coarser).toEqual(
      features.map(({ name }) => ({ name, declared: 1, own: 2 })),
    );
  });
});
