/**
 * The one check of a task: what its schema cannot say. Statistics and decompositions are also computed for
 * callers that have no whole task, so the parts that these rest on can be checked alone. Each rule stands
 * here once.
 */
import {
  expectation,
  expecting,
  FRACTION_BITS,
  invalid,
  methodOf,
  releaseNoiseOf,
  rule,
} from '@eigenveil/methods';
import { CodedError, checkAll, term, words } from '@eigenveil/platform';
import { TASK_CODES } from '../codes.ts';
import { floorOf, isExact, takesFloor } from '../floor/floor.ts';
import type { TaskProposal } from '../schema.ts';
import type { StatisticsTask } from '../values/statistics-task.ts';
import { type Program, programOf } from './program.ts';

/** Terms in what is wrong with a task: surfaces have ways of their own to correct it. */
export type CheckTerm = 'regrain';

const REGRAIN: CheckTerm = 'regrain';

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
    ...rulesOfServers(task),
    () => checkKey(task),
    () => checkConsent(task),
    () => checkGrains(task),
  );
}

/** Checks what the task computes: first what a program, or sums, rest on, then those. */
function checkMethod(task: TaskProposal): void {
  const method = methodOf(task);
  checkAll(
    () => checkDifferentialPrivacy(task),
    () => method.check(task),
    expecting(
      task.sketch === undefined || method.name === 'sketch',
      '"sketch" expected with the method pca of the covariance alone',
    ),
    () => checkStatisticsTask(task),
  );
  const program = programOf(task);
  checkAll(
    () => method.checkLast(task, program),
    () => (method.isLinear ? checkOpened(task) : checkProgram(program)),
    () => {
      if (task.twoParty === 'rotated') checkRevealedByRotation(program);
    },
  );
  checkFullRank(task, program);
}

/**
 * Checks the noise that is all that hides what a linear task opens. That on sums of rows must be as large as a
 * floor, since whole numbers behind less can be told exactly.
 */
function checkOpened(task: TaskProposal): void {
  if (!takesFloor(task)) releaseNoiseOf(task);
  else if (floorOf(task) !== undefined)
    throw invalid(
      'differentialPrivacy.epsilon',
      'smaller, or finer grains: noise of one server would be below the floor, so that sums of whole numbers could be told exactly',
      `${task.differentialPrivacy?.epsilon}`,
    );
}

function checkNames({ outputs, closes = [] }: TaskProposal): void {
  checkAll(
    rule(new Set(outputs).size === outputs.length, 'outputs', 'distinct names', `${outputs}`),
    rule(new Set(closes).size === closes.length, 'closes', 'each once', `${closes}`),
  );
}

function rulesOfServers(task: TaskProposal) {
  const { minimumOwners, maximumOwners, maximumSamplesPerOwner } = task;
  const samples = maximumOwners * maximumSamplesPerOwner;
  return [
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

function checkFullRank(task: TaskProposal, program: Program): void {
  // An exact task needs the same consent whatever its outputs tell.
  const { revealsScatter } = methodOf(task);
  if (task.allowFullRank || isExact(task) || !revealsScatter(task, program)) return;
  const reveals = (components: number) => revealsScatter({ ...task, components }, { ...program, components });
  let most = task.components - 1;
  while (most > 0 && reveals(most)) most -= 1;
  throw new CodedError(
    TASK_CODES.ERR_FULL_RANK,
    most > 0
      ? `"components" expected at most ${most}, got ${task.components}: these outputs determine the whole scatter matrix; "allowFullRank" consents to that`
      : '"outputs" expected fewer, or more features: with any number of components these outputs determine the whole scatter matrix; "allowFullRank" consents to that',
  );
}

/** Whole numbers may give the whole scatter matrix away where there is no floor. */
function checkConsent(task: TaskProposal): void {
  if (task.exact && methodOf(task).isLinear)
    throw invalid('exact', `false for ${task.method.kind}, which has no floor`, 'true');
  if (isExact(task) && !task.allowFullRank)
    throw invalid(
      'allowFullRank',
      'true where "exact" is: the whole scatter matrix may follow from a result without a floor',
      'false',
    );
}

const GRAIN = words`the spacing of its values or "cell": ${term(REGRAIN, '"eigenveil-user task draft regrain FILE --data SAMPLE" finds it in a sample')}; or "exact" and "allowFullRank", for a result from which the whole scatter matrix may follow`;

/** A floor is as large as the values are coarse, so each feature says how coarse its values are. */
function checkGrains(task: TaskProposal): void {
  if (isExact(task) || !takesFloor(task)) return;
  const faults = task.features.flatMap(({ name, min, max, grain }, i) =>
    min < max && grain === undefined
      ? [
          {
            path: ['features', i, 'grain'],
            words: expectation(`features[${JSON.stringify(name)}].grain`, GRAIN, 'none'),
          },
        ]
      : [],
  );
  const [first, ...others] = faults;
  if (first === undefined) return;
  const message =
    others.length === 0 ? first.words : words`${first.words}; and of ${others.length} other features`;
  throw new CodedError(TASK_CODES.ERR_TASK_INVALID, message, { faults });
}

/**
 * Checks what statistics and their slots rest on.
 * @throws ERR_TASK_INVALID
 */
export function checkStatisticsTask(task: StatisticsTask): void {
  const { features, labellings } = task;
  const columns = [...features.map(({ name }) => name), ...labellings.map(({ column }) => column)];
  checkAll(
    () =>
      checkLabellings(
        task,
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
    () => methodOf(task).checkSums(task),
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
  const { featureCount, classCounts, components, fractionBits, outputs, minimumOwners } = program;
  const method = methodOf(program);
  const { kind } = program.method;
  checkAll(
    count('features', featureCount),
    ...(method.result === 'components' ? [count('components', components)] : []),
    count('minimumOwners', minimumOwners),
    fractionBitsRule(fractionBits),
    () => checkLabellings(program, classCounts),
    () => method.checkProgram(program),
    rule(
      method.labellings > 0 || !outputs.includes('classCounts'),
      'outputs',
      `no classCounts for ${kind}, which has no classes`,
      'classCounts',
    ),
    // The rule of ranks counts the diagonal of a correlation matrix alone as public.
    rule(
      method.decomposes === 'correlation' || !outputs.includes('variances'),
      'outputs',
      'variances with the correlation scale of pca alone',
      'variances',
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

/**
 * Checks that a task by `rotated` declares what the data user learns by it in any case.
 * @throws ERR_PROGRAM_INVALID
 */
export function checkRevealedByRotation(program: Pick<Program, 'method' | 'outputs' | 'sketch'>): void {
  const { revealedByRotation: revealed } = methodOf(program);
  const missing = revealed.filter((output) => !program.outputs.includes(output));
  if (missing.length === 0) return;
  throw new CodedError(
    TASK_CODES.ERR_PROGRAM_INVALID,
    `"outputs" expected ${revealed.join(', ')} for ${program.method.kind} with the two-party protocol rotated, which reveals them: declare ${missing.join(' and ')}`,
  );
}

function checkLabellings(
  task: Pick<StatisticsTask, 'method' | 'sketch'>,
  classCounts: readonly number[],
): void {
  const { labellings: expected } = methodOf(task);
  checkAll(
    rule(
      classCounts.length === expected,
      'labellings',
      `${expected} of them for ${task.method.kind}`,
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
