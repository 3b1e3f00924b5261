/**
 * Orthogonal matrices from the Haar distribution in fixed point, by Householder reflections (Stewart, "The efficient generation of random
 * orthogonal matrices with an application to condition estimators", SIAM Journal on Numerical Analysis 17(3), 1980; Diaconis and
 * Shahshahani, "The subgroup algorithm for generating uniform random variables", 1987). It is the QR decomposition of a matrix of Gaussians
 * with signs corrected, without the Gaussians that do not matter.
 *
 * Names: x = g/‖g‖ of j exact Gaussians; u = x + s e_1, s being the sign of x_1, and c = 1 + |x_1| = uᵀu/2 >= 1.
 *
 * For d <= 400, |R − 2^f P| <= (1 + 2^−16)/2 per entry, except that an entry that would be 2^f is 2^f − 1. That holds unless ‖g‖ < 2^−32, which has
 * probability below 2^−64 in all. Why: docs/arguments/primitives.md, "Orthogonal matrices".
 */

import { type Matrix, roundDivide, roundShift, squareRoot, transpose } from './matrices.ts';
import { type RandomBits, standardNormal } from './random.ts';

const ROTATION_GUARD_BITS = 32;
const GAUSSIAN_GUARD_BITS = 40;

/** Rows of integers in [−2^bits, 2^bits): 2^bits P, P Haar-distributed in O(d), d <= 400. */
export function haarOrthogonal(d: number, bits: number, random: RandomBits): bigint[][] {
  const w = bits + ROTATION_GUARD_BITS;
  const one = 1n << BigInt(w);
  let columns = [[random.word() & 1 ? one : -one]];
  for (let j = 2; j <= d; j += 1) columns = extend(columns, unitVector(j, w, random), w);
  return withFewerBits(transpose(columns), ROTATION_GUARD_BITS, bits);
}

/** An orthogonal matrix with `dropped` fraction bits less, of which `bits` are left: rounded to nearest, but 2^bits to 2^bits − 1, which fits. */
export function withFewerBits(matrix: Matrix, dropped: number, bits: number): bigint[][] {
  const most = (1n << BigInt(bits)) - 1n;
  return matrix.map((row) =>
    row.map((entry) => {
      const rounded = roundShift(entry, dropped);
      return rounded > most ? most : rounded;
    }),
  );
}

/** Uniform on the sphere in R^size, w fraction bits. */
function unitVector(size: number, w: number, random: RandomBits): bigint[] {
  const g = Array.from({ length: size }, () => standardNormal(random, w + GAUSSIAN_GUARD_BITS));
  const length = squareRoot(g.reduce((sum, entry) => sum + entry * entry, 0n));
  return g.map((entry) => roundDivide(entry << BigInt(w), length));
}

/** H(x)·diag(1, Q), given and returned as columns. */
function extend(columns: readonly (readonly bigint[])[], x: readonly bigint[], w: number): bigint[][] {
  const one = 1n << BigInt(w);
  const negative = x[0]! < 0n;
  const c = negative ? one - x[0]! : one + x[0]!;
  const u = [negative ? -c : c, ...x.slice(1)];
  const reflected = columns.map((column) => {
    let inner = 0n;
    for (let i = 0; i < column.length; i += 1) inner += u[i + 1]! * column[i]!;
    const factor = roundDivide(inner, c);
    return u.map((entry, i) => {
      return roundShift(entry * factor, w) - (i === 0 ? 0n : column[i - 1]!);
    });
  });
  return [[...x], ...reflected];
}
