/**
 * The accounting of docs/privacy.md for the data sets of an owner, by the accountant of shared/privacy: the
 * ledger says what each data set has spent, and this file decides whether a task still fits.
 *
 * The first task of a data set alone decides by which composition the data set is accounted. It is zCDP,
 * which is tighter from the second task on, unless the first task fits the total only by its own (ε, δ). The
 * first task is chosen before anybody has seen a result. Choosing the better composition after each task
 * would let results choose, and that costs up to another δ.
 */
import { CodedError, words } from '@eigenveil/platform';
import {
  BudgetAccountant,
  costOfTask,
  type PrivacyBudget,
  replacing,
  type TaskCost,
} from '@eigenveil/privacy';
import { type Task, type TaskId, USUAL_DELTA } from '@eigenveil/task';
import { CODES, errorCodeOf } from '@eigenveil/wire';
import type { OwnFloorPlan } from '../owner/own-floor.ts';
import type { OwnerPolicy } from '../owner/policy.ts';
import { ownerTerm, rule } from '../owner/terms.ts';
import { type Elsewhere, isAdoption, type LedgerEntry, type LedgerEvent } from './ledger.ts';
import { isMore, leftOfWholes, type Part, partInWords, releasesFor, sumOfParts } from './parts.ts';
import { partOf } from './task-part.ts';

/** The rules of a policy that budgets depend on. */
export type BudgetPolicy = Pick<
  OwnerPolicy,
  'totalEpsilon' | 'totalDelta' | 'maximumEpsilon' | 'neighbours' | 'answers'
>;

type Relation = NonNullable<OwnerPolicy['neighbours']>;
type Guarantee = Extract<LedgerEvent, { kind: 'guarantee' }>;
type Answer = Extract<LedgerEvent, { kind: 'answer' }>;

const NONE: Elsewhere = { epsilon: 0, delta: 0, neighbours: 'replace', rotated: 0, part: '0' };
const EPSILON = ownerTerm('epsilon', 'epsilon');
const DELTA = ownerTerm('delta', 'delta');
const FURTHER = ownerTerm(
  'totalNeighbours',
  'a total for add-remove goes further, with "neighbours": "add-remove" in the policy',
);
/** The largest δ that an accountant takes. */
const MOST_DELTA = 1 - 2 ** -52;

/** The account of one data set: what has been spent, and of which total. */
export interface BudgetStatus {
  readonly dataset: string;
  /** The time at which the last task was charged or the budget was set; ISO 8601. */
  readonly changedAt: string;
  /** The number of tasks under differential privacy that the ledger has. */
  readonly tasks: number;
  /**
   * The sum of these tasks and of what was spent elsewhere, in this relation and by this composition. It is
   * null where a guarantee has no price in the relation.
   */
  readonly spent: { readonly epsilon: number; readonly delta: number } | null;
  readonly neighbours: Relation;
  readonly composition: 'basic' | 'zcdp';
  /** The policy's total, or null where it sets none. */
  readonly totalEpsilon: number | null;
  readonly totalDelta: number;
  /** The largest ε that one more task could have, with this δ; null where no total is set. */
  readonly left: { readonly epsilon: number; readonly delta: number } | null;
  /**
   * The answers by `rotated` without differential privacy, and the parts that all tasks together took, each
   * with the amount that the policy allows.
   */
  readonly answers: {
    readonly rotated: { readonly given: number; readonly of: number };
    readonly wholes: { readonly given: Part; readonly of: number; readonly left: Part };
  };
  /** True if no task is taken before `budget set`, since this ledger continues one that was lost. */
  readonly isUnknown: boolean;
}

/**
 * Returns the event that a task is charged as.
 * @param own how the owner's rows compare with what the task says about them, once they were read
 */
export function eventOf(task: Task, own?: OwnFloorPlan): (Guarantee | Answer) & { readonly part: Part } {
  const { id, twoParty, differentialPrivacy, series } = task;
  const by = twoParty === 'rotated' ? 'rotated' : 'others';
  const place = { taskId: id, by, group: series?.id ?? id, part: partOf(task, own) } as const;
  if (differentialPrivacy === null) return { kind: 'answer', ...place };
  const { epsilon, delta, neighbours, noise } = differentialPrivacy;
  return { kind: 'guarantee', ...place, epsilon, delta, neighbours, noise };
}

/**
 * Returns whether the ledger has charged the task to this data set already, for a part that is at least as
 * large. A task takes a larger part when its rows are coarser than those that were given first.
 */
