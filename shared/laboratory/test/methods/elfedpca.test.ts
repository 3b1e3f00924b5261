import { noisePlan, predictableRandomness } from '@eigenveil/privacy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recoverCovariances, subtractOwnNoise } from '../../src/methods/attack.ts';
import { meanOf, runElfedpca, sharedNoise, sumsOf } from '../../src/methods/elfedpca.ts';
import { masked, sumOfMasked, zeroSumMasks } from '../../src/methods/masks.ts';
import { add, centreBy, scaled, secondMoment, sumOfRows } from '../../src/methods/matrix.ts';
import type { PcaSetting } from '../../src/methods/method.ts';
import { stageRelease, stageTask } from '../../src/methods/stage.ts';
import { dealt, exampleRows } from './rows.ts';

const D = 5;
const SETTING: PcaSetting = { components: 2, epsilon: 1, dpDelta: 1e-5, clippingNorm: 1 };
const rows = exampleRows(200, D, 'elfedpca');
const uneven = [rows.slice(0, 20), rows.slice(20, 80), rows.slice(80)];
const source = (seed = 'test') => predictableRandomness(seed);
const largest = (matrices: readonly (readonly (readonly number[])[])[]) =>
  Math.max(...matrices.flat(2).map(Math.abs));
const difference = (a: readonly number[][][], b: readonly number[][][]) =>
  a.map((matrix, i) => add(matrix, scaled(b[i]!, -1)));

describe('masks', () => {
  it('cancel: the server learns the sum of all, whatever it is', () => {
    const value = fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }).chain((length) =>
          fc.array(fc.array(value, { minLength: length, maxLength: length }), {
            minLength: 1,
            maxLength: 9,
          }),
        ),
        fc.string(),
        (values, seed) => {
          const masks = zeroSumMasks(source(seed), values.length, values[0]!.length);
          const sum = sumOfMasked(values.map((own, i) => masked(own, masks[i]!)));
          expect(sum).toEqual(values[0]!.map((_, j) => values.reduce((total, own) => total + own[j]!, 0n)));
        },
      ),
    );
  });

  it('hide: a masked value and the sum of all but one say nothing of it', () => {
    // The same masks under other values: each message is as likely under the one as under the other.
    const masks = zeroSumMasks(source(), 3, 1000).map((mask) => mask.map((x) => Number(x) / 2 ** 64));
    for (const mask of masks) {
      const mean = mask.reduce((sum, x) => sum + x, 0) / mask.length;
      // The deviation of the mean of a uniform number is 0.29/√1000.
      expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
      expect(new Set(mask).size).toBe(mask.length);
    }
  });

  it('give the common mean of sites that differ in size', () => {
    const { maskedSums } = runElfedpca(source(), uneven, SETTING, 'published');
    const { mean, count } = meanOf(maskedSums);
    expect(count).toBe(200);
    sumOfRows(rows, D).forEach((sum, i) => {
      expect(mean[i]).toBeCloseTo(sum / 200, 10);
    });
    expect(maskedSums[0]).toEqual(sumsOf(uneven[0]!, D));
    expect(maskedSums[1]).not.toEqual(sumsOf(uneven[1]!, D));
  });
});

describe('covariances', () => {
  const NO_NOISE = { ...SETTING, epsilon: Infinity };
  const mean = sumOfRows(rows, D).map((x) => x / rows.length);
  const covariance = scaled(secondMoment(centreBy(rows, mean, 0), D), 1 / (rows.length - 1));
  const sumOf = (sites: (typeof rows)[], variant: 'published' | 'corrected') =>
    runElfedpca(source(), sites, NO_NOISE, variant).messages.reduce(add);
  const distance = (matrix: number[][]) => largest([add(matrix, scaled(covariance, -1))]);

  it('as published do not add up to the pooled one, not even in proportion, where sites differ in size', () => {
    const sum = sumOf(uneven, 'published');
    const trace = (matrix: number[][]) => matrix.reduce((total, row, i) => total + row[i]!, 0);
    expect(distance(scaled(sum, trace(covariance) / trace(sum)))).toBeGreaterThan(0.01 * trace(covariance));
    // Of one size they are in proportion, but for the N_i − 1 of s sites in place of the N − 1 of one.
    const even = sumOf(dealt(rows, 4), 'published');
    expect(distance(scaled(even, 49 / 199))).toBeLessThan(1e-9);
  });

  it('corrected do, whatever the sizes', () => {
    expect(distance(sumOf(uneven, 'corrected'))).toBeLessThan(1e-9);
  });
});

describe('the attack on the shared seed', () => {
  const run = runElfedpca(source('attack'), uneven, { ...SETTING, epsilon: 0.3 }, 'corrected');

  it('recovers every site’s covariance, which the message hides from others', () => {
    const size = largest(run.covariances);
    const before = largest(difference(run.messages, run.covariances));
    expect(before).toBeGreaterThan(0.1 * size);
    const after = largest(difference(recoverCovariances(run), run.covariances));
    // Rounding, of sums of two doubles: nothing is left of the noise.
    expect(after).toBeLessThanOrEqual(2 ** -51 * (size + before));
  });

  it('takes the seed: another one makes it worse', () => {
    const wrong = recoverCovariances({ ...run, seed: `${run.seed}0` });
    expect(largest(difference(wrong, run.covariances))).toBeGreaterThan(0.1 * largest(run.covariances));
  });

  it('needs no seed for the difference of two messages', () => {
    const apart = (matrices: readonly number[][][]) => [add(matrices[1]!, scaled(matrices[0]!, -1))];
    expect(largest(difference(apart(run.messages), apart(run.covariances)))).toBeLessThan(1e-15);
  });

  it('all sites draw the same noise', () => {
    expect(sharedNoise(run.seed, D, run.deviation)).toEqual(sharedNoise(run.seed, D, run.deviation));
  });
});

describe('the same attempt against the stage of Eigenveil', () => {
  const release = stageRelease(source('stage'), uneven, SETTING, 2);

  it('leaves the other server’s noise, to the last bit', () => {
    const [own, other] = release.noises;
    expect(subtractOwnNoise(release, own!)).toEqual(release.exact.map((value, i) => value + other![i]!));
    expect(subtractOwnNoise(release, other!)).toEqual(release.exact.map((value, i) => value + own![i]!));
  });

  it('which is as large as the noise plan asks for', () => {
    const { variances } = noisePlan(stageTask(D, 3, SETTING));
    const deviation = Math.sqrt(Number(variances.R.numerator) / Number(variances.R.denominator));
    // Where the diagonal is in the upper triangle, row by row.
    const diagonal = Array.from({ length: D }, (_, i) => i * D - (i * (i - 1)) / 2);
    const residuals = Array.from({ length: 120 }, (_, seed) => {
      const again = stageRelease(source(`stage ${seed}`), uneven, SETTING, 2);
      const attempted = subtractOwnNoise(again, again.noises[0]!);
      return diagonal.map((i) => Number(attempted[i]! - again.exact[i]!) / deviation);
    }).flat();
    const square = residuals.reduce((sum, x) => sum + x * x, 0) / residuals.length;
    // 600 squares of variance 2: an error of 0.06.
    expect(square).toBeGreaterThan(0.75);
    expect(square).toBeLessThan(1.25);
  });
});
