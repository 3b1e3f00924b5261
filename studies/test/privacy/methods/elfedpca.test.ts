import { noisePlan } from '@eigenveil/privacy';
import { each, provenEpsilon } from '@eigenveil/testbed/goodness/audit';
import { mean } from '@eigenveil/testbed/goodness/mean';
import { SAMPLES } from '@eigenveil/testbed/goodness/samples';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  elfedpca,
  elfedpcaDeviation,
  meanOf,
  noisyCovariances,
  recoverCovariances,
  runElfedpca,
  sumsOf,
  unmaskedSums,
} from '../../../privacy/methods/elfedpca.ts';
import { masked, sumOfMasked, zeroSumMasks } from '../../../privacy/methods/masks.ts';
import {
  add,
  centreBy,
  dot,
  scaled,
  secondMoment,
  sumOfRows,
  topEigenvectors,
  topSingularVectors,
} from '../../../privacy/methods/matrix.ts';
import type { PcaSetting, Row } from '../../../privacy/methods/method.ts';
import { stageRelease, stageTask, subtractOwnNoise } from '../../../privacy/methods/stage.ts';
import { copies, dealt, exampleRows, SETTING, source } from './rows.ts';

const D = 5;
const rows = exampleRows(200, D, 'elfedpca');
const uneven = [rows.slice(0, 20), rows.slice(20, 80), rows.slice(80)];
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
    // Masks do not depend on values: each message is as likely under the one as under the other.
    const masks = zeroSumMasks(source(), 3, 1000).map((mask) => mask.map((x) => Number(x) / 2 ** 64));
    for (const mask of masks) {
      // The deviation of the mean of a uniform number is 0.29/√1000.
      expect(Math.abs(mean(mask) - 0.5)).toBeLessThan(0.05);
      expect(new Set(mask).size).toBe(mask.length);
    }
  });

  it('give the common mean of sites that differ in size', () => {
    const { maskedSums } = runElfedpca(source(), uneven, SETTING, 'published');
    const expected = sumOfRows(rows, D).map((sum) => expect.closeTo(sum / 200, 10));
    expect(meanOf(maskedSums)).toEqual({ mean: expected, count: 200 });
    expect(maskedSums[0]).toEqual(sumsOf(uneven[0]!, D));
    expect(maskedSums[1]).not.toEqual(sumsOf(uneven[1]!, D));
  });
});

describe('the steps as published, by hand', () => {
  // The mean is zero; divided by their lengths the rows are axes.
  const first: Row[] = [
    [0.6, 0],
    [-0.6, 0],
  ];
  const second: Row[] = [
    [0, 0.2],
    [0, -0.2],
    [0.1, 0],
    [-0.1, 0],
  ];
  const setting: PcaSetting = { ...SETTING, components: 1, epsilon: Infinity };

  it('covariances, their sum, its leading vector and the reduced rows', () => {
    const run = runElfedpca(source(), [first, second], setting, 'published');
    const diagonal = (a: number, b: number) => [
      [expect.closeTo(a, 12), expect.closeTo(0, 12)],
      [expect.closeTo(0, 12), expect.closeTo(b, 12)],
    ];
    expect(run.messages).toEqual([diagonal(2, 0), diagonal(2 / 3, 2 / 3)]);
    expect(run.components.map(([x]) => Math.abs(x!))).toEqual([expect.closeTo(1, 12)]);
    const reduced = run.reduced.map((rows) => rows.map(([y]) => Math.abs(y!)));
    const one = expect.closeTo(1, 12);
    const zero = expect.closeTo(0, 12);
    expect(reduced).toEqual([
      [one, one],
      [zero, zero, one, one],
    ]);
    const corrected = runElfedpca(source(), [first, second], setting, 'corrected');
    expect(corrected.messages.reduce(add)).toEqual(diagonal(4 / 5, 2 / 5));
  });

  it('singular vectors, by the magnitude of eigenvalues', () => {
    const matrix = [
      [1, 0],
      [0, -2],
    ];
    expect(topSingularVectors(matrix, 1)[0]!.map(Math.abs)).toEqual([0, 1]);
    expect(topEigenvectors(matrix, 1)[0]!.map(Math.abs)).toEqual([1, 0]);
  });

  it('a site of one row has no covariance', () => {
    expect(() => runElfedpca(source(), [first, [[0.1, 0]]], setting, 'published')).toThrow(RangeError);
  });
});

describe('who knows what', () => {
  const run = runElfedpca(source('knows'), uneven, SETTING, 'published');

  it('site 2 dealt the masks, and has every sum that it sees; site 1’s is plain for all', () => {
    expect(unmaskedSums(run)).toEqual(uneven.map((site) => sumsOf(site, D)));
    const masks = run.masks.map(() => zeroSumMasks(source('guessed'), 3, D + 1)[0]!);
    expect(unmaskedSums({ ...run, masks })[1]).not.toEqual(sumsOf(uneven[1]!, D));
  });

  it('with two sites nothing is masked', () => {
    const two = runElfedpca(source(), [rows.slice(0, 50), rows.slice(50)], SETTING, 'published');
    expect(sumOfMasked([two.maskedSums[1]!])).toEqual(sumsOf(rows.slice(50), D));
  });

  it('everybody has the reduced rows: coordinates of the very rows, with no noise on them', () => {
    run.reduced.forEach((reduced, i) => {
      reduced.forEach((y, j) => {
        run.components.forEach((v, k) => {
          expect(y[k]).toBeCloseTo(dot(run.normalised[i]![j]!, v), 12);
        });
      });
    });
  });
});

