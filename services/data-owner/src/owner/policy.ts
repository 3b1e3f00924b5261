/** The owner's own policy: what it agrees to, checked before one of its rows is read. */

import { CodedError, faulty, type Words, words } from '@eigenveil/platform';
import type { Statistics } from '@eigenveil/statistics/owner';
import {
  DifferentialPrivacy,
  fullRankRule,
  isExact,
  isStandardised,
  LIMITS,
  namedResult,
  type Task,
  TwoPartyName,
} from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';
import { z } from 'zod';
import { member, ownerTerm, rule } from './terms.ts';

export const OwnerPolicy = z.strictObject({
  /** The smallest number of owners among whom the owner is willing to hide. */
  minimumOwners: z.int().min(2).default(2),
  /** The shortest Paillier modulus, in bits: contributions lie at the data user, so that a short one must be named. */
  minimumKeyBits: z.int().min(1024).default(3072),
  /** The two-party protocols that the owner trusts; `simulated` is NOT private and not among them by default. `linear` consents to histograms. */
  twoParty: z.array(TwoPartyName).default(['garbled']),
  /** The largest number of components; unlimited when absent. */
  maximumComponents: z.int().min(1).optional(),
  /**
   * Consent to tasks that stand on an earlier result: the most tasks of a chain, this one counted. 1: none. The data user has chosen what rows are
   * reduced by, and knows what came out before; every task of a chain is an answer of its own over these rows. A sketch that refines a result is taken as a
   * chain of two, however often that was refined: `answers` bounds how often.
   */
  maximumLinks: z.int().min(1).max(LIMITS.links).default(1),
  /**
   * Whether all eigenvalues may be revealed: with `rotated` those of the total scatter and, for a discriminant method, of the pencil. A sketch reveals nearly as
   * many leading ones as it has columns, so it takes this, too.
   */
  allowSpectrum: z.boolean().default(false),
  /** Consent to what a correlation matrix reveals: its vectors tell the variances of features, by any two-party protocol. */
  allowVariances: z.boolean().default(false),
  /**
   * Consent to tasks that reveal how many rows each class has: the owner takes part with at least so many of its own rows in every class that
   * it has any of, so that no count that its rows are in is smaller. Other owners' rows it cannot know: where it alone has a class, the count
   * is its own. Absent: such tasks are refused.
   */
  minimumClassRows: z.int().min(1).optional(),
  /** Whether a result from which the scatter matrix follows may be revealed; also one without a floor, from which it may follow where values are whole numbers. */
  allowFullRank: z.boolean().default(false),
  /** Whether tasks without differential privacy are acceptable. */
  allowWithoutDifferentialPrivacy: z.boolean().default(true),
  // Where one of the following is given, tasks without differential privacy are not acceptable either.
  /** The largest ε and δ. */
  maximumEpsilon: z.number().positive().optional(),
  maximumDelta: z.number().positive().max(1).optional(),
  /** Whose results must be nearly the same; neither relation stands for the other. */
  neighbours: DifferentialPrivacy.shape.neighbours.optional(),
  /**
   * Who must add the noise. Noise of the CSP alone protects against everybody but the CSP, so it is taken only where it is named; then that of
   * both servers is, too, which promises more.
   */
  noise: DifferentialPrivacy.shape.noise.unwrap().optional(),
  /**
   * t: how many owners may look at the result together, tell what noise they added, or add none. Where owners add the noise, the task
   * must then have minimumOwners >= honestOwners + t. A task always has t = 1, for an owner that looks at the result.
   */
  colludingOwners: z.int().min(0).optional(),
  /**
   * Consent to tasks that renew others: answers over nearly the same rows. What has changed between two of them follows from both results, as far
   * as these tell anything: rows that came or went, all of an owner's if it came or went. Absent: such tasks are refused.
   */
  series: z
    .strictObject({
      /** Tasks of a series, the first one counted. */
      most: z.int().min(2).max(10_000),
      /** Between two contributions of this owner, by its clock. */
      shortestIntervalHours: z.number().min(0).max(100_000),
      /** The largest sum of ε over a series. Where it is given, tasks without differential privacy are not acceptable in a series. */
      totalEpsilon: z.number().positive().optional(),
    })
    .optional(),
  /**
   * What all tasks together may spend on one data set. It is counted in the relation that `neighbours` names, else in `replace`, which every guarantee has
   * a price in. Without totalEpsilon it is counted, and refused by `answers` alone. Tasks without differential privacy are not acceptable with it.
   */
  totalEpsilon: z.number().positive().optional(),
  totalDelta: z.number().positive().lt(1).default(1e-6),
  /**
   * What may be given of one data set, since results of the same rows are compared with each other. By `rotated` so many answers without differential privacy; a guarantee is
   * none where neither totalEpsilon nor maximumEpsilon bounds its ε. By all tasks together so many wholes: a task takes one of its `releases` parts, an exact one a whole
   * (parts.ts). A whole belongs to rows: rows that are added to a data set do not renew it.
   */
  answers: z
    .strictObject({ rotated: z.int().min(0).default(1), wholes: z.int().min(0).default(1) })
    .prefault({}),
  /**
   * Whether noise is added to this owner's sums, before they are encrypted, where its values lie further apart than a task says. Else such a task takes more of the data set.
   */
  ownFloor: z.boolean().default(true),
  /** How far apart this owner's values lie, by the names of features and in their units, as a task's `grain` says it; it is found in the rows where nothing is said here. */
  grains: z.record(z.string(), z.union([z.number().positive(), z.literal('cell')])).default({}),
});
export type OwnerPolicy = z.infer<typeof OwnerPolicy>;

