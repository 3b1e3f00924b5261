/**
 * Orthogonal matrices from the Haar distribution in fixed point, by Householder reflections (Stewart, "The efficient generation of random
 * orthogonal matrices with an application to condition estimators", SIAM Journal on Numerical Analysis 17(3), 1980; Diaconis and
 * Shahshahani, "The subgroup algorithm for generating uniform random variables", 1987). It is the QR decomposition of a matrix of Gaussians
 * with signs corrected, without the Gaussians that do not matter.
 *
 * If Q is Haar in O(j − 1), x is uniform on the sphere in R^j, and H(x) is any orthogonal matrix with first column x, then
 * H(x)·diag(1, Q) is Haar in O(j). Here x = g/‖g‖ of j exact Gaussians; the columns of H(x) are x and, but for the first, those of the reflection
 * u uᵀ/c − I, with s the sign of x_1, u = x + s e_1 and c = 1 + |x_1| = uᵀu/2 >= 1, so that nothing cancels.
 *
 * Error. With w = f + 32 fraction bits and Gaussians of w + 40, all bounds in lengths of columns, and unless ‖g‖ < 2^−32 (for j >= 2
 * of probability below 2^−64 in all):
 * - x: cutting g moves x by at most 2 · √j/2 · 2^−(w+40) / 2^−32 = √j 2^−(w+8); the integer root by 2^−(w+8); rounding x by √j 2^−(w+1).
 *   Together ε_j <= 1.02 √j 2^−(w+1).
 * - H: its error is at most (2‖u‖ε + ε²)/c + ‖u‖² ε/c² <= 5 ε_j, as ‖u‖² = 2c and c >= 1.
 * - Applied to a column of at most unit length: the factor uᵀy/c is rounded to 2^−(w+1), which ‖u‖ <= 2 doubles, and the entries to
 *   √j 2^−(w+1).
 * So each size adds at most (6.1 √j + 2)·2^−(w+1) to a column, in all below (4.1 d^1.5 + 8 d)·2^−(w+1) < 2^14·2^−(w+1) for d <= 200:
 * 2^−18 of half a unit of the result. Rounding to f bits adds at most 1/2 unit per entry. Result: |R − 2^f P| <= (1 + 2^−17)/2 per entry,
 * except that an entry that would be 2^f is 2^f − 1.
 */
import { standardNormal } from './gaussian.ts';
import { roundDivide, roundShift, squareRoot } from './integers.ts';
import type { RandomBits } from './random-bits.ts';

const ROTATION_GUARD_BITS = 32;
const GAUSSIAN_GUARD_BITS = 40;

/** Rows of integers in [−2^bits, 2^bits): 2^bits P, P Haar-distributed in O(d), d <= 200. */
export function haarOrthogonal(d: number, bits: number, random: RandomBits): bigint[][] {
  const w = bits + ROTATION_GUARD_BITS;
  const one = 1n << BigInt(w);
  let columns = [[random.word() & 1 ? one : -one]];
  for (let j = 2; j <= d; j += 1) columns = extend(columns, unitVector(j, w, random), w);
  const most = (1n << BigInt(bits)) - 1n;
  return Array.from({ length: d }, (_, i) =>
    columns.map((column) => {
      const rounded = roundShift(column[i]!, ROTATION_GUARD_BITS);
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
