/** Rows dealt to data owners: of different sizes, because owners differ, or all of one, which suits methods that weigh sites alike. */
import { shuffled } from '@eigenveil/testbed/random';

/** No site has fewer rows: a covariance takes two. */
const FEWEST = 2;
/** The largest number of sites that so many rows can be dealt to. */
export const mostSites = (rows: number): number => Math.floor(rows / FEWEST);

/**
 * Shuffled rows, of which site i gets about in proportion to i + 1, and at least two; or, of `equal` sites, as many as any other, but for one.
 * @throws RangeError when there are not two rows for each site
 */
export function dealToSites<Row>(
  rows: readonly Row[],
  sites: number,
  next: () => number,
  sizes: 'growing' | 'equal' = 'growing',
): Row[][] {
  const spare = rows.length - FEWEST * sites;
  if (spare < 0) throw new RangeError(`"sites" expected at most ${mostSites(rows.length)}, got ${sites}`);
  const mixed = shuffled(rows, next);
  // How many of the spare rows the sites before site i get.
  const before = (i: number) =>
    sizes === 'equal' ? (spare * i) / sites : (spare * i * (i + 1)) / (sites * (sites + 1));
  // Where site i begins: sizes follow from rounding these, so that no row is lost.
  const start = (i: number) => FEWEST * i + Math.round(before(i));
  return Array.from({ length: sites }, (_, i) => mixed.slice(start(i), start(i + 1)));
}
