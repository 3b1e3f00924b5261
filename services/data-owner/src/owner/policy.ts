/** The owner's own policy: what it agrees to, checked before any of its rows is read. */

import { LIMITS, methodOf, TwoPartyName } from '@eigenveil/methods';
import { CodedError, faulty, joined, type Words, words } from '@eigenveil/platform';
import type { Statistics } from '@eigenveil/statistics/owner';
import {
  DifferentialPrivacy,
  fullRankRule,
  isExact,
  namedResult,
  refinedResult,
  type Task,
  takesFloor,
} from '@eigenveil/task';
import { CODES } from '@eigenveil/wire';
import { z } from 'zod';
import { describeOutput } from './outputs.ts';
import { member, nameInTask, ownerTerm, rule, takes } from './terms.ts';

export const OwnerPolicy = z.strictObject({
  /** The smallest number of owners among whom the owner is willing to hide. */
  minimumOwners: z.int().min(2).default(2),
  /**
   * The shortest Paillier modulus, in bits. Contributions stay with the data user, so an owner that accepts a
   * shorter one must name it.
   */
  minimumKeyBits: z.int().min(1024).default(3072),
  /**
   * The two-party protocols that the owner trusts; `simulated` is NOT private and not among them by default.
   * `linear` consents to histograms and moments.
   */
  twoParty: z.array(TwoPartyName).default(['garbled']),
  /** The largest number of components; unlimited when absent. */
  maximumComponents: z.int().min(1).optional(),
  /**
   * Consent to tasks that stand on an earlier result: the largest number of tasks in a chain, this task
   * included. 1: none. The data user has chosen the result that rows are reduced by, and knows that result
   * already; every task of a chain is an answer of its own over these rows. A sketch that refines a result
   * counts as a chain of two, however often that result was refined: `answers` bounds how often.
   */
  maximumLinks: z.int().min(1).max(LIMITS.links).default(1),
  /**
   * True to let all eigenvalues be revealed: with `rotated` those of the total scatter and, for a
   * discriminant method, of the pencil. A sketch reveals nearly as many leading eigenvalues as it has
   * columns, so it requires this, too.
   */
  allowSpectrum: z.boolean().default(false),
  /**
   * Consent to what a correlation matrix reveals: its vectors tell the variances of features, by any
   * two-party protocol.
   */
  allowVariances: z.boolean().default(false),
  /**
   * Consent to tasks that reveal how many rows each class has. The owner takes part only with at least this
   * number of its own rows in every class that it has any rows of, so that no count that includes its rows is
   * smaller. It cannot know other owners' rows: where it alone has a class, the count is its own. Absent:
   * such tasks are refused.
   */
  minimumClassRows: z.int().min(1).optional(),
  /**
   * True to let a result be revealed from which the scatter matrix follows; also one without a floor, from
   * which it may follow where values are whole numbers.
   */
  allowFullRank: z.boolean().default(false),
  /** True to accept tasks without differential privacy. */
  allowWithoutDifferentialPrivacy: z.boolean().default(true),
  // Any of the following rules makes tasks without differential privacy unacceptable, too.
  /** The largest ε and δ. */
  maximumEpsilon: z.number().positive().optional(),
  maximumDelta: z.number().positive().max(1).optional(),
  /**
   * The relation between data sets whose results must be nearly the same; neither relation stands for the
   * other.
   */
  neighbours: DifferentialPrivacy.shape.neighbours.optional(),
  /**
   * The parties that must add the noise. Noise of the CSP alone protects against everybody except the CSP, so
   * it is accepted only where it is named; then noise of both servers is accepted, too, since it promises
   * more.
   */
  noise: DifferentialPrivacy.shape.noise.unwrap().optional(),
  /**
   * t: how many owners may look at the result together, tell what noise they added, or add none. Where owners
   * add the noise, the task must then have minimumOwners >= honestOwners + t. A task always has t = 1, for an
   * owner that looks at the result.
   */
  colludingOwners: z.int().min(0).optional(),
  /**
   * Consent to tasks that renew others: answers over nearly the same rows. The changes between two of them
   * follow from both results, as far as these tell anything: rows that came or went, and all rows of an owner
   * that came or went. Absent: such tasks are refused.
   */
  series: z
    .strictObject({
      /** The largest number of tasks in a series, the first one counted. */
      most: z.int().min(2).max(10_000),
      /** The shortest time between two contributions of this owner, by its clock. */
      shortestIntervalHours: z.number().min(0).max(100_000),
      /**
       * The largest sum of ε over a series. Where it is given, tasks without differential privacy are not
       * acceptable in a series.
       */
      totalEpsilon: z.number().positive().optional(),
    })
    .optional(),
  /**
   * The amount that all tasks together may spend on one data set. It is counted in the relation that
   * `neighbours` names; otherwise in `replace`, in which every guarantee has a price. Without totalEpsilon
   * the spending is counted, and only `answers` refuses tasks. With it, tasks without differential privacy
   * are not acceptable.
   */
  totalEpsilon: z.number().positive().optional(),
  totalDelta: z.number().positive().lt(1).default(1e-6),
  /**
   * The answers that may be given from one data set, since results of the same rows are compared with each
   * other. `rotated` is the number of answers by `rotated` without differential privacy; a guarantee counts
   * as one where neither totalEpsilon nor maximumEpsilon bounds its ε. `wholes` is the number of wholes that
   * all tasks together may take: a task takes one of its `releases` parts of a whole, an exact one takes a
   * whole (parts.ts). A whole belongs to rows: rows that are added to a data set do not renew it.
   */
  answers: z
    .strictObject({ rotated: z.int().min(0).default(1), wholes: z.int().min(0).default(1) })
    .prefault({}),
  /**
   * True to add noise to this owner's sums, before they are encrypted, where its values lie further apart
   * than a task says. If it is false, such a task takes more of the data set.
   */
  ownFloor: z.boolean().default(true),
  /**
   * The spacing of this owner's values, by the names of features and in their units, as a task's `grain` says
   * it. Spacings that are not given here are found in the rows.
   */
  grains: z.record(z.string(), z.union([z.number().positive(), z.literal('cell')])).default({}),
});
export type OwnerPolicy = z.infer<typeof OwnerPolicy>;

