/** Sketched PCA in the clear: what it loses on data, where it is exact, and what it refuses. */
import { type Statistics, StatisticsAccumulator, sketchMatrix } from '@eigenveil/statistics';
import type { Program } from '@eigenveil/task';
import { describe, expect, it, test } from 'vitest';
import {
  decompose,
  sketchEigen,
  sketchOf,
  sketchRefusal,
  symmetricEigen,
  totalScatter,
  varianceCaptured,
} from '../../src/index.ts';
import { METHODS, prepare, programFor } from '../samples.ts';

const SEED = new Uint8Array(32).fill(1);

const featuresOf = (d: number) => Array.from({ length: d }, (_, i) => ({ name: `f${i}`, min: -1, max: 1 }));
const signsOf = (d: number, columns: number) =>
  sketchMatrix(SEED, { features: featuresOf(d), sketch: { columns } });

/** Statistics of rows of integers, with a sketch of so many columns and with the whole scatter. */
function both(rows: readonly (readonly number[])[], columns: number, changes: Partial<Program> = {}) {
  const d = rows[0]!.length;
  const base = programFor(METHODS.pca, d, { components: 3, ...changes });
  const signs = signsOf(d, columns);
  const summed = (sketch?: { columns: number }): Statistics => {
    const accumulator = new StatisticsAccumulator(
      {
        method: METHODS.pca,
        features: featuresOf(d),
        labellings: [],
        fractionBits: base.fractionBits,
        maximumOwners: 1,
        maximumSamplesPerOwner: 100_000,
        keyBits: 2048,
        statisticalSecurityBits: 40,
        ...(sketch && { sketch }),
      },
      sketch && signs,
    );
    for (const row of rows) accumulator.add(row, []);
    return accumulator.statistics();
  };
  const program: Program = {
    ...base,
    sketch: { columns },
    outputs: ['mean', 'sampleCount'],
    allowFullRank: false,
  };
  return { base, program, signs, sketched: summed({ columns }), whole: summed() };
}

const ionosphere = prepare('ionosphere', METHODS.pca).rounded.map((row) =>
  row.map((x) => Math.round(x * 2 ** 14)),
);
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((total, x, i) => total + x * b[i]!, 0);
const times = (matrix: readonly (readonly number[])[], vector: readonly number[]) =>
  matrix.map((row) => dot(row, vector));

/** Rows of d integers in a space of so few dimensions. */
function lowRank(count: number, d: number, rank: number): number[][] {
  const coins = signsOf(count + d, rank);
  return Array.from({ length: count }, (_, n) =>
    Array.from({ length: d }, (__, i) => {
      let cell = 0;
      for (let r = 0; r < rank; r += 1)
        cell += (n % (r + 2)) * coins[n * rank + r]! * coins[(count + i) * rank + r]! * 100;
      return cell;
    }),
  );
}

describe('a sketch of 20 columns of the ionosphere data', () => {
  const { base, program, signs, sketched, whole } = both(ionosphere, 20, { components: 5 });
  const T = totalScatter(whole, 14);
  const exact = symmetricEigen(T);
  const result = decompose(program, sketched, signs);

  it('loses about a hundredth of the variance that five exact components capture', () => {
    const captured = varianceCaptured(result.vectors, T) / varianceCaptured(exact.vectors.slice(0, 5), T);
    expect(captured).toBeLessThan(1);
    expect(captured).toBeGreaterThan(0.97);
  });

  it('has orthonormal vectors, and eigenvalues no larger than the exact ones', () => {
    for (const [i, one] of result.vectors.entries()) {
      for (const [j, other] of result.vectors.entries())
        expect(dot(one, other)).toBeCloseTo(i === j ? 1 : 0, 9);
      expect(result.eigenvalues[i]!).toBeLessThan(exact.values[i]!);
      expect(result.eigenvalues[i]!).toBeGreaterThan(0.8 * exact.values[i]!);
    }
    expect(result.mean).toEqual(decompose({ ...base, outputs: ['mean'] }, whole).mean);
    expect(result.sampleCount).toBe(351);
  });

  it('has the eigenpairs of the product that the paper names, formed at full length', () => {
    const d = T.length;
    const omega = Array.from({ length: d }, (_, i) =>
      Array.from({ length: 20 }, (__, a) => signs[i * 20 + a]!),
    );
    const columns = Array.from({ length: 20 }, (_, a) =>
      times(
        T,
        omega.map((row) => row[a]!),
      ),
    );
    const half = columns.map((column) =>
      Array.from({ length: 20 }, (_, b) =>
        dot(
          column,
          omega.map((row) => row[b]!),
        ),
      ),
    );
    const shift = (1e-7 * d * half.reduce((sum, row, a) => sum + row[a]!, 0)) / 20;
    const core = symmetricEigen(
      half.map((row, a) => row.map((entry, b) => (entry + half[b]![a]!) / 2 + (a === b ? shift : 0))),
    );
    // T̂ u = C (Σ vvᵀ/λ) Cᵀ u
    for (const [j, u] of result.vectors.entries()) {
      const inner = columns.map((column) => dot(column, u));
      const solved = new Array<number>(20).fill(0);
      for (const [e, v] of core.vectors.entries())
        for (let a = 0; a < 20; a += 1) solved[a]! += (v[a]! * dot(v, inner)) / core.values[e]!;
      const product = Array.from({ length: d }, (_, i) =>
        columns.reduce((sum, column, a) => sum + column[i]! * solved[a]!, 0),
      );
      const off = product.map((entry, i) => entry - result.eigenvalues[j]! * u[i]!);
      expect(Math.hypot(...off)).toBeLessThan(1e-9 * exact.values[0]!);
    }
  });

  it('is of centred rows: what all rows have in common does not count', () => {
    const moved = both(
      ionosphere.map((row) => row.map((cell, i) => cell + 1000 * (i % 5))),
      20,
      { components: 5, fractionBits: 15 },
    );
    const here = decompose(moved.program, moved.sketched, moved.signs);
    for (const [j, value] of here.eigenvalues.entries()) {
      expect(4 * value).toBeCloseTo(result.eigenvalues[j]!, 9);
      expect(Math.abs(dot(here.vectors[j]!, result.vectors[j]!))).toBeCloseTo(1, 9);
    }
  });
});

