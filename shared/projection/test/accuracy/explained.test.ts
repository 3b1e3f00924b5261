/** Shares of the variance: exact ones, those that noise made too large, and those that cannot be told. A test of `studies/privacy` tries that intervals hold. */
import { noiseNorm, noisePlanOf } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { explainedVariance, type ShareOfVariance } from '../../src/index.ts';

const features = ['a', 'b', 'c'].map((name) => ({ name, min: -1, max: 1 }));
const exact = {
  method: { kind: 'pca' },
  features,
  fractionBits: 14,
  differentialPrivacy: null,
  vectors: [
    [1, 0, 0],
    [0, 0.6, 0.8],
  ],
  eigenvalues: [3, 1],
} as const;
const setting = {
  epsilon: 4,
  delta: 1e-6,
  neighbours: 'add-remove',
  clippingNorm: 1,
  noise: 'servers',
  honestOwners: null,
  dataIndependentRanges: true,
} as const;
const MEAN = [0.3, 0.2, 0.4];
const noisy = {
  ...exact,
  differentialPrivacy: setting,
  eigenvalues: [900, 700],
  trace: 1900,
  mean: MEAN,
};
const same = (share: number) => ({ share, from: share, to: share });

describe('without noise', () => {
  it('is eigenvalue over trace, or over the sum of the spectrum, and zero where nothing varies', () => {
    expect(explainedVariance({ ...exact, trace: 8 }, null)).toEqual({
      each: [same(0.375), same(0.125)],
      together: [same(0.375), same(0.5)],
    });
    expect(explainedVariance({ ...exact, spectrum: [3, 1, 0] }, null)!.each).toEqual([
      same(0.75),
      same(0.25),
    ]);
    expect(explainedVariance({ ...exact, eigenvalues: [0, 0], trace: 0 }, null)!.together).toEqual([
      same(0),
      same(0),
    ]);
  });

  it('is not known without the whole, and no share of other methods', () => {
    expect(explainedVariance(exact, null)).toBeUndefined();
    expect(
      explainedVariance({ ...exact, method: { kind: 'lda', ridge: 1 }, trace: 8 }, null),
    ).toBeUndefined();
  });
});

describe('under differential privacy', () => {
  /** By the definition: 2 Σ Var(u_aᵀ N u_b)/(λ_a − λ_b) over a within and b outside, from all three eigenvectors. */
  function expected(within: readonly number[], thirdCosine: number): number {
    const { R, V, M } = noisePlanOf({ ...noisy, labellings: [], maximumOwners: 1 })!.deviations;
    const [s, v, m] = [R / 4 ** 14 / Math.SQRT2, V / 2 ** 14, M];
    const values = [...noisy.eigenvalues, 300];
    const length = Math.hypot(...MEAN);
    const cosines = [0.3 ** 2, (0.6 * 0.2 + 0.8 * 0.4) ** 2].map((square) => square / length ** 2);
    const squares = [...cosines, thirdCosine];
    let bias = 0;
    for (const a of within)
      for (const b of [0, 1, 2].filter((i) => !within.includes(i))) {
        const pair = length ** 2 * v ** 2 * (squares[a]! + squares[b]!);
        const counts = length ** 4 * m ** 2 * squares[a]! * squares[b]!;
        bias += (2 * (s ** 2 + pair + counts)) / (values[a]! - values[b]!);
      }
    return (within.reduce((sum, a) => sum + values[a]!, 0) - bias) / 1900;
  }

  it('has the bias of the noise taken off, and an interval around it', () => {
    const third = (-0.8 * 0.2 + 0.6 * 0.4) ** 2 / Math.hypot(...MEAN) ** 2;
    const { each, together } = explainedVariance({ ...noisy, spectrum: [900, 700, 300] }, 5)!;
    const [first, second] = each as ShareOfVariance[];
    const both = together[1] as ShareOfVariance;
    expect(first!.share).toBeCloseTo(expected([0], third), 12);
    expect(second!.share).toBeCloseTo(expected([1], third), 12);
    expect(both.share).toBeCloseTo(expected([0, 1], third), 12);
    expect(together[0]).toEqual(first);
    for (const { share, from, to } of [first!, second!, both]) {
      expect(share - from).toBeCloseTo(to - share, 12);
      expect(to - from).toBeGreaterThan(0.001);
    }
  });

  it('takes the eigenvalues that are not told for a semicircle about what the trace leaves of them', () => {
    const spectrum = explainedVariance({ ...noisy, spectrum: [900, 700, 300] }, null)!;
    const trace = explainedVariance(noisy, null)!;
    const [known, guessed] = [spectrum, trace].map(({ together }) => together[1] as ShareOfVariance);
    expect(Math.abs(known!.share - guessed!.share)).toBeLessThan(0.001);
    expect(known!.share).not.toBe(guessed!.share);
  });

  it('cannot be told of an eigenvalue within the noise, nor where the interval says nothing', () => {
    const norm = noiseNorm({ ...noisy, labellings: [], maximumOwners: 1 }, Math.hypot(...MEAN))!;
    const inside = { ...noisy, eigenvalues: [900, 0.99 * norm] };
    expect(explainedVariance(inside, null)!.each[1]).toBe('noise');
    expect(explainedVariance(inside, null)!.together[1]).toBe('noise');
    // Neighbours of which noise has mixed the vectors.
    expect(explainedVariance({ ...noisy, eigenvalues: [900, 899.9] }, null)!.each).toEqual(['wide', 'wide']);
    const few = { ...noisy, eigenvalues: [2 * norm, 1.5 * norm], trace: 4 * norm };
    expect(explainedVariance(few, null)!.together[1]).toBe('wide');
    expect(explainedVariance({ ...few, trace: -1 }, null)!.together[1]).toBe('wide');
  });

  it('cannot be told without the mean, nor of owners whose number nobody knows', () => {
    const { mean: _, ...without } = noisy;
    expect(explainedVariance(without, 5)!.together).toEqual(['mean', 'mean']);
    const owners = {
      ...noisy,
      differentialPrivacy: { ...setting, noise: 'owners', honestOwners: 3 },
    } as const;
    expect(explainedVariance(owners, null)!.together).toEqual(['owners', 'owners']);
    const reach = (count: number) => {
      const { from, to } = explainedVariance(owners, count)!.together[0] as ShareOfVariance;
      return to - from;
    };
    // Four times the owners, twice the deviation.
    expect(reach(12) / reach(3)).toBeCloseTo(2, 1);
  });
});
