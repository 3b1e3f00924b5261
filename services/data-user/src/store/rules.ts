/**
 * The rules of the data user's store, apart from any database: what a transaction decides once it has read
 * and locked a task.
 */
import { setImmediate } from 'node:timers/promises';
import { CodedError } from '@eigenveil/platform';
import { likeness } from '@eigenveil/statistics/owner';
import type { Task, TaskId } from '@eigenveil/task';
import { CODES, type Digest, FINAL_STATES, type OwnerId, type TaskState } from '@eigenveil/wire';
import type {
  DataUserStore,
  Entered,
  Fixation,
  NewContribution,
  NewPiece,
  PartialProduct,
  StageResult,
  StoredContribution,
  StoredTask,
  StoredUpload,
} from './store.ts';

export function unknownTask(): CodedError {
  return new CodedError(CODES.ERR_TASK_UNKNOWN, '"taskId" expected a task of this data user');
}

/** The text by which a task is sought: its id and its title on two lines, so that nothing is found across both. */
export function soughtOf({ id, title = '' }: Task): string {
  return `${likeness(id)}\n${likeness(title)}`;
}

export function revokedOwner(): CodedError {
  return new CodedError(CODES.ERR_OWNER_REVOKED, 'the CSP has revoked this owner');
}

/** Says why the task takes and gives up no contributions, if that is so. */
function refusalOf({ state }: StoredTask): CodedError | undefined {
  if (state === 'open') return undefined;
  return state === 'cancelled'
    ? new CodedError(CODES.ERR_TASK_CANCELLED, 'the task was cancelled')
    : new CodedError(CODES.ERR_TASK_CLOSED, 'the task takes no contributions any more');
}

/** @throws ERR_TASK_UNKNOWN, ERR_TASK_CANCELLED, ERR_TASK_CLOSED */
function requireOpen(stored: StoredTask | undefined): StoredTask {
  if (stored === undefined) throw unknownTask();
  const refusal = refusalOf(stored);
  if (refusal !== undefined) throw refusal;
  return stored;
}

/** The outcome for contributions that have come together. */
interface Admission {
  /** The outcomes as insertContributions returns them. */
  readonly outcomes: (StoredContribution | CodedError)[];
  /** The contributions to store, with their sequence numbers. */
  readonly fresh: { readonly sequence: number; readonly contribution: NewContribution }[];
}

/**
 * Admits contributions to a task, given what their owners have there already, who of them is revoked, and
 * which of their uploads are there.
 * @throws ERR_TASK_UNKNOWN
 */
export function admit(
  stored: StoredTask | undefined,
  earlier: readonly StoredContribution[],
  contributions: readonly NewContribution[],
  revoked: ReadonlySet<OwnerId>,
  uploads: ReadonlySet<number>,
): Admission {
  if (stored === undefined) throw unknownTask();
  const { task, lastSequence } = stored;
  const known = new Map<OwnerId, StoredContribution>(earlier.map((it) => [it.ownerId, it]));
  const fresh: Admission['fresh'] = [];
  const outcomes = contributions.map((contribution) => {
    const { ownerId, digest, receipt } = contribution;
    if (revoked.has(ownerId)) return revokedOwner();
    const mine = known.get(ownerId);
    if (mine !== undefined) return mine;
    const refusal = refusalOf(stored);
    if (refusal !== undefined) return refusal;
    if (stored.contributions + fresh.length >= task.maximumOwners) return fullTask(task);
    if (contribution.uploadId !== undefined && !uploads.has(contribution.uploadId)) return incomplete();
    const taken = { ownerId, digest, receipt, withdrawn: false };
    known.set(ownerId, taken);
    fresh.push({ sequence: lastSequence + fresh.length + 1, contribution });
    return taken;
  });
  return { outcomes, fresh };
}

/**
 * Says what a piece of a contribution changes, given what its owner has in the task.
 * @throws as `addPiece`
 */
export function changeBy(
  { digest, number }: Pick<NewPiece, 'digest' | 'number'>,
  stored: StoredTask | undefined,
  known: StoredContribution | undefined,
  upload: StoredUpload | undefined,
  isRevoked: boolean,
): 'nothing' | 'begins' | 'adds' {
  if (isRevoked) throw revokedOwner();
  if (known !== undefined) {
    requireSame(known, digest);
    return 'nothing';
  }
  const { task, contributions } = requireOpen(stored);
  if (contributions >= task.maximumOwners) throw fullTask(task);
  const there = upload?.digest === digest ? upload.pieces : 0;
  if (number > there) throw incomplete();
  if (number < there) return 'nothing';
  return number === 0 ? 'begins' : 'adds';
}

/**
 * @throws ERR_CONTRIBUTION_WITHDRAWN, ERR_CONTRIBUTION_CONFLICT unless the owner has contributed what has
 *   this digest
 */
export function requireSame(known: StoredContribution, digest: Digest): void {
  if (known.withdrawn)
    throw new CodedError(CODES.ERR_CONTRIBUTION_WITHDRAWN, 'the owner has withdrawn from this task for good');
  if (known.digest !== digest)
    throw new CodedError(
      CODES.ERR_CONTRIBUTION_CONFLICT,
      'the owner has contributed other bytes to this task',
    );
}

export function incomplete(): CodedError {
  return new CodedError(
    CODES.ERR_CONTRIBUTION_INCOMPLETE,
    'pieces of the contribution are missing: ask which are there, and go on from there',
  );
}

