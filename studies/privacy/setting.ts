/** Settings of the comparison: ε, δ, the clipping norm, and the ways in which rows are dealt to sites. */
import { defaultClippingNorm } from '@eigenveil/privacy';
import { shuffled } from '@eigenveil/testbed/random';
import { PCA_METHODS, type PcaMethod, type PcaSetting } from './methods/index.ts';

export const EPSILONS = [0.1, 0.5, 1, 3, 10];
export const DP_DELTA = 1e-5;
/** The clipping norm of drafts, in units of rows on [−1, 1]^d divided by √d. It is the same for every d. */
export const DRAFTED_NORM = defaultClippingNorm(1);

/**
 * The setting of a method. C was chosen by how rows are centred, on iris, pima, australian and optdigits (clipping.ts): methods that centre them by their exact
 * mean do best when they divide every row by its length then, C = 0; others take what drafts of a task take.
 */
export const settingOf = ({ promise }: PcaMethod, components: number, epsilon: number): PcaSetting => ({
  components,
  epsilon,
  dpDelta: DP_DELTA,
  clippingNorm: promise.means === 'not protected' ? 0 : DRAFTED_NORM,
});

/** Numbers of sites that grow in size: site i has about i times the rows of the first. */
export const SITES = [5, 10, 50];
/** Sites of one size are best for methods that weigh sites alike, or whose noise follows from the smallest. */
export const EQUAL = '10-equal';
export const EQUAL_SITES = 10;
/** Methods whose result does not depend on how rows are spread hold all rows as they are. */
export const POOLED = 'pooled';
/** The way rows are spread. */
export type Dealing = number | typeof EQUAL | typeof POOLED;
/** The dealings that methods which depend on sites are measured with. */
export const DEALINGS: readonly Dealing[] = [...SITES, EQUAL];
export const dealingTitle = (dealing: Dealing): string => {
  if (dealing === POOLED) return POOLED;
  return dealing === EQUAL ? `${EQUAL_SITES} equal sites` : `${dealing} sites`;
};

/** No site has fewer rows: a covariance takes two. */
const FEWEST = 2;
/** The largest number of sites that this number of rows can be dealt to. */
export const mostSites = (rows: number): number => Math.floor(rows / FEWEST);

/**
 * Shuffled rows, of which site i gets about in proportion to i + 1, and at least two; or, of `equal` sites, as many as any other, give or take one.
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
  // The number of spare rows that the sites before site i get.
  const before = (i: number) =>
    sizes === 'equal' ? (spare * i) / sites : (spare * i * (i + 1)) / (sites * (sites + 1));
  // Where site i begins: sizes follow from rounding these, so that no row is lost.
  const start = (i: number) => FEWEST * i + Math.round(before(i));
  return Array.from({ length: sites }, (_, i) => mixed.slice(start(i), start(i + 1)));
}

const COMPONENTS = [1, 2, 4, 8];
export const componentsOf = (features: number): number[] => COMPONENTS.filter((k) => k < features);

/** Eigenveil with both servers' noise: one task; and two, the second around the mean that the first releases. */
export const RELEASED: readonly string[] = ['eigenveil', 'eigenveil-around'];
/** Eigenveil in all its ways; the last has the CSP's noise alone, which promises nothing against the CSP. */
export const SUBJECTS: readonly string[] = [...RELEASED, 'eigenveil-around-one'];
/** The stage itself, and what is there to take its noise apart: no methods that somebody published. */
export const REFERENCES: readonly string[] = [
  ...SUBJECTS,
  'eigenveil-one',
  'central-zcdp',
  'central-twice',
  'central-triangle',
];

/** Names of methods, ε and dealings in tables and charts. */
export const METHOD_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  PCA_METHODS.map(({ name, title }) => [name, title]),
);
export const EPSILON_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  EPSILONS.map((epsilon) => [epsilon, `ε = ${epsilon}`]),
);
export const DEALING_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  [POOLED, ...DEALINGS].map((dealing) => [dealing, dealingTitle(dealing as Dealing)]),
);
