/**
 * Aggregation of a closed task, batch by batch: each batch's ciphertexts are multiplied into a partial
 * product, which is stored in one transaction with the marks on its contributions; the product of the partial
 * products is the aggregate. A batch that was interrupted is done again, and no contribution can get into two
 * partial products, or none, whoever does them and how often.
 *
 * Contributions that have come in pieces are multiplied piece by piece, so that no more of them is in memory
 * than of others.
 */
import { type Ciphertext, encodeCiphertexts, type PaillierPool, type PublicKey } from '@eigenveil/paillier';
import { CodedError } from '@eigenveil/platform';
import type { TaskId } from '@eigenveil/task';
import { CODES, type Piece, piecesOf } from '@eigenveil/wire';
import type { Batch, DataUserStore, StoredTask } from '../store/store.ts';
import type { OpenTask, Tasks } from '../tasks/tasks.ts';
import type { Turn, WorkQueue } from './work-queue.ts';

/** Sequence numbers to a batch. */
const BATCH_SIZE = 256;
/**
 * Contributions, or partial products, that are held in memory at a time, for each batch that is worked on.
 */
const HELD = 32;
/**
 * The most contributions of one piece that are held, half a mebibyte each: with what the threads have of them
 * it is a few megabytes, however many owners there are.
 */
const HELD_PIECES = 4;

export class Aggregation {
  readonly #store: DataUserStore;
  readonly #tasks: Pick<Tasks, 'agreed'>;
  readonly #paillier: PaillierPool;
  readonly #queue: WorkQueue;
  readonly #onBatch: (number: number) => void;

  constructor(dependencies: {
    store: DataUserStore;
    tasks: Pick<Tasks, 'agreed'>;
    paillier: PaillierPool;
    queue: WorkQueue;
    /** Told of every partial product that is stored. */
    onBatch: (number: number) => void;
  }) {
    this.#store = dependencies.store;
    this.#tasks = dependencies.tasks;
    this.#paillier = dependencies.paillier;
    this.#queue = dependencies.queue;
    this.#onBatch = dependencies.onBatch;
  }

  /**
   * The homomorphic sum of all contributions of a closed task that count.
   * @throws ERR_MINIMUM_OWNERS for none
   */
  async aggregate(open: OpenTask, turn: Turn): Promise<Ciphertext[]> {
    const { id } = open.task;
    await this.#queue.aggregate(id, () => this.#missing(id), turn);
    return this.#combine(open);
  }