function fullTask({ maximumOwners }: Task): CodedError {
  return new CodedError(CODES.ERR_TASK_FULL, `the task has its largest number of owners, ${maximumOwners}`);
}

/**
 * Says what a withdrawal changes, given what the owner has in the task: see withdraw.
 * @throws as `withdraw`
 */
export function withdrawalOf(
  stored: StoredTask | undefined,
  known: StoredContribution | undefined,
): 'nothing' | 'contribution' | 'only a mark' {
  if (known?.withdrawn) return 'nothing';
  if (known === undefined && stored?.state !== 'open')
    throw new CodedError(CODES.ERR_CONTRIBUTION_UNKNOWN, 'the owner has not contributed');
  requireOpen(stored);
  return known === undefined ? 'only a mark' : 'contribution';
}

/**
 * Says whether a task with this number of contributions that count should be closed now, without its
 * operator.
 */
export function closesByItself(
  { closes = [], deadline, minimumOwners, maximumOwners }: Task,
  contributions: number,
  now: Date,
): boolean {
  if (contributions < minimumOwners) return false;
  const isFull = contributions >= maximumOwners;
  return (closes.includes('full') && isFull) || (closes.includes('deadline') && now > new Date(deadline));
}

/**
 * Says whether contributions of revoked owners must be dropped from a task: its set of records may have
 * been fixed from the moment in which the CSP was asked.
 */
export function dropsRevoked(stored: StoredTask | undefined): boolean {
  return stored?.state === 'open' || (stored?.state === 'closed' && stored.fixation === null);
}

/**
 * Says whether a task should be closed, which it may be already; with `byItself` only if it is open and its
 * time has come.
 * @throws as `closeTask`
 */
export function closes(stored: StoredTask | undefined, byItself?: Date): boolean {
  if (stored !== undefined && byItself !== undefined)
    return stored.state === 'open' && closesByItself(stored.task, stored.contributions, byItself);
  if (stored !== undefined && ['closed', 'blinded', 'unblinded', 'decomposed', 'done'].includes(stored.state))
    return false;
  const { task, contributions } = requireOpen(stored);
  if (contributions < task.minimumOwners) {
    throw new CodedError(
      CODES.ERR_MINIMUM_OWNERS,
      `expected at least ${task.minimumOwners} contributions, got ${contributions}`,
    );
  }
  return true;
}

/**
 * @throws Error unless as many contributions got a batch's mark as went into its partial product: none is
 *   lost or counted twice
 */
export function checkMarked({ batch, contributions }: PartialProduct, marked: number): void {
  if (marked !== contributions)
    throw new Error(`batch ${batch.number} expected ${contributions} contributions to mark, got ${marked}`);
}

/** Says when a task came to which state, as it comes to `state` now. */
export function entering(state: TaskState, before?: Pick<StoredTask, 'entered'>): Entered {
  return { ...before?.entered, [state]: new Date().toISOString() };
}

/** Writes it as it is kept, and compared there: with the members in one order. */
export function textOfFixation(fixation: Fixation | null): string | null {
  if (fixation === null) return null;
  const { verifiedOwners, contributionsRoot, isFixed } = fixation;
  return JSON.stringify({ verifiedOwners, contributionsRoot, isFixed });
}

/** Returns what a stage leaves of a task. */
export function afterStage(stored: StoredTask, result: StageResult) {
  const { to, sealedBlinding, blinded, projection, provenance, failure, timing } = result;
  const isFinal = FINAL_STATES.includes(to);
  const timings = { ...stored.timings };
  if (timing !== undefined) timings[timing.stage] = (timings[timing.stage] ?? 0) + timing.milliseconds;
  return {
    isFinal,
    state: to,
    // A value that is null here and not destroyed stays as it is.
    sealedBlinding: sealedBlinding ?? null,
    blinded: blinded ?? null,
    projection: isFinal && to !== 'done' ? null : (projection ?? stored.projection),
    provenance: { ...stored.provenance, ...provenance },
    failure: failure ?? null,
    timings,
    entered: entering(to, stored),
  };
}

/**
 * The sequence numbers of at most `most` of the contributions that count, evenly spread, the first and the
 * last among them, and how many there were with each.
 * @param withdrawn the sequence numbers of those that do not count, ascending
 */
export function spread(contributions: number, withdrawn: readonly number[], most: number) {
  const points = Math.min(most, contributions);
  let skipped = 0;
  return Array.from({ length: points }, (_, i) => {
    const rank = points === 1 ? contributions : 1 + Math.round((i * (contributions - 1)) / (points - 1));
    while (skipped < withdrawn.length && withdrawn[skipped]! <= rank + skipped) skipped += 1;
    return { sequence: rank + skipped, contributions: rank };
  });
}

/** Contributions are erased only where nobody will need them. */
export function requireFinal(stored: StoredTask | undefined): void {
  if (stored === undefined || !FINAL_STATES.includes(stored.state))
    throw new TypeError(`"taskId" expected a final task, got ${stored?.state ?? 'none'}`);
}

/** Contributions of a task that has ended are deleted so many at a time, so that nobody waits for long. */
const ERASED_AT_A_TIME = 256;

/** Deletes what eraseContributions does, of all contributions of a final task. */
export async function eraseAll(
  store: Pick<DataUserStore, 'eraseContributions'>,
  taskId: TaskId,
): Promise<void> {
  while (await store.eraseContributions(taskId, ERASED_AT_A_TIME)) await setImmediate();
}
