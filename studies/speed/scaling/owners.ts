/** Time of the data user against the number of owners, whose contributions it validates and adds in batches, as the service does. */
import { add, type Ciphertext, encodeCiphertexts, PaillierPool, type PublicKey } from '@eigenveil/paillier';
import { systemRandomness } from '@eigenveil/privacy';
import { contribute } from '@eigenveil/protocol/owner';
import { flatten, layout } from '@eigenveil/statistics';
import type { Tidy } from '../../instrument/tidy.ts';
import { EXAMPLE_SAMPLES_PER_OWNER } from '../example-task.ts';
import { checkValues, type KeyedTask, opened, unblindAggregate } from '../steps.ts';
import { FEATURES, KEY_BITS, repeated, sumRows, sweepTask, timed, withRows } from './sweep.ts';

interface OwnersRequest {
  readonly owners: number;
  readonly repetitions: number;
}

const ROWS = 100;
/** The number of contributions that the data user's service adds at a time. */
const BATCH = 32;
/** A task has at least two. */
const FEWEST_OWNERS = 2;
/** The warm-up makes do with fewer. */
const WARM_UP_OWNERS = 100;
/** At least this number of contributions make a sample: few take little more than the clock's step. */
const FEWEST_TIMED = 32;

/** @throws Error when the sum is not that of all contributions */
export function measureOwners(request: OwnersRequest, note: (text: string) => void): Promise<Tidy[]> {
  const { owners, repetitions } = request;
  const task = sweepTask({
    features: FEATURES,
    owners: Math.max(FEWEST_OWNERS, owners),
    samplesPerOwner: EXAMPLE_SAMPLES_PER_OWNER,
  });
  const packing = layout(task);
  return withRows({ rows: ROWS, features: FEATURES }, async (file) => {
    const pool = new PaillierPool({ threads: 0 });
    const secretKey = await pool.generateKeyPair({ bits: KEY_BITS, scheme: 'djn' });
    const under = { task, publicKey: secretKey.publicKey, secretKey, packing };
    const values = flatten(task, await sumRows(task, file));
    const contributions = await Rerandomised.start(pool, under, values);
    const collection = new Collection(pool, under);
    const times = await repeated(repetitions, async (repetition) => {
      const count = repetition === 0 ? Math.min(owners, WARM_UP_OWNERS) : owners;
      const rounds = Math.max(1, Math.ceil(FEWEST_TIMED / count));
      let [validate, addition] = [0, 0];
      for (let round = 0; round < rounds; round += 1) {
        const { times, aggregate } = await collection.collect(contributions, count, (done) =>
          note(`${repetition} of ${repetitions}: ${done} of ${count} contributions`),
        );
        validate += times.validate / rounds;
        addition += times.add / rounds;
        if (round === 0) {
          checkValues(
            'the sum',
            await collection.open(aggregate),
            values.map((value) => BigInt(count) * value),
          );
        }
      }
      const whole = validate + addition;
      return {
        'user/validate': validate,
        'user/add': addition,
        'user/whole': whole,
        perContribution: whole / owners,
      };
    });
    await pool.close();
    const contributionBytes = packing.plaintexts.length * secretKey.publicKey.ciphertextBytes;
    const ciphertexts = packing.plaintexts.length;
    const receivedBytes = owners * contributionBytes;
    return times.map((one) => ({ ...one, ciphertexts, contributionBytes, receivedBytes }));
  });
}

/**
 * Contributions of the same values in ever different bytes: a ciphertext times an encryption of zero, once more for each. That costs one
 * multiplication; the randomisers are no secret from anybody who sees two of them, which benchmarks may ignore.
 */
export class Rerandomised {
  readonly #publicKey: PublicKey;
  readonly #zeros: readonly Ciphertext[];
  #ciphertexts: readonly Ciphertext[];

  private constructor(
    publicKey: PublicKey,
    ciphertexts: readonly Ciphertext[],
    zeros: readonly Ciphertext[],
  ) {
    this.#publicKey = publicKey;
    this.#ciphertexts = ciphertexts;
    this.#zeros = zeros;
  }

  static async start(
    paillier: PaillierPool,
    under: Pick<KeyedTask, 'task' | 'publicKey' | 'packing'>,
    values: readonly bigint[],
  ): Promise<Rerandomised> {
    const { publicKey, packing } = under;
    const bytes = await contribute(under, values, { paillier, randomness: systemRandomness });
    const ciphertexts = await paillier.decode(publicKey, bytes, packing.plaintexts.length);
    const zeros = await paillier.encrypt(
      publicKey,
      ciphertexts.map(() => 0n),
      'djn',
    );
    return new Rerandomised(publicKey, ciphertexts, zeros);
  }

  next(): Uint8Array {
    this.#ciphertexts = this.#ciphertexts.map((ciphertext, i) =>
      add(this.#publicKey, ciphertext, this.#zeros[i]!),
    );
    return encodeCiphertexts(this.#publicKey, this.#ciphertexts);
  }
}

/** The data user's path of contributions, with the CSP's key beside it to check the outcome. */
export class Collection {
  readonly #pool: PaillierPool;
  readonly #under: KeyedTask;

  constructor(pool: PaillierPool, under: KeyedTask) {
    this.#pool = pool;
    this.#under = under;
  }

  /**
   * Validates each contribution and adds them batch by batch; making them is not timed. No more than a batch is held
   * at a time.
   */
  async collect(
    contributions: Pick<Rerandomised, 'next'>,
    count: number,
    onBatch: (done: number) => void = () => undefined,
  ) {
    const { publicKey, packing } = this.#under;
    const { length } = packing.plaintexts;
    const times = { validate: 0, add: 0 };
    let aggregate: Ciphertext[] | undefined;
    for (let done = 0; done < count; done += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - done) }, () => contributions.next());
      const validated = await timed(async () => {
        for (const bytes of batch) await this.#pool.check(publicKey, bytes, length);
      });
      const added = await timed(async () => {
        aggregate ??= await this.#pool.decode(publicKey, batch.shift()!, length);
        return this.#pool.aggregate(publicKey, aggregate, batch);
      });
      aggregate = added.result;
      times.validate += validated.milliseconds;
      times.add += added.milliseconds;
      onBatch(Math.min(count, done + BATCH));
    }
    return { times, aggregate: aggregate! };
  }

  /** The values of an aggregate: blinded, unblinded and freed of the blinding. */
  async open(aggregate: readonly Ciphertext[]): Promise<bigint[]> {
    return opened(this.#under.task, await unblindAggregate(this.#under, aggregate, this.#pool));
  }
}
