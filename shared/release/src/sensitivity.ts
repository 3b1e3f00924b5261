/**
 * How much one row changes the coefficients of a strategy.
 *
 * Every row is in exactly one bin of each of d histograms, one per feature. A single histogram first, N > 1, m the height of the root:
 * one row more or less adds a column of A. Its entries are 0 and ±1; nonzero are the total's or the root's, and one for each further height:
 * m + 1 for `tree` and `privelet`, 1 for `flat`. So L1 = L2² = m + 1, or 1.
 *
 * A row in place of another adds column j less column i. Let k >= 1 be the height of the lowest common ancestor of the bins i and j.
 * - `flat`: +1 and −1: L1 = L2² = 2.
 * - `tree`: nodes above both take +1 and −1, which cancel. At the heights 0 … k − 1 the nodes of i and j differ: L1 = L2² = 2k, at most 2m.
 * - `privelet`: what lies above the ancestor is 0 again, both being in the same half. The ancestor has i and j in different halves: ±2. Below it each
 *   has k − 1 nodes of its own: L1 = 2 + 2(k − 1) = 2k and L2² = 4 + 2(k − 1) = 2k + 2, at most 2h and 2h + 2.
 *
 * All of these are reached. A row's bins of different features may be any, and histograms are apart: d of them have d times L1, and d times L2².
 */
import { checkCount, type Neighbours } from '@eigenveil/privacy/parts';
import type { Strategy } from './strategy.ts';

export interface Sensitivity {
  readonly l1: number;
  /** The square of the L2 sensitivity, an integer. */
  readonly l2Squared: number;
}

/**
 * The joint sensitivity of all coefficients of `features` histograms of this strategy.
 * @throws ERR_DP_PARAMETER unless there is at least one feature
 */
export function sensitivityOf(
  { kind, fanouts }: Strategy,
  features: number,
  neighbours: Neighbours,
): Sensitivity {
  checkCount('features', features, 1);
  const height = kind === 'flat' ? Math.min(1, fanouts.length) : fanouts.length;
  const one = (l1: number, l2Squared: number) => ({ l1: features * l1, l2Squared: features * l2Squared });
  if (neighbours === 'add-remove') {
    const nonzero = kind === 'flat' ? 1 : height + 1;
    return one(nonzero, nonzero);
  }
  // A single bin has every row, whichever it is.
  if (height === 0) return one(0, 0);
  return one(2 * height, kind === 'privelet' ? 2 * height + 2 : 2 * height);
}
