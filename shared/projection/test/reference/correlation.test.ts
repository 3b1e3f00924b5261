/**
 * PCA of the correlation matrix: known answers, what it does not depend on, and what its vectors tell.
 *
 * @claims S-162, S-163, S-164
 */
import type { MethodParameters } from '@eigenveil/methods';
import fc from 'fast-check';
import { LuDecomposition, Matrix, pseudoInverse } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { decompose, project, totalScatter } from '../../src/index.ts';
import { scatterOf } from '../linear-algebra.ts';
import { DATASETS, prepare, programFor, sum } from '../samples.ts';

const CORRELATION: MethodParameters = { kind: 'pca', scale: 'correlation' };
const ALL = ['mean', 'trace', 'sampleCount', 'spectrum', 'variances'] as const;
const code = (expected: string) => expect.objectContaining({ code: expected });

const inner = (a: readonly number[], b: readonly number[]) => a.reduce((total, x, i) => total + x * b[i]!, 0);
const deviationsOf = (rows: readonly (readonly number[])[]) =>
  scatterOf(rows.map((row) => [...row]))
    .diagonal()
    .map((square) => Math.sqrt(square / rows.length));

it('known by hand: two features with a correlation of 4/5, one with twice the spread', () => {
  // Centred: (2, 2), (1, 4), (-1, -4), (-2, -2): sums of squares 10 and 40, of products 16.
  const program = programFor(CORRELATION, 2, { fractionBits: 3, outputs: ALL });
  const rows = [
    [4, 1],
    [3, 3],
    [1, -5],
    [0, -3],
  ];
  const { vectors, eigenvalues, trace, spectrum, mean, variances } = decompose(program, sum(program, rows));
  expect(eigenvalues.map((value) => value.toFixed(14))).toEqual(['1.80000000000000', '0.20000000000000']);
  expect(spectrum).toEqual(eigenvalues);
  expect(trace).toBe(2);
  expect(mean).toEqual([2 / 8, -1 / 8]);
  expect(variances).toEqual([10 / 4 / 64, 40 / 4 / 64]);
  // 1/√2 over deviations of √(10/4)/8 and √(40/4)/8.
  const [first, second] = [8 / Math.sqrt(5), 8 / Math.sqrt(20)];
  for (const [i, expected] of [
    [first, second],
    [first, -second],
  ].entries())
    for (const [j, entry] of expected.entries()) expect(vectors[i]![j]).toBeCloseTo(entry, 12);
});

it('known of iris: the eigenvalues that every textbook has', () => {
  const { program, statistics } = prepare('iris', CORRELATION);
  const { eigenvalues } = decompose(program, statistics);
  for (const [i, value] of [2.918498, 0.91403, 0.146757, 0.020715].entries())
    expect(Math.abs(eigenvalues[i]! - value)).toBeLessThan(3e-6);
});

it.each(DATASETS)('on %s coordinates are those of standardised rows', (name) => {
  const { program, statistics, rounded } = prepare(name, CORRELATION);
  const { vectors, eigenvalues, mean, trace } = decompose({ ...program, outputs: ALL }, statistics);
  const deviations = deviationsOf(rounded);
  expect(trace).toBe(deviations.filter((deviation) => deviation > 0).length);
  expect(eigenvalues.reduce((total, value) => total + value)).toBeCloseTo(trace!, 10);
  const standard = rounded.map((row) =>
    row.map((x, i) => (deviations[i]! > 0 ? (x - mean![i]!) / deviations[i]! : 0)),
  );
  const coordinates = project({ vectors, mean }, rounded);
  for (const [c, w] of vectors.entries()) {
    if (eigenvalues[c]! < 1e-9) continue;
    const v = w.map((entry, i) => entry * deviations[i]!);
    expect(Math.hypot(...v)).toBeCloseTo(1, 12);
    expect(Math.max(...w)).toBe(Math.max(...w.map(Math.abs)));
    for (const [n, row] of standard.slice(0, 20).entries())
      expect(coordinates[n]![c]).toBeCloseTo(inner(v, row), 10);
    const variance = coordinates.reduce((total, row) => total + row[c]! ** 2, 0) / rounded.length;
    expect(Math.abs(variance - eigenvalues[c]!)).toBeLessThan(1e-10 * eigenvalues[0]!);
  }
});