/** Seeds are fixed, so a right variant fails never or always. */
for (const { title, tags, whole, of } of SAMPLES)
  describe(`audits, for a mean that is given, ${title}`, { tags }, () => {
    const DELTA = 0.05;
    const RUNS = of(4000, 1500);
    const axis: Row = [0, 1];
    const other = (count: number) => copies(count, [1, 0]);
    const MEAN = [0, 0];
    // A row at the mean stays there, and adds nothing: a row less, with divisors as they were.
    const neighbours = [
      [[axis, ...other(2)], other(10), other(10)],
      [[MEAN, ...other(2)], other(10), other(10)],
    ];
    const attack = (variant: 'published' | 'repaired', epsilon: number, claimed: number) => {
      const setting: PcaSetting = { ...SETTING, dpDelta: DELTA, epsilon };
      const deviation = elfedpcaDeviation(neighbours[0]!, setting, variant);
      // The row adds ½ of the smallest site’s covariance; from here on it is e^claimed times likelier.
      const threshold = 0.25 + 2 * deviation ** 2 * claimed;
      const [left, right] = neighbours.map((sites, i) => {
        const random = source(`audit ${variant} ${epsilon} ${i}`);
        const sum = () => noisyCovariances(random, sites, MEAN, setting, variant).messages.reduce(add);
        return each(() => sum()[1]![1]! > threshold);
      });
      return provenEpsilon({ left: left!, right: right!, dpDelta: DELTA, runs: RUNS });
    };

    it('as published a row comes through: several times the nominal ε is proven, and no more than is said to be kept', () => {
      const kept = (epsilon: number) => {
        const it = elfedpca.promise.keeps(neighbours[0]!, { ...SETTING, dpDelta: DELTA, epsilon });
        if ('none' in it) throw new Error(it.none);
        return it.epsilon;
      };
      const proven = attack('published', 0.3, kept(0.3));
      expect(proven).toBeGreaterThan((whole ? 4 : 2) * 0.3);
      expect(proven).toBeLessThanOrEqual(kept(0.3));
      // With runs enough for no more than e^5.
      if (whole) expect(attack('published', 1, 4)).toBeGreaterThan(5);
      expect(kept(1)).toBeGreaterThan(5);
    });

    it('repaired it does not, and the attack comes near', () => {
      const proven = attack('repaired', 1, 1);
      expect(proven).toBeLessThanOrEqual(1);
      if (whole) expect(proven).toBeGreaterThan(0.45);
    });
  });

it('no variant keeps its ε where the mean is not given: one row turns all that lie close to it', {
  tags: ['long'],
}, () => {
  const SMALL = 1e-6;
  const close = (count: number) =>
    Array.from({ length: count }, (_, i): Row => [i % 2 === 0 ? SMALL : -SMALL, 0]);
  const neighbours = [
    [close(4), close(10), close(10)],
    [[[0, 1] as Row, ...close(4).slice(1)], close(10), close(10)],
  ];
  for (const variant of ['repaired', 'corrected'] as const) {
    const [right, left] = neighbours.map((sites, i) => {
      const random = source(`mean ${variant} ${i}`);
      return each(() => {
        const { messages } = runElfedpca(random, sites, { ...SETTING, components: 1, epsilon: 3 }, variant);
        const sum = messages.reduce(add);
        return sum[1]![1]! > sum[0]![0]!;
      });
    });
    expect(provenEpsilon({ left: left!, right: right!, dpDelta: 1e-5, runs: 200 })).toBeGreaterThan(3);
  }
});

describe('covariances', () => {
  const NO_NOISE = { ...SETTING, epsilon: Infinity };
  const centre = sumOfRows(rows, D).map((x) => x / rows.length);
  const covariance = scaled(secondMoment(centreBy(rows, centre, 0), D), 1 / (rows.length - 1));
  const sumOf = (sites: (typeof rows)[], variant: 'published' | 'corrected') =>
    runElfedpca(source(), sites, NO_NOISE, variant).messages.reduce(add);
  const distance = (matrix: number[][]) => largest([add(matrix, scaled(covariance, -1))]);

  it('as published do not add up to the pooled one, not even in proportion, where sites differ in size', () => {
    const sum = sumOf(uneven, 'published');
    const trace = (matrix: number[][]) => matrix.reduce((total, row, i) => total + row[i]!, 0);
    expect(distance(scaled(sum, trace(covariance) / trace(sum)))).toBeGreaterThan(0.01 * trace(covariance));
    // Sites of one size are in proportion, but for the N_i − 1 of s sites in place of the N − 1 of one.
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
});

describe('the same attempt against the stage of Eigenveil', () => {
  const release = stageRelease(source('stage'), uneven, SETTING, 2);

  it('leaves the other server’s noise, to the last bit', () => {
    const [own, other] = release.noises;
    expect(subtractOwnNoise(release, own!)).toEqual(release.exact.map((value, i) => value + other![i]!));
    expect(subtractOwnNoise(release, other!)).toEqual(release.exact.map((value, i) => value + own![i]!));
  });

  it('which is as large as the noise plan asks for', () => {
    const { variances } = noisePlan(stageTask({ features: D, owners: 3 }, SETTING));
    const deviation = Math.sqrt(Number(variances.R.numerator) / Number(variances.R.denominator));
    // Where the diagonal is in the upper triangle, row by row.
    const diagonal = Array.from({ length: D }, (_, i) => i * D - (i * (i - 1)) / 2);
    const residuals = Array.from({ length: 120 }, (_, seed) => {
      const again = stageRelease(source(`stage ${seed}`), uneven, SETTING, 2);
      const attempted = subtractOwnNoise(again, again.noises[0]!);
      return diagonal.map((i) => Number(attempted[i]! - again.exact[i]!) / deviation);
    }).flat();
    // 600 squares of variance 2: an error of 0.06.
    expect(Math.abs(mean(residuals.map((x) => x * x)) - 1)).toBeLessThan(0.25);
  });
});
