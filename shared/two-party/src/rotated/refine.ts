/**
 * Eigenvectors of an integer matrix beyond double precision, from all eigenpairs in doubles. Newton's
 * correction for one vector, a − (Y − ρ)⁺ (Y a − ρ a), takes the residual in whole numbers and the
 * pseudo-inverse in doubles, as iterative refinement does (Higham, "Accuracy and Stability of Numerical
 * Algorithms", chapter 12): the error shrinks by about 2^−50/gap per step, where the gap is relative to the
 * largest eigenvalue.
 */
import type { EigenPairs } from '@eigenveil/projection';
import { roundDivide, squareRoot } from './integers.ts';
import { innerProduct, type Matrix } from './matrices.ts';

/** Bits kept beyond those of the result while correcting. */
const CORRECTION_GUARD_BITS = 16;
/** The step count of gaps near the least that is refined at all. */
const MAXIMUM_STEPS = 16;
/**
 * Eigenvalues nearer than this, relative to the largest, are not distinguished: their vectors in doubles are
 * arbitrary.
 */
const LEAST_GAP = 2 ** -44;

/**
 * 2^bits times the vectors of the `count` first eigenpairs (d × count), rounded. `pairs` are those of
 * `matrix` (d × d, symmetric) in doubles, descending; where a vector belongs to eigenvalues that doubles do
 * not distinguish, it is only as exact as they are.
 */
export function refineVectors(matrix: Matrix, pairs: EigenPairs, count: number, bits: number): bigint[][] {
  const columns = Array.from({ length: count }, (_, i) => refineVector(matrix, pairs, i, bits));
  return matrix.map((_, row) => columns.map((column) => column[row]!));
}

function refineVector(
  matrix: Matrix,
  { values, vectors }: EigenPairs,
  index: number,
  bits: number,
): bigint[] {
  const scale = 2 ** (bits + CORRECTION_GUARD_BITS);
  const closest = LEAST_GAP * Math.max(...values.map(Math.abs));
  let vector = vectors[index]!.map((entry) => BigInt(Math.round(entry * scale)));
  for (let step = 0; step < MAXIMUM_STEPS; step += 1) {
    const image = matrix.map((row) => innerProduct(row, vector));
    const square = innerProduct(vector, vector);
    const rayleigh = innerProduct(vector, image);
    const residual = image.map((entry, i) => Number(entry - (rayleigh * vector[i]!) / square));
    const correction = new Array<number>(values.length).fill(0);
    for (const [j, other] of vectors.entries()) {
      const gap = values[j]! - values[index]!;
      if (j === index || Math.abs(gap) <= closest) continue;
      const part = other.reduce((sum, entry, i) => sum + entry * residual[i]!, 0) / gap;
      for (const [i, entry] of other.entries()) correction[i]! -= part * entry;
    }
    vector = vector.map((entry, i) => entry + BigInt(Math.round(correction[i]!)));
    if (correction.every((entry) => Math.abs(entry) < 2 ** (CORRECTION_GUARD_BITS / 2))) break;
  }
  return toLength(vector, bits);
}

/** The vector over its length, in units of 2^−bits, rounded to nearest. */
function toLength(vector: readonly bigint[], bits: number): bigint[] {
  const length = squareRoot(innerProduct(vector, vector));
  return vector.map((entry) => roundDivide(entry << BigInt(bits), length));
}
