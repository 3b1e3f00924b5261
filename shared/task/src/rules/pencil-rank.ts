/**
 * Limits the components of a discriminant method that `rotated` may give without `allowFullRank`, by a rule
 * for public sizes alone.
 */
import type { Program } from './program.ts';

type Told = Pick<Program, 'method' | 'classCounts' | 'twoValued'>;

/**
 * The most components of a discriminant method by `rotated` with `varying` features that are not constant; 0
 * where not even one is safe.
 *
 * One dimension that is left follows from the spectrum, so that two are the least. And nothing ties the
 * matrix that a data user puts in place of the class means to what it has got of them, so that one that
 * deviates has as many numbers about T alone as the second matrix has singular values: one per column, at
 * most one per feature. Variances of two-valued features are such numbers, too (rank.ts). Vectors and
 * spectrum leave m(m − 1)/2 angles unknown where m dimensions of T are left, and m more for each dimension of
 * its null space, of which an MDR's has some. They must be more than these numbers: docs/rotated-pencils.md,
 * "What a data user that deviates can do".
 */
export function mostRotatedComponents({ method, classCounts, twoValued }: Told, varying: number): number {
  const contrasts = classCounts.map((count) => count - 1);
  const all = contrasts.reduce((sum, count) => sum + count, 0);
  const rank = method.kind === 'mdr' ? Math.min(varying, all) : varying;
  const columns = contrasts[0]! + (method.kind === 'dca' && method.signalRidge > 0 ? varying : 0);
  const equations = Math.min(varying, columns) + twoValued;
  let m = 1;
  while (m * (varying - rank) + (m * (m - 1)) / 2 <= equations) m += 1;
  return Math.max(0, Math.min(rank - m, varying - 2));
}
