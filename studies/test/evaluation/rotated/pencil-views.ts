/** What the data user sees of a pencil, computed from what the CSP drew: M with its noise exactly, what follows from it in doubles. */
import { symmetricEigen } from '@eigenveil/projection';
import type { PencilParameters, PencilSecrets } from '@eigenveil/two-party/insides';
import {
  type Doubles,
  eigenpairsOf,
  type Matrix,
  symmetricMatrix,
  times,
  transpose,
  transposed,
  view,
  whiten,
} from '@eigenveil/two-party/insides';

const inDoubles = (matrix: Matrix, bits: number): number[][] =>
  matrix.map((row) => row.map((entry) => Number(entry) * 2 ** -bits));

export interface PencilView {
  /** M, and so B where there is no ridge. */
  readonly M: Doubles;
  /** C₁, and C̃ = √λ_min·C₁. */
  readonly root: Doubles;
  readonly normalised: Doubles;
  readonly Y: Doubles;
  /** Y's left singular vectors, and squares of its singular values, descending. */
  readonly left: Doubles;
  readonly values: readonly number[];
  /** The answer Pᵀ C̃ᵀ P₂ᵀ A to directions, one in a row. */
  readonly answer: (directions: Doubles) => number[][];
}

/** T in whole numbers, G (d × groups) with G Gᵀ at most T; no ridge. */
export function pencilView(
  T: Matrix,
  G: Doubles,
  secrets: PencilSecrets,
  parameters: PencilParameters,
): PencilView {
  const { rotationBits, rootBits, mixingBits, openBits, vectorBits, leastBits, maskBits } = parameters;
  const fraction = 2 * rotationBits;
  const upper = view(T, secrets).map((entry) => entry - (1n << BigInt(maskBits - 1)));
  const matrix = symmetricMatrix(upper, T.length);
  const pairs = eigenpairsOf(matrix, fraction);
  const whitening = whiten(matrix, pairs, {
    fraction,
    least: leastBits,
    root: rootBits,
    normalised: parameters.inner.cut,
  })!;
  const root = inDoubles(whitening.root, rootBits);
  const normalised = inDoubles(whitening.normalised, parameters.inner.cut);
  const P = inDoubles(secrets.rotation, rotationBits);
  const turn = inDoubles(secrets.turn, rotationBits);
  const whole = times(turn, times(root, times(P, G)));
  const mixed = secrets.mixing ? times(whole, inDoubles(secrets.mixing, mixingBits)) : whole;
  const noise = inDoubles(secrets.signalNoise, openBits);
  const Y = mixed.map((row, i) => row.map((entry, j) => entry + noise[i]![j]!));
  const { values, vectors } = symmetricEigen(times(Y, transposed(Y)));
  const flood = transpose(secrets.flood).map((column) => inDoubles([column], vectorBits)[0]!);
  return {
    M: inDoubles(matrix, fraction),
    root,
    normalised,
    Y,
    left: vectors,
    values,
    answer: (directions) =>
      times(times(times(directions, turn), normalised), P).map((vector, v) =>
        vector.map((entry, i) => entry + flood[v]![i]!),
      ),
  };
}
