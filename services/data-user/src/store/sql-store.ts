/** The data user's store over either database: every method is one durable transaction. */
import {
  countOf,
  countRun,
  GREATEST,
  keepSeed,
  keepTag,
  resealColumns,
  rowOf,
  type SealedColumn,
  type SqlDriver,
  sql,
  type Work,
} from '@eigenveil/server';
import type { Task, TaskId } from '@eigenveil/task';
import type { Digest, OwnerId, TaskState } from '@eigenveil/wire';
import {
  addPiece,
  contributionOf,
  dropRevoked,
  dropUpload,
  insertContributions,
  isRevoked,
  keepRevocations,
  readRevocations,
  recordsOf,
  tasksWithRevoked,
  treeContributions,
  uploadedPiece,
  uploadOf,
  withdraw,
} from './contributions.ts';
import { SqlOperators } from './operators.ts';
import {
  advance,
  ciphertextsOf,
  closeTask,
  completeBatch,
  completedBatches,
  eraseContributions,
  insertTask,
  markEndedAtCsp,
  openTask,
  partialProducts,
  setActivity,
  setFixation,
} from './stages.ts';
import {
  type Activity,
  answerPlace,
  blindingPlace,
  type DataUserStore,
  type Fixation,
  type NewContribution,
  type NewPiece,
  type PartialProduct,
  type StageResult,
  type StoredDrawn,
  type StoredRevocations,
  type StoredTask,
  type WatchedTask,
} from './store.ts';
import {
  addRefused,
  arrivals,
  closingTasks,
  drawnOf,
  idsOf,
  listTasks,
  ownersOf,
  readTask,
  stateOf,
  taskOfProjection,
  watched,
} from './task-rows.ts';

export const SEALED: readonly SealedColumn[] = [
  { table: 'tasks', key: 'task_id', column: 'sealed_blinding', place: blindingPlace },
  { table: 'answers', key: 'task_id', column: 'sealed_seed', place: answerPlace },
];

/** The condition for tasks that may have an answer. */
const GIVES_ANSWERS = "state = 'unblinded'";

/**
 * Whoever decides something about a task locks its row first (`locked`), so that decisions of all processes
 * are made one after the other.
 */
