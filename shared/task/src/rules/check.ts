/**
 * The one check of a task: what its schema cannot say. Statistics and decompositions are also computed for
 * callers that have no whole task, so the parts that these rest on can be checked alone. Each rule stands
 * here once.
 */
import { CodedError, checkAll, term, words } from '@eigenveil/platform';
import { invalid, rule, TASK_CODES } from '../codes.ts';
import { isExact } from '../floor/floor.ts';
import { checkBins, checkHistogram, checkNoHistogram, checkOfHistogram } from '../histogram.ts';
import { FRACTION_BITS, type TaskProposal } from '../schema.ts';
import { checkSketch, checkSketchRank, sketchColumnBound } from '../sketch.ts';
import { isStandardised, type Method, type StatisticsTask } from '../values/statistics-task.ts';
import { type Program, programOf, revealedByRotation } from './program.ts';
import { leastRank } from './rank.ts';

/** Terms in what is wrong with a task: surfaces have ways of their own to correct it. */
export type CheckTerm = 'regrain';

const REGRAIN: CheckTerm = 'regrain';

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
 * without consent. The two-party protocol checks what it computes. Faults that do not rest on each other are
 * told together.
 * @throws ERR_TASK_INVALID, ERR_KEY_TOO_SHORT, ERR_TOO_MANY_COMPONENTS, ERR_FULL_RANK, and as
 * `checkRevealedByRotation`
 * @example
 * import { checkTask, TaskProposal } from '@eigenveil/task';
 *
 * const proposal = TaskProposal.parse(JSON.parse(text)); // its form
 * checkTask(proposal); // what its form cannot say
 */
export function checkTask(task: TaskProposal): void {
  checkAll(
    () => checkMethod(task),
    () => checkNames(task),
    () => checkRidge(task),
    ...rulesOfServers(task),
    () => checkKey(task),
    () => checkConsent(task),
    () => checkGrains(task),
  );
}

/** Checks what the task computes: first what a program, or bins, rest on, then those. */
function checkMethod(task: TaskProposal): void {
  const isHistogram = task.method.kind === 'histogram';
  checkAll(
    () => checkDifferentialPrivacy(task),
    ...(isHistogram ? [checkHistogram] : [checkSketch, checkNoHistogram]).map((check) => () => check(task)),
    () => checkStatisticsTask(task),
  );
  if (isHistogram) checkBins(task);
  else checkDecomposition(task);
}

function checkNames({ outputs, closes = [] }: TaskProposal): void {
  checkAll(
    rule(new Set(outputs).size === outputs.length, 'outputs', 'distinct names', `${outputs}`),
    rule(new Set(closes).size === closes.length, 'closes', 'each once', `${closes}`),
  );
}

function rulesOfServers(task: TaskProposal) {
  const { serverLine, twoParty, minimumOwners, maximumOwners, maximumSamplesPerOwner } = task;
  const samples = maximumOwners * maximumSamplesPerOwner;
  return [
    rule(
      serverLine === undefined || twoParty === 'rotated',
      'serverLine',
      'none unless by rotated',
      `${serverLine}`,
    ),
    rule(
      minimumOwners <= maximumOwners,
      'minimumOwners',
      `at most maximumOwners ${maximumOwners}`,
      minimumOwners,
    ),
    rule(
      Number.isSafeInteger(samples),
      'maximumSamplesPerOwner',
      'fewer than 2^53 samples over all owners',
      samples,
    ),
  ];
}

function checkKey({ keyBits, allowInsecureKey }: TaskProposal): void {
  if (keyBits >= 2048 || allowInsecureKey) return;
  throw new CodedError(
    TASK_CODES.ERR_KEY_TOO_SHORT,
    `"keyBits" expected at least 2048 unless allowInsecureKey, got ${keyBits}`,
  );
}

function checkFullRank(task: TaskProposal): void {
  // An exact task needs the same consent whatever its outputs tell.
  if (task.allowFullRank || isExact(task) || !revealsScatter(task)) return;
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
    words`the spacing of its values or "cell": ${term(REGRAIN, '"eigenveil-user task draft --regrain FILE --data SAMPLE" finds it in a sample')}; or "exact" and "allowFullRank", for a result from which the whole scatter matrix may follow`,
    'none',
  );
}

/** Checks what a projection has beyond other tasks. */
function checkDecomposition(task: TaskProposal): void {
  const { method, basis, twoParty } = task;
  const program = programOf(task);
  checkAll(
    () => checkSketchRank(task),
    rule(
      method.kind !== 'ridge' || basis === undefined,
      'basis',
      'none for ridge: a component is nothing to predict',
      `${basis}`,
    ),
    () => checkProgram(program),
    () => {
      if (twoParty === 'rotated') checkRevealedByRotation(program);
    },
  );
  checkFullRank(task);
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
  const columns = [...features.map(({ name }) => name), ...labellings.map(({ column }) => column)];
  checkAll(
    () =>
      checkLabellings(
        method,
        labellings.map(({ classes }) => classes.length),
      ),
    ...labellings.map(({ column, classes }) =>
      rule(
        new Set(classes).size === classes.length,
        `labellings[${JSON.stringify(column)}].classes`,
        'distinct labels',
        'a label twice',
      ),
    ),
    () => checkFeatures(task),
    () => checkOfHistogram(task),
    () => checkSketchPrecision(task),
    rule(!columns.includes(''), 'features', 'names, and for labellings columns', 'an empty one'),
    rule(
      new Set(columns).size === columns.length,
      'features',
      'names that differ, also from the columns of labellings',
      'one twice',
    ),
    count('maximumOwners', task.maximumOwners),
    count('maximumSamplesPerOwner', task.maximumSamplesPerOwner),
  );
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
  checkAll(
    fractionBitsRule(fractionBits),
    count('features', features.length),
    // A finite width also rules out NaN and infinite ends.
    ...features
      .filter(({ min, max }) => !(min <= max && Number.isFinite(max - min)))
      .map(({ name, min, max }) =>
        rule(
          false,
          `features[${JSON.stringify(name)}]`,
          'finite min <= max, and a finite difference',
          `[${min}, ${max}]`,
        ),
      ),
  );
}

