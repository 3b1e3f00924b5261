/** What the contract of the data user's stores works with: a task, contributions to it, and the store that is tested. */
import { CodedError } from '@eigenveil/platform';
import { type Task, TaskId } from '@eigenveil/task';
import { Digest, OwnerId } from '@eigenveil/wire';
import type { DataUserStore } from '../../src/store/store.ts';

export const taskId = TaskId.parse('t'.repeat(22));
export const other = TaskId.parse('u'.repeat(22));
export const task = { id: taskId, minimumOwners: 2, maximumOwners: 3 } as Task;
export const owner = (i: number) => OwnerId.parse(`${i}`.padStart(22, '0'));
export const contribution = (i: number, bytes = `bytes ${i}`) => ({
  ownerId: owner(i),
  digest: Digest.parse(`${i}`.padStart(43, '0')),
  bytes: Buffer.from(bytes),
  record: `record ${i}`,
  receipt: `receipt ${i}`,
});
export const stored = (i: number) => {
  const { ownerId, digest, receipt } = contribution(i);
  return { ownerId, digest, receipt, withdrawn: false };
};
/** Of what insertContributions returns. */
export const codesOf = (outcomes: readonly unknown[]) =>
  outcomes.map((outcome) => (outcome instanceof CodedError ? outcome.code : 'taken'));
export const textOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString();

/** A store with the task open in it, another one for each test. */
export class Tested {
  store!: DataUserStore;
  /** How often a property is tried: each try is dozens of statements. */
  readonly runs: number;

  constructor(runs: number) {
    this.runs = runs;
  }

  async use(store: DataUserStore): Promise<void> {
    this.store = store;
    await store.insertTask(task);
    await store.openTask(taskId, 'agreement');
  }

  insert(...numbers: number[]) {
    return this.store.insertContributions(
      taskId,
      numbers.map((i) => contribution(i)),
    );
  }

  async read() {
    return (await this.store.task(taskId))!;
  }
}