export class SqlDataUserStore implements DataUserStore {
  readonly #driver: SqlDriver;
  /**
   * The work that is done for tasks at the moment, where this is the one process of its database: in a task's
   * row, tens of megabytes of a sketch, SQLite would write all of it again, once a second.
   */
  readonly #activities: Map<TaskId, Activity> | undefined;
  readonly operators: SqlOperators;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
    this.#activities = driver.isShared ? undefined : new Map();
    this.operators = new SqlOperators(driver);
  }

  async insertTask(task: Task): Promise<void> {
    await this.#driver.run(insertTask(task));
  }

  async task(taskId: TaskId): Promise<StoredTask | undefined> {
    return this.#withActivity(taskId, await this.#driver.run(readTask(taskId)));
  }

  async state(taskId: TaskId) {
    return this.#driver.run(stateOf(taskId));
  }

  async drawn(taskId: TaskId, member: keyof StoredDrawn) {
    return this.#driver.run(drawnOf(taskId, member));
  }

  async watched(taskId: TaskId): Promise<WatchedTask | undefined> {
    return this.#withActivity(taskId, await this.#driver.run(watched(taskId)));
  }

  async addRefused(refused: Parameters<DataUserStore['addRefused']>[0]): Promise<void> {
    await this.#driver.transaction('addRefused', () => addRefused(refused));
  }

  async arrivals(taskId: TaskId, most: number) {
    return this.#driver.transaction('arrivals', () => arrivals(taskId, most));
  }

  async tasks(page: Parameters<DataUserStore['tasks']>[0]) {
    return this.#driver.run(listTasks(page));
  }

  async taskOfProjection(digest: Digest): Promise<StoredTask | undefined> {
    return this.#driver.run(taskOfProjection(digest));
  }

  async unfinishedTasks(): Promise<TaskId[]> {
    return this.#driver.run(
      idsOf(sql`SELECT task_id AS id FROM tasks WHERE state <> 'open' AND NOT ended_at_csp`),
    );
  }

  async openTasks(): Promise<TaskId[]> {
    return this.#driver.run(idsOf(sql`SELECT task_id AS id FROM tasks WHERE state = 'open'`));
  }

  async openTask(taskId: TaskId, agreement: string): Promise<boolean> {
    return this.#moving(taskId, 'openTask', () => openTask(taskId, agreement));
  }

  async insertContributions(taskId: TaskId, contributions: readonly NewContribution[]) {
    const { isShared } = this.#driver;
    return this.#driver.transaction('insertContributions', () =>
      insertContributions(taskId, contributions, isShared),
    );
  }

  async contribution(taskId: TaskId, ownerId: OwnerId) {
    return this.#driver.run(contributionOf(taskId, ownerId));
  }

  async upload(taskId: TaskId, ownerId: OwnerId) {
    return this.#driver.run(uploadOf(taskId, ownerId));
  }

  async addPiece(taskId: TaskId, piece: NewPiece): Promise<number> {
    return this.#driver.transaction('addPiece', () => addPiece(taskId, piece));
  }

  async uploadedPiece(uploadId: number, number: number) {
    return this.#driver.run(uploadedPiece(uploadId, number));
  }

  async dropUpload(uploadId: number): Promise<void> {
    await this.#driver.run(dropUpload(uploadId));
  }

  async owners(taskId: TaskId, after: number, limit: number) {
    return this.#driver.run(ownersOf(taskId, after, limit));
  }

  async withdraw(taskId: TaskId, ownerId: OwnerId): Promise<void> {
    await this.#driver.transaction('withdraw', () => withdraw(taskId, ownerId));
  }

  async keepRevocations(list: StoredRevocations, owners: readonly OwnerId[]): Promise<number> {
    return this.#driver.transaction('keepRevocations', () => keepRevocations(list, owners));
  }

  async revocations() {
    return this.#driver.run(readRevocations());
  }

  async isRevoked(ownerId: OwnerId): Promise<boolean> {
    return this.#driver.run(isRevoked(ownerId));
  }

  async tasksWithRevoked() {
    return this.#driver.run(tasksWithRevoked());
  }

  async dropRevoked(taskId: TaskId): Promise<number> {
    return this.#driver.transaction('dropRevoked', () => dropRevoked(taskId));
  }

  async setFixation(taskId: TaskId, from: Fixation | null, to: Fixation | null): Promise<boolean> {
    return this.#driver.run(setFixation(taskId, from, to));
  }

  async closeTask(taskId: TaskId, byItself?: Date): Promise<boolean> {
    return this.#moving(taskId, 'closeTask', () => closeTask(taskId, byItself));
  }

  async closingTasks() {
    return this.#driver.run(closingTasks());
  }

  async contributions(taskId: TaskId, after: OwnerId | '', limit: number) {
    return this.#driver.run(treeContributions(taskId, after, limit));
  }

  async records(taskId: TaskId, after: number, limit: number) {
    return this.#driver.run(recordsOf(taskId, after, limit));
  }

  async noteRecordsSent(taskId: TaskId, sequence: number): Promise<void> {
    await this.#driver.run(
      countOf(
        sql`UPDATE tasks SET records_sent = ${GREATEST}(records_sent, ${sequence}) WHERE task_id = ${taskId}`,
      ),
    );
  }

  async ciphertexts(taskId: TaskId, after: number, last: number, limit: number, piece?: number) {
    return this.#driver.run(ciphertextsOf(taskId, after, last, limit, piece));
  }

  async completeBatch(taskId: TaskId, product: PartialProduct): Promise<boolean> {
    return this.#driver.transaction('completeBatch', () => completeBatch(taskId, product));
  }

  async completedBatches(taskId: TaskId): Promise<number[]> {
    return this.#driver.run(completedBatches(taskId));
  }

  async partialProducts(taskId: TaskId, after: number, limit: number, piece?: number) {
    return this.#driver.run(partialProducts(taskId, after, limit, piece));
  }

  async advance(taskId: TaskId, from: TaskState, result: StageResult): Promise<boolean> {
    return this.#moving(taskId, 'advance', () => advance(taskId, from, result));
  }

  async eraseContributions(taskId: TaskId, limit: number): Promise<boolean> {
    return this.#driver.transaction('eraseContributions', () => eraseContributions(taskId, limit));
  }

  async markEndedAtCsp(taskId: TaskId): Promise<void> {
    await this.#moving(taskId, 'markEndedAtCsp', () => markEndedAtCsp(taskId));
  }

  async setActivity(taskId: TaskId, activity: Activity): Promise<void> {
    const text = this.#activities === undefined ? JSON.stringify(activity) : undefined;
    if (await this.#driver.run(setActivity(taskId, text))) this.#activities?.set(taskId, activity);
  }

  async addFault(taskId: TaskId): Promise<number> {
    const counted = sql`UPDATE tasks SET faults = faults + 1 WHERE task_id = ${taskId} RETURNING faults`;
    return (await this.#driver.run(rowOf<{ faults: number }>(counted)))!.faults;
  }

  async keepSeed(taskId: TaskId, sealedSeed: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#driver.transaction('keepSeed', () => keepSeed(taskId, sealedSeed, GIVES_ANSWERS));
  }

  async keepTag(taskId: TaskId, position: number, tag: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#driver.transaction('keepTag', () => keepTag(taskId, position, tag));
  }

  async countRun(taskId: TaskId): Promise<number> {
    return (await this.#driver.run(countRun(taskId))) ?? 0;
  }

  async reseal(change: (place: string, sealed: Uint8Array) => Uint8Array): Promise<number> {
    return this.#driver.run(resealColumns(SEALED, change));
  }

  async close(): Promise<void> {
    await this.#driver.close();
  }

  /** A transaction after which, if it has moved the task on, nothing of before is done for it any more. */
  async #moving(taskId: TaskId, name: string, work: () => Work<boolean>): Promise<boolean> {
    const hasMoved = await this.#driver.transaction(name, work);
    if (hasMoved) this.#activities?.delete(taskId);
    return hasMoved;
  }

  #withActivity<Read extends { readonly activity: Activity }>(
    taskId: TaskId,
    read: Read | undefined,
  ): Read | undefined {
    const activity = this.#activities?.get(taskId);
    return read && activity ? { ...read, activity } : read;
  }
}
