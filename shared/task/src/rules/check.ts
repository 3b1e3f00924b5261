/**
 * The one check of a task: what its schema cannot say. Statistics and decompositions are also computed for
 * callers that have no whole task, so the parts that these rest on can be checked alone. Each rule stands
 * here once.
 */
import { CodedError, checkAll } from '@eigenveil/platform';
import { TASK_CODES } from '../codes.ts';
import { isExact } from '../floor/floor.ts';
import { checkHistogram, checkNoHistogram, checkOfHistogram } from '../histogram.ts';
import { FRACTION_BITS, type TaskProposal } from '../schema.ts';
import { checkSketch, sketchColumnBound } from '../sketch.ts';
import { isStandardised, type Method, type StatisticsTask } from '../values/statistics-task.ts';
import { type Program, programOf, revealedByRotation } from './program.ts';
import { leastRank } from './rank.ts';

/** The number of labellings of a method. MDR has one of utility and one of privacy. */
export const LABELLINGS = {
  pca: 0,
  dca: 1,
  lda: 1,
  mdr: 2,
  ridge: 0,
  histogram: 0,
} as const satisfies Record<Method['kind'], number>;

/**
 * Checks that the parameters of a task fit together and that no declared output reveals the scatter matrix
 * without consent. What its two-party protocol computes is checked by that.
 * @throws ERR_TASK_INVALID, ERR_KEY_TOO_SHORT, ERR_TOO_MANY_COMPONENTS, ERR_FULL_RANK, and as
 * `checkRevealedByRotation`
 * @example
 * import { checkTask, TaskProposal } from '@eigenveil/task';
 *
 * const proposal = TaskProposal.parse(JSON.parse(text)); // its form
 * checkTask(proposal); // what its form cannot say
 */
export function checkTask(task: TaskProposal): void {
  const isHistogram = task.method.kind === 'histogram';
  checkDifferentialPrivacy(task); // first: a program rests on what noise there is
  if (isHistogram) {
    checkHistogram(task);
    checkStatisticsTask(task);
  } else checkDecomposition(task);
  checkAll(
    ...[checkNames, checkRidge, checkServerLine, checkOwners, checkSamples, checkKey].map(
      (check) => () => check(task),
    ),
    // A task that is exact and does not consent is not asked whether its outputs tell the matrix.
    () => {
      checkConsent(task);
      checkFullRank(task);
    },
    () => checkGrains(task),
  );
}

function checkNames({ outputs, closes = [] }: TaskProposal): void {
  if (new Set(outputs).size !== outputs.length) throw invalid('outputs', 'distinct names', `${outputs}`);
  if (new Set(closes).size !== closes.length) throw invalid('closes', 'each once', `${closes}`);
}

function checkServerLine({ serverLine, twoParty }: TaskProposal): void {
  if (serverLine !== undefined && twoParty !== 'rotated')
    throw invalid('serverLine', 'none unless by rotated', serverLine);
}

function checkOwners({ minimumOwners, maximumOwners }: TaskProposal): void {
  if (minimumOwners > maximumOwners)
    throw invalid('minimumOwners', `at most maximumOwners ${maximumOwners}`, minimumOwners);
}

function checkSamples({ maximumOwners, maximumSamplesPerOwner }: TaskProposal): void {
  const samples = maximumOwners * maximumSamplesPerOwner;
  if (!Number.isSafeInteger(samples))
    throw invalid('maximumSamplesPerOwner', 'fewer than 2^53 samples over all owners', samples);
}

function checkKey({ keyBits, allowInsecureKey }: TaskProposal): void {
  if (keyBits >= 2048 || allowInsecureKey) return;
  throw new CodedError(
    TASK_CODES.ERR_KEY_TOO_SHORT,
    `"keyBits" expected at least 2048 unless allowInsecureKey, got ${keyBits}`,
  );
}

