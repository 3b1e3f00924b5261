/**
 * Charges a task to the owner's ledger and has the CSP count it. An entry is durable before the CSP is asked,
 * and the CSP has counted it before anything is sent: a crash in between leaves a task that is charged, never
 * one that is not.
 */
import { CodedError, words } from '@eigenveil/platform';
import { newTaskId, type Task } from '@eigenveil/task';
import {
  CODES,
  COUNTER,
  type Counted,
  type CounterRequest,
  isTransient,
  NO_ENTRY,
  verifyStatement,
} from '@eigenveil/wire';
import type { Csp, OwnerConnection } from '../owner/connection.ts';
import type { OwnFloorPlan } from '../owner/own-floor.ts';
import type { OwnerState } from '../owner/state.ts';
import { ownerTerm } from '../owner/terms.ts';
import { type BudgetPolicy, budgetStatus, checkBudget, eventOf, isCharged } from './budget.ts';
import {
  checkedLedger,
  countedBy,
  type Elsewhere,
  type LedgerEntry,
  type LedgerEvent,
  nextEntry,
  placeOf,
} from './ledger.ts';
import { isMore, type Part } from './parts.ts';

/** The part of an owner's state that has its ledger. */
type LedgerState = Pick<OwnerState, 'ledger' | 'addToLedger'>;

/** Asks the CSP to count, and returns what it has counted then. */
type AskCounter = (request: CounterRequest) => Promise<Counted>;

/**
 * Checks whether a task would be charged, and writes nothing.
 * @throws as `checkBudget`, and ERR_BUDGET_RESTORED for a ledger of which only a part was put back
 */
export async function checkCharge(
  state: LedgerState,
  policy: BudgetPolicy,
  dataset: string,
  task: Task,
  own?: OwnFloorPlan,
): Promise<void> {
  const ledger = checkedLedger(await state.ledger());
  const event = eventOf(task, own);
  if (!isCharged(ledger, dataset, event)) checkBudget(policy, ledger, dataset, event);
}

/** The results and the part that a data set can give after a task. */
export interface LeftAfter {
  /** The number of tasks of the same parameters that fit the policy, at most `MOST_COUNTED`. */
  readonly left: number;
  /** The part that is left of the wholes of the policy, for tasks of any kind. */
  readonly ofWholes: Part;
}

/** The largest number of results that `leftAfter` counts. */
const MOST_COUNTED = 20;

/** Returns what a data set can give after a task that fits. */
export async function leftAfter(
  state: LedgerState,
  policy: BudgetPolicy,
  dataset: string,
  task: Task,
): Promise<LeftAfter> {
  const ledger = [...checkedLedger(await state.ledger())];
  const event = eventOf(task);
  if (!isCharged(ledger, dataset, event)) ledger.push(nextEntry(ledger, dataset, event));
  const status = budgetStatus(policy, ledger).find((it) => it.dataset === dataset)!;
  const ofWholes = status.answers.wholes.left;
  for (let left = 0; left < MOST_COUNTED; left++) {
    const taskId = newTaskId();
    const next = { ...event, taskId, group: taskId };
    try {
      checkBudget(policy, ledger, dataset, next);
    } catch (error) {
      if (error instanceof CodedError) return { left, ofWholes };
      throw error;
    }
    ledger.push(nextEntry(ledger, dataset, next));
  }
  return { left: MOST_COUNTED, ofWholes };
}

/**
 * Charges a task to a data set for good, once: whatever happens to the task, and however often the
 * contribution is sent. Of several contributions to the task the one that costs most counts, since each may
 * have been taken.
 * @throws as `checkCharge`
 */
export async function charge(
  state: LedgerState,
  policy: BudgetPolicy,
  dataset: string,
  task: Task,
  own?: OwnFloorPlan,
): Promise<void> {
  const event = eventOf(task, own);
  await add(state, (ledger) => {
    if (isCharged(ledger, dataset, event)) return undefined;
    checkBudget(policy, ledger, dataset, event);
    return { dataset, event };
  });
}

/**
 * Records what was spent on a data set that the ledger does not have. `counted` is what the CSP has counted:
 * if that is another ledger, this ledger continues from there, and every data set must be set before it is
 * used again.
 * @throws ERR_POLICY for less than was said before: nothing is refunded
 */
export async function setElsewhere(
  state: LedgerState,
  dataset: string,
  elsewhere: Elsewhere,
  counted: Counted | undefined,
): Promise<void> {
  await add(state, (ledger) => {
    checkNotLess(ledger, dataset, elsewhere);
    const isAdopted = counted !== undefined && placeOf(ledger, counted) === undefined;
    const event = { kind: 'set', ...elsewhere, isAdopted } as const;
    return { dataset, event, adopted: isAdopted ? counted : undefined };
  });
}

/**
 * Has the CSP count all entries, one after the other. Other processes of the same owner may do so at the same
 * time.
 * @throws ERR_BUDGET_RESTORED when it has counted others than these, ERR_PEER_PROTOCOL
 */
