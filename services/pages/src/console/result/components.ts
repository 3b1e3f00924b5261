/** The components of a result as rows of figures: eigenvalues, shares, and remarks. */
import type { Remark, ToldShare } from '@eigenveil/data-user/result';
import { explainedVariance } from '@eigenveil/projection/portable';
import type { Projection } from '@eigenveil/wire';

export interface ComponentRow {
  /** The number of the component, from 1. */
  readonly component: number;
  readonly eigenvalue: number;
  /**
   * Its share of the variance, and the share together with those before it; null where they are not known.
   */
  readonly share: ToldShare | null;
  readonly sum: ToldShare | null;
  /** True if the computation found it, false if not; null where nothing is in doubt. */
  readonly converged: boolean | null;
  /** The codes of remarks about it. */
  readonly remarks: readonly string[];
  /** True for an eigenvalue beyond the components, of a spectrum that was declared: it has no vector. */
  readonly beyond: boolean;
}

/** Returns the components, and then the rest of a PCA's spectrum where it was declared. */
export function componentRows(
  projection: Projection,
  remarks: readonly Remark[],
  verifiedOwners: number,
): ComponentRow[] {
  const { method, eigenvalues, converged, spectrum } = projection;
  const shares = explainedVariance(projection, verifiedOwners);
  const rows = eigenvalues.map(
    (eigenvalue, j): ComponentRow => ({
      component: j + 1,
      eigenvalue,
      share: shares?.each[j] ?? null,
      sum: shares?.together[j] ?? null,
      converged: converged?.[j] ?? null,
      remarks: remarks.filter(({ components }) => components.includes(j + 1)).map(({ code }) => code),
      beyond: false,
    }),
  );
  const others = method.kind === 'pca' ? (spectrum?.slice(eigenvalues.length) ?? []) : [];
  return [
    ...rows,
    ...others.map((eigenvalue, i) => ({
      component: eigenvalues.length + i + 1,
      eigenvalue,
      share: null,
      sum: null,
      converged: null,
      remarks: [],
      beyond: true,
    })),
  ];
}

/** Returns the reason for which there are no shares, or null where there are. */
export function whyNoShares(projection: Projection): string | null {
  const { method, trace, spectrum } = projection;
  if (method.kind === 'pca' && (trace !== undefined || spectrum !== undefined)) return null;
  return method.kind === 'pca'
    ? 'The task declared neither "trace" nor "spectrum" among its outputs, so nobody learns how large the whole variance is, of which an eigenvalue would be a share.'
    : 'Shares of the variance are of a PCA. An eigenvalue here is a ratio: how well its component distinguishes the classes.';
}
