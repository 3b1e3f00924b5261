/** Processes of a data user as far as they aggregate, over a task with as many contributions as a test wants. */
import {
  Aggregation,
  type DataUserStore,
  type OpenTask,
  type Turn,
  type Workers,
  type WorkQueue,
} from '@eigenveil/data-user';
import {
  decrypt,
  encodeCiphertexts,
  generateKeyPair,
  PaillierPool,
  type SecretKey,
} from '@eigenveil/paillier';
import { layout } from '@eigenveil/statistics';
import { newTaskId, type Task, type TaskId } from '@eigenveil/task';
import { Digest, OwnerId } from '@eigenveil/wire';
import { expect } from 'vitest';
import { madeUpProposal } from './tasks.ts';

/** Five batches, the last of which is not full. */
export const OWNERS = 1100;
export const BATCHES = 5;
/** One of the first batch, one of the second, and the last of all. */
export const WITHDRAWN = [3, 300, 1100];
/** Of the numbers of the others. */
export const SUM = BigInt((OWNERS * (OWNERS + 1)) / 2 - WITHDRAWN.reduce((sum, number) => sum + number));
/** How many contributions have the mark of each batch; the withdrawn have none. */
export const MARKS = [
  [null, 3],
  [0, 255],
  [1, 255],
  [2, 256],
  [3, 256],
  [4, 75],
];

/** A task whose owners 1, 2, 3, … contribute the numbers 1, 2, 3, … */
export class NumbersTask {
  readonly open: OpenTask;
  readonly #key: SecretKey;
  /** What owners send, by their numbers, encrypted once. */
  readonly #sent: Map<number, Uint8Array>;

  static async make(): Promise<NumbersTask> {
    const key = await generateKeyPair({ bits: 1024, scheme: 'djn', allowInsecureKey: true });
    return new NumbersTask(key, new Map());
  }

  private constructor(key: SecretKey, sent: Map<number, Uint8Array>) {
    this.#key = key;
    this.#sent = sent;
    const proposal = madeUpProposal('pca', 2, [], { maximumOwners: 100_000 });
    const task = { ...proposal, id: newTaskId() } as Task;
    this.open = { task, packing: layout(task), publicKey: key.publicKey } as OpenTask;
  }

  /** Another task of the same key, whose owners send the same bytes. */
  next(): NumbersTask {
    return new NumbersTask(this.#key, this.#sent);
  }

  get id(): TaskId {
    return this.open.task.id;
  }

  /** Stores the contributions of owners 1 to `count`, less those that withdraw again, closes the task and fixes it to them, at no CSP's word. */
  async collect(store: DataUserStore, count: number, withdrawing: readonly number[] = []): Promise<void> {
    await store.insertTask(this.open.task);
    await store.openTask(this.id, 'agreement');
    for (let first = 1; first <= count; first += 100) {
      const numbers = Array.from({ length: Math.min(100, count - first + 1) }, (_, i) => first + i);
      const contributions = numbers.map(async (number) => {
        const bytes = await this.#bytesOf(number);
        const digest = Digest.parse(`${number}`.padStart(43, '0'));
        return { ownerId: ownerOf(number), digest, bytes, record: 'record', receipt: 'receipt' };
      });
      await store.insertContributions(this.id, await Promise.all(contributions));
    }
    for (const number of withdrawing) await store.withdraw(this.id, ownerOf(number));
    await store.closeTask(this.id);
    const contributionsRoot = Digest.parse('r'.repeat(43));
    const fixation = { verifiedOwners: count - withdrawing.length, contributionsRoot, isFixed: true };
    expect(await store.setFixation(this.id, null, fixation)).toBe(true);
  }

  async #bytesOf(number: number): Promise<Uint8Array> {
    const known = this.#sent.get(number);
    if (known !== undefined) return known;
    const { packing, publicKey } = this.open;
    const plaintexts = Array.from(packing.plaintexts, () => BigInt(number));
    const bytes = encodeCiphertexts(publicKey, await encrypting.encrypt(publicKey, plaintexts, 'djn'));
    this.#sent.set(number, bytes);
    return bytes;
  }

  /** What an aggregate holds. */
  valueOf(aggregate: Awaited<ReturnType<Aggregation['aggregate']>>): bigint {
    return decrypt(this.#key, aggregate[0]!);
  }
}

const encrypting = new PaillierPool({ threads: 0 });
const ownerOf = (number: number) => OwnerId.parse(`${number}`.padStart(22, '0'));

/** A process that aggregates tasks when they are offered to it, and nothing else. */
export class AggregatingProcess {
  readonly store: DataUserStore;
  readonly queue: WorkQueue;
  readonly aggregation: Aggregation;
  /** Batches whose product it has stored. */
  readonly stored: number[] = [];
  /** Sums of the tasks that it has worked on. */
  readonly sums: bigint[] = [];
  readonly errors: unknown[] = [];
  readonly #task: NumbersTask;

  constructor(options: {
    task: NumbersTask;
    store: DataUserStore;
    queue: WorkQueue;
    paillier: PaillierPool;
  }) {
    const { task, store, queue, paillier } = options;
    this.#task = task;
    this.store = store;
    this.queue = queue;
    const tasks = { agreed: async () => task.open };
    const onBatch = (number: number) => this.stored.push(number);
    this.aggregation = new Aggregation({ store, tasks, paillier, queue, onBatch });
  }

  workers(changes: Partial<Workers> = {}): Workers {
    return {
      unfinished: async () => [],
      step: (_, turn) => this.#step(turn),
      batch: (taskId, number) => this.aggregation.complete(taskId, number),
      waits: async (_, error) => void this.errors.push(error),
      ...changes,
    };
  }

  async close(): Promise<void> {
    await this.queue.close();
    await this.store.close();
  }

  async #step(turn: Turn): Promise<boolean> {
    try {
      this.sums.push(this.#task.valueOf(await this.aggregation.aggregate(this.#task.open, turn)));
      return false;
    } catch (error) {
      this.errors.push(error);
      throw error;
    }
  }
}
