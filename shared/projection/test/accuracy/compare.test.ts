import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decompose, principalAngles, residual, totalScatter, varianceCaptured } from '../../src/index.ts';
import { difference } from '../linear-algebra.ts';
import { DATASETS, METHODS, prepare } from '../samples.ts';

/** Vectors of entries in [-1, 1] in steps of 1/1000: random ones are rarely dependent. */
const vector = (d: number) =>
  fc
    .array(fc.integer({ min: -1000, max: 1000 }), { minLength: d, maxLength: d })
    .map((entries) => entries.map((entry) => entry / 1000));

describe('principal angles', () => {
  it('resolve every size, far below what a cosine can', () => {
    for (const angle of [1e-14, 1e-12, 1e-10, 1e-8, 1e-4, 0.1, Math.PI / 4, 1, 1.5, Math.PI / 2 - 1e-10]) {
      const [found] = principalAngles([[1, 0, 0]], [[Math.cos(angle), Math.sin(angle), 0]]);
      expect(Math.abs(found! - angle), `${angle}`).toBeLessThan(1e-15 + 1e-15 * angle);
    }
  });

  it('of planes: one angle for the shared direction, one between the others, ascending', () => {
    const angle = 1e-9;
    const found = principalAngles(
      [
        [0, 1, 0],
        [1, 0, 0],
      ],
      [
        [0, Math.cos(angle), Math.sin(angle)],
        [1, 0, 0],
      ],
    );
    expect(difference([found], [[0, angle]])).toBeLessThan(1e-16);
    const mixed = principalAngles(
      [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
      ],
      [
        [0, Math.cos(0.3), 0, Math.sin(0.3)],
        [0, 0, 1, 0],
      ],
    );
    expect(difference([mixed], [[0.3, Math.PI / 2]])).toBeLessThan(1e-15);
  });

  it('depend on the spans alone: not on basis, order, length or sign', () => {
    const pair = fc.tuple(vector(4), vector(4), vector(4), vector(4));
    fc.assert(
      fc.property(pair, fc.double({ min: 0.5, max: 3, noNaN: true }), ([a, b, c, d], s) => {
        const independent = (p: number[], q: number[]): boolean =>
          Math.hypot(...p) > 0.1 && Math.hypot(...q) > 0.1 && principalAngles([p], [q])[0]! > 0.1;
        fc.pre(independent(a, b) && independent(c, d));
        const angles = principalAngles([a, b], [c, d]);
        const skewed = [b.map((entry, i) => -s * entry + 0.3 * a[i]!), a.map((entry) => 100 * entry)];
        expect(difference([principalAngles(skewed, [d, c])], [angles])).toBeLessThan(1e-12);
        expect(difference([principalAngles([c, d], [a, b])], [angles])).toBeLessThan(1e-12);
        expect(principalAngles([a, b], skewed).at(-1)).toBeLessThan(1e-13);
        expect(angles[0]).toBeLessThanOrEqual(angles[1]!);
      }),
    );
  });

  it('refuse lists of different size and dependent vectors', () => {
    const [x, y] = [
      [1, 0, 0],
      [0, 1, 0],
    ];
    expect(() => principalAngles([x!], [x!, y!])).toThrow(RangeError);
    expect(() => principalAngles([x!], [[1, 0]])).toThrow(RangeError);
    expect(() => principalAngles([], [])).toThrow(RangeError);
    expect(() => principalAngles([x!, x!], [x!, y!])).toThrow(/dependent/);
    expect(() => principalAngles([x!, y!], [x!, [2, 1e-14, 0]])).toThrow(/dependent/);
    expect(() => principalAngles([[1], [2]], [[1], [2]])).toThrow(RangeError);
    expect(() => principalAngles([[0, 0, 0]], [x!])).toThrow(/dependent/);
  });
});

describe('residuals', () => {
  it('known by hand', () => {
    const A = [
      [2, 1],
      [1, 2],
    ];
    expect(residual(A, 3, [1, 1])).toBe(0);
    expect(residual(A, 3, [1, 0])).toBe(Math.SQRT2);
    expect(
      residual(
        A,
        1,
        [1, 1],
        [
          [1, 0],
          [0, 2],
        ],
      ),
    ).toBe(Math.sqrt(5));
  });

  it('refuse other sizes', () => {
    expect(() => residual([[1]], 1, [1, 2])).toThrow(RangeError);
    expect(() => residual([[1]], 1, [1], [])).toThrow(RangeError);
  });
});

describe('captured variance', () => {
  it('known by hand, for a basis of any shape', () => {
    const scatter = [
      [3, 0, 0],
      [0, 2, 0],
      [0, 0, 1],
    ];
    expect(varianceCaptured([[1, 0, 0]], scatter)).toBeCloseTo(0.5, 15);
    const skewed = [
      [5, 1, 0],
      [7, 0, 0],
    ];
    expect(varianceCaptured(skewed, scatter)).toBeCloseTo(5 / 6, 15);
    expect(varianceCaptured([[1, 1, 0]], scatter)).toBeCloseTo(2.5 / 6, 15);
    expect(
      varianceCaptured(
        [[1, 0]],
        [
          [0, 0],
          [0, 0],
        ],
      ),
    ).toBe(0);
  });

  it.each(DATASETS)('of PCA is the best there is on %s', (name) => {
    const { program, statistics } = prepare(name, METHODS.pca);
    const scatter = totalScatter(statistics, program.fractionBits);
    const { vectors, eigenvalues, trace } = decompose(
      { ...program, components: 2, outputs: ['trace'] },
      statistics,
    );
    const best = varianceCaptured(vectors, scatter);
    expect(best).toBeCloseTo((eigenvalues[0]! + eigenvalues[1]!) / trace!, 12);
    fc.assert(
      fc.property(vector(program.featureCount), vector(program.featureCount), (a, b) => {
        fc.pre(Math.hypot(...a) > 0.1 && Math.hypot(...b) > 0.1 && principalAngles([a], [b])[0]! > 0.01);
        expect(varianceCaptured([a, b], scatter)).toBeLessThanOrEqual(best + 1e-12);
      }),
      { numRuns: 30 },
    );
  });
});
