/** A biplot of two components: arrows of features, and how they fit among points. */

import type { Arrow } from '../../common/plane.tsx';

interface Decomposed {
  readonly method: { readonly kind: string };
  readonly features: readonly { readonly name: string }[];
  readonly vectors: readonly (readonly number[])[];
  readonly eigenvalues: readonly number[];
}

/**
 * The arrow of a feature is its entry in both vectors. Those of a PCA are times √λ, so that a feature's variance within the two components is the square
 * of its arrow's length (Gabriel, "The biplot graphic display of matrices", 1971). An eigenvalue below zero, which noise makes, counts as zero.
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

/** Those with the longest arrows, the longest first. */
export function longest(arrows: readonly Arrow[], count: number): Arrow[] {
  return [...arrows].sort((a, b) => Math.hypot(b.x, b.y) - Math.hypot(a.x, a.y)).slice(0, count);
}

/** Where the longest arrow ends, as a part of the way to the farthest point. */
const REACH = 0.8;

/**
 * By how much arrows are to be stretched so that both are seen: the longest one ends at four fifths of the farthest point's distance. 1 where one of both
 * has no length.
 */
export function stretchOf(arrows: readonly Arrow[], farthest: number): number {
  const most = arrows.reduce((so, { x, y }) => Math.max(so, Math.hypot(x, y)), 0);
  return most === 0 || farthest === 0 ? 1 : (REACH * farthest) / most;
}
