/** The parts that methods share: rules of those that decompose or fit, and their words. */
import { checkAll } from '@eigenveil/platform';
import { expecting, invalid, rule } from './codes.ts';
import { isForBins, varyingFeatures } from './features.ts';
import { LIMITS } from './limits.ts';
import type { Method, MethodWords, Proposed, Shape } from './method.ts';
import { leastRank } from './rank.ts';

/** The members of most methods with vectors, of one labelling or none, which collect R. */
export const COMPONENTS = {
  sums: ({ labellings }) => ({ R: true, columns: 0, counts: [], classes: classesOf(labellings) }),
  check: (task: Proposed) => checkFew(task),
  checkSums() {},
  checkProgram() {},
  checkLast() {},
  leastRank,
  mostRotatedComponents: () => 0,
  revealsScatter: ({ components, features }) => components >= varyingFeatures(features),
} as const satisfies Partial<Method>;

export const COMPONENT_WORDS = {
  matrix: '',
  size: ({ components }) => `${components} components`,
  result: 'vectors and eigenvalues',
  spectrum: 'scatter matrix',
  tells: (_, components) => [vectorsInWords(components)],
  tellsByRotation: [],
  tellsBeyond: [],
  tellsOfFeatures: [],
} as const satisfies Omit<MethodWords, 'title'>;

function vectorsInWords(components: number): string {
  return components === 1 ? '1 vector with its eigenvalue' : `${components} vectors with their eigenvalues`;
}

/** One class of all rows where there are no labellings. */
function classesOf(labellings: Shape['labellings']): number[] {
  return labellings.length === 0 ? [1] : labellings.map(({ classes }) => classes.length);
}

/**
 * Checks that a task has no more features than a whole scatter is computed for, and nothing that is of
 * histograms alone.
 * @throws ERR_TASK_INVALID
 */
export function checkFew(task: Proposed, most: number = LIMITS.features): void {
  checkAll(
    expecting(
      task.features.length <= most,
      `"features" expected at most ${most} without "sketch", got ${task.features.length}`,
    ),
    () => checkNoHistogram(task),
  );
}

/**
 * Checks that a task that is not of histograms has nothing of theirs.
 * @throws ERR_TASK_INVALID
 */
export function checkNoHistogram(task: Proposed): void {
  const { differentialPrivacy: setting, twoParty, features, method } = task;
  const holds =
    twoParty !== 'linear' &&
    !features.some(isForBins) &&
    (setting === null || (setting.delta > 0 && setting.clippingNorm !== null));
  if (holds) return;
  const expected = 'histogram for linear, logarithmic or shared features, delta 0 or clippingNorm null';
  throw invalid('method', expected, method.kind);
}

/**
 * A noise matrix that is singular whatever the rows are would only be found when all owners have contributed.
 * @throws ERR_TASK_INVALID
 */
export function checkRidgeOf(
  ridge: number,
  features: Shape['features'],
  { differentialPrivacy }: Pick<Proposed, 'differentialPrivacy'>,
): void {
  const constant = features.find(({ min, max }) => min === max);
  // The public shift of differential privacy is a ridge, too.
  if (ridge !== 0 || constant === undefined || differentialPrivacy !== null) return;
  throw invalid(
    'method.ridge',
    `more than 0, such as 1, or no constant feature: ${JSON.stringify(constant.name)} has one value alone, so that the noise matrix is singular`,
    0,
  );
}

/** @returns a check that the ridge ρ is a number that can be one */
export function ridgeRule(ridge: number): () => void {
  return rule(ridge >= 0 && Number.isFinite(ridge), 'method.ridge', 'a finite number from 0', ridge);
}