function checkFullRank(task: TaskProposal): void {
  if (task.method.kind === 'histogram' || task.allowFullRank || !revealsScatter(task)) return;
  const most = mostComponents(task);
  throw new CodedError(
    TASK_CODES.ERR_FULL_RANK,
    most > 0
      ? `"components" expected at most ${most}, got ${task.components}: these outputs determine the whole scatter matrix; "allowFullRank" consents to that`
      : '"outputs" expected fewer, or more features: with any number of components these outputs determine the whole scatter matrix; "allowFullRank" consents to that',
  );
}

/** Whole numbers may give the whole scatter matrix away where there is no floor. */
function checkConsent({ method, exact, allowFullRank }: TaskProposal): void {
  if (exact && method.kind === 'histogram')
    throw invalid('exact', 'false for histogram, which has no floor', 'true');
  if (isExact({ method, exact }) && !allowFullRank)
    throw invalid(
      'allowFullRank',
      'true where "exact" is: the whole scatter matrix may follow from a result without a floor',
      'false',
    );
}

/** A floor is as large as the values are coarse, so each feature says how coarse its values are. */
function checkGrains({ method, exact, features }: TaskProposal): void {
  if (isExact({ method, exact }) || method.kind === 'histogram') return;
  const silent = features.find(({ min, max, grain }) => min < max && grain === undefined);
  if (silent === undefined) return;
  throw invalid(
    `features[${JSON.stringify(silent.name)}].grain`,
    'the spacing of its values or "cell": "eigenveil-user task draft --regrain FILE --data SAMPLE" finds it in a sample; or "exact" and "allowFullRank", for a result from which the whole scatter matrix may follow',
    'none',
  );
}

/** Checks what a projection has beyond other tasks. */
function checkDecomposition(task: TaskProposal): void {
  checkSketch(task); // first: nothing below is made for as many features without one
  checkNoHistogram(task);
  checkStatisticsTask(task);
  if (task.method.kind === 'ridge' && task.basis !== undefined)
    throw invalid('basis', 'none for ridge: a component is nothing to predict', task.basis);
  const program = programOf(task);
  checkProgram(program);
  if (task.twoParty === 'rotated') checkRevealedByRotation(program);
}

/** A noise matrix that is singular whatever the data would only be found when all owners have contributed. */
function checkRidge({ method, features, differentialPrivacy }: TaskProposal): void {
  if (method.kind === 'pca' || method.kind === 'histogram' || method.ridge !== 0) return;
  if (method.kind === 'mdr')
    throw invalid('method.ridge', 'more than 0 for mdr: S_B of the privacy labels alone is singular', 0);
  const predictors = method.kind === 'ridge' ? features.slice(0, -1) : features;
  const constant = predictors.find(({ min, max }) => min === max);
  // The public shift of differential privacy is a ridge, too.
  if (constant === undefined || differentialPrivacy !== null) return;
  throw invalid(
    'method.ridge',
    `more than 0, such as 1, or no constant feature: ${JSON.stringify(constant.name)} has one value alone, so that the noise matrix is singular`,
    0,
  );
}

/** The most components with which the task does not reveal the scatter matrix; 0 where there are none. */
function mostComponents(task: TaskProposal): number {
  let most = task.components - 1;
  while (most > 0 && revealsScatter({ ...task, components: most })) most -= 1;
  return most;
}

/**
 * Checks what statistics and their slots rest on.
 * @throws ERR_TASK_INVALID
 */
export function checkStatisticsTask(task: StatisticsTask): void {
  const { method, features, labellings } = task;
  checkLabellings(
    method,
    labellings.map(({ classes }) => classes.length),
  );
  for (const { column, classes } of labellings) {
    if (new Set(classes).size !== classes.length)
      throw invalid(`labellings[${JSON.stringify(column)}].classes`, 'distinct labels', 'a label twice');
  }
  checkFeatures(task);
  checkOfHistogram(task);
  checkSketchPrecision(task);
  const columns = [...features.map(({ name }) => name), ...labellings.map(({ column }) => column)];
  if (columns.includes('')) throw invalid('features', 'names, and for labellings columns', 'an empty one');
  if (new Set(columns).size !== columns.length)
    throw invalid('features', 'names that differ, also from the columns of labellings', 'one twice');
  checkCount('maximumOwners', task.maximumOwners);
  checkCount('maximumSamplesPerOwner', task.maximumSamplesPerOwner);
}