/**
 * Checks what a decomposition rests on.
 * @throws ERR_TOO_MANY_COMPONENTS for more components than features, and otherwise ERR_TASK_INVALID
 */
export function checkProgram(program: Program): void {
  const { method, featureCount, classCounts, components, fractionBits, outputs, minimumOwners, noisy } =
    program;
  const { kind } = method;
  checkAll(
    count('features', featureCount),
    () => (kind === 'ridge' ? checkRegression(program) : count('components', components)()),
    count('minimumOwners', minimumOwners),
    fractionBitsRule(fractionBits),
    () => checkLabellings(method, classCounts),
    rule(kind !== 'histogram', 'method', 'one that decomposes', kind),
    ...rulesOfRidges(method),
    rule(
      kind !== 'mdr' || !outputs.includes('trace'),
      'outputs',
      'no trace for mdr, which does not collect R',
      'trace',
    ),
    rule(
      LABELLINGS[kind] > 0 || !outputs.includes('classCounts'),
      'outputs',
      `no classCounts for ${kind}, which has no classes`,
      'classCounts',
    ),
    // The rule of ranks counts the diagonal of a correlation matrix alone as public.
    rule(
      isStandardised(method) || !outputs.includes('variances'),
      'outputs',
      'variances with the correlation scale of pca alone',
      'variances',
    ),
    rule(
      !(isStandardised(method) && noisy),
      'method.scale',
      'covariance with differential privacy: its public shift would be part of every variance',
      'correlation',
    ),
    () => {
      if (components > featureCount)
        throw new CodedError(
          TASK_CODES.ERR_TOO_MANY_COMPONENTS,
          `"components" expected at most ${featureCount}, the number of features, got ${components}`,
        );
    },
  );
}

function rulesOfRidges(method: Method) {
  if (method.kind === 'pca' || method.kind === 'histogram') return [];
  const { ridge } = method;
  const own = rule(ridge >= 0 && Number.isFinite(ridge), 'method.ridge', 'a finite number from 0', ridge);
  if (method.kind !== 'dca') return [own];
  const { signalRidge } = method;
  return [own, rule(Number.isFinite(signalRidge), 'method.signalRidge', 'a finite number', signalRidge)];
}

/** The last feature is predicted from the others. */
function checkRegression({ components, featureCount, outputs, noisy }: Program): void {
  checkAll(
    // With noise, nothing bounds the right side of the triangular system.
    rule(!noisy, 'differentialPrivacy', 'null for ridge, whose numbers noise would not fit', 'a setting'),
    rule(components === 0, 'components', '0 for ridge, whose weights are no vectors', components),
    rule(featureCount >= 2, 'features', 'two or more for ridge: the last is predicted', featureCount),
    rule(
      !outputs.includes('spectrum'),
      'outputs',
      'no spectrum for ridge, which decomposes nothing',
      'spectrum',
    ),
  );
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
  checkAll(
    rule(
      classCounts.length === expected,
      'labellings',
      `${expected} of them for ${kind}`,
      classCounts.length,
    ),
    rule(
      classCounts.every((classes) => Number.isSafeInteger(classes) && classes >= 2),
      'labellings',
      'at least two classes in each',
      `[${classCounts}]`,
    ),
  );
}

function fractionBitsRule(fractionBits: number) {
  const { least, most } = FRACTION_BITS;
  const isWithin = Number.isInteger(fractionBits) && fractionBits >= least && fractionBits <= most;
  return rule(isWithin, 'fractionBits', `an integer in [${least}, ${most}]`, fractionBits);
}

function count(title: string, value: number) {
  return rule(Number.isSafeInteger(value) && value >= 1, title, 'a positive integer', value);
}

function checkDifferentialPrivacy(task: TaskProposal): void {
  const { differentialPrivacy: setting, minimumOwners, rangesFrom } = task;
  if (setting === null) return;
  const { noise, honestOwners, dataIndependentRanges: consent } = setting;
  const ofOwners = noise === 'owners';
  checkAll(
    rule(
      (consent === 'rangesFrom') === (rangesFrom !== undefined),
      'differentialPrivacy.dataIndependentRanges',
      '"rangesFrom" where ranges follow from a result, and true elsewhere',
      `${consent}`,
    ),
    // Whoever looks at the result knows the noise of its own, so at least one owner's does not count.
    rule(
      ofOwners ? honestOwners !== null && honestOwners < minimumOwners : honestOwners === null,
      'differentialPrivacy.honestOwners',
      ofOwners
        ? `a number below minimumOwners ${minimumOwners}, as owners add noise`
        : 'null unless owners add noise',
      `${honestOwners}`,
    ),
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
