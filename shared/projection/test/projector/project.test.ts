import { Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { decompose, project, reconstruct } from '../../src/index.ts';
import { difference } from '../linear-algebra.ts';
import { DATASETS, METHODS, prepare } from '../samples.ts';

describe('projecting', () => {
  const vectors = [
    [0.6, 0.8, 0],
    [0, 0, 1],
  ];

  it('known by hand, with and without a mean', () => {
    const row = [1, 0.5, -0.25];
    expect(difference(project({ vectors }, [row]), [[1, -0.25]])).toBeLessThan(1e-15);
    const mean = [0.5, 0, 0.25];
    expect(difference(project({ vectors, mean }, [row]), [[0.7, -0.5]])).toBeLessThan(1e-15);
    expect(difference(reconstruct({ vectors, mean }, [[0.7, -0.5]]), [[0.92, 0.56, -0.25]])).toBeLessThan(
      1e-15,
    );
    expect(difference(reconstruct({ vectors }, [[1, -0.25]]), [[0.6, 0.8, -0.25]])).toBeLessThan(1e-15);
  });

  it('takes typed rows, and no rows', () => {
    expect(project({ vectors }, [Float64Array.of(0, 0, 2)])).toEqual([[0, 2]]);
    expect(project({ vectors }, [])).toEqual([]);
  });

  it('refuses rows of another length', () => {
    expect(() => project({ vectors }, [[1, 2]])).toThrow(RangeError);
    expect(() => reconstruct({ vectors }, [[1, 2, 3]])).toThrow(RangeError);
  });

  it.each(DATASETS)('onto all components of PCA loses nothing of %s', (name) => {
    const { program, statistics, rounded } = prepare(name, METHODS.pca);
    const full = decompose({ ...program, outputs: ['mean', 'trace'] }, statistics);
    const coordinates = project(full, rounded);
    expect(difference(reconstruct(full, coordinates), rounded)).toBeLessThan(1e-13);
    // The coordinates are centred, and their squares add up to the eigenvalues.
    full.eigenvalues.forEach((value, c) => {
      const column = coordinates.map((row) => row[c]!);
      expect(Math.abs(column.reduce((a, b) => a + b, 0))).toBeLessThan(1e-10);
      expect(Math.abs(column.reduce((a, b) => a + b * b, 0) - value)).toBeLessThan(
        1e-10 * full.eigenvalues[0]!,
      );
    });
    expect(full.eigenvalues.reduce((a, b) => a + b, 0) / full.trace!).toBeCloseTo(1, 12);
  });

  it.each(DATASETS)('onto k components of PCA leaves the other eigenvalues of %s as error', (name) => {
    const { program, statistics, rounded } = prepare(name, METHODS.pca);
    const outputs = ['mean', 'trace', 'spectrum'] as const;
    const some = decompose({ ...program, outputs, components: 2 }, statistics);
    const back = reconstruct(some, project(some, rounded));
    const error = Matrix.sub(new Matrix(back), new Matrix(rounded)).norm('frobenius') ** 2;
    const rest = some.spectrum!.slice(2).reduce((a, b) => a + b, 0);
    expect(Math.abs(error - rest)).toBeLessThan(1e-10 * some.spectrum![0]!);
    expect(some.eigenvalues.reduce((a, b) => a + b, 0) / some.trace!).toBeCloseTo(1 - rest / some.trace!, 12);
  });

  it('reconstructs rows that project to the same coordinates though DCA vectors are not orthogonal', () => {
    const { program, statistics, rounded } = prepare('iris', METHODS.dca);
    const projection = decompose({ ...program, outputs: ['mean'] }, statistics);
    const [a, b] = projection.vectors;
    expect(Math.abs(a!.reduce((total, entry, i) => total + entry * b![i]!, 0))).toBeGreaterThan(0.01);
    const coordinates = project(projection, rounded);
    const back = reconstruct(projection, coordinates);
    expect(difference(project(projection, back), coordinates)).toBeLessThan(1e-13);
    // Of those rows, the closest to the mean: what is added to the mean lies in the span of the vectors.
    const offset = back[0]!.map((entry, i) => entry - projection.mean![i]!);
    const span = new Matrix([a!, b!, offset]);
    const volume = new Matrix(span.mmul(span.transpose()).to2DArray());
    expect(Math.abs(volume.get(2, 2))).toBeGreaterThan(1e-3);
    expect(Math.abs(determinant3(volume.to2DArray()))).toBeLessThan(1e-14);
  });
});

function determinant3([a, b, c]: number[][]): number {
  const [p, q, r] = [a!, b!, c!];
  return (
    p[0]! * (q[1]! * r[2]! - q[2]! * r[1]!) -
    p[1]! * (q[0]! * r[2]! - q[2]! * r[0]!) +
    p[2]! * (q[0]! * r[1]! - q[1]! * r[0]!)
  );
}
