/**
 * An attack on the noise of one server that knows the worst row: what it proves stays below the claimed ε
 * and near it. Seeds are fixed.
 *
 * @claims P-12
 */

import { each, provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { describe, expect, test } from 'vitest';
import { type NoisePlan, noisePlan, type StageTask, sampleNoise } from '../../src/index.ts';
import { stageTask } from './tasks.ts';

const EPSILON = 1;
const DELTA = 0.01;
const RUNS = 20_000;

/** ε that is proved by summing all noisy values by their likelihood under this noise. */
function attack(task: StageTask, plan: NoisePlan, seed: string, runs: number): number {
  const B = Math.sqrt(Number(plan.clippingBound));
  const deviation = (variance: Parameters<typeof real>[0]) => Math.sqrt(real(variance));
  const R = deviation(plan.variances.R);
  const V = deviation(plan.variances.V);
  const M = deviation(plan.variances.M);
  // One feature. A row (B) of the first class adds B² to R, B to its V and 1 to its M; all in deviations of the noise.
  const values = task.collectsR ? [{ change: B ** 2 / R, scale: R }] : [];
  for (const classes of task.classes) {
    for (let k = 0; k < classes; k += 1) {
      values.push({ change: k === 0 ? B / V : 0, scale: V }, { change: k === 0 ? 1 / M : 0, scale: M });
    }
  }
  const squared = values.reduce((sum, { change }) => sum + change ** 2, 0);
  const source = predictableRandomness(seed);
  const likelier = (shift: number) =>
    each(() => {
      const noise = sampleNoise(source, task, plan);
      const along = values.reduce(
        (sum, { change, scale }, v) => sum + (change * Number(noise[v])) / scale,
        0,
      );
      return along + shift > EPSILON + squared / 2;
    });
  return provenEpsilon({ left: likelier(squared), right: likelier(0), runs, dpDelta: DELTA });
}

const real = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }) =>
  Number(numerator) / Number(denominator);

test.each([
  ['pca', [1]],
  ['dca', [2]],
  ['mdr', [2, 3]],
] as const)('every value of a %s gets the noise that the plan has for it', (kind, classes) => {
  const task = stageTask(kind, { epsilon: EPSILON, delta: DELTA }, { features: 2, classes });
  const plan = noisePlan(task);
  const [R, off, V, M] = [plan.variances.R, plan.offDiagonal, plan.variances.V, plan.variances.M].map(real);
  const ofClass = [V!, V!, M!];
  const planned = [
    ...(kind === 'mdr' ? [] : [R!, off!, R!]),
    ...classes.flatMap((count) => new Array<number[]>(count).fill(ofClass).flat()),
  ];
  const source = predictableRandomness(`places ${kind}`);
  const draws = Array.from({ length: 300 }, () => sampleNoise(source, task, plan).map(Number));
  expect(draws.every((noise) => noise.length === planned.length + 1 && noise.at(-1) === 0)).toBe(true);
  for (const [v, variance] of planned.entries()) {
    const square = draws.reduce((sum, noise) => sum + noise[v]! ** 2, 0) / draws.length;
    // A deviation of 0.08.
    expect(Math.abs(square / variance - 1), `value ${v}`).toBeLessThan(0.4);
  }
});

const CASES = [
  ['pca', [1], []],
  ['dca', [2], ['long']],
  ['mdr', [2, 2], []],
] as const;

for (const { title, tags, whole, of } of SAMPLES)
  describe(title, { tags }, () => {
    const runs = of(RUNS);

    describe.each(CASES)('the noise of a server for a %s', (kind, classes, seldom) => {
      const tags = [...seldom];

      const task = stageTask(kind, { epsilon: EPSILON, delta: DELTA }, { features: 1, classes });
      const plan = noisePlan(task);

      test('keeps its claim, which the attack comes near', { tags }, () => {
        const proven = attack(task, plan, `audit ${kind}`, runs);
        expect(proven).toBeLessThanOrEqual(EPSILON);
        if (whole) expect(proven).toBeGreaterThan(0.5);
      });

      test('is caught when its deviations are halved', { tags }, () => {
        const quarter = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }) => ({
          numerator,
          denominator: 4n * denominator,
        });
        const { R, V, M } = plan.variances;
        const halved = { ...plan, variances: { R: quarter(R), V: quarter(V), M: quarter(M) } };
        expect(attack(task, halved, `halved ${kind}`, runs)).toBeGreaterThan(EPSILON);
      });
    });
  });