/**
 * Owners sum products of a cell and a sum of d cells exactly in doubles: 4 of at most 2^50 before they carry.
 */
const SKETCH_PRODUCT_BITS = 50;

function checkSketchPrecision(task: StatisticsTask): void {
  const { sketch, features, fractionBits } = task;
  if (sketch === undefined) return;
  const most = Math.floor((SKETCH_PRODUCT_BITS - Math.ceil(Math.log2(sketchColumnBound(task)))) / 2);
  if (fractionBits <= most) return;
  const refined = sketch.refine === undefined ? '' : ' that refines an earlier result';
  throw invalid(
    'fractionBits',
    `at most ${most} for a sketch of ${features.length} features${refined}`,
    fractionBits,
  );
}

/** @throws ERR_TASK_INVALID */
export function checkFeatures({
  features,
  fractionBits,
}: Pick<StatisticsTask, 'features' | 'fractionBits'>): void {
  checkFractionBits(fractionBits);
  checkCount('features', features.length);
  for (const { name, min, max } of features) {
    // A finite width also rules out NaN and infinite ends.
    if (!(min <= max) || !Number.isFinite(max - min))
      throw invalid(
        `features[${JSON.stringify(name)}]`,
        'finite min <= max, and a finite difference',
        `[${min}, ${max}]`,
      );
  }
}

/**
 * Checks what a decomposition rests on.
 * @throws ERR_TOO_MANY_COMPONENTS for more components than features, and otherwise ERR_TASK_INVALID
 */
export function checkProgram(program: Program): void {
  const { method, featureCount, classCounts, components, fractionBits, outputs, minimumOwners, noisy } =
    program;
  checkCount('features', featureCount);
  if (method.kind === 'ridge') checkRegression(program);
  else checkCount('components', components);
  checkCount('minimumOwners', minimumOwners);
  checkFractionBits(fractionBits);
  checkLabellings(method, classCounts);
  if (method.kind === 'histogram') throw invalid('method', 'one that decomposes', method.kind);
  if (method.kind !== 'pca' && !(method.ridge >= 0 && Number.isFinite(method.ridge)))
    throw invalid('method.ridge', 'a finite number from 0', method.ridge);
  if (method.kind === 'dca' && !Number.isFinite(method.signalRidge))
    throw invalid('method.signalRidge', 'a finite number', method.signalRidge);
  if (method.kind === 'mdr' && outputs.includes('trace'))
    throw invalid('outputs', 'no trace for mdr, which does not collect R', 'trace');
  if (LABELLINGS[method.kind] === 0 && outputs.includes('classCounts'))
    throw invalid('outputs', `no classCounts for ${method.kind}, which has no classes`, 'classCounts');
  // The rule of ranks counts the diagonal of a correlation matrix alone as public.
  if (!isStandardised(method) && outputs.includes('variances'))
    throw invalid('outputs', 'variances with the correlation scale of pca alone', 'variances');
  if (isStandardised(method) && noisy)
    throw invalid(
      'method.scale',
      'covariance with differential privacy: its public shift would be part of every variance',
      'correlation',
    );
  if (components > featureCount) {
    throw new CodedError(
      TASK_CODES.ERR_TOO_MANY_COMPONENTS,
      `"components" expected at most ${featureCount}, the number of features, got ${components}`,
    );
  }
}

/** The last feature is predicted from the others. */
function checkRegression({ components, featureCount, outputs, noisy }: Program): void {
  // With noise, nothing bounds the right side of the triangular system.
  if (noisy)
    throw invalid('differentialPrivacy', 'null for ridge, whose numbers noise would not fit', 'a setting');
  if (components !== 0) throw invalid('components', '0 for ridge, whose weights are no vectors', components);
  if (featureCount < 2)
    throw invalid('features', 'two or more for ridge: the last is predicted', featureCount);
  if (outputs.includes('spectrum'))
    throw invalid('outputs', 'no spectrum for ridge, which decomposes nothing', 'spectrum');
}