const ROTATED =
  ', which reveals all eigenvalues and the number of rows; for dca, lda and mdr also the lengths of vectors and the numbers of rows by class; of a correlation matrix also all variances';

const LINEAR =
  ', which releases histograms: noisy counts of every feature by bins, under the ε and δ of the task, which your budget counts';

/** A rule of the policy that a task breaks, and how its line would have to read for the task to be taken; null: the line left out. */
export interface BrokenRule {
  readonly rule: Words;
  readonly change: { readonly [Name in keyof OwnerPolicy]?: OwnerPolicy[Name] | null };
}

type Expect = (holds: boolean, rule: Words, change: BrokenRule['change']) => void;

/** How many rows of a class a policy asks for that consents to numbers of rows by class and does not say how small ones: an example. */
const EXAMPLE_CLASS_ROWS = 10;
/** A week: how often a policy lets a series ask that does not say it. */
const EXAMPLE_INTERVAL_HOURS = 168;

/** @throws ERR_POLICY with every rule that the task breaks; as `brokenRules` */
export function checkPolicy(policy: OwnerPolicy, task: Task, links?: number): void {
  const broken = brokenRules(policy, task, links);
  if (broken.length > 0)
    throw faulty(
      CODES.ERR_POLICY,
      broken.map((it) => ({ path: [], words: it.rule })),
    );
}

/**
 * Every rule that the task breaks; with all their changes the policy takes the task.
 * @param links tasks of its chain, this one counted; as many as there must be, before they are known
 */
