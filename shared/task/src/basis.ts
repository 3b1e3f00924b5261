/**
 * Chains: tasks whose features are the components of an earlier task's projection, their basis. PCA first and
 * a discriminant method on its components is called Fisherfaces (Belhumeur, Hespanha, Kriegman, "Eigenfaces
 * vs. Fisherfaces", 1997).
 *
 * What a task says of its features goes to everybody who sees it, the CSP among them, who sees no result. So
 * the ranges follow from the earlier task's parameters and not from its vectors, whose sums would tell of
 * them: a vector of length 1 and a row of n features in [−1, 1] have a product of at most √n, and of at most
 * 2√n where the mean is subtracted. No reduced row leaves that. It is the same for all components, so that
 * the chain scales space alike in all directions.
 *
 * A sketch with `refine` names an earlier result in the same way, of the same features: its vectors are the
 * first columns of Ω. Rows are not reduced by it.
 */
import { type Feature, LEAST_FRESH_COLUMNS, LIMITS, methodOf } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { TASK_CODES } from './codes.ts';
import { grainOf, isExact, takesFloor } from './floor/floor.ts';
import { cappedComponents } from './rules/program.ts';
import type { TaskProposal } from './schema.ts';

/** The members of a task that a chain asks for when another one stands on it. */
type EarlierTask = Pick<
  TaskProposal,
  | 'method'
  | 'sketch'
  | 'features'
  | 'labellings'
  | 'components'
  | 'fractionBits'
  | 'outputs'
  | 'minimumOwners'
  | 'allowFullRank'
  | 'differentialPrivacy'
  | 'releaseToOwners'
  | 'basis'
>;

type ChainedTask = Pick<
  TaskProposal,
  'method' | 'exact' | 'features' | 'differentialPrivacy' | 'basis' | 'sketch'
>;

/**
 * The digest of the earlier result that a task names, as its basis or to refine it; undefined where it names
 * none.
 */
export function namedResult({ basis, sketch }: Pick<TaskProposal, 'basis' | 'sketch'>): string | undefined {
  return refinedResult({ sketch }) ?? basis;
}

/** The digest of the earlier result whose vectors are the first columns of a sketch; undefined for other tasks. */
export function refinedResult({ sketch }: Pick<TaskProposal, 'sketch'>): string | undefined {
  return sketch?.refine;
}

/** The names of the coordinates of reduced rows: component_1, … */
export const componentName = (c: number): string => `component_${c + 1}`;

/**
 * The features of a task that stands on the projection of this one: its components, in order. A component
 * counts as one of two values if any feature may be, and has the largest grain of the features, scaled as
 * they are; none where a feature does not declare its own.
 * @throws ERR_TASK_INVALID for a correlation matrix, whose vectors are of any length
 */
export function basisFeatures(earlier: Omit<EarlierTask, 'basis' | 'releaseToOwners'>): Feature[] {
  if (methodOf(earlier).decomposes === 'correlation')
    throw invalid(
      'a covariance matrix: vectors of a correlation matrix have no length that bounds their components',
    );
  const varying = earlier.features.filter(({ min, max }) => min < max);
  const most = Math.max(1, (earlier.outputs.includes('mean') ? 2 : 1) * Math.ceil(Math.sqrt(varying.length)));
  const twoValued = varying.some((feature) => feature.twoValued !== false);
  const grain = grainOfComponents(varying, earlier.fractionBits);
  return Array.from({ length: componentsOf(earlier) }, (_, c) => ({
    name: componentName(c),
    min: -most,
    max: most,
    twoValued,
    ...(grain !== undefined && { grain }),
  }));
}

function componentsOf({
  features,
  labellings,
  ...task
}: Pick<EarlierTask, 'method' | 'sketch' | 'features' | 'labellings' | 'components'>): number {
  const classCounts = labellings.map(({ classes }) => classes.length);
  return cappedComponents({ ...task, featureCount: features.length, classCounts });
}

function grainOfComponents(features: readonly Feature[], fractionBits: number): Feature['grain'] {
  if (features.some(({ grain }) => grain === undefined)) return undefined;
  const largest = Math.max(0, ...features.map((feature) => grainOf(feature, fractionBits)));
  return largest > 2 ** -fractionBits ? largest : 'cell';
}

/**
 * Checks that a task may stand on these, the first of which stands on none, and the last of which is the one
 * that it names; of a sketch that refines a result, that this is the one of the one task here. Which
 * projections they gave, and whether those are the named ones, is not seen here.
 *
 * Exact tasks need no grains, so that one may stand on features that declare none. A task with a floor may
 * not, however many links are between: nothing would say how coarse its components are.
 * @throws ERR_TASK_INVALID
 */
