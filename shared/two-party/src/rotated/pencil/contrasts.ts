/** Contrasts between classes: H with HHᵀ = Q·D_M⁻¹ − 11ᵀ, so that G = V·H has G Gᵀ = Q·S_B. */
import { type Matrix, squareRoot } from '../matrices.ts';

/**
 * 2^bits·H, classes × (classes − 1), from the classes' numbers of rows M, none of them negative: Helmert's contrasts, weighted by rows. With n
 * rows in all classes before one of M rows, its column is √(Q M/(n (n + M))) for each of these, −√(Q n/((n + M) M)) for it, and 0
 * for those after. A class without rows has a row of zeros, and one column of zeros stands for it, behind the others. No entry is above √Q.
 */
export function contrasts(counts: readonly bigint[], bits: number): bigint[][] {
  const Q = counts.reduce((sum, count) => sum + count, 0n);
  const root = (numerator: bigint, denominator: bigint) =>
    squareRoot((numerator << BigInt(2 * bits)) / denominator);
  const matrix = counts.map(() => new Array<bigint>(counts.length - 1).fill(0n));
  const present: number[] = [];
  let before = 0n;
  for (const [k, M] of counts.entries()) {
    const column = present.length - 1;
    const after = before + M;
    // Roots are drawn for every class, so that it takes no less time where there are few.
    const others = root(Q * M, atLeastOne(before * after));
    const own = root(Q * before, atLeastOne(after * M));
    if (M === 0n) continue;
    if (column >= 0) {
      for (const other of present) matrix[other]![column] = others;
      matrix[k]![column] = -own;
    }
    present.push(k);
    before = after;
  }
  return matrix;
}

function atLeastOne(value: bigint): bigint {
  return value === 0n ? 1n : value;
}

/** 2^bits·√(Q D_M⁻¹), 0 for a class without rows: with the sums V of rows by class, the square of V times it is Q times what S_W lacks of R. */
export function withinRoots(counts: readonly bigint[], bits: number): bigint[][] {
  const Q = counts.reduce((sum, count) => sum + count, 0n);
  const roots = counts.map((count) => squareRoot((Q << BigInt(2 * bits)) / atLeastOne(count)));
  return counts.map((count, k) => counts.map((_, j) => (j === k && count > 0n ? roots[k]! : 0n)));
}

/** Matrices along a diagonal, and zeros. */
export function blocksOf(blocks: readonly Matrix[]): bigint[][] {
  const size = blocks.reduce((sum, block) => sum + block[0]!.length, 0);
  let before = 0;
  return blocks.flatMap((block) => {
    const start = before;
    before += block[0]!.length;
    return block.map((row) => {
      const line = new Array<bigint>(size).fill(0n);
      for (const [j, entry] of row.entries()) line[start + j] = entry;
      return line;
    });
  });
}
