/** Small matrices in doubles, for what views are summed up by. */

import type { Matrix } from '@eigenveil/two-party/insides';
import { dot } from '../../recognition/alignment.ts';

export type Doubles = readonly (readonly number[])[];

/** Entries with this number of fraction bits. */
export const doubles = (matrix: Matrix, bits: number): number[][] =>
  matrix.map((row) => row.map((entry) => Number(entry) * 2 ** -bits));

export const transposed = (a: Doubles): number[][] => a[0]!.map((_, j) => a.map((row) => row[j]!));

export const times = (a: Doubles, b: Doubles): number[][] => {
  const columns = transposed(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
};

export const squares = (numbers: readonly number[]) => dot(numbers, numbers);

/** vᵀ A v. */
export const quadratic = (A: Doubles, v: readonly number[]) =>
  dot(
    v,
    A.map((row) => dot(row, v)),
  );

/** The logarithm of the sum of squares. */
export const sizeOf = (numbers: readonly number[]) => Math.log(squares(numbers) + Number.MIN_VALUE);

/** Adds to orthonormal rows what is orthogonal to them of one more (Gram and Schmidt, twice), unless less than `least` is left of it. */
function added(rows: Doubles, more: readonly number[], least: number): number[][] {
  let rest = [...more];
  for (const row of [...rows, ...rows]) {
    const along = dot(rest, row);
    rest = rest.map((x, i) => x - along * row[i]!);
  }
  const length = Math.sqrt(squares(rest));
  return [...rows.map((row) => [...row]), ...(length > least ? [rest.map((x) => x / length)] : [])];
}

export const orthonormal = (rows: Doubles): number[][] =>
  rows.reduce<number[][]>((done, row) => added(done, row, 0), []);

/** Orthonormal rows, filled up to as many as they are long. */
export function completed(rows: Doubles): number[][] {
  const axes = rows[0]!.map((_, axis) => rows[0]!.map((__, i) => Number(i === axis)));
  return axes.reduce<number[][]>(
    (done, axis) => (done.length < axes.length ? added(done, axis, 0.3) : done),
    rows.map((row) => [...row]),
  );
}