it('does not depend on the spread of features', () => {
  const row = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: -8, max: 8 })));
  const spreads = fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 10 })));
  const program = programFor(CORRELATION, 3, { outputs: ALL });
  fc.assert(
    fc.property(fc.array(row, { minLength: 2, maxLength: 9 }), spreads, (rows, shifts) => {
      const wide = rows.map((cells) => cells.map((cell, i) => cell * 2 ** shifts[i]!));
      const [one, other] = [rows, wide].map((own) => decompose(program, sum(program, own)));
      expect(other!.spectrum).toEqual(one!.spectrum);
      // Signs follow the largest entry, which may be another one.
      for (const [c, w] of one!.vectors.entries()) {
        const scaled = other!.vectors[c]!.map((entry, i) => Math.abs(entry * 2 ** shifts[i]!));
        expect(scaled).toEqual(w.map(Math.abs));
      }
    }),
  );
});

describe('a feature without variance', () => {
  const rows = [
    [3, 5, 1],
    [-1, 5, 4],
    [2, 5, -6],
    [0, 5, 2],
  ];

  it('gets 0', () => {
    const program = programFor(CORRELATION, 3, { components: 2, outputs: ALL });
    const { vectors, trace, spectrum } = decompose(program, sum(program, rows));
    expect(vectors.map((w) => w[1])).toEqual([0, 0]);
    expect(trace).toBe(2);
    expect(spectrum![2]).toBe(0);
    const without = programFor(CORRELATION, 2, { outputs: ALL });
    const two = decompose(
      without,
      sum(
        without,
        rows.map(([a, , c]) => [a!, c!]),
      ),
    );
    expect(vectors.map(([a, , c]) => [a, c])).toEqual(two.vectors);
  });

  it('leaves nothing where no feature has any', () => {
    const program = programFor(CORRELATION, 3, { components: 1, outputs: ALL });
    const { vectors, eigenvalues, trace } = decompose(program, sum(program, [rows[0]!, rows[0]!]));
    expect({ vectors, eigenvalues, trace }).toEqual({ vectors: [[0, 0, 0]], eigenvalues: [0], trace: 0 });
  });
});

it('is refused under differential privacy, whose shift would be part of the variances', () => {
  const program = programFor(CORRELATION, 2, { noisy: true });
  const statistics = sum(program, [
    [1, 2],
    [3, -1],
  ]);
  expect(() => decompose(program, statistics)).toThrow(code('ERR_TASK_INVALID'));
});

describe('what the vectors tell', () => {
  it('all variances from k(k + 1)/2 ≥ d on: Wᵀ D W = I', () => {
    const { program, statistics, rounded } = prepare('iris', CORRELATION);
    const { vectors } = decompose({ ...program, components: 3 }, statistics);
    const pairs = vectors.flatMap((a, i) =>
      vectors.slice(i).map((b, j) => ({ a, b, product: Number(j === 0) })),
    );
    const equations = new Matrix(pairs.map(({ a, b }) => a.map((entry, f) => entry * b[f]!)));
    const told = pseudoInverse(equations)
      .mmul(Matrix.columnVector(pairs.map(({ product }) => product)))
      .to1DArray();
    for (const [i, deviation] of deviationsOf(rounded).entries())
      expect(told[i]! / deviation ** 2).toBeCloseTo(1, 9);
  });

  it('the whole matrix with the spectrum, where so few angles are left that the diagonal tells them', () => {
    // The unknown vectors are B·U, B a basis of what the k known ones leave, U orthogonal of order m = d − k: 3 angles against 5 equations.
    const [d, k] = [5, 2];
    const { program, statistics } = fiveFeatures();
    const { vectors, spectrum } = decompose({ ...program, components: k, outputs: ALL }, statistics);
    const S = totalScatter(statistics, program.fractionBits);
    const truth = S.map((row, i) => row.map((entry, j) => entry / Math.sqrt(S[i]![i]! * S[j]![j]!)));
    const deviations = S.map((row, i) => Math.sqrt(row[i]! / Number(statistics.labellings[0]![0]!.M)));
    // 3 equations for 5 variances: taken as known here, as the rule takes them.
    const known = vectors.map((w) => w.map((entry, i) => entry * deviations[i]!));
    const guesses = completions(known, spectrum!, d);
    const errors = guesses.map(
      (guess) => Matrix.sub(guess, new Matrix(truth)).norm() / new Matrix(truth).norm(),
    );
    expect(Math.min(...errors)).toBeLessThan(1e-8);
    const release = (components: number) =>
      decompose({ ...program, components, outputs: ['spectrum'], allowFullRank: false }, statistics);
    expect(() => release(k)).toThrow(code('ERR_FULL_RANK'));
    // m(m − 1)/2 > 5 takes m = 4.
    expect(release(1).vectors).toHaveLength(1);
  });
});

