import { calibrateAnalyticGaussian, dpDeltaOfGaussian } from '@eigenveil/privacy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { epsilonOfGaussian, nominalSetting } from '../../../privacy/methods/actual.ts';
import { elfedpca, elfedpcaDeviation, elfedpcaSensitivity } from '../../../privacy/methods/elfedpca.ts';
import { PCA_METHODS, type Row } from '../../../privacy/methods/index.ts';
import { boundedRow, norm } from '../../../privacy/methods/matrix.ts';
import { largestEntry } from '../../../privacy/methods/two-stage.ts';
import { copies, named, SETTING } from './rows.ts';

/** Sites of these sizes, whose rows do not matter. */
const sizes = (...counts: readonly number[]): Row[][] =>
  counts.map((count) => copies(count, [0.5, 0.5, 0, 0]));

describe('rows clipped to C and divided by it', () => {
  // Numbers below the least normal double have few digits.
  const entry = fc.double({ min: -1, max: 1, noNaN: true }).map((x) => (Math.abs(x) < 1e-290 ? 0 : x));
  const row = fc.array(entry, { minLength: 1, maxLength: 6 });
  const clipping = fc.oneof(fc.double({ min: 1e-6, max: 3, noNaN: true }), fc.constantFrom(0, Infinity));

  it('have a length of at most 1, and the direction and length that clipping leaves', () => {
    fc.assert(
      fc.property(row, clipping, fc.constantFrom(1, 2), (given, C, longest) => {
        const got = boundedRow(given, C, longest);
        expect(norm(got)).toBeLessThanOrEqual(1 + 1e-12);
        const length = norm(given);
        const bound = Math.min(C, longest);
        fc.pre(length > 1e-100);
        const kept = Math.min(length, bound) / length;
        got.forEach((x, i) => {
          expect(x * (bound === 0 ? length : bound)).toBeCloseTo(given[i]! * (bound === 0 ? 1 : kept), 12);
        });
      }),
    );
  });

  it('by hand', () => {
    expect(boundedRow([3, 4], 5, Infinity)).toEqual([0.6, 0.8]);
    expect(boundedRow([0.3, 0.4], 0.25, 1)).toEqual([0.6, 0.8]);
    expect(boundedRow([0.3, 0.4], 1, 1)).toEqual([0.3, 0.4]);
    expect(boundedRow([0.3, 0.4], Infinity, 2)).toEqual([0.15, 0.2]);
    expect(boundedRow([0.3, 0.4], 0, 2)).toEqual([0.6, 0.8]);
    expect(boundedRow([0, 0], 0, 1)).toEqual([0, 0]);
    expect(boundedRow([3e-170, 4e-170], 0, 1)).toEqual([expect.closeTo(0.6, 12), expect.closeTo(0.8, 12)]);
  });

  it.each([-1, Number.NaN])('a norm of %f is refused', (C) => {
    expect(() => boundedRow([1], C, 1)).toThrow(expect.objectContaining({ code: 'ERR_DP_PARAMETER' }));
  });

  it('that lie in the box keep to the range that the two-stage methods take for public', () => {
    fc.assert(
      fc.property(row, clipping, (box, C) => {
        const d = box.length;
        const got = boundedRow(
          box.map((x) => x / Math.sqrt(d)),
          C,
          1,
        );
        for (const x of got) expect(Math.abs(x)).toBeLessThanOrEqual(largestEntry(d, C) * (1 + 1e-12));
      }),
    );
    // And reach it: a corner, and an axis.
    expect(boundedRow([0.5, 0.5, 0.5, 0.5], 1, 1)[0]).toBe(largestEntry(4, 1));
    expect(boundedRow([0.5, 0, 0, 0], 0.4, 1)[0]).toBe(largestEntry(4, 0.4));
  });
});

describe('the ε that is kept', () => {
  it('of Gaussian noise is what it was calibrated to', () => {
    const positive = (max: number) => fc.double({ min: 0.01, max, noNaN: true });
    fc.assert(
      fc.property(
        positive(200),
        positive(10),
        fc.constantFrom(1e-9, 1e-5, 0.05),
        (epsilon, sensitivity, dpDelta) => {
          const sigma = calibrateAnalyticGaussian({ epsilon, sensitivity, dpDelta });
          expect(epsilonOfGaussian({ sigma, sensitivity, dpDelta }) / epsilon).toBeCloseTo(1, 7);
        },
      ),
      { numRuns: 40 },
    );
    expect(epsilonOfGaussian({ sigma: 0, sensitivity: 1, dpDelta: 1e-5 })).toBe(Infinity);
  });

  it.each(PCA_METHODS.filter(({ panel }) => panel !== 'baseline').map(({ name }) => name))(
    'of %s is the nominal one or less, or the method is shown apart',
    (name) => {
      const { panel, promise } = named(name);
      for (const epsilon of [0.1, 1, 10]) {
        const kept = promise.keeps(sizes(5, 9, 26), { ...SETTING, epsilon });
        const within = !('none' in kept) && kept.epsilon <= epsilon * (1 + 1e-9);
        expect(within).toBe(panel !== 'unkept');
        if (!('none' in kept)) expect(kept.dpDelta).toBe(promise.epsilon === 'pure' ? 0 : 1e-5);
      }
    },
  );

  it.each(PCA_METHODS.filter(({ panel }) => panel !== 'baseline').map(({ name }) => name))(
    'of %s is the wanted one at the nominal ε that is found for it, if there is any',
    (name) => {
      const method = named(name);
      const sites = sizes(5, 9, 26);
      const nominal = nominalSetting(method, sites, SETTING);
      expect(nominal === undefined).toBe('none' in method.promise.keeps(sites, SETTING));
      if (nominal === undefined) return;
      const kept = method.promise.keeps(sites, nominal);
      // The published calibration of DPdisPCA jumps at ε = 1: nothing keeps more than 0.75 and less than that.
      const least = name === 'dpdispca' ? 0.75 : 1 - 1e-9;
      expect('none' in kept ? 0 : kept.epsilon).toBeGreaterThanOrEqual(least);
      expect('none' in kept ? 0 : kept.epsilon).toBeLessThanOrEqual(1 + 1e-9);
    },
  );
});