export function checkBasis(task: ChainedTask, earlier: readonly EarlierTask[]): void {
  if (task.sketch?.refine !== undefined) {
    checkRefinement(task, task.sketch.columns, earlier);
    return;
  }
  const links = earlier.length + 1;
  if (links > LIMITS.links) throw invalid(`a chain of at most ${LIMITS.links} tasks, got ${links}`);
  const chain = [...earlier, task];
  for (const [i, link] of chain.entries()) {
    const before = earlier[i - 1];
    if ((link.basis === undefined) !== (before === undefined))
      throw invalid('every task of the chain, from the one that stands on none');
    if (before !== undefined) checkLink(link, before);
  }
  const hasFloor = !isExact(task) && takesFloor(task);
  if (hasFloor && !earlier.every(declaresGrains))
    throw invalid(
      'tasks with a "grain" for every feature, as a task with a floor stands on them; otherwise "exact" and "allowFullRank"',
    );
}

const declaresGrains = ({ features }: EarlierTask): boolean =>
  features.every(({ min, max, grain }) => min === max || grain !== undefined);

function checkLink(task: Pick<ChainedTask, 'features' | 'differentialPrivacy'>, before: EarlierTask): void {
  if (methodOf(before).result !== 'components') throw invalid(`a projection, got ${before.method.kind}`);
  const features = basisFeatures(before);
  const areThose =
    task.features.length === features.length &&
    task.features.every(({ name, min, max, twoValued, grain }, i) => {
      const expected = features[i]!;
      return (
        name === expected.name &&
        min === expected.min &&
        max === expected.max &&
        twoValued === expected.twoValued &&
        isAsCoarse(grain, expected.grain)
      );
    });
  if (!areThose)
    throw new CodedError(
      TASK_CODES.ERR_TASK_INVALID,
      `"features" expected the ${features.length} components of the basis: component_1 and so on, from ${features[0]!.min} to ${features[0]!.max}, twoValued ${features[0]!.twoValued}${features[0]!.grain === undefined ? '' : `, grain ${features[0]!.grain} or coarser`}`,
    );
  if (!before.releaseToOwners)
    throw invalid('a projection that is released to owners, who reduce their rows by it');
  // The choice of features would otherwise tell about rows, whatever noise comes on top.
  if (task.differentialPrivacy !== null && before.differentialPrivacy === null)
    throw invalid('a projection with differential privacy, as the task has');
}

/**
 * An exact task needs no grain, so that it may lack one. Nothing is known of components of features that lack
 * one: no task with a floor stands on these.
 */
function isAsCoarse(grain: Feature['grain'], least: Feature['grain']): boolean {
  if (grain === undefined || typeof least !== 'number') return true;
  return typeof grain === 'number' && grain >= least;
}

/** Owners and both servers make Ω of that task's vectors, so that all of them have to get these. */
function checkRefinement(
  { features }: Pick<TaskProposal, 'features'>,
  columns: number,
  earlier: readonly EarlierTask[],
): void {
  const [refined, ...more] = earlier;
  if (
    refined === undefined ||
    methodOf(refined).decomposes !== 'scatter' ||
    refined.basis !== undefined ||
    more.length > 0
  )
    throw notRefined('the result of one pca of the covariance that stands on no basis');
  const areSame =
    features.length === refined.features.length &&
    features.every(({ name, min, max }, i) => {
      const before = refined.features[i]!;
      return name === before.name && min === before.min && max === before.max;
    });
  if (!areSame)
    throw notRefined(
      'a result of the same features: their names and ranges as there, and in the order as there',
    );
  if (!refined.releaseToOwners)
    throw notRefined('a projection that is released to owners, who sum their rows by it');
  const warm = componentsOf(refined);
  const least = warm + LEAST_FRESH_COLUMNS;
  if (columns < least)
    throw new CodedError(
      TASK_CODES.ERR_TASK_INVALID,
      `"sketch.columns" expected at least ${least}, the ${warm} vectors that are refined and ${LEAST_FRESH_COLUMNS} columns of signs, got ${columns}: more columns, up to ${LIMITS.sketchColumns}, or a result of fewer components`,
    );
}

const notRefined = (expected: string) =>
  new CodedError(TASK_CODES.ERR_TASK_INVALID, `"sketch.refine" expected ${expected}`);

const invalid = (expected: string) =>
  new CodedError(TASK_CODES.ERR_TASK_INVALID, `"basis" expected ${expected}`);
