/** Rows dealt to data owners of different sizes, because owners differ. */
import { shuffled } from '@eigenveil/testbed/random';

/** No site has fewer rows: a covariance takes two. */
const FEWEST = 2;

/**
 * Shuffled rows, of which site i gets about in proportion to i + 1, and at least two.
 * @throws RangeError when there are not two rows for each site
 */
export function dealToSites<Row>(rows: readonly Row[], sites: number, next: () => number): Row[][] {
  const spare = rows.length - FEWEST * sites;
  if (spare < 0)
    throw new RangeError(`"sites" expected at most ${Math.floor(rows.length / FEWEST)}, got ${sites}`);
  const shares = (sites * (sites + 1)) / 2;
  const mixed = shuffled(rows, next);
  // Where site i begins: sizes follow from rounding these, so that no row is lost.
  const start = (i: number) => FEWEST * i + Math.round((spare * i * (i + 1)) / 2 / shares);
  return Array.from({ length: sites }, (_, i) => mixed.slice(start(i), start(i + 1)));
}
