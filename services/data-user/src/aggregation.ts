/**
 * Aggregation of a closed task, batch by batch: each batch's ciphertexts are multiplied into a partial product, which is stored in one
 * transaction with the marks on its contributions; the product of the partial products is the aggregate. A batch that was
 * interrupted is done anew, and no contribution can get into two partial products, or none.
 */
import { type Ciphertext, encodeCiphertexts, type PaillierPool } from '@eigenveil/paillier';
import { ServiceError } from '@eigenveil/wire';
import type { Batch, DataUserStore } from './store.ts';
import type { OpenTask } from './tasks.ts';

/** Sequence numbers to a batch. */
const BATCH_SIZE = 256;
/** Contributions, or partial products, that are held in memory at a time. */
const HELD = 32;

export class Aggregation {
  readonly #store: DataUserStore;
  readonly #paillier: PaillierPool;

  constructor(dependencies: { store: DataUserStore; paillier: PaillierPool }) {
    this.#store = dependencies.store;
    this.#paillier = dependencies.paillier;
  }

  /** The homomorphic sum of all contributions of a closed task that count. Throws ERR_MINIMUM_OWNERS for none. */
  async aggregate(open: OpenTask): Promise<Ciphertext[]> {
    const { lastSequence, contributions } = (await this.#store.task(open.task.id))!;
    const completed = new Set(await this.#store.completedBatches(open.task.id));
    for (const batch of batchesOf(lastSequence))
      if (!completed.has(batch.number)) await this.complete(open, batch);
    return this.#combine(open, contributions);
  }

  /** Multiplies the ciphertexts of a batch and stores their product. */
  async complete(open: OpenTask, batch: Batch): Promise<void> {
    const { id } = open.task;
    const product = new Product(this.#paillier, open);
    for (let after = batch.first - 1; ; ) {
      const page = await this.#store.ciphertexts(id, after, batch.last, HELD);
      if (page.length === 0) break;
      await product.multiply(page.map(({ bytes }) => bytes));
      after = page.at(-1)!.sequence;
    }
    await this.#store.completeBatch(id, { batch, contributions: product.factors, bytes: product.bytes() });
  }

  async #combine(open: OpenTask, expected: number): Promise<Ciphertext[]> {
    const { id } = open.task;
    const product = new Product(this.#paillier, open);
    let contributions = 0;
    for (let after = -1; ; ) {
      const page = await this.#store.partialProducts(id, after, HELD);
      if (page.length === 0) break;
      await product.multiply(page.flatMap(({ bytes }) => bytes ?? []));
      for (const part of page) contributions += part.contributions;
      after = page.at(-1)!.batch.number;
    }
    if (contributions !== expected)
      throw new Error(`task ${id} expected ${expected} contributions in its aggregate, got ${contributions}`);
    if (product.ciphertexts === undefined)
      throw new ServiceError('ERR_MINIMUM_OWNERS', 'expected at least one contribution, got 0');
    return product.ciphertexts;
  }
}

/** The batches of a task whose last contribution has this sequence number. */
export function batchesOf(lastSequence: number): Batch[] {
  return Array.from({ length: Math.ceil(lastSequence / BATCH_SIZE) }, (_, number) => ({
    number,
    first: number * BATCH_SIZE + 1,
    last: (number + 1) * BATCH_SIZE,
  }));
}

/** A product of ciphertexts, position by position, that grows. */
class Product {
  ciphertexts: Ciphertext[] | undefined;
  factors = 0;
  readonly #paillier: PaillierPool;
  readonly #open: OpenTask;

  constructor(paillier: PaillierPool, open: OpenTask) {
    this.#paillier = paillier;
    this.#open = open;
  }

  async multiply(factors: readonly Uint8Array[]): Promise<void> {
    const { publicKey, packing } = this.#open;
    const rest = [...factors];
    this.factors += rest.length;
    if (this.ciphertexts === undefined && rest.length > 0)
      this.ciphertexts = await this.#paillier.decode(publicKey, rest.shift()!, packing.plaintexts.length);
    if (this.ciphertexts !== undefined)
      this.ciphertexts = await this.#paillier.aggregate(publicKey, this.ciphertexts, rest);
  }

  /** Null for a product of nothing. */
  bytes(): Uint8Array | null {
    return this.ciphertexts === undefined ? null : encodeCiphertexts(this.#open.publicKey, this.ciphertexts);
  }
}
