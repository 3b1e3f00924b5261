/**
 * The last word on who is in a closed task: contributions of revoked owners are dropped, the records of all
 * others sent to the CSP, and the CSP fixes this set of records. Only then is anything added up or drawn. A
 * revocation in between leads to another round.
 */
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import type { Clock } from '@eigenveil/two-party';
import { CODES, ContributionTree, type ErrorCode, errorCodeOf, RECORDS_PER_REQUEST } from '@eigenveil/wire';
import type { DataUserStore, Fixation, StoredTask } from '../store/store.ts';
import type { CspClient } from '../tasks/csp.ts';
import type { Revocations } from '../tasks/revocations.ts';
import type { Turn } from './work-queue.ts';

/** Requests with records that are under way at a time: enough that the CSP never waits for the next. */
const RECORD_REQUESTS = 4;

/**
 * Codes by which the CSP says that it has, or takes, other records than these: it may have fewer than the
 * minimum by then.
 */
const CHANGED: ReadonlySet<ErrorCode | undefined> = new Set<ErrorCode>([
  'ERR_OWNER_REVOKED',
  'ERR_RECORDS_CHANGED',
  'ERR_MINIMUM_OWNERS',
]);

/**
 * Rounds in a row for which the CSP's list has no reason, and the pause before each: the CSP may give the
 * same list for a second. With a reason a contribution goes in each round, so that rounds end.
 */
const UNEXPLAINED_ROUNDS = 3;
const PAUSE_MILLISECONDS = 1500;

export class Fixing {
  readonly #store: DataUserStore;
  readonly #csp: Pick<CspClient, 'sendRecords' | 'fixRecords'>;
  readonly #revocations: Pick<Revocations, 'refresh'>;
  readonly #clock: Clock;

  constructor(dependencies: {
    store: DataUserStore;
    csp: Pick<CspClient, 'sendRecords' | 'fixRecords'>;
    revocations: Pick<Revocations, 'refresh'>;
    clock: Clock;
  }) {
    this.#store = dependencies.store;
    this.#csp = dependencies.csp;
    this.#revocations = dependencies.revocations;
    this.#clock = dependencies.clock;
  }

  /**
   * Fixes the records of a closed task, to be done by whoever has the task to itself. It may be done again,
   * also by another process.
   * @throws ERR_MINIMUM_OWNERS when too few owners are left, ERR_RECORDS_CHANGED or ERR_OWNER_REVOKED when
   *   the CSP has other records without a reason in its list; and what keeps the CSP from being asked
   */
  async fix(taskId: TaskId, turn: Turn): Promise<void> {
    let unexplained = 0;
    for (;;) {
      turn.signal.throwIfAborted();
      const before = await this.#read(taskId);
      // The CSP is asked first for what it may have fixed already: it would be wrong to drop anything from
      // it.
      if (before.fixation === null) {
        await this.#revocations.refresh();
        await this.#store.dropRevoked(taskId);
        requireMinimum(await this.#read(taskId));
      }
      const refusal = await this.#attempt(taskId, turn);
      if (refusal === undefined) return;
      await this.#revocations.refresh();
      await this.#store.dropRevoked(taskId);
      const { contributions } = await this.#read(taskId);
      unexplained = contributions < before.contributions ? 0 : unexplained + 1;
      if (unexplained === UNEXPLAINED_ROUNDS) throw withoutReason(refusal);
      if (unexplained > 0) await this.#clock.sleep(PAUSE_MILLISECONDS, turn.signal);
    }
  }

  /** Returns why the CSP refused, if it has other records. */
  async #attempt(taskId: TaskId, turn: Turn): Promise<unknown> {
    let asked: Fixation | null = null;
    try {
      asked = (await this.#read(taskId)).fixation ?? (await this.#prepare(taskId, turn));
      if (asked === null) return changed();
      if (asked.isFixed) return undefined;
      await turn.confirm();
      const { verifiedOwners, contributionsRoot } = asked;
      await this.#csp.fixRecords({ taskId, body: { verifiedOwners, contributionsRoot } });
    } catch (error) {
      if (!CHANGED.has(errorCodeOf(error))) throw error;
      if (asked !== null) await this.#store.setFixation(taskId, asked, null);
      return error;
    }
    await this.#store.setFixation(taskId, asked, { ...asked, isFixed: true });
    return undefined;
  }

  /**
   * Sends the records and keeps what the CSP is about to be asked; null if the contributions have changed
   * meanwhile.
   */
  async #prepare(taskId: TaskId, turn: Turn): Promise<Fixation | null> {
    await this.#sendRecords(await this.#read(taskId), turn);
    const tree = await ContributionTree.read((after, limit) =>
      this.#store.contributions(taskId, after, limit),
    );
    if (tree.size === 0) return null;
    const fixation = { verifiedOwners: tree.size, contributionsRoot: tree.root(), isFixed: false };
    return (await this.#store.setFixation(taskId, null, fixation)) ? fixation : null;
  }

  /**
   * Sends the records that the CSP has not confirmed, some requests at a time. It confirms what it has stored
   * durably, and this server remembers that in the order of the sequence numbers: what is interrupted goes on
   * from there.
   */
  async #sendRecords({ task, recordsSent }: StoredTask, turn: Turn): Promise<void> {
    const store = this.#store;
    for (let after = recordsSent; ; ) {
      turn.signal.throwIfAborted();
      const next = await store.records(task.id, after, RECORDS_PER_REQUEST * RECORD_REQUESTS);
      if (next.length === 0) return;
      const pages = Array.from({ length: Math.ceil(next.length / RECORDS_PER_REQUEST) }, (_, i) =>
        next.slice(i * RECORDS_PER_REQUEST, (i + 1) * RECORDS_PER_REQUEST).map(({ record }) => record),
      );
      const sent = await Promise.allSettled(
        pages.map((records) => this.#csp.sendRecords({ taskId: task.id, body: { records } })),
      );
      for (const { reason } of sent.filter((it) => it.status === 'rejected')) throw reason;
      after = next.at(-1)!.sequence;
      await store.noteRecordsSent(task.id, after);
    }
  }

  async #read(taskId: TaskId): Promise<StoredTask> {
    const stored = await this.#store.task(taskId);
    if (stored === undefined) throw new TypeError('"taskId" expected a task of this data user');
    return stored;
  }
}

function requireMinimum({ task, contributions }: StoredTask): void {
  if (contributions >= task.minimumOwners) return;
  throw new CodedError(
    CODES.ERR_MINIMUM_OWNERS,
    `expected at least ${task.minimumOwners} contributions, got ${contributions} without those of owners whom the CSP has revoked`,
  );
}

function changed(): CodedError {
  return new CodedError(CODES.ERR_RECORDS_CHANGED, 'contributions were dropped meanwhile');
}

function withoutReason(refusal: unknown): CodedError {
  const code = errorCodeOf(refusal) === 'ERR_OWNER_REVOKED' ? 'ERR_OWNER_REVOKED' : 'ERR_RECORDS_CHANGED';
  return new CodedError(
    CODES[code],
    'the CSP has other records than were handed in, and its list of revoked owners gives no reason: an owner may have withdrawn at the CSP alone',
    { cause: refusal },
  );
}
