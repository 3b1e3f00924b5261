/** Strategies as explicit matrices, and restorations in exact rationals, by ways that share nothing with the package. */
import type { Strategy } from '../src/strategy.ts';

/** A bin's columns or a coefficient's rows, whole numbers. */
export type Matrix = bigint[][];

/** A, from the definition: per node a row, in the order that the package documents. */
export function strategyMatrix({ kind, bins, fanouts }: Strategy): Matrix {
  const node = (from: number, to: number) =>
    Array.from({ length: bins }, (_, i) => (i >= from && i < to ? 1n : 0n));
  if (kind === 'flat') return Array.from({ length: bins }, (_, i) => node(i, i + 1));
  const sizes = [1];
  for (const fanout of fanouts) sizes.push(sizes.at(-1)! * fanout);
  const rows: Matrix = [];
  if (kind === 'privelet') rows.push(node(0, bins));
  for (const size of sizes.toReversed()) {
    if (kind === 'privelet' && size === 1) continue;
    for (let from = 0; from < bins; from += size) {
      const [middle, to] = [from + size / 2, from + size];
      const right = node(middle, to);
      rows.push(kind === 'tree' ? node(from, to) : node(from, middle).map((value, i) => value - right[i]!));
    }
  }
  return rows;
}

export const transposed = (matrix: Matrix): Matrix => matrix[0]!.map((_, j) => matrix.map((row) => row[j]!));

export function product(a: Matrix, b: Matrix): Matrix {
  const columns = transposed(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

export function dot(a: readonly bigint[], b: readonly bigint[]): bigint {
  let sum = 0n;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== 0n && b[i] !== 0n) sum += a[i]! * b[i]!;
  return sum;
}

/** A matrix of fractions over one denominator. */
export interface Over {
  readonly matrix: Matrix;
  readonly denominator: bigint;
}

/** The inverse by fraction-free elimination (Bareiss): every entry over the determinant. */
export function inverse(square: Matrix): Over {
  const n = square.length;
  const work = square.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1n : 0n))]);
  let previous = 1n;
  for (let k = 0; k < n; k += 1) {
    const pivot = work[k]![k]!;
    if (pivot === 0n) throw new RangeError('expected a positive definite matrix');
    for (let i = 0; i < n; i += 1) {
      if (i === k) continue;
      const factor = work[i]![k]!;
      work[i] = work[i]!.map((value, j) => (pivot * value - factor * work[k]![j]!) / previous);
    }
    previous = pivot;
  }
  return { matrix: work.map((row) => row.slice(n)), denominator: previous };
}

/** B = (AᵀA)⁻¹Aᵀ. */
export function leastSquares(a: Matrix): Over {
  const { matrix, denominator } = inverse(product(transposed(a), a));
  return { matrix: product(matrix, transposed(a)), denominator };
}

/** B of Privelet as it is published: a bin is the total and the nodes on its way, each by 2^−height and the sign of its half. Over 2^h. */
export function publishedPrivelet(height: number): Over {
  const bins = 2 ** height;
  const matrix = Array.from({ length: bins }, (_, bin) => {
    const row = [1n];
    for (let k = height; k >= 1; k -= 1) {
      for (let node = 0; node < 2 ** (height - k); node += 1) {
        const own = Math.floor(bin / 2 ** k) === node;
        const right = Math.floor(bin / 2 ** (k - 1)) % 2 === 1;
        row.push(own ? 2n ** BigInt(height - k) * (right ? -1n : 1n) : 0n);
      }
    }
    return row;
  });
  return { matrix, denominator: BigInt(bins) };
}

/**
 * B of Boost for a tree of one fan-out as Hay and others publish it: z from the leaves up weighs a node against the sum of its children, h̄ from the root
 * down shares out what is left. Over a common denominator that is found on the way.
 */
export function publishedBoost(fanout: number, height: number): Over {
  const k = BigInt(fanout);
  // Weights at height l - 1 (leaves: 0) have the denominator k^l − 1; that of all of them is a product.
  let denominator = 1n;
  for (let l = 2; l <= height + 1; l += 1) denominator *= (k ** BigInt(l) - 1n) * k;
  const nodes = Array.from({ length: height + 1 }, (_, depth) => fanout ** depth);
  const offset = (depth: number) => nodes.slice(0, depth).reduce((sum, count) => sum + count, 0);
  const count = offset(height + 1);
  const unit = (index: number) => Array.from({ length: count }, (_, i) => (i === index ? denominator : 0n));
  const sumOf = (rows: Matrix) => rows.reduce((a, b) => a.map((value, i) => value + b[i]!));
  const children = <T>(of: readonly T[], node: number) => of.slice(node * fanout, (node + 1) * fanout);
  const z: Matrix[] = [];
  for (let depth = height; depth >= 0; depth -= 1) {
    const l = BigInt(height - depth + 1);
    z[depth] = Array.from({ length: nodes[depth]! }, (_, node) => {
      const own = unit(offset(depth) + node);
      if (depth === height) return own;
      const below = sumOf(children(z[depth + 1]!, node));
      const [up, down] = [k ** l - k ** (l - 1n), k ** (l - 1n) - 1n];
      return own.map((value, i) => (up * value + down * below[i]!) / (k ** l - 1n));
    });
  }
  let rows = z[0]!;
  for (let depth = 1; depth <= height; depth += 1) {
    rows = z[depth]!.map((own, node) => {
      const parent = Math.floor(node / fanout);
      const siblings = sumOf(children(z[depth]!, parent));
      return own.map((value, i) => value + (rows[parent]![i]! - siblings[i]!) / k);
    });
  }
  return { matrix: rows, denominator };
}