/**
 * Checks that a task by `rotated` declares what the data user learns by it in any case.
 * @throws ERR_PROGRAM_INVALID
 */
export function checkRevealedByRotation({
  method,
  outputs,
  sketch,
}: Pick<Program, 'method' | 'outputs' | 'sketch'>): void {
  const revealed = revealedByRotation(method, sketch);
  const missing = revealed.filter((output) => !outputs.includes(output));
  if (missing.length === 0) return;
  throw new CodedError(
    TASK_CODES.ERR_PROGRAM_INVALID,
    `"outputs" expected ${revealed.join(', ')} for ${method.kind} with the two-party protocol rotated, which reveals them: declare ${missing.join(' and ')}`,
  );
}

function checkLabellings({ kind }: Pick<Method, 'kind'>, classCounts: readonly number[]): void {
  const expected = LABELLINGS[kind];
  if (classCounts.length !== expected)
    throw invalid('labellings', `${expected} of them for ${kind}`, classCounts.length);
  if (!classCounts.every((count) => Number.isSafeInteger(count) && count >= 2))
    throw invalid('labellings', 'at least two classes in each', `[${classCounts}]`);
}

function checkFractionBits(fractionBits: number): void {
  const { least, most } = FRACTION_BITS;
  if (!Number.isInteger(fractionBits) || fractionBits < least || fractionBits > most)
    throw invalid('fractionBits', `an integer in [${least}, ${most}]`, fractionBits);
}

function checkCount(title: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) throw invalid(title, 'a positive integer', value);
}

function checkDifferentialPrivacy(task: TaskProposal): void {
  const { differentialPrivacy: setting, minimumOwners, rangesFrom } = task;
  if (setting === null) return;
  const { noise, honestOwners, dataIndependentRanges: consent } = setting;
  if ((consent === 'rangesFrom') !== (rangesFrom !== undefined))
    throw invalid(
      'differentialPrivacy.dataIndependentRanges',
      '"rangesFrom" where ranges follow from a result, and true elsewhere',
      `${consent}`,
    );
  const title = 'differentialPrivacy.honestOwners';
  if (noise !== 'owners' && honestOwners !== null)
    throw invalid(title, 'null unless owners add noise', honestOwners);
  // Whoever looks at the result knows the noise of its own, so at least one owner's does not count.
  if (noise === 'owners' && (honestOwners === null || honestOwners >= minimumOwners))
    throw invalid(
      title,
      `a number below minimumOwners ${minimumOwners}, as owners add noise`,
      `${honestOwners}`,
    );
}

/**
 * Returns whether the outputs determine S̄ whatever the data. Constant features are known to be zero, and n
 * rows have a rank of n − 1 at most. Features that depend on each other are unknown to a task, and are found
 * when the result is computed.
 */
function revealsScatter(task: TaskProposal): boolean {
  const varying = task.features.filter(({ min, max }) => min < max).length;
  if (task.method.kind === 'ridge') return regressionReveals(programOf(task), varying);
  if (task.method.kind !== 'pca') return task.components >= varying;
  const rank = Math.min(varying, task.maximumOwners * task.maximumSamplesPerOwner - 1);
  return leastRank(programOf(task)) > rank;
}

/**
 * Each weight is an equation for the entries of S̄, and so are the trace and the variance of a feature with
 * two values (rank.ts).
 */
function regressionReveals({ outputs, twoValued }: Program, varying: number): boolean {
  const told = (outputs.includes('trace') ? 1 : 0) + twoValued;
  return varying - 1 + told >= (varying * (varying + 1)) / 2;
}

function invalid(title: string, expected: string, got: string | number): CodedError {
  return new CodedError(TASK_CODES.ERR_TASK_INVALID, `"${title}" expected ${expected}, got ${got}`);
}