describe('the noise of ELFedPCA as published', () => {
  // Rows of iris, pima and ionosphere on ten sites, of which site i has i shares.
  it.each([
    { n: 150, fewest: 3, short: 75, kept: 185.0 },
    { n: 768, fewest: 14, short: 59.08, kept: 125.5 },
    { n: 351, fewest: 6, short: 70.2, kept: 165.9 },
    // As the comparison deals them.
    { n: 150, fewest: 4, short: 50, kept: 96.4 },
    { n: 768, fewest: 16, short: 51.2, kept: 100.1 },
    { n: 351, fewest: 8, short: 50.14, kept: 96.9 },
  ])(
    'of $n rows, $fewest at the smallest site, is for $short times too small a sensitivity: ε = $kept',
    (of) => {
      const sites = sizes(of.fewest, of.n - of.fewest);
      const sensitivity = elfedpcaSensitivity(sites, 'published');
      // √(2 ln 125000).
      const sigma = 4.844805262605389 / of.n;
      expect(elfedpcaDeviation(sites, SETTING, 'published') / sigma).toBeCloseTo(1, 12);
      expect(sensitivity * of.n).toBeCloseTo(of.short, 2);
      const kept = elfedpca.promise.keeps(sites, SETTING);
      expect(kept).toEqual({ epsilon: expect.closeTo(of.kept, 1), dpDelta: 1e-5 });
      const delta = (epsilon: number) => dpDeltaOfGaussian({ sigma, sensitivity, epsilon });
      expect(delta(of.kept + 0.1)).toBeLessThan(1e-5);
      expect(delta(of.kept - 0.1)).toBeGreaterThan(1e-5);
    },
  );

  it('is that of the repaired one at the nominal ε that keeps the wanted', () => {
    const sites = sizes(5, 9, 26);
    const nominal = nominalSetting(elfedpca, sites, SETTING)!;
    const repaired = elfedpcaDeviation(sites, SETTING, 'repaired');
    expect(elfedpcaDeviation(sites, nominal, 'published') / repaired).toBeCloseTo(1, 9);
  });
});

describe('the deviation of the noise on mean second moments', () => {
  const of = (name: string, sites: readonly Row[][]) => named(name).noiseDeviation!(sites, SETTING);
  const sigma = calibrateAnalyticGaussian({ sensitivity: 1, epsilon: 1, dpDelta: 1e-5 });
  const tau = Math.sqrt(2 * Math.log(125_000));

  it('by hand, for sites of 3 and 9 rows of 4 features', () => {
    const sites = sizes(3, 9);
    const expected: Record<string, number> = {
      'analyze-gauss': sigma / 12,
      // Scale (d + 1)/2 of Laplace noise.
      ppdp: (Math.SQRT2 * 2.5) / 12,
      hpdp: (Math.SQRT2 * 2.5) / 12,
      lgm: (Math.SQRT2 * sigma) / Math.sqrt(12),
      'lgm-node': (sigma * Math.sqrt(1 / 9 + 1 / 81)) / 2,
      dpdispca: (tau * Math.sqrt(1 / 9 + 1 / 81)) / 2,
      'elfedpca-corrected': sigma / 12,
      // Σ A_i weighs mean second moments by 3/2 and 9/8.
      'elfedpca-repaired': sigma / 2 / (3 / 2 + 9 / 8),
      elfedpca: tau / 12 / (3 / 2 + 9 / 8),
    };
    for (const [name, deviation] of Object.entries(expected)) {
      expect(of(name, sites) / deviation, name).toBeCloseTo(1, 9);
    }
  });

  it('falls with all rows where noise is common, with each site’s own where every site adds it', () => {
    const few = sizes(...new Array<number>(5).fill(40));
    const many = sizes(...new Array<number>(20).fill(10));
    expect(of('elfedpca-corrected', many) / of('elfedpca-corrected', few)).toBeCloseTo(1, 12);
    // s noises of deviation σ s/n each, averaged.
    expect(of('lgm-node', many) / of('lgm-node', few)).toBeCloseTo(2, 12);
  });
});