/** Lists what the data user learns by `rotated`, whatever is declared. */
function revealedByRotation(task: Task): string {
  const { revealedByRotation: outputs, words: told } = methodOf(task);
  const learned = [...outputs.map((output) => describeOutput(task, output)), ...told.tellsByRotation];
  return `, which reveals ${learned.join('; ')}`;
}

const linear = (task: Task) =>
  `, which releases ${methodOf(task).words.opened}, under the ε and δ of the task, which your budget counts`;

/**
 * A rule of the policy that a task breaks, and the line that the policy would need for the task to be
 * accepted; null: no line at all. Without a change no policy accepts it.
 */
export interface BrokenRule {
  readonly rule: Words;
  readonly change: { readonly [Name in keyof OwnerPolicy]?: OwnerPolicy[Name] | null };
}

type Expect = (holds: boolean, rule: Words, change: BrokenRule['change']) => void;

/**
 * An example of the smallest number of rows of a class, for a policy that must consent to numbers of rows by
 * class and does not say how small they may be.
 */
const EXAMPLE_CLASS_ROWS = 10;
/** A week: an example of the shortest interval of a series, for a policy that does not give one. */
export const EXAMPLE_INTERVAL_HOURS = 168;

/** @throws ERR_POLICY with every rule that the task breaks; as `brokenRules` */
export function checkPolicy(policy: OwnerPolicy, task: Task, links?: number): void {
  requireUnbroken(brokenRules(policy, task, links));
}