function fiveFeatures() {
  const program = programFor(CORRELATION, 5);
  const rows = Array.from({ length: 40 }, (_, n) => {
    const parts = [1, 2, 3, 4, 5].map((i) => Math.sin(n * n * i + i));
    return parts.map((part, i) => Math.round(2000 * (part + 0.8 * parts[(i + 1) % 5]! + 0.3 * parts[0]!)));
  });
  return { program, statistics: sum(program, rows) };
}

/** Matrices of this spectrum with the known leading vectors and a diagonal of ones, by Gauss and Newton from many starts. */
function completions(
  known: readonly (readonly number[])[],
  spectrum: readonly number[],
  d: number,
): Matrix[] {
  const k = known.length;
  const m = d - k;
  const projector = Matrix.sub(
    Matrix.eye(d),
    new Matrix(known.map((v) => [...v])).transpose().mmul(new Matrix(known.map((v) => [...v]))),
  );
  const found: Matrix[] = [];
  for (let start = 0; start < 8; start += 1) {
    const seed = new Matrix(
      Array.from({ length: d }, (_, i) =>
        Array.from({ length: m }, (_unused, j) => Math.sin(7 * start + 3 * i + 11 * j + i * j)),
      ),
    );
    let unknown = orthonormal(projector.mmul(seed));
    const build = (columns: Matrix) => {
      const all = new Matrix([...known.map((v) => [...v]), ...columns.transpose().to2DArray()]);
      return all
        .transpose()
        .mmul(Matrix.diag([...spectrum]))
        .mmul(all);
    };
    const off = (columns: Matrix) =>
      build(columns)
        .diagonal()
        .map((entry) => entry - 1);
    for (let step = 0; step < 30; step += 1) {
      const now = off(unknown);
      const pairs = Array.from({ length: m }, (_, a) =>
        Array.from({ length: a }, (_unused, b) => [a, b] as const),
      ).flat();
      const turned = (angles: readonly number[]) => {
        const skew = Matrix.zeros(m, m);
        for (const [n, [a, b]] of pairs.entries()) {
          skew.set(a, b, angles[n]!);
          skew.set(b, a, -angles[n]!);
        }
        return orthonormal(unknown.mmul(Matrix.add(Matrix.eye(m), skew)));
      };
      const slopes = pairs.map((_, n) => {
        const moved = off(turned(pairs.map((_unused, o) => (o === n ? 1e-6 : 0))));
        return moved.map((entry, i) => (entry - now[i]!) / 1e-6);
      });
      const jacobian = new Matrix(slopes).transpose();
      const normal = jacobian
        .transpose()
        .mmul(jacobian)
        .add(Matrix.eye(m === 0 ? 0 : pairs.length).mul(1e-9));
      const change = new LuDecomposition(normal).solve(jacobian.transpose().mmul(Matrix.columnVector(now)));
      unknown = turned(change.to1DArray().map((angle) => -Math.max(-0.5, Math.min(0.5, angle))));
    }
    found.push(build(unknown));
  }
  return found;
}

/** The nearest columns of length 1 at right angles, by Gram and Schmidt. */
function orthonormal(columns: Matrix): Matrix {
  const basis: number[][] = [];
  for (const column of columns.transpose().to2DArray()) {
    let rest = column;
    for (const one of [...basis, ...basis]) {
      const along = inner(rest, one);
      rest = rest.map((x, i) => x - along * one[i]!);
    }
    const length = Math.hypot(...rest);
    basis.push(rest.map((x) => x / length));
  }
  return new Matrix(basis).transpose();
}
