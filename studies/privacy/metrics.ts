/** The quality of components: captured energy over that of the best ones, and how far their subspace is from that of the best ones. */

import { principalAngles, varianceCaptured } from '@eigenveil/projection';
import { eigenpairs, scatterOf } from './methods/matrix.ts';
import type { Row } from './methods/method.ts';

/** The scatter of all rows around their exact mean, and its components. */
interface Truth {
  readonly scatter: readonly Row[];
  readonly components: readonly Row[];
}

export function truthOf(rows: readonly Row[]): Truth {
  const scatter = scatterOf(rows);
  return { scatter, components: eigenpairs(scatter).map(({ vector }) => vector) };
}

/** In [0, 1]; 0 without components. */
export function energyRatio(components: readonly Row[] | undefined, k: number, truth: Truth): number {
  if (components === undefined) return 0;
  const captured = (vectors: readonly Row[]) => varianceCaptured(vectors, truth.scatter);
  return captured(components.slice(0, k)) / captured(truth.components.slice(0, k));
}

/** √(Σ sin² θ/k) over the principal angles θ between both subspaces, in [0, 1]; 1 without components. */
export function subspaceDistance(components: readonly Row[] | undefined, k: number, truth: Truth): number {
  if (components === undefined) return 1;
  const angles = principalAngles(components.slice(0, k), truth.components.slice(0, k));
  return Math.sqrt(angles.reduce((sum, angle) => sum + Math.sin(angle) ** 2, 0) / k);
}
