import fc from 'fast-check';
import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { generalisedEigen, residual, symmetricEigen } from '../../src/index.ts';
import { difference } from '../linear-algebra.ts';

const square = (d: number) =>
  fc.array(fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: d, maxLength: d }), {
    minLength: d,
    maxLength: d,
  });
const symmetricMatrix = fc
  .integer({ min: 1, max: 7 })
  .chain(square)
  .map((rows) => Matrix.add(new Matrix(rows), new Matrix(rows).transpose()).to2DArray());

const gram = (vectors: number[][]): number[][] =>
  new Matrix(vectors).mmul(new Matrix(vectors).transpose()).to2DArray();
const identity = (d: number): number[][] => Matrix.eye(d, d).to2DArray();
const halfRoot = Math.SQRT1_2;

describe('symmetric eigenproblems', () => {
  it('known by hand: [[2, 1], [1, 2]]', () => {
    const { values, vectors } = symmetricEigen([
      [2, 1],
      [1, 2],
    ]);
    expect(difference([values], [[3, 1]])).toBeLessThan(1e-15);
    expect(
      difference(vectors, [
        [halfRoot, halfRoot],
        [halfRoot, -halfRoot],
      ]),
    ).toBeLessThan(1e-15);
  });

  it('diagonal: sorted, unit vectors positive', () => {
    expect(
      symmetricEigen([
        [1, 0, 0],
        [0, -2, 0],
        [0, 0, 5],
      ]),
    ).toEqual({
      values: [5, 1, -2],
      vectors: [
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 0],
      ],
    });
  });

  it('equal and zero eigenvalues still have orthonormal vectors', () => {
    const ones = Array.from({ length: 5 }, () => new Array<number>(5).fill(1));
    const { values, vectors } = symmetricEigen(ones);
    expect(difference([values], [[5, 0, 0, 0, 0]])).toBeLessThan(1e-14);
    expect(difference(gram(vectors), identity(5))).toBeLessThan(1e-14);
    const zero = symmetricEigen([
      [0, 0],
      [0, 0],
    ]);
    expect(zero.values).toEqual([0, 0]);
    expect(difference(gram(zero.vectors), identity(2))).toBeLessThan(1e-15);
  });

  it('residuals, order, orthonormality, signs and trace, for any symmetric matrix', () => {
    fc.assert(
      fc.property(symmetricMatrix, (matrix) => {
        const { values, vectors } = symmetricEigen(matrix);
        const norm = Math.max(1, ...values.map(Math.abs));
        values.forEach((value, i) => {
          expect(residual(matrix, value, vectors[i]!)).toBeLessThan(1e-13 * norm);
          const largest = Math.max(...vectors[i]!.map(Math.abs));
          expect(Math.max(...vectors[i]!)).toBeGreaterThanOrEqual(largest * (1 - 1e-9));
        });
        expect(values).toEqual(values.toSorted((a, b) => b - a));
        expect(difference(gram(vectors), identity(values.length))).toBeLessThan(1e-13);
        const trace = matrix.reduce((total, row, i) => total + row[i]!, 0);
        expect(Math.abs(values.reduce((a, b) => a + b, 0) - trace)).toBeLessThan(1e-12 * norm);
      }),
    );
  });

  it('eigenvalues do not turn with the coordinates', () => {
    fc.assert(
      fc.property(symmetricMatrix, fc.double({ min: -4, max: 4, noNaN: true }), (matrix, angle) => {
        fc.pre(matrix.length > 1);
        const rotation = Matrix.eye(matrix.length, matrix.length);
        rotation.set(0, 0, Math.cos(angle));
        rotation.set(1, 1, Math.cos(angle));
        rotation.set(0, 1, -Math.sin(angle));
        rotation.set(1, 0, Math.sin(angle));
        const turned = rotation.mmul(new Matrix(matrix)).mmul(rotation.transpose()).to2DArray();
        const [before, after] = [symmetricEigen(matrix).values, symmetricEigen(turned).values];
        expect(difference([before], [after])).toBeLessThan(1e-11);
      }),
    );
  });

  it('signs do not depend on rounding where entries tie', () => {
    // The eigenvector of the least eigenvalue is (1, -1)/√2 up to rounding, which must not choose the sign.
    for (const noise of [0, 1e-15, -1e-15, 1e-12, -1e-12]) {
      const { vectors } = symmetricEigen([
        [2 + noise, 1],
        [1, 2],
      ]);
      expect(vectors[1]![0]).toBeGreaterThan(0);
    }
  });

  it('takes the symmetric part of a matrix that is off by rounding', () => {
    const { values } = symmetricEigen([
      [2, 1 + 1e-10],
      [1 - 1e-10, 2],
    ]);
    expect(difference([values], [[3, 1]])).toBeLessThan(1e-15);
  });

  it('copes with subnormal entries', () => {
    expect(
      symmetricEigen([
        [0, 5e-324],
        [5e-324, 2 ** -50],
      ]).values,
    ).toEqual([2 ** -50, 0]);
    expect(
      symmetricEigen([
        [1e-320, 5e-324],
        [5e-324, 0],
      ]).values,
    ).toEqual([0, 0]);
  });

  it('refuses entries that are not finite', () => {
    for (const entry of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() =>
        symmetricEigen([
          [1, entry],
          [entry, 1],
        ]),
      ).toThrow(expect.objectContaining({ code: 'ERR_NOT_FINITE' }));
    }
  });
});