export function brokenRules(
  policy: OwnerPolicy,
  task: Task,
  links = namedResult(task) === undefined ? 1 : 2,
): BrokenRule[] {
  const broken: BrokenRule[] = [];
  const expect: Expect = (holds, broke, change) => {
    if (!holds) broken.push({ rule: broke, change });
  };
  expect(
    task.minimumOwners >= policy.minimumOwners,
    words`${member('minimumOwners')} expected at least ${policy.minimumOwners}, got ${task.minimumOwners}`,
    { minimumOwners: task.minimumOwners },
  );
  expect(
    task.keyBits >= policy.minimumKeyBits,
    words`${member('keyBits')} expected at least ${policy.minimumKeyBits}, got ${task.keyBits}`,
    { minimumKeyBits: task.keyBits },
  );
  expect(
    policy.twoParty.includes(task.twoParty),
    task.twoParty === 'simulated'
      ? words`${member('twoParty')} expected a private protocol: simulated is NOT, and ${ownerTerm('allowSimulated', 'only --allow-simulated allows it')}`
      : words`${member('twoParty')} expected one of [${policy.twoParty.join(', ')}], got ${task.twoParty}${task.twoParty === 'rotated' ? ROTATED : task.twoParty === 'linear' ? LINEAR : ''}`,
    { twoParty: [...policy.twoParty, task.twoParty] },
  );
  expect(
    policy.maximumComponents === undefined || task.components <= policy.maximumComponents,
    words`${member('components')} expected at most ${policy.maximumComponents ?? 'any number'}, got ${task.components}`,
    { maximumComponents: task.components },
  );
  expect(
    links <= policy.maximumLinks,
    task.sketch?.refine !== undefined
      ? words`${member('sketch.refine')} expected none: columns of Ω are an earlier result of who gets this one, which takes ${rule('maximumLinks')}`
      : policy.maximumLinks === 1
        ? words`${member('basis')} expected none: what rows are reduced by was chosen by who gets the result, which takes ${rule('maximumLinks')}`
        : words`${member('basis')} expected a chain of at most ${policy.maximumLinks} tasks, got ${links}`,
    { maximumLinks: links },
  );
  expect(
    policy.allowSpectrum || !task.outputs.includes('spectrum'),
    task.twoParty === 'rotated' && task.method.kind !== 'pca'
      ? words`${member('outputs')} expected no spectrum, which rotated reveals of the total scatter and of the pencil, unless ${rule('allowSpectrum')}`
      : words`${member('outputs')} expected no spectrum unless ${rule('allowSpectrum')}`,
    { allowSpectrum: true },
  );
  expect(
    policy.allowSpectrum || task.sketch === undefined,
    words`${member('sketch')} expected none, which reveals about ${task.sketch?.columns ?? 0} eigenvalues, unless ${rule('allowSpectrum')}`,
    { allowSpectrum: true },
  );
  expect(
    policy.allowVariances || !isStandardised(task.method),
    words`${member('method.scale')} expected covariance: vectors of a correlation matrix tell the variances of features, which takes ${rule('allowVariances')}`,
    { allowVariances: true },
  );
  expect(
    policy.minimumClassRows !== undefined || !task.outputs.includes('classCounts'),
    words`${member('outputs')} expected no classCounts, the numbers of rows by class, unless ${rule('minimumClassRows')} says how many rows of a class this owner must have`,
    { minimumClassRows: EXAMPLE_CLASS_ROWS },
  );
  const fullRank = fullRankRule(task);
  expect(policy.allowFullRank || fullRank === undefined, ownerTerm('fullRank', fullRank ?? ''), {
    allowFullRank: true,
  });
  checkGuarantee(policy, task, expect);
  checkPlaceInSeries(policy.series, task, expect);
  checkPartsOfSeries(policy.answers, task, expect);
  return broken;
}

/**
 * What the policy says of the rows themselves, before anything of them is encrypted. The message names no class and no number of rows.
 * @throws ERR_POLICY
 */
export function checkRows(
  { minimumClassRows }: OwnerPolicy,
  task: Task,
  { labellings }: Pick<Statistics, 'labellings'>,
): void {
  if (minimumClassRows === undefined || !task.outputs.includes('classCounts')) return;
  const counts = labellings.flat().map(({ M }) => M);
  if (counts.every((count) => count === 0n || count >= BigInt(minimumClassRows))) return;
  throw new CodedError(
    CODES.ERR_POLICY,
    words`${rule('minimumClassRows')} expected at least ${minimumClassRows} rows of every class that the rows are of, since the task reveals the numbers of rows by class: got fewer of a class`,
  );
}