export function isCharged(
  ledger: readonly LedgerEntry[],
  dataset: string,
  { taskId, part }: Guarantee | Answer,
): boolean {
  return ledger.some((entry) => isAbout(entry, dataset, taskId) && !isMore(part, entry.event.part));
}

const isAbout = ({ dataset, event }: LedgerEntry, own: string, taskId: TaskId): boolean =>
  dataset === own && event.kind !== 'set' && event.taskId === taskId;

/**
 * Checks that the charge of a task fits what the policy leaves of the data set. An earlier charge of the same
 * task is counted as a part of it.
 * @throws ERR_BUDGET_EXHAUSTED, which says what is left; ERR_BUDGET_RESTORED where nobody has said what was
 *   lost; ERR_POLICY for a guarantee that has no price in the policy's relation
 */
export function checkBudget(
  policy: BudgetPolicy,
  ledger: readonly LedgerEntry[],
  dataset: string,
  event: Guarantee | Answer,
): void {
  const others = ledger.filter((entry) => !isAbout(entry, dataset, event.taskId));
  const account = accountOf(policy, others, dataset);
  if (account.isUnknown)
    throw new CodedError(
      CODES.ERR_BUDGET_RESTORED,
      words`what the data set ${dataset} has spent is not known, since entries of the ledger were lost: ${ownerTerm('sayBudget', `say it with "eigenveil-owner budget set --dataset ${dataset}"`)}`,
    );
  const isFirst = others.length === ledger.length; // otherwise its answer and its guarantee are charged
  if (isFirst && event.by === 'rotated' && isAnswer(policy, event))
    checkAnswers(policy, account, dataset, event);
  checkWholes(policy, account, dataset, event);
  if (isFirst && event.kind === 'guarantee') checkSpending(policy, account, dataset, event);
}

/** Returns the account of each data set, in the order of their names. */
export function budgetStatus(policy: BudgetPolicy, ledger: readonly LedgerEntry[]): BudgetStatus[] {
  const names = [...new Set(ledger.map(({ dataset }) => dataset))].sort();
  return names.map((dataset) => {
    const account = accountOf(policy, ledger, dataset);
    const neighbours = relationOf(policy);
    const costs = pricesOf(account, neighbours);
    const composition = costs === null ? 'basic' : compositionOf(policy, costs);
    return {
      dataset,
      changedAt: ledger.findLast((entry) => entry.dataset === dataset)!.time,
      tasks: account.guarantees.length,
      spent: costs === null ? null : spentOn(policy, costs, composition),
      neighbours,
      composition,
      totalEpsilon: policy.totalEpsilon ?? null,
      totalDelta: policy.totalDelta,
      left: leftOf(policy, account),
      answers: {
        rotated: { given: given(account), of: policy.answers.rotated },
        wholes: {
          given: taken(account),
          of: policy.answers.wholes,
          left: leftOfWholes(policy.answers.wholes, taken(account)),
        },
      },
      isUnknown: account.isUnknown,
    };
  });
}

/** Returns what is left for a task, in the form that drafts of tasks have. */
function leftOf(policy: BudgetPolicy, account: Account): BudgetStatus['left'] {
  const { totalEpsilon } = policy;
  if (totalEpsilon === undefined) return null;
  const task = {
    epsilon: totalEpsilon,
    delta: USUAL_DELTA,
    neighbours: relationOf(policy),
    noise: 'servers',
  } as const;
  const isPriced = pricesOf(account, task.neighbours) !== null;
  return { epsilon: account.isUnknown || !isPriced ? 0 : leftFor(policy, account, task), delta: USUAL_DELTA };
}

interface Account {
  readonly elsewhere: Elsewhere;
  readonly guarantees: readonly Spending[];
  /** The tasks that count as answers by `rotated` without differential privacy. */
  readonly answers: readonly (Guarantee | Answer)[];
  /** The part of a whole that each task took of the rows. */
  readonly parts: readonly Part[];
  readonly isUnknown: boolean;
}

function accountOf(policy: BudgetPolicy, ledger: readonly LedgerEntry[], dataset: string): Account {
  const own = ledger.filter((entry) => entry.dataset === dataset);
  const events = own.map(({ event }) => event);
  // A task's later entry costs more than its first; it takes the place of the first.
  const byTask = new Map(events.flatMap((event) => (event.kind === 'set' ? [] : [[event.taskId, event]])));
  const tasks = [...byTask.values()];
  const adopted = ledger.findLastIndex(isAdoption);
  const said = ledger.findLastIndex((entry) => entry.dataset === dataset && entry.event.kind === 'set');
  return {
    elsewhere: events.findLast((event) => event.kind === 'set') ?? NONE,
    guarantees: tasks.filter((event) => event.kind === 'guarantee'),
    answers: tasks.filter((event) => event.by === 'rotated' && isAnswer(policy, event)),
    parts: tasks.map(({ part }) => part),
    isUnknown: said < adopted,
  };
}

