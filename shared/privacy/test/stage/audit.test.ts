/** An attack on the noise of one server that knows the worst row: what it proves stays below the claimed ε and near it. Seeds are fixed. */

import { each, provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import { describe, expect, test } from 'vitest';
import { type NoisePlan, noisePlan, type StageTask, sampleNoise } from '../../src/index.ts';
import { predictableRandomness } from '../../src/insides.ts';
import { stageTask } from './tasks.ts';

const EPSILON = 1;
const DELTA = 0.01;
const RUNS = 20_000;

/** ε that is proved by summing all noisy values by their likelihood under this noise. */
function attack(task: StageTask, plan: NoisePlan, seed: string, runs: number): number {
  const B = Math.sqrt(Number(plan.clippingBound));
  const deviation = ({ numerator, denominator }: { numerator: bigint; denominator: bigint }) =>
    Math.sqrt(Number(numerator) / Number(denominator));
  const R = deviation(plan.variances.R);
  const V = deviation(plan.variances.V);
  const M = deviation(plan.variances.M);
  // One feature. A row (B) of the first class adds B² to R, B to its V and 1 to its M; all in deviations of the noise.
  const values = task.kind === 'mdr' ? [] : [{ change: B ** 2 / R, scale: R }];
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
