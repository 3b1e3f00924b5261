/** What every method of the comparison is told: ε, δ, the clipping norm, and the ways in which rows are dealt to sites. */
import { defaultClippingNorm } from '@eigenveil/privacy';
import { PCA_METHODS, type PcaMethod, type PcaSetting } from './methods/index.ts';

export const EPSILONS = [0.1, 0.5, 1, 3, 10];
export const DP_DELTA = 1e-5;
/** The clipping norm of drafts, in units of rows on [−1, 1]^d divided by √d. It is the same for every d. */
export const DRAFTED_NORM = defaultClippingNorm(1);

/**
 * What a method is told. C was chosen by how rows are centred, on iris, pima, australian and optdigits (clipping.ts): methods that centre them by their exact
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
/** How rows are spread. */
export type Dealing = number | typeof EQUAL | typeof POOLED;
/** The dealings that methods which depend on sites are measured with. */
export const DEALINGS: readonly Dealing[] = [...SITES, EQUAL];
export const dealingTitle = (dealing: Dealing): string => {
  if (dealing === POOLED) return POOLED;
  return dealing === EQUAL ? `${EQUAL_SITES} equal sites` : `${dealing} sites`;
};

const COMPONENTS = [1, 2, 4, 8];
export function componentsOf(features: number): number[] {
  return COMPONENTS.filter((k) => k < features);
}

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

/** What methods, ε and dealings are called in tables and charts. */
export const METHOD_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  PCA_METHODS.map(({ name, title }) => [name, title]),
);
export const EPSILON_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  EPSILONS.map((epsilon) => [epsilon, `ε = ${epsilon}`]),
);
export const DEALING_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  [POOLED, ...DEALINGS].map((dealing) => [dealing, dealingTitle(dealing as Dealing)]),
);