/**
 * A guarantee counts as an answer unless its ε is bounded: where the policy does not bound ε, ε = 100 would
 * make room for any number of results to compare.
 */
function isAnswer({ totalEpsilon, maximumEpsilon }: BudgetPolicy, { kind }: Guarantee | Answer): boolean {
  return kind === 'answer' || (totalEpsilon ?? maximumEpsilon) === undefined;
}

function given({ elsewhere, answers }: Account): number {
  return elsewhere.rotated + new Set(answers.map(({ group }) => group)).size;
}

const taken = ({ elsewhere, parts }: Account): Part => sumOfParts([elsewhere.part, ...parts]);

function checkAnswers(
  { answers }: BudgetPolicy,
  account: Account,
  dataset: string,
  { kind, group }: Guarantee | Answer,
): void {
  if (account.answers.some((it) => it.group === group)) return;
  const count = given(account);
  if (count < answers.rotated) return;
  throw new CodedError(
    CODES.ERR_BUDGET_EXHAUSTED,
    words`the data set ${dataset} has given ${count} of ${answers.rotated} answers without differential privacy by rotated: none is left; the results of one more would be compared with them. ${rule('answers')} of the policy says how many may be; rows none of which was used are another ${ownerTerm('dataset', '--dataset')}${kind === 'answer' ? '' : words`; a guarantee counts by its ${EPSILON} where the policy bounds that, by ${rule('totalEpsilon')} or ${rule('maximumEpsilon')}`}`,
  );
}

/**
 * Checks that all tasks over the same rows, of any protocol and with any guarantee, together take no more
 * than the wholes of the policy.
 */
function checkWholes(
  { answers: { wholes } }: BudgetPolicy,
  account: Account,
  dataset: string,
  { part = '1' }: Guarantee | Answer,
): void {
  const left = leftOfWholes(wholes, taken(account));
  if (!isMore(part, left)) return;
  const releases = releasesFor(left);
  throw new CodedError(
    CODES.ERR_BUDGET_EXHAUSTED,
    words`the data set ${dataset} has given ${partInWords(taken(account))} of ${wholes === 1 ? 'the whole' : `the ${wholes} wholes`} that its rows may tell together, and the task takes ${partInWords(part)}: ${releases === undefined ? 'nothing is left' : words`${partInWords(left)} is left, ${ownerTerm('fittingReleases', `for a task that is not exact and has "releases" of at least ${releases}`, `${releases}`)}`}. Rows that are added do not renew a whole; rows none of which was used are another ${ownerTerm('dataset', '--dataset')}; ${rule('answers')} of the policy says how many wholes may be given`,
  );
}

/** The costs of an account's tasks, and what was spent elsewhere. */
interface Prices {
  readonly elsewhere: { readonly epsilon: number; readonly dpDelta: number };
  readonly costs: readonly TaskCost[];
}

const relationOf = ({ neighbours }: BudgetPolicy): Relation => neighbours ?? 'replace';

/** Returns the costs in this relation, or null where something has no price in it. */
function pricesOf({ elsewhere, guarantees }: Account, relation: Relation): Prices | null {
  const before = { epsilon: elsewhere.epsilon, dpDelta: elsewhere.delta };
  const isNothing = before.epsilon === 0 && before.dpDelta === 0;
  const hasPrice = ({ neighbours }: { readonly neighbours: Relation }) =>
    neighbours === relation || relation === 'replace';
  if (!(isNothing || hasPrice(elsewhere)) || !guarantees.every(hasPrice)) return null;
  return {
    elsewhere: isNothing || elsewhere.neighbours === relation ? before : replacing(before),
    costs: guarantees.map((it) => costOfTask(it, relation)),
  };
}

/** Returns what is left of the total for tasks of the ledger, or null where that is nothing. */
function budgetFor(
  { totalEpsilon = Infinity, totalDelta }: BudgetPolicy,
  { elsewhere }: Prices,
): Pick<PrivacyBudget, 'epsilon' | 'dpDelta'> | null {
  const [epsilon, dpDelta] = [totalEpsilon - elsewhere.epsilon, totalDelta - elsewhere.dpDelta];
  return epsilon > 0 && dpDelta > 0 ? { epsilon, dpDelta } : null;
}