/** What of a series the task alone tells. What this owner has contributed before is looked at when it contributes: series.ts. */
function checkPlaceInSeries(
  consent: OwnerPolicy['series'],
  { series, differentialPrivacy }: Task,
  expect: Expect,
): void {
  if (series === undefined) return;
  const tasks = series.number + 1;
  const { most = tasks, shortestIntervalHours = EXAMPLE_INTERVAL_HOURS, totalEpsilon } = consent ?? {};
  const withTotal = totalEpsilon === undefined ? {} : { totalEpsilon };
  expect(
    consent !== undefined,
    words`${member('series')} expected none, since two results over nearly the same rows tell what has changed between them; the policy's ${rule('series')} consents to that`,
    { series: { most: Math.max(2, tasks), shortestIntervalHours } },
  );
  expect(
    tasks <= most,
    words`${member('series')} expected at most ${most} tasks, the first one counted: this is task ${tasks}`,
    { series: { most: tasks, shortestIntervalHours, ...withTotal } },
  );
  expect(
    totalEpsilon === undefined || differentialPrivacy !== null,
    words`${member('differentialPrivacy')} expected a guarantee in a series with ${rule('totalEpsilon')}, got none`,
    { series: { most: Math.max(most, tasks), shortestIntervalHours } },
  );
}

/** Each task of a series takes a part of nearly the same rows. Where noise for differential privacy takes the floor's place, the ledger alone counts. */
function checkPartsOfSeries(answers: OwnerPolicy['answers'], task: Task, expect: Expect): void {
  const { series, releases, differentialPrivacy, method } = task;
  if (series === undefined || differentialPrivacy !== null || method.kind === 'histogram') return;
  const tasks = series.number + 1;
  const wholes = Math.ceil(tasks / (isExact(task) ? 1 : releases));
  expect(
    wholes <= answers.wholes,
    isExact(task)
      ? words`${member('exact')} expected false in a series: each of its ${tasks} tasks takes a whole of the same rows, of which ${rule('answers')} allows ${answers.wholes}`
      : words`${member('releases')} expected at least ${Math.ceil(tasks / Math.max(1, answers.wholes))} in a series of ${tasks} tasks, each of which takes one of so many parts of the same rows, got ${releases}`,
    { answers: { ...answers, wholes } },
  );
}

function checkGuarantee(
  { allowWithoutDifferentialPrivacy, maximumEpsilon, maximumDelta, totalEpsilon, ...policy }: OwnerPolicy,
  { differentialPrivacy: guarantee, minimumOwners }: Task,
  expect: Expect,
): void {
  const { neighbours, noise, colludingOwners } = policy;
  if (guarantee === null) {
    const asked = { maximumEpsilon, maximumDelta, totalEpsilon, neighbours, noise, colludingOwners };
    const given = Object.entries(asked).filter(([, asks]) => asks !== undefined);
    expect(
      allowWithoutDifferentialPrivacy && given.length === 0,
      words`${member('differentialPrivacy')} expected a guarantee, got none`,
      {
        ...(allowWithoutDifferentialPrivacy ? {} : { allowWithoutDifferentialPrivacy: true }),
        ...Object.fromEntries(given.map(([name]) => [name, null])),
      },
    );
    return;
  }
  for (const [name, limit, most] of [
    ['epsilon', 'maximumEpsilon', maximumEpsilon],
    ['delta', 'maximumDelta', maximumDelta],
  ] as const) {
    expect(
      most === undefined || guarantee[name] <= most,
      words`${member(`differentialPrivacy.${name}`)} expected at most ${most ?? 'any number'}, got ${guarantee[name]}`,
      { [limit]: guarantee[name] },
    );
  }
  expect(
    neighbours === undefined || guarantee.neighbours === neighbours,
    words`${member('differentialPrivacy.neighbours')} expected ${neighbours ?? 'any'}, got ${guarantee.neighbours}`,
    { neighbours: guarantee.neighbours },
  );
  const drawers =
    noise === undefined ? ['servers', 'owners'] : noise === 'csp' ? ['servers', 'csp'] : [noise];
  expect(
    drawers.includes(guarantee.noise),
    words`${member('differentialPrivacy.noise')} expected ${drawers.join(' or ')}, got ${guarantee.noise}`,
    { noise: guarantee.noise },
  );
  // Null unless owners add the noise; then no owner's word is relied on.
  const { honestOwners } = guarantee;
  if (honestOwners === null || colludingOwners === undefined) return;
  const fewest = honestOwners + colludingOwners;
  expect(
    minimumOwners >= fewest,
    words`${member('minimumOwners')} expected at least honestOwners + colludingOwners = ${fewest}, got ${minimumOwners}`,
    { colludingOwners: minimumOwners - honestOwners },
  );
}
