/**
 * What the released components of a PCA tell an owner that chooses its rows (docs/security/owners.md, "Chosen
 * rows"), with the figures that stand there.
 *
 * @claims S-701, S-702
 */

import { symmetricEigen } from '@eigenveil/projection';
import { inverse, Matrix } from 'ml-matrix';
import { expect, test } from 'vitest';
import { readRecords } from '../../demo/dataset.ts';
import { dataFile } from '../../speed/decompositions.ts';

const K = 3;
/** The parts of the owner's rows at the ends of each of its features: other numbers keep the eigenvalues apart. */
const PARTS = [0.45, 0.33, 0.22];
const ROOMS = [1e6, 1e5, 1e4, 1e3] as const;

/** The rows of a bundled set, every feature that varies in [−1, 1]. */
async function rowsOf(dataset: string): Promise<number[][]> {
  const [header, ...records] = (await readRecords((await dataFile(dataset))!)) as [string[], ...string[][]];
  const columns = header.flatMap((name, i) => {
    if (name === 'label') return [];
    const values = records.map((record) => Number(record[i]));
    const [min, max] = [Math.min(...values), Math.max(...values)];
    return min === max ? [] : [values.map((value) => (2 * (value - min)) / (max - min) - 1)];
  });
  return records.map((_, n) => columns.map((column) => column[n]!));
}

/** How far what the owner computes is from the first rows of the others' scatter matrix, as a part of their length. */
function errorOf(others: readonly number[][], room: number): number {
  const rows = new Matrix(others as number[][]);
  const scatter = rows.transpose().mmul(rows);
  const sums = others[0]!.map((_, j) => others.reduce((sum, row) => sum + row[j]!, 0));
  // The owner's rows are in pairs at both ends of a feature and in the middle of all others: their mean is 0.
  const added = PARTS.map((part) => part * room);
  const pooled = scatter.clone();
  for (const [i, a] of sums.entries())
    for (const [j, b] of sums.entries())
      pooled.set(
        i,
        j,
        scatter.get(i, j) - (a * b) / (others.length + room) + (i === j ? (added[i] ?? 0) : 0),
      );
  const { values, vectors } = symmetricEigen(pooled.to2DArray());
  // T U = U Λ, and the owner's features have nearly all of U: the first columns of T are nearly U Λ U₁⁻¹.
  const U = new Matrix(vectors.slice(0, K) as number[][]).transpose();
  const told = U.mmul(Matrix.diag(values.slice(0, K) as number[])).mmul(
    inverse(U.subMatrix(0, K - 1, 0, K - 1)),
  );
  for (const [i, of] of added.entries()) told.set(i, i, told.get(i, i) - of);
  const first = scatter.subMatrixColumn([0, 1, 2]);
  return Matrix.sub(told, first).norm() / first.norm();
}

test.each([
  ['ionosphere', 0.4],
  ['pima', 0.3],
  ['breast_cancer', 0.8],
])(
  'of %s an owner with room for 10^6 rows computes three rows of the scatter matrix to %f %, and with 10^3 none',
  async (dataset, percent) => {
    const others = await rowsOf(dataset);
    const [large, medium, small, none] = ROOMS.map((room) => 100 * errorOf(others, room));
    expect(large).toBeCloseTo(percent, 1);
    expect(medium).toSatisfy((error: number) => error > 2.5 && error < 8.5);
    expect(small).toBeGreaterThan(32);
    expect(none).toBeGreaterThan(200);
  },
);
