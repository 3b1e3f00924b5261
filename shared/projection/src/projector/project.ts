/** Applying a projection to rows, and undoing it. */
import { symmetricEigen } from '../reference/eigen.ts';

type Rows = readonly ArrayLike<number>[];

interface Vectors {
  readonly vectors: readonly (readonly number[])[];
  readonly mean?: readonly number[] | undefined;
}

/**
 * Reduces rows of d features in [-1, 1], scaled as they were for the statistics, to one coordinate per component:
 * w · (x − mean), or w · x where the task did not declare the mean, which shifts all rows alike.
 * @throws RangeError when a row does not have d cells
 */
export function project({ vectors, mean }: Vectors, rows: Rows): number[][] {
  const offsets = mean === undefined ? vectors.map(() => 0) : vectors.map((w) => dot(w, mean));
  return rows.map((row) => vectors.map((w, c) => dot(w, row) - offsets[c]!));
}

/**
 * The rows (scaled features) that project to the given coordinates: of all of them, the ones closest to the mean (to the
 * origin without one). For PCA this is z Wᵀ + mean; vectors of the other methods are not orthogonal, so in
 * general it takes the pseudo-inverse.
 * @throws RangeError when there is not one coordinate per component
 * @example
 * import { project, reconstruct } from '@eigenveil/projection';
 *
 * const projection = { vectors: [[1, 0]], mean: [0, 0.5] };
 * const coordinates = project(projection, [[0.25, 0.75]]);
 * reconstruct(projection, coordinates); // → [[0.25, 0.5]]
 */
export function reconstruct({ vectors, mean }: Vectors, coordinates: Rows): number[][] {
  const inverse = inverseOf(vectors);
  return coordinates.map((z) => inverse.map((row, i) => dot(row, z) + (mean?.[i] ?? 0)));
}

/** Eigenvalues of W Wᵀ that are as good as 0, as a part of the largest: far above rounding, and below those of vectors that differ. */
const NO_DIRECTION = 1e-13;

/**
 * The pseudo-inverse of the map W from rows to coordinates (d × k): Wᵀ (W Wᵀ)⁺ by the eigenpairs of W Wᵀ, and then X ← X (2I − W X), which squares its error (Ben-Israel
 * and Cohen, "On Iterative Computation of Generalized Inverses and Associated Projections", 1966). Pages that have the eigenpairs anyway need no singular values for it.
 */
export function inverseOf(vectors: Vectors['vectors']): number[][] {
  const { values, vectors: directions } = symmetricEigen(vectors.map((v) => vectors.map((w) => dot(v, w))));
  const kept = directions.filter((_, c) => values[c]! > NO_DIRECTION * values[0]!);
  const images = kept.map((u) => combination(u, vectors));
  const first = vectors[0]!.map((_, i) =>
    vectors.map((__, j) => kept.reduce((sum, u, c) => sum + (images[c]![i]! * u[j]!) / values[c]!, 0)),
  );
  const product = vectors.map((v) =>
    vectors.map((_, j) => v.reduce((sum, entry, i) => sum + entry * first[i]![j]!, 0)),
  );
  return first.map((row) =>
    row.map((entry, j) => 2 * entry - row.reduce((sum, x, l) => sum + x * product[l]![j]!, 0)),
  );
}

/** Σ u_j v_j */
function combination(u: readonly number[], vectors: Vectors['vectors']): number[] {
  return vectors[0]!.map((_, i) => u.reduce((sum, entry, j) => sum + entry * vectors[j]![i]!, 0));
}

function dot(a: readonly number[], b: ArrayLike<number>): number {
  if (b.length !== a.length) throw new RangeError(`row expected ${a.length} cells, got ${b.length}`);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
