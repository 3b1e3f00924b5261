/** The worth of private ranges: strategies, quantiles beside a trusted curator's, ranges in one stage and two, captured variance. */
import { pValue } from '@eigenveil/testbed/goodness/goodness';
import { mean as meanOf } from '@eigenveil/testbed/goodness/mean';
import { generator, seedOf } from '@eigenveil/testbed/random';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chosenOf, samplesOf } from '../../instrument/figure.ts';
import { measured, planRun } from '../../instrument/run.ts';
import { Settings } from '../../instrument/settings.ts';
import { approximateQuantiles } from '../../ranges/approximate-quantiles.ts';
import { uniform } from '../../ranges/draws.ts';
import { explained } from '../../ranges/explained.ts';
import { ranges } from '../../ranges/index.ts';
import { budgetsOf, privateRanges } from '../../ranges/private-ranges.ts';
import { quantiles } from '../../ranges/quantiles.ts';
import { strategies } from '../../ranges/strategies.ts';
import { SHARES, splitBudget, UTILITY_DELTA, wideGuess, worth } from '../../ranges/worth.ts';

describe('a trusted curator', () => {
  const quantiles = [0.1, 0.25, 0.5, 0.75, 0.9];
  const even = new Array<number>(200).fill(1);

  it('finds exact quantiles without noise', () => {
    const next = uniform('exact');
    for (let run = 0; run < 20; run += 1) {
      const found = approximateQuantiles(next, even, quantiles, Infinity);
      found.forEach((edge, i) => {
        // Where a quantile is an edge, the bins on both sides have it.
        expect(Math.abs(edge - 200 * quantiles[i]!)).toBeLessThanOrEqual(2);
      });
    }
  });

  it('chooses an edge with the probabilities of the exponential mechanism', () => {
    const next = uniform('exponential');
    // The median, 2 rows, of 4 bins of a row each: losses 1, 0, 0 and 1.
    const found = Array.from({ length: 30_000 }, () =>
      BigInt(approximateQuantiles(next, [1, 1, 1, 1], [0.5], 1)[0]! - 1),
    );
    const weights = [Math.exp(-0.5), 1, 1, Math.exp(-0.5)];
    const total = weights.reduce((a, b) => a + b, 0);
    const expected = new Map(weights.map((weight, i) => [BigInt(i), weight / total]));
    expect(pValue(found, expected)).toBeGreaterThan(1e-4);
  });

  it('answers with edges in order, whatever ε and counts are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(20), { minLength: 1, maxLength: 40 }),
        fc.constantFrom(0.01, 1, 10),
        fc.nat(1000),
        (some, epsilon, seed) => {
          const found = approximateQuantiles(uniform(`order ${seed}`), some, [0.1, 0.5, 0.6, 0.9], epsilon);
          expect(found).toEqual(found.toSorted((a, b) => a - b));
          expect(found.every((edge) => edge >= 1 && edge <= some.length)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('private ranges', () => {
  const next = generator(seedOf('private ranges'));
  const rows = Array.from({ length: 20_000 }, () => [3 + 4 * next(), -next()]);
  const outer = [
    [-100, 100],
    [-10, 10],
  ] as const;
  const found = (epsilon: number, stages: 'one stage' | 'coarse, then fine', of = rows) =>
    privateRanges(of, outer, { stages, budget: { epsilon, dpDelta: 1e-6 }, seed: 'test' });

  it.each(['one stage', 'coarse, then fine'] as const)('lie around the rows, and not far: %s', (stages) => {
    const { ranges, refused } = found(3, stages);
    expect(refused).toBe(false);
    for (const [j, [least, largest]] of [[3, 7] as const, [-1, 0] as const].entries()) {
      const width = largest - least;
      expect(Math.abs(ranges[j]![0] - least)).toBeLessThan(0.4 * width);
      expect(Math.abs(ranges[j]![1] - largest)).toBeLessThan(0.4 * width);
    }
  });

  it('are refused where the rows are too few: the outer domain stays', () => {
    for (const stages of ['one stage', 'coarse, then fine'] as const) {
      expect(found(0.01, stages, rows.slice(0, 100))).toEqual({ ranges: outer, refused: true });
    }
  });

  it('spend what they are given, and with the projection the whole, no more', () => {
    for (const share of SHARES) {
      const { ranges, projection } = splitBudget(3, share);
      for (const stages of ['one stage', 'coarse, then fine'] as const) {
        const all = [...budgetsOf(stages, ranges), projection];
        expect(all.reduce((sum, { epsilon }) => sum + epsilon, 0)).toBeCloseTo(3, 12);
        expect(all.reduce((sum, { dpDelta }) => sum + dpDelta, 0)).toBeCloseTo(UTILITY_DELTA, 18);
      }
    }
  });

  it('are guessed wide by powers of ten', () => {
    expect(wideGuess([0, 10])).toEqual([-100, 100]);
    expect(wideGuess([-1, 1])).toEqual([-10, 10]);
    expect(wideGuess([0, 16])).toEqual([-1000, 1000]);
  });
});

describe('captured variance', () => {
  const next = generator(seedOf('captured'));
  // Variances 9, 4 and 1 of twelfths.
  const rows = Array.from({ length: 3000 }, () => [3 * next(), 2 * next(), next()]);
  const along = (...columns: number[]) => rows.map((row) => columns.map((j) => row[j]!));

  it('is that of the directions, over that of the best', () => {
    expect(explained(rows, along(0))).toBeCloseTo(1, 2);
    expect(explained(rows, along(1))).toBeCloseTo(4 / 9, 1);
    expect(explained(rows, along(0, 2))).toBeCloseTo(10 / 13, 1);
  });

  it('does not depend on how reduced rows are scaled, shifted or mixed', () => {
    const plain = explained(rows, along(0, 2));
    const mixed = rows.map(([a, , c]) => [1e-3 * (a! + c!) + 5, 100 * (a! - 2 * c!)]);
    expect(explained(rows, mixed)).toBeCloseTo(plain, 9);
    const [constant, twice] = [rows.map(() => [1, 1]), along(0, 0)];
    expect(explained(rows, constant)).toBe(0);
    expect(explained(rows, twice)).toBeLessThan(0.7);
  });
});

describe('measured', () => {
  const bench = { note: () => undefined };

  it('strategies have the exact deviations of their noise', async () => {
    const parameters = { noise: 'laplace', asked: 'counts', of: '1 3', epsilon: 1, dpDelta: 1e-6 } as const;
    const records = await measured({ study: strategies, parameters }, bench);
    const of = (bins: number, way: string) => Number(chosenOf(records, { bins, way })[0]!.deviation);
    // The variance of two servers' discrete Laplace noise.
    const variance = (scale: number) => {
      const p = Math.exp(-1 / scale);
      return (2 * 2 * p) / (1 - p) ** 2;
    };
    expect(of(8, 'flat')).toBeCloseTo(Math.sqrt(variance(1)), 12);
    // A row changes two coefficients; least squares leave two thirds of a leaf's variance beside the total, sum and difference half of it.
    expect(of(2, 'Boost')).toBeCloseTo(Math.sqrt((2 / 3) * variance(2)), 12);
    expect(of(2, 'Privelet')).toBeCloseTo(Math.sqrt(variance(2) / 2), 12);
    expect(records.filter(({ best }) => best !== undefined)).toMatchObject([
      { bins: 2, best: 'flat 2' },
      { bins: 8, best: 'flat 8' },
    ]);
  });

  it('quantiles are farther off with less ε, and the projection brings prefixes nearer', async () => {
    const at = async (epsilon: number) => {
      const parameters = { shape: 'skewed', features: 1, rows: 1000, epsilon, repetitions: 2 } as const;
      const records = await measured({ study: quantiles, parameters }, bench);
      return Object.fromEntries(records.map((record) => [record.mechanism, record]));
    };
    const [little, much] = [await at(0.1), await at(10)];
    for (const mechanism of ['Laplace', 'Gaussian', 'trusted curator'])
      expect(Number(little[mechanism]!.rank)).toBeGreaterThan(Number(much[mechanism]!.rank));
    for (const { prefixesBefore, prefixesAfter } of [little.Laplace!, little.Gaussian!])
      expect(Number(prefixesAfter)).toBeLessThanOrEqual(Number(prefixesBefore));
    // All five intervals of each repetition.
    expect(much.Laplace!.held).toBe(5);
    expect(Object.keys(little['trusted curator']!)).toEqual(['mechanism', 'rank']);
  });

  it('ranges of the user’s own rows: true and stated ones serve, wide guesses do not, and noise refuses few rows', async () => {
    const next = generator(seedOf('own ranges'));
    const labels = Array.from({ length: 60 }, (_, i) => i % 2);
    const own = {
      name: 'own',
      columns: ['long', 'short', 'flat'],
      ranges: new Array(3).fill([0, 10] as const),
      rows: labels.map((label) => [10 * next(), 5 + label + next(), 5 + 0.1 * next()]),
      labels,
      classes: ['a', 'b'],
    };
    const asked = { scale: 'quick', settings: new Settings('quick'), own } as const;
    const { cases } = await worth.plan(asked);
    const parameters = { ...cases.find(({ epsilon }) => epsilon === 10)!, seeds: 2 };
    const records = await measured({ study: worth, parameters }, { ...bench, own });
    const mean = (arm: string, column: string) =>
      meanOf(samplesOf(chosenOf(records, { arm, kind: 'pca' }), column));
    // Twelve arms, two methods, two splits; and how often each of eight was refused.
    expect(records).toHaveLength(12 * 2 * 2 + 8);
    expect(mean('true', 'captured')).toBeGreaterThan(mean('wide guess', 'captured'));
    for (const arm of ['true', 'documented', 'random directions']) {
      expect(mean(arm, 'captured')).toBeGreaterThan(0);
      expect(mean(arm, 'f1')).toBeLessThanOrEqual(100);
    }
    expect(samplesOf(records, 'refused')).toEqual(new Array(8).fill(1));
    // A study that makes up what it looks at takes no rows.
    const { jobs, omissions } = await planRun(ranges.studies, asked);
    expect(new Set(jobs.map(({ study }) => study.id))).toEqual(new Set([worth.id]));
    expect(omissions).toHaveLength(ranges.studies.length - 1);
    expect(await measured({ study: worth, parameters }, { ...bench, own })).toEqual(records);
  });
});
