/** A biplot of two components: arrows of features, and their length among points. */

import type { Arrow } from '../../common/plane.tsx';

interface Decomposed {
  readonly method: { readonly kind: string };
  readonly features: readonly { readonly name: string }[];
  readonly vectors: readonly (readonly number[])[];
  readonly eigenvalues: readonly number[];
}

/**
 * Returns the arrow of each feature, which is its entry in both vectors. For a PCA the entries are multiplied
 * by √λ, so that a feature's variance within the two components is the square of its arrow's length (Gabriel,
 * "The biplot graphic display of matrices", 1971). An eigenvalue below zero, which noise can cause, counts as
 * zero.
 * @param a the component along x, from 0
 * @param b along y
 */
export function arrowsOf(
  { method, features, vectors, eigenvalues }: Decomposed,
  a: number,
  b: number,
): Arrow[] {
  const length = (j: number) => (method.kind === 'pca' ? Math.sqrt(Math.max(0, eigenvalues[j]!)) : 1);
  return features.map(({ name }, i) => ({
    feature: name,
    x: vectors[a]![i]! * length(a),
    y: vectors[b]![i]! * length(b),
  }));
}

/** Returns the longest arrows, the longest first. */
export function longest(arrows: readonly Arrow[], count: number): Arrow[] {
  return [...arrows].sort((a, b) => Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y)).slice(0, count);
}

/** The end of the longest arrow, as a part of the way to the farthest point. */
const REACH = 0.8;

/**
 * Returns the factor that stretches arrows so that both arrows and points are seen: the longest arrow ends at
 * four fifths of the farthest point's distance. The factor is 1 if the arrows or the points have no length.
 */
export function stretchOf(arrows: readonly Arrow[], farthest: number): number {
  const most = arrows.reduce((so, { x, y }) => Math.max(so, Math.hypot(x, y)), 0);
  return most === 0 || farthest === 0 ? 1 : (REACH * farthest) / most;
}