/** @throws ERR_POLICY with all of these rules, if there are any */
export function requireUnbroken(broken: readonly BrokenRule[]): void {
  if (broken.length > 0)
    throw faulty(
      CODES.ERR_POLICY,
      broken.map((it) => ({ path: [], words: it.rule })),
    );
}

/**
 * Returns every rule that the task breaks; with all their changes the policy accepts the task.
 * @param links the number of tasks in its chain, this one included; before it is known, the smallest number
 *   that is possible
 */
export function brokenRules(
  policy: OwnerPolicy,
  task: Task,
  links = namedResult(task) === undefined ? 1 : 2,
): BrokenRule[] {
  const broken: BrokenRule[] = [];
  const { decomposes, sums } = methodOf(task);
  const { columns } = sums(task);
  const expect: Expect = (holds, broke, change) => {
    if (!holds) broken.push({ rule: broke, change });
  };
  expect(
    task.minimumOwners >= policy.minimumOwners,
    words`${member('minimumOwners')} is ${task.minimumOwners}, but your policy asks for at least ${policy.minimumOwners}`,
    { minimumOwners: task.minimumOwners },
  );
  expect(
    task.keyBits >= policy.minimumKeyBits,
    words`${member('keyBits')} is ${task.keyBits}, but your policy asks for at least ${policy.minimumKeyBits}`,
    { minimumKeyBits: task.keyBits },
  );
  expect(
    policy.twoParty.includes(task.twoParty),
    task.twoParty === 'simulated'
      ? words`${member('twoParty')} is simulated, which is NOT private, and ${ownerTerm('allowSimulated', 'only --allow-simulated allows it')}`
      : words`${member('twoParty')}: your policy trusts ${policy.twoParty.join(', ') || 'none'}, and not ${task.twoParty}${task.twoParty === 'rotated' ? revealedByRotation(task) : task.twoParty === 'linear' ? linear(task) : ''}`,
    { twoParty: [...policy.twoParty, task.twoParty] },
  );
  expect(
    policy.maximumComponents === undefined || task.components <= policy.maximumComponents,
    words`${member('components')} is ${task.components}, but your policy allows at most ${policy.maximumComponents ?? 'any number'}`,
    { maximumComponents: task.components },
  );
  expect(
    links <= policy.maximumLinks,
    refinedResult(task) !== undefined
      ? words`${member('sketch.refine')} is not allowed: ${ownerTerm('refinedColumns', 'columns of Ω are an earlier result of who gets this one')}, ${takes('maximumLinks')}`
      : policy.maximumLinks === 1
        ? words`${member('basis')} is not allowed: what rows are reduced by was chosen by who gets the result, ${takes('maximumLinks')}`
        : words`${member('basis')} has ${links} tasks, but your policy allows at most ${policy.maximumLinks}`,
    { maximumLinks: links },
  );
  expect(
    policy.allowSpectrum || !task.outputs.includes('spectrum'),
    task.twoParty === 'rotated' && decomposes === 'pencil'
      ? words`${member('outputs')} includes the spectrum, which rotated reveals of the total scatter and of the pencil, and ${takes('allowSpectrum')}`
      : words`${member('outputs')} includes the spectrum, ${takes('allowSpectrum')}`,
    { allowSpectrum: true },
  );
  expect(
    policy.allowSpectrum || columns === 0,
    words`${member('sketch')} reveals about ${columns} eigenvalues, ${takes('allowSpectrum')}`,
    { allowSpectrum: true },
  );
  expect(
    policy.allowVariances || decomposes !== 'correlation',
    words`${member('method.scale')} is correlation: vectors of a correlation matrix tell the variances of features, ${takes('allowVariances')}`,
    { allowVariances: true },
  );
  expect(
    policy.minimumClassRows !== undefined || !task.outputs.includes('classCounts'),
    words`${member('outputs')} includes the numbers of rows by class${nameInTask('classCounts')}, for which ${rule('minimumClassRows')} has to say how many rows of a class this owner must have`,
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
 * Checks what the policy says about the rows themselves, before any of them is encrypted. The message names
 * no class and no number of rows.
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
    words`${rule('minimumClassRows')} asks for at least ${minimumClassRows} rows of every class that the rows are of, since the task reveals the numbers of rows by class: there are fewer of a class`,
  );
}

