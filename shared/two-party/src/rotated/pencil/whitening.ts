/**
 * C₁ with C₁ B C₁ᵀ = I for a positive definite B in whole numbers. Doubles give S = Λ^(−1/2) Eᵀ from B ≈ E Λ
 * Eᵀ. The residual Δ = S B Sᵀ − I is computed in whole numbers, and C₁ = (I + Δ)^(−1/2) S by the first terms
 * of its series (Higham, "Functions of Matrices", chapter 6): the leading one exactly, the others, which are
 * squares and more of Δ, in doubles. With κ the condition of B, Δ is about 2^−50·κ, and the error 2^−50·Δ²
 * and Δ⁵. ‖C₁‖ is λ_min(B)^(−1/2), whatever the root.
 */
import { type EigenPairs, symmetricEigen } from '@eigenveil/projection';
import {
  innerProduct,
  type Matrix,
  multiplySigned,
  roundShift,
  symmetricMatrix,
  upperEntries,
} from '../matrices.ts';

/** Fraction bits of Δ. */
const RESIDUAL_BITS = 120;
/** Fraction bits of √λ_min. */
const SCALE_BITS = 60;
/** Above it doubles have not found the decomposition. */
const LARGEST_RESIDUAL = 2 ** -7;

interface Whitening {
  /** C₁. */
  readonly root: Matrix;
  /** C̃ = √λ_min·C₁, of norm just below 1. */
  readonly normalised: Matrix;
}

/** Returns the eigenpairs of an integer matrix of this number of fraction bits, in doubles. */
export function eigenpairsOf(matrix: Matrix, fractionBits: number): EigenPairs {
  const unit = 2 ** -fractionBits;
  return symmetricEigen(matrix.map((row) => row.map((entry) => Number(entry) * unit)));
}

/**
 * C₁ in units of 2^−rootBits and C̃ in units of 2^−normalisedBits. `pairs` are those of B in doubles, B has
 * `fractionBits`, its least eigenvalue is at least 2^leastBits. Nothing where doubles are not enough for it.
 */
export function whiten(
  B: Matrix,
  pairs: EigenPairs,
  bits: {
    readonly fraction: number;
    readonly least: number;
    readonly root: number;
    readonly normalised: number;
  },
): Whitening | undefined {
  const least = pairs.values.at(-1)!;
  if (!(least > 0)) return undefined;
  // S is at most 2^(−least/2), so that these are enough for 2^−RESIDUAL_BITS.
  const stretch = Math.max(0, Math.ceil(-bits.least / 2));
  const w = Math.max(bits.root, bits.normalised) + 16 + RESIDUAL_BITS / 2 + stretch;
  const kept = Math.min(bits.fraction, RESIDUAL_BITS - Math.min(0, bits.least) + 16);
  const cut = (matrix: Matrix, by: number) =>
    by > 0 ? matrix.map((row) => row.map((entry) => roundShift(entry, by))) : matrix;
  const S = pairs.vectors.map((vector, i) =>
    vector.map((entry) => BigInt(Math.round((entry / Math.sqrt(pairs.values[i]!)) * 2 ** w))),
  );
  const SB = cut(multiplySigned(S, cut(B, bits.fraction - kept)), kept);
  // It is symmetric up to rounding.
  const product = symmetricMatrix(
    upperEntries(S.length, (i, j) => roundShift(innerProduct(SB[i]!, S[j]!), 2 * w - RESIDUAL_BITS)),
    S.length,
  );
  const one = 1n << BigInt(RESIDUAL_BITS);
  const residual = product.map((row, i) => row.map((entry, j) => (i === j ? entry - one : entry)));
  const unit = 2 ** -RESIDUAL_BITS;
  const small = residual.map((row) => row.map((entry) => Number(entry) * unit));
  if (!small.every((row) => row.reduce((sum, entry) => sum + Math.abs(entry), 0) < LARGEST_RESIDUAL))
    return undefined;
  const later = laterTerms(small);
  const correction = residual.map((row, i) =>
    row.map((entry, j) => -(entry >> 1n) + BigInt(Math.round(later[i]![j]! / unit))),
  );
  const more = cut(multiplySigned(correction, S), RESIDUAL_BITS);
  const precise = S.map((row, i) => row.map((entry, j) => entry + more[i]![j]!));
  const scale = BigInt(Math.floor(Math.sqrt(least) * (1 - 2 ** -40) * 2 ** SCALE_BITS));
  return {
    root: cut(precise, w - bits.root),
    normalised: cut(
      precise.map((row) => row.map((entry) => entry * scale)),
      w + SCALE_BITS - bits.normalised,
    ),
  };
}

/** 3/8 Δ² − 5/16 Δ³ + 35/128 Δ⁴. */
function laterTerms(D: readonly (readonly number[])[]): number[][] {
  const times = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
    a.map((row) => b[0]!.map((_, j) => row.reduce((sum, entry, k) => sum + entry * b[k]![j]!, 0)));
  const inner = D.map((row, i) => row.map((entry, j) => (i === j ? 3 / 8 : 0) - (5 / 16) * entry));
  const second = times(D, D);
  const third = times(inner, second);
  const fourth = times(second, second);
  return third.map((row, i) => row.map((entry, j) => entry + (35 / 128) * fourth[i]![j]!));
}