describe('symmetric-definite eigenproblems', () => {
  it('known by hand: A = [[0, 1], [1, 0]], B = diag(1, 4)', () => {
    // λ² = 1/4; w = (2, 1)/√5 and (2, -1)/√5.
    const { values, vectors } = generalisedEigen(
      [
        [0, 1],
        [1, 0],
      ],
      [
        [1, 0],
        [0, 4],
      ],
    );
    const [long, short] = [2 / Math.sqrt(5), 1 / Math.sqrt(5)];
    expect(difference([values], [[0.5, -0.5]])).toBeLessThan(1e-15);
    expect(
      difference(vectors, [
        [long, short],
        [long, -short],
      ]),
    ).toBeLessThan(1e-15);
  });

  it('residuals, order, lengths and orthogonality with respect to B', () => {
    const pairs = fc.integer({ min: 1, max: 6 }).chain((d) => fc.tuple(square(d), square(d)));
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const A = Matrix.add(new Matrix(a), new Matrix(a).transpose()).to2DArray();
        const definite = Matrix.add(
          new Matrix(b).mmul(new Matrix(b).transpose()),
          Matrix.eye(b.length, b.length),
        );
        const B = definite.to2DArray();
        const { values, vectors } = generalisedEigen(A, B);
        const norm = Math.max(1, ...values.map(Math.abs)) * definite.norm('frobenius');
        values.forEach((value, i) => {
          expect(residual(A, value, vectors[i]!, B)).toBeLessThan(1e-11 * norm);
          expect(Math.abs(Math.hypot(...vectors[i]!) - 1)).toBeLessThan(1e-14);
          for (let j = 0; j < i; j++) {
            const product = new Matrix([vectors[i]!]).mmul(definite).mmul(Matrix.columnVector(vectors[j]!));
            expect(Math.abs(product.get(0, 0))).toBeLessThan(1e-11 * norm);
          }
        });
        expect(values).toEqual(values.toSorted((p, q) => q - p));
      }),
    );
  });

  it('is the symmetric problem for B = I', () => {
    fc.assert(
      fc.property(symmetricMatrix, (matrix) => {
        const { values } = generalisedEigen(matrix, identity(matrix.length));
        expect(difference([values], [symmetricEigen(matrix).values])).toBeLessThan(1e-12);
      }),
    );
  });

  it.each([
    [
      'indefinite',
      [
        [1, 2],
        [2, 1],
      ],
    ],
    [
      'negative',
      [
        [-1, 0],
        [0, -1],
      ],
    ],
    [
      'zero',
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'singular',
      [
        [1, 1],
        [1, 1],
      ],
    ],
    [
      'singular to within rounding',
      [
        [1 / 3, 1 / 7],
        [1 / 7, 3 / 49 + 1e-17],
      ],
    ],
  ])('refuses a B that is %s', (_, B) => {
    const A = identity(2);
    expect(() => generalisedEigen(A, B)).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_POSITIVE_DEFINITE' }),
    );
  });
});