export async function confirmLedger(state: LedgerState, ask: AskCounter): Promise<void> {
  let ledger = checkedLedger(await state.ledger());
  const { length } = ledger;
  if (length === 0) return;
  let counted = await ask(requestFor(ledger.at(-1)!));
  for (;;) {
    const place = placeOf(ledger, counted);
    if (place !== undefined && place >= length) return;
    if (place === undefined) {
      // Another process may have added entries and had them counted meanwhile.
      const now = checkedLedger(await state.ledger());
      if (now.length === ledger.length) throw restored(counted, ledger);
      ledger = now;
      continue;
    }
    const before = counted;
    counted = await ask(requestFor(ledger[place]!));
    if (counted.counter === before.counter && counted.digest === before.digest)
      throw new CodedError(
        CODES.ERR_PEER_PROTOCOL,
        'the CSP does not count the entry that follows what it has counted',
      );
  }
}

/** A request that reads what the CSP has counted and changes nothing. */
const askOnly: CounterRequest = { counter: 0, digest: NO_ENTRY, previous: NO_ENTRY };

const requestFor = (entry: LedgerEntry): CounterRequest => ({
  ...countedBy(entry),
  previous: entry.previous,
});

interface Addition {
  readonly dataset: string;
  readonly event: LedgerEvent;
  readonly adopted?: Counted | undefined;
}

/**
 * Adds the entry that `what` makes to the ledger as it is then, and tries again where another process was
 * faster.
 */
async function add(
  state: LedgerState,
  what: (ledger: readonly LedgerEntry[]) => Addition | undefined,
): Promise<void> {
  for (;;) {
    const ledger = checkedLedger(await state.ledger());
    const addition = what(ledger);
    if (addition === undefined) return;
    const { dataset, event, adopted } = addition;
    if (await state.addToLedger(nextEntry(ledger, dataset, event, adopted), ledger.length)) return;
  }
}

function checkNotLess(ledger: readonly LedgerEntry[], dataset: string, elsewhere: Elsewhere): void {
  const before = ledger.findLast((it) => it.dataset === dataset && it.event.kind === 'set')?.event;
  if (before?.kind !== 'set') return;
  for (const name of ['epsilon', 'delta', 'rotated', 'part'] as const) {
    const isLess = name === 'part' ? isMore(before.part, elsewhere.part) : elsewhere[name] < before[name];
    if (!isLess) continue;
    throw new CodedError(
      CODES.ERR_POLICY,
      words`${ownerTerm('spent', `"${name}"`, name)} ${ownerTerm('atLeast', 'expected at least')} ${before[name]}, which was said of the data set ${dataset} before${ownerTerm('saidNow', `, got ${elsewhere[name]}`)}: nothing is refunded`,
    );
  }
  if (before.neighbours === elsewhere.neighbours || before.epsilon === 0) return;
  throw new CodedError(
    CODES.ERR_POLICY,
    `"neighbours" expected ${before.neighbours}, as was said of the data set ${dataset} before`,
  );
}

function restored({ counter }: Counted, ledger: readonly LedgerEntry[]): CodedError {
  return new CodedError(
    CODES.ERR_BUDGET_RESTORED,
    words`the CSP has counted ${counter} entries of this owner's ledger, and not those ${ledger.length} that are here: it was put back from a backup, or there is another copy of it. What the lost entries have spent is not known: ${ownerTerm('sayBudget', 'say it for each data set with "eigenveil-owner budget set"')}`,
  );
}

/** The CSP's counter of an owner's ledger: it tells whether the ledger is the newest. */
export class LedgerCounter {
  readonly #state: OwnerState;
  readonly #connection: OwnerConnection;

  constructor(state: OwnerState, connection: OwnerConnection) {
    this.#state = state;
    this.#connection = connection;
  }

  /**
   * Has the CSP count the ledger. Where the CSP cannot be asked, the owner goes on, and an old ledger is not
   * noticed.
   * @throws ERR_BUDGET_RESTORED
   */
  async confirm(onUncounted?: (reason: string) => void): Promise<void> {
    if (!this.#state.canComeBack) return;
    try {
      await this.#connection.withCsp((csp) => this.#confirmAt(csp));
    } catch (error) {
      if (!isTransient(error)) throw error;
      onUncounted?.((error as Error).message);
    }
  }

  /** Does what `setBudget` of DataOwner says. */
  async setElsewhere(dataset: string, elsewhere: Elsewhere): Promise<void> {
    if (!this.#state.canComeBack) return setElsewhere(this.#state, dataset, elsewhere, undefined);
    return this.#connection.withCsp(async (csp) => {
      await setElsewhere(this.#state, dataset, elsewhere, await this.#count(csp, askOnly));
      await this.#confirmAt(csp);
    });
  }

  #confirmAt(csp: Csp): Promise<void> {
    return confirmLedger(this.#state, (request) => this.#count(csp, request));
  }

  async #count(csp: Csp, body: CounterRequest): Promise<Counted> {
    const { cspKey, ownerId } = await this.#connection.enrolment();
    const { counter } = await csp.count({ body });
    const counted = await verifyStatement(COUNTER, counter, cspKey);
    if (counted.ownerId !== ownerId)
      throw new CodedError(CODES.ERR_PEER_PROTOCOL, '"counter" expected that of this owner');
    return counted;
  }
}