function compositionOf(policy: BudgetPolicy, prices: Prices): 'basic' | 'zcdp' {
  const budget = budgetFor(policy, prices);
  const [first] = prices.costs;
  return budget !== null && first !== undefined && !fits({ composition: 'zcdp', ...budget }, [first])
    ? 'basic'
    : 'zcdp';
}

/** Returns whether all of these costs, in this order, are within the budget. */
function fits(budget: PrivacyBudget, costs: readonly TaskCost[]): boolean {
  const accountant = new BudgetAccountant(budget);
  try {
    for (const cost of costs) spend(accountant, budget.composition, cost);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_BUDGET_EXHAUSTED') return false;
    throw error;
  }
}

function spend(
  accountant: BudgetAccountant,
  composition: PrivacyBudget['composition'],
  cost: TaskCost,
): void {
  const { epsilon, dpDelta, rhoZcdp } = cost;
  accountant.spend(
    composition === 'zcdp' ? { rhoZcdp } : { epsilon, dpDelta: Math.min(dpDelta, MOST_DELTA) },
  );
}

function fitsAll(policy: BudgetPolicy, prices: Prices): boolean {
  const budget = budgetFor(policy, prices);
  return budget !== null && fits({ composition: compositionOf(policy, prices), ...budget }, prices.costs);
}

function spentOn(
  policy: BudgetPolicy,
  prices: Prices,
  composition: 'basic' | 'zcdp',
): { readonly epsilon: number; readonly delta: number } {
  const { elsewhere, costs } = prices;
  const dpDelta =
    composition === 'zcdp' ? (budgetFor(policy, prices)?.dpDelta ?? policy.totalDelta) : MOST_DELTA;
  const accountant = new BudgetAccountant({ composition, epsilon: Infinity, dpDelta });
  let isLost = false;
  for (const cost of costs) {
    try {
      spend(accountant, composition, cost);
    } catch (error) {
      if (errorCodeOf(error) !== 'ERR_BUDGET_EXHAUSTED') throw error;
      isLost = true;
    }
  }
  const spent = accountant.spent();
  return {
    epsilon: elsewhere.epsilon + spent.epsilon,
    delta: isLost ? 1 : Math.min(1, elsewhere.dpDelta + spent.dpDelta),
  };
}

function checkSpending(policy: BudgetPolicy, account: Account, dataset: string, event: Guarantee): void {
  const relation = relationOf(policy);
  const guarantees = [...account.guarantees, event];
  const prices = pricesOf({ ...account, guarantees }, relation);
  if (prices === null)
    throw new CodedError(
      CODES.ERR_POLICY,
      ownerTerm(
        'noPrice',
        `"differentialPrivacy.neighbours" expected add-remove for the data set ${dataset}, whose budget is counted in it: a guarantee of replace amounts to none of add-remove`,
        dataset,
      ),
    );
  const { totalEpsilon } = policy;
  if (totalEpsilon === undefined || fitsAll(policy, prices)) return;
  const left = leftFor(policy, { ...account, guarantees: account.guarantees }, event);
  throw new CodedError(
    CODES.ERR_BUDGET_EXHAUSTED,
    words`the data set ${dataset} has a total of ${EPSILON} ${totalEpsilon} with ${DELTA} ${policy.totalDelta} (${ownerTerm('neighbours', `neighbours ${relation}`, relation)}): ${left === 0 ? 'nothing is left' : words`with ${DELTA} ${event.delta} ${ownerTerm('neighbours', `of ${event.neighbours}`, event.neighbours)} ${EPSILON} ${left} is left`}, the task costs ${event.epsilon}${relation === event.neighbours ? '' : words`; ${FURTHER}`}`,
  );
}

type Spending = Pick<Guarantee, 'epsilon' | 'delta' | 'neighbours' | 'noise'>;

/**
 * Returns the largest ε, to three digits and at most the task's own, that a task with this δ and noise could
 * still have, or 0.
 */
function leftFor(policy: BudgetPolicy, account: Account, event: Spending): number {
  const relation = relationOf(policy);
  const would = (epsilon: number) =>
    fitsAll(
      policy,
      pricesOf({ ...account, guarantees: [...account.guarantees, { ...event, epsilon }] }, relation)!,
    );
  if (would(event.epsilon)) return event.epsilon;
  let [low, high] = [0, event.epsilon];
  for (let i = 0; i < 16; i++) {
    const middle = (low + high) / 2;
    if (would(middle)) low = middle;
    else high = middle;
  }
  if (low === 0) return 0;
  const unit = 10 ** (Math.floor(Math.log10(low)) - 2);
  return Number((Math.floor(low / unit) * unit).toPrecision(3));
}