  /**
   * Multiplies the ciphertexts of a batch and stores their product, if the task's contributions are fixed and
   * still to be aggregated.
   */
  async complete(taskId: TaskId, number: number): Promise<void> {
    if (!isToBeAggregated(await this.#store.task(taskId))) return;
    const batch = { number, first: number * BATCH_SIZE + 1, last: (number + 1) * BATCH_SIZE };
    const open = await this.#tasks.agreed(taskId);
    const pieces = piecesIn(open);
    if (pieces.length === 0) {
      const { factors, bytes } = await this.#productOf(open, batch);
      if (await this.#store.completeBatch(taskId, { batch, contributions: factors, bytes }))
        this.#onBatch(number);
      return;
    }
    const products: { factors: number; bytes: Uint8Array | null }[] = [];
    for (const piece of pieces) products.push(await this.#productOf(open, batch, piece));
    const contributions = products[0]!.factors;
    if (products.some(({ factors }) => factors !== contributions))
      throw new Error(`task ${taskId} expected as many contributions of each piece: they have changed`);
    const parts = products.flatMap(({ bytes }) => bytes ?? []);
    if (await this.#store.completeBatch(taskId, { batch, contributions, bytes: null, pieces: parts }))
      this.#onBatch(number);
  }

  /** The product of a batch's ciphertexts, or of those of one piece, encoded; null for none. */
  async #productOf(
    open: OpenTask,
    { first, last }: Batch,
    piece?: Piece,
  ): Promise<{ readonly factors: number; readonly bytes: Uint8Array | null }> {
    const product = new Product(this.#paillier, open, piece);
    for (let after = first - 1; ; ) {
      const page = await this.#store.ciphertexts(open.task.id, after, last, heldOf(piece), piece?.number);
      if (page.length === 0) break;
      await product.multiply(page.map(({ bytes }) => bytes));
      after = page.at(-1)!.sequence;
    }
    return { factors: product.factors, bytes: product.bytes() };
  }

  /** The batches without partial product; none of a task that has moved on. */
  async #missing(taskId: TaskId): Promise<number[]> {
    const stored = await this.#store.task(taskId);
    if (!isToBeAggregated(stored)) return [];
    const completed = new Set(await this.#store.completedBatches(taskId));
    const numbers = Array.from(
      { length: Math.ceil(stored.lastSequence / BATCH_SIZE) },
      (_, number) => number,
    );
    return numbers.filter((number) => !completed.has(number));
  }

  async #combine(open: OpenTask): Promise<Ciphertext[]> {
    const { id } = open.task;
    const { contributions: expected } = (await this.#store.task(id))!;
    const pieces = piecesIn(open);
    if (pieces.length === 0) return this.#combinePiece(open, expected);
    const aggregate: Ciphertext[] = [];
    for (const piece of pieces)
      for (const ciphertext of await this.#combinePiece(open, expected, piece)) aggregate.push(ciphertext);
    return aggregate;
  }

  async #combinePiece(open: OpenTask, expected: number, piece?: Piece): Promise<Ciphertext[]> {
    const { id } = open.task;
    const product = new Product(this.#paillier, open, piece);
    let contributions = 0;
    for (let after = -1; ; ) {
      const page = await this.#store.partialProducts(id, after, heldOf(piece), piece?.number);
      if (page.length === 0) break;
      await product.multiply(page.flatMap(({ bytes }) => bytes ?? []));
      for (const part of page) contributions += part.contributions;
      after = page.at(-1)!.batch.number;
    }
    if (contributions !== expected)
      throw new Error(`task ${id} expected ${expected} contributions in its aggregate, got ${contributions}`);
    if (product.factors === 0)
      throw new CodedError(CODES.ERR_MINIMUM_OWNERS, 'expected at least one contribution, got 0');
    return product.ciphertexts;
  }
}

function piecesIn({ packing, publicKey }: OpenTask): readonly Piece[] {
  return piecesOf(packing.plaintexts.length, publicKey.ciphertextBytes);
}

function heldOf(piece: Piece | undefined): number {
  return piece === undefined ? HELD : HELD_PIECES;
}

function isToBeAggregated(stored: StoredTask | undefined): stored is StoredTask {
  return stored?.state === 'closed' && stored.fixation?.isFixed === true;
}

/** The product of no ciphertexts. */
const ONE = 1n as Ciphertext;

/** A product of ciphertexts, position by position, that grows. They were checked when they came. */
class Product {
  ciphertexts: Ciphertext[];
  factors = 0;
  readonly #paillier: PaillierPool;
  readonly #publicKey: PublicKey;

  /** @param piece the positions, if not all */
  constructor(paillier: PaillierPool, { packing, publicKey }: OpenTask, piece?: Piece) {
    const { from, to } = piece ?? { from: 0, to: packing.plaintexts.length };
    this.#paillier = paillier;
    this.#publicKey = publicKey;
    this.ciphertexts = Array.from({ length: to - from }, () => ONE);
  }

  async multiply(factors: readonly Uint8Array[]): Promise<void> {
    this.factors += factors.length;
    this.ciphertexts = await this.#paillier.aggregate(this.#publicKey, this.ciphertexts, factors);
  }

  /** Null for a product of nothing, which is no ciphertext. */
  bytes(): Uint8Array | null {
    return this.factors === 0 ? null : encodeCiphertexts(this.#publicKey, this.ciphertexts);
  }
}