describe('a sketch that refines an earlier result', () => {
  const { base, program, signs, sketched, whole } = both(ionosphere, 20, { components: 5 });
  const first = decompose(program, sketched, signs);
  const sketch = { columns: 20, refine: 'r'.repeat(43) };
  const matrix = sketchMatrix(
    new Uint8Array(32).fill(2),
    { features: featuresOf(34), sketch },
    first.vectors,
  );
  const refined = (() => {
    const Y = [...new Array<bigint>(34 * 20).fill(0n)];
    for (const row of ionosphere)
      for (let c = 0; c < 20; c += 1) {
        const z = row.reduce((sum, cell, i) => sum + cell * matrix[20 * i + c]!, 0);
        for (let i = 0; i < 34; i += 1) Y[20 * i + c]! += BigInt(row[i]!) * BigInt(z);
      }
    return { ...sketched, Y };
  })();
  const scatter = totalScatter(whole, base.fractionBits);

  it('loses less of the variance, and has eigenvalues of the same unit, no larger than the exact ones', () => {
    const exact = decompose({ ...base, allowFullRank: true }, whole);
    const second = decompose({ ...program, sketch }, refined, matrix);
    const lost = (vectors: number[][]) =>
      1 - varianceCaptured(vectors, scatter) / varianceCaptured(exact.vectors, scatter);
    expect(lost(second.vectors)).toBeLessThan(lost(first.vectors) / 2);
    expect(lost(second.vectors)).toBeGreaterThan(0);
    for (const [j, value] of second.eigenvalues.entries()) {
      expect(value).toBeLessThanOrEqual(exact.eigenvalues[j]! * (1 + 1e-9));
      expect(value).toBeGreaterThan(0.98 * exact.eigenvalues[j]!);
    }
  });

  it('has the columns of T times Ω over its scale', () => {
    const { columns, signs: omega } = sketchOf(refined, matrix, { ...program, sketch });
    const column = Array.from({ length: 34 }, (_, i) => matrix[20 * i]! / 256);
    for (const [i, entry] of times(scatter, column).entries())
      expect(Math.abs(columns[0]![i]! - entry)).toBeLessThan(1e-9 * scatter[0]![0]! * 34);
    expect(Array.from(omega)).toEqual(Array.from(matrix, (entry) => entry / 256));
    // Nearly an eigenvector, times √34.
    const [u] = first.vectors;
    expect(column.every((entry, i) => Math.abs(entry - Math.sqrt(34) * u![i]!) <= 1 / 512)).toBe(true);
  });
});

describe('a sketch with as many columns as the rank', () => {
  const rows = lowRank(60, 30, 5);

  test('is the scatter matrix itself', () => {
    const { sketched, signs, whole } = both(rows, 5);
    // But for the shift.
    const { values, vectors } = sketchEigen(sketchOf(sketched, signs, { fractionBits: 14 }));
    const T = totalScatter(whole, 14);
    const off = T.map((row, i) =>
      row.map(
        (entry, j) =>
          entry - values.reduce((sum, value, e) => sum + value * vectors[e]![i]! * vectors[e]![j]!, 0),
      ),
    );
    expect(Math.hypot(...off.flat())).toBeLessThan(1e-2 * Math.hypot(...T.flat()));
  });

  it('is refused where columns are more than the rank, or as many as rows less one', () => {
    const refusal = expect.objectContaining({ code: 'ERR_FULL_RANK' });
    const { program, sketched, signs } = both(rows, 8);
    expect(() => decompose(program, sketched, signs)).toThrow(refusal);
    const { sketched: wide, signs: theirs } = both(ionosphere, 20);
    const sketch = sketchOf(wide, theirs, { fractionBits: 14 });
    expect(sketchRefusal(sketch, 21)).toEqual(refusal);
    expect(sketchRefusal(sketch, 22)).toBeUndefined();
  });
});

it('is refused with statistics of another shape, with too few owners, and without signs', () => {
  const { base, program, sketched, signs, whole } = both(ionosphere, 10);
  const coded = (code: string) => expect.objectContaining({ code });
  expect(() => decompose(program, whole, signs)).toThrow(coded('ERR_STATISTICS_INVALID'));
  expect(() => decompose(base, sketched)).toThrow(coded('ERR_STATISTICS_INVALID'));
  expect(() => decompose({ ...program, minimumOwners: 2 }, sketched, signs)).toThrow(
    coded('ERR_MINIMUM_OWNERS'),
  );
  expect(() => decompose(program, sketched)).toThrow('"signs"');
  expect(() => decompose(program, sketched, signs.slice(1))).toThrow('"signs"');
});
