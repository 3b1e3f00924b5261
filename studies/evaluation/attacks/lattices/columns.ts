/** The columns of a sketch from its released vectors: whatever is a combination of them in whole numbers, however it was rounded, tells the lattice of them. */
import type { FlatResult } from '@eigenveil/methods';
import { nearest, type Row, reduce } from './lll.ts';

export interface Sketch {
  /** Ω, features × columns, row by row. */
  readonly signs: ArrayLike<number>;
  readonly columns: number;
  /** The servers keep of a sketch this many times S̄Ω, rounded to whole numbers. */
  readonly unit: number;
}

/** The bits of the released doubles, which are below 1. */
const DOUBLE_BITS = 53;
/** More than a column of a sketch has: a vector that is not orthogonal to all relations is longer. */
const LONG_BITS = 60;
/** Products of a column with the vectors are known to a few units, its length otherwise is some thousands. */
const PRODUCT_BITS = 6;

/**
 * All columns of the sketch, in whole numbers: exact, where each vector is a combination of the columns in whole numbers, and tells enough of it.
 *
 * Relations are whole numbers that are orthogonal to all vectors. Those that are orthogonal to every column are short, all others long, so that reduction finds the
 * first (Nguyen and Stern, "Merkle–Hellman revisited", CRYPTO 1997). The lattice of the columns is what is orthogonal to them in turn. Vector u_j has
 * the product λ_j·u_jᵀω with the column S̄ω, which singles that out of the lattice.
 * @param bits fraction bits to which the reader takes the entries of a vector to be right
 */
export function columnsOf(
  { vectors, eigenvalues }: Pick<FlatResult, 'vectors' | 'eigenvalues'>,
  sketch: Sketch,
  bits: (vector: number) => number = () => DOUBLE_BITS,
): bigint[][] {
  const { signs, columns: l } = sketch;
  const d = vectors[0]!.length;
  const released = vectors.map((vector, j) => vector.map((entry) => inUnits(entry, bits(j))));
  const relations = relationsOf(released).slice(0, d - l);
  const long = relations.map((relation) => relation.map((entry) => entry << BigInt(LONG_BITS)));
  const lattice = relationsOf(long).slice(0, l);
  const products = (column: readonly number[]) => vectors.map((vector) => dot(vector, column));
  const basis = reduce(
    lattice.map((point) => [
      ...point,
      ...products(point.map(Number)).map((product) => inUnits(product, PRODUCT_BITS)),
    ]),
  );
  return Array.from({ length: l }, (_, a) => {
    const omega = Array.from({ length: d }, (__, i) => signs[i * l + a]!);
    const known = products(omega).map((product, j) =>
      inUnits(sketch.unit * eigenvalues[j]! * product, PRODUCT_BITS),
    );
    return nearest(basis, [...omega.map(() => 0n), ...known]).slice(0, d);
  });
}

/** Whole numbers that are nearly orthogonal to all of these vectors, as vectors of a reduced basis. */
function relationsOf(vectors: readonly Row[]): bigint[][] {
  const d = vectors[0]!.length;
  const rows = Array.from({ length: d }, (_, i) => [
    ...Array.from({ length: d }, (__, j) => BigInt(i === j)),
    ...vectors.map((vector) => vector[i]!),
  ]);
  return reduce(rows).map((row) => row.slice(0, d));
}

/** The columns as real numbers, as the vectors and eigenvalues tell them. */
export function realColumns(
  { vectors, eigenvalues }: Pick<FlatResult, 'vectors' | 'eigenvalues'>,
  { signs, columns: l, unit }: Sketch,
): number[][] {
  const d = vectors[0]!.length;
  return Array.from({ length: l }, (_, a) => {
    const parts = vectors.map(
      (vector, j) => unit * eigenvalues[j]! * vector.reduce((sum, x, i) => sum + x * signs[i * l + a]!, 0),
    );
    return Array.from({ length: d }, (__, i) =>
      parts.reduce((sum, part, j) => sum + part * vectors[j]![i]!, 0),
    );
  });
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * b[i]!, 0);

const inUnits = (value: number, bits: number) => BigInt(Math.round(value * 2 ** bits));
