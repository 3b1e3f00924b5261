/**
 * Series at the data user. The task that renews another is made once, and everybody who asks gets the same
 * one.
 */
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES, digestTask, renewalId, renewalOf, type SignedTask } from '@eigenveil/wire';
import type { DataUserStore, StoredTask } from '../store/store.ts';
import type { Tasks } from './tasks.ts';

const SECOND_MILLISECONDS = 1000;

export class Renewals {
  readonly #store: Pick<DataUserStore, 'task'>;
  readonly #tasks: Pick<Tasks, 'open'>;
  readonly #now: () => Date;

  constructor(dependencies: {
    store: Pick<DataUserStore, 'task'>;
    tasks: Pick<Tasks, 'open'>;
    now: () => Date;
  }) {
    this.#store = dependencies.store;
    this.#tasks = dependencies.tasks;
    this.#now = dependencies.now;
  }

  /**
   * Opens the task that renews one which takes no contributions any more: the same parameters, another key.
   * There is only one, however often it is asked for and by whomever: its id follows from the digest of the
   * one before, and the store has an id once.
   * @param deadline by default as much time is left from now as the task had
   * @throws ERR_TASK_OPEN, ERR_TASK_UNKNOWN for a task that the CSP has not signed, ERR_TASK_CONFLICT where
   *   it is renewed already until another deadline, and as `Tasks.create`
   */
  async renew(taskId: TaskId, deadline?: string): Promise<SignedTask> {
    const before = await this.#signed(taskId);
    const { task, state } = before;
    if (state === 'open')
      throw new CodedError(CODES.ERR_TASK_OPEN, 'the task is open: close or cancel it, then renew it');
    // Owners refuse such a renewal, too.
    if (task.twoParty === 'rotated')
      throw new CodedError(
        CODES.ERR_TASK_INVALID,
        '"twoParty" expected another protocol than rotated, whose answers about nearly the same rows tell too much together: create another task about other rows',
      );
    const { known, id } = await this.#find(before);
    if (known === undefined)
      return this.#tasks.open(renewalOf(task, { id, deadline: deadline ?? this.#after(before) }));
    if (deadline !== undefined && Date.parse(deadline) !== Date.parse(known.task.deadline))
      throw new CodedError(
        CODES.ERR_TASK_CONFLICT,
        `the task was renewed before, until ${known.task.deadline}: its renewal is ${id}`,
      );
    return this.#tasks.open(known.task);
  }

  /**
   * Returns the task that renews one, to anyone who may see both; null: there is none yet.
   * @throws ERR_TASK_UNKNOWN
   */
  async next(taskId: TaskId): Promise<SignedTask | null> {
    const { known } = await this.#find(await this.#signed(taskId));
    return known === undefined || known.agreement === null
      ? null
      : { task: known.task, agreement: known.agreement };
  }

  /**
   * Returns the renewal that counts, or the id that it would have. A renewal that ended before the CSP signed
   * it does not count.
   */
  async #find({
    task,
  }: StoredTask): Promise<{ readonly id: TaskId; readonly known: StoredTask | undefined }> {
    const digest = digestTask(task);
    for (let attempt = 0; ; attempt += 1) {
      const id = renewalId(digest, attempt);
      const known = await this.#store.task(id);
      const isVoid = known?.agreement === null && known.state !== 'proposed';
      if (!isVoid) return { id, known };
    }
  }

  #after({ task, entered }: StoredTask): string {
    const lasted = Date.parse(task.deadline) - Date.parse(entered.proposed!);
    const until = Math.ceil((this.#now().getTime() + lasted) / SECOND_MILLISECONDS) * SECOND_MILLISECONDS;
    return new Date(until).toISOString().replace('.000Z', 'Z');
  }

  async #signed(taskId: TaskId): Promise<StoredTask> {
    const stored = await this.#store.task(taskId);
    if (stored === undefined || stored.agreement === null)
      throw new CodedError(
        CODES.ERR_TASK_UNKNOWN,
        '"taskId" expected a task of this data user that was opened',
      );
    return stored;
  }
}
