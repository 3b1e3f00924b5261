/**
 * The bound on what one row changes, against a search for neighbours that change more.
 *
 * @claims P-25, P-27
 */
import { describe, expect, test } from 'vitest';
import { calibrateAnalyticGaussian, noisePlan, type StageTask } from '../../src/index.ts';
import { KINDS, NEIGHBOURS, stageTask } from './tasks.ts';

interface Row {
  readonly z: readonly number[];
  /** Per labelling. */
  readonly classes: readonly number[];
}

type Kind = 'R' | 'offDiagonal' | 'V' | 'M';

/** What a row adds to R, V and M, by definition. */
function statisticsOf({ collectsR, features: d, classes: counts }: StageTask, row: Row | undefined) {
  const values: { kind: Kind; value: number }[] = [];
  const z = row?.z ?? new Array<number>(d).fill(0);
  for (let i = 0; collectsR && i < d; i += 1)
    for (let j = i; j < d; j += 1) values.push({ kind: i === j ? 'R' : 'offDiagonal', value: z[i]! * z[j]! });
  for (const [l, count] of counts.entries()) {
    for (let k = 0; k < count; k += 1) {
      const own = row !== undefined && row.classes[l] === k;
      for (const entry of z) values.push({ kind: 'V', value: own ? entry : 0 });
      values.push({ kind: 'M', value: own ? 1 : 0 });
    }
  }
  return values;
}

/** The squared distance of two neighbours in deviations of the plan's noise. */
function distanceBetween(task: StageTask, variances: Record<Kind, number>, rows: readonly Row[]): number {
  const [a, b] = [statisticsOf(task, rows[0]), statisticsOf(task, rows[1])];
  return a.reduce((sum, { kind, value }, v) => {
    const change = value - b[v]!.value;
    return change === 0 ? sum : sum + change ** 2 / variances[kind];
  }, 0);
}

function random(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** The largest distance that random rows and steps of their entries find. */
function search(task: StageTask, variances: Record<Kind, number>, bound: number): number {
  const below = random(7);
  const most = Math.floor(Math.sqrt(bound));
  /** Along the ball's surface where a step leads out of it. */
  const inside = (z: readonly number[]): number[] => {
    const length = Math.hypot(...z);
    return length ** 2 <= bound ? [...z] : z.map((entry) => Math.trunc((entry * Math.sqrt(bound)) / length));
  };
  const draw = (): Row => {
    const z = inside(Array.from({ length: task.features }, () => below(2 * most + 1) - most));
    return { z, classes: task.classes.map((count) => below(count)) };
  };
  let best = 0;
  for (let start = 0; start < 60; start += 1) {
    let rows = task.setting.neighbours === 'replace' ? [draw(), draw()] : [draw()];
    let value = distanceBetween(task, variances, rows);
    for (let step = most; step >= 1; ) {
      let improved = false;
      for (let r = 0; r < rows.length; r += 1) {
        for (let i = 0; i < task.features; i += 1) {
          for (const by of [-step, step]) {
            const moved = rows.map((row, n) =>
              n === r ? { ...row, z: inside(row.z.with(i, row.z[i]! + by)) } : row,
            );
            const next = distanceBetween(task, variances, moved);
            if (next <= value) continue;
            [rows, value, improved] = [moved, next, true];
          }
        }
      }
      if (!improved) step = Math.floor(step / 2);
    }
    best = Math.max(best, value);
  }
  return best;
}

describe.each(KINDS)('%s', (kind) => {
  test.each(NEIGHBOURS)(
    '%s: no neighbours cost more than the budget, and some nearly all of it',
    (neighbours) => {
      const task = stageTask(kind, { neighbours }, { fractionBits: 10 });
      const { variances, offDiagonal, clippingBound } = noisePlan(task);
      const value = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }) =>
        Number(numerator) / Number(denominator);
      const { R, V, M } = variances;
      const noise = { R: value(R), offDiagonal: value(offDiagonal), V: value(V), M: value(M) };
      const found = search(task, noise, Number(clippingBound));
      const { epsilon, delta } = task.setting;
      const budget = 1 / calibrateAnalyticGaussian({ sensitivity: 1, epsilon, dpDelta: delta }) ** 2;
      expect(found).toBeLessThanOrEqual(budget);
      expect(found).toBeGreaterThanOrEqual(0.9 ** 2 * budget);
    },
  );
});