/**
 * Checks what the task alone tells about its place in a series. This owner's earlier contributions are
 * checked when it contributes: see series.ts.
 */
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
    words`${member('series')} is not allowed, since two results over nearly the same rows tell what has changed between them; the policy's ${rule('series')} consents to that`,
    { series: { most: Math.max(2, tasks), shortestIntervalHours } },
  );
  expect(
    tasks <= most,
    words`${member('series')} is at task ${tasks}, but your policy allows at most ${most}, the first one counted`,
    { series: { most: tasks, shortestIntervalHours, ...withTotal } },
  );
  expect(
    totalEpsilon === undefined || differentialPrivacy !== null,
    words`${member('differentialPrivacy')} is missing, but a series with ${rule('series.totalEpsilon')} needs it`,
    { series: { most: Math.max(most, tasks), shortestIntervalHours } },
  );
}

/**
 * Checks the parts that the tasks of a series take, since each takes a part of nearly the same rows. Where
 * noise for differential privacy takes the floor's place, the ledger alone counts.
 */
function checkPartsOfSeries(answers: OwnerPolicy['answers'], task: Task, expect: Expect): void {
  const { series, releases, differentialPrivacy } = task;
  if (series === undefined || differentialPrivacy !== null || !takesFloor(task)) return;
  const tasks = series.number + 1;
  const wholes = Math.ceil(tasks / (isExact(task) ? 1 : releases));
  expect(
    wholes <= answers.wholes,
    isExact(task)
      ? words`${member('exact')} takes a whole of the same rows in each of the ${tasks} tasks of a series, of which ${rule('answers')} allows ${answers.wholes}`
      : words`${member('releases')} is ${releases}, but has to be at least ${Math.ceil(tasks / Math.max(1, answers.wholes))} in a series of ${tasks} tasks, each of which takes one part of the same rows`,
    { answers: { ...answers, wholes } },
  );
}

type Guarantee = NonNullable<Task['differentialPrivacy']>;
const relation = (name: Guarantee['neighbours']): Words => ownerTerm('relation', name, name);
const drawer = (name: Guarantee['noise']): Words => ownerTerm('drawer', name, name);

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
      words`${member('differentialPrivacy')} is missing, but your policy asks for it`,
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
      words`${member(`differentialPrivacy.${name}`)} is ${guarantee[name]}, but your policy allows at most ${most ?? 'any number'}`,
      { [limit]: guarantee[name] },
    );
  }
  expect(
    neighbours === undefined || guarantee.neighbours === neighbours,
    words`${member('differentialPrivacy.neighbours')} is ${relation(guarantee.neighbours)}, but your policy asks for ${relation(neighbours ?? guarantee.neighbours)}`,
    { neighbours: guarantee.neighbours },
  );
  const drawers: Guarantee['noise'][] =
    noise === undefined ? ['servers', 'owners'] : noise === 'csp' ? ['servers', 'csp'] : [noise];
  expect(
    drawers.includes(guarantee.noise),
    words`${member('differentialPrivacy.noise')} is ${drawer(guarantee.noise)}, but your policy asks for ${joined(drawers.map(drawer), ' or ')}`,
    { noise: guarantee.noise },
  );
  // This is null unless owners add the noise; then the guarantee relies on no owner.
  const { honestOwners } = guarantee;
  if (honestOwners === null || colludingOwners === undefined) return;
  const fewest = honestOwners + colludingOwners;
  expect(
    minimumOwners >= fewest,
    words`${member('minimumOwners')} is ${minimumOwners}, but has to be at least ${fewest}: the ${honestOwners} owners who have to be honest, and ${colludingOwners} by ${rule('colludingOwners')}`,
    { colludingOwners: minimumOwners - honestOwners },
  );
}
