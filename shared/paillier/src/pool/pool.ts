/** Bulk Paillier work on worker threads (piscina), so that a service goes on answering while it computes. */

import { CodedError } from '@eigenveil/platform';
import { Piscina } from 'piscina';
import { isBigintFallbackAllowed } from '../arithmetic/exponentiation.ts';
import { checkCiphertextLength } from '../ciphertexts.ts';
import { PAILLIER_CODES } from '../codes.ts';
import type { Ciphertext, Encrypter, EncryptionScheme, Plaintext } from '../encryption.ts';
import type { GenerateKeyOptions } from '../keys/generate.ts';
import type { PublicKey, PublicKeyParts } from '../keys/public-key.ts';
import type { SecretKey } from '../keys/secret-key.ts';
import {
  arrive,
  carry,
  type JobInput,
  type JobName,
  type JobOutput,
  type Movable,
  type Moved,
  moveWith,
  perform,
} from './jobs.ts';
import type { WorkerJob, WorkerOutcome, WorkerSettings } from './worker.ts';

const SECRET_JOBS: ReadonlySet<JobName> = new Set(['generateKeyPair', 'decrypt']);

/**
 * Smallest part worth sending to another thread: about a millisecond of work, or a share of a fixed-base
 * table.
 */
const SMALLEST_PART = { encrypt: 1, djn: 32, decrypt: 1, decode: 128, aggregate: 128 };

/**
 * A thread that has had nothing to do for so long ends: what it takes, a hundred megabytes and more, is what
 * the next stage of a task may need.
 */
const IDLE_MILLISECONDS = 2000;

/**
 * The room for what is young in a thread's heap. It would grow to several times as much, and save no time:
 * nearly nothing of it lives on.
 */
const YOUNG_MEGABYTES = 16;

/** Ciphertexts of somebody else; the first has the number `firstIndex` in error messages, 0 by default. */
type Encoded = [publicKey: PublicKey, bytes: Uint8Array, count: number, firstIndex?: number];

type Workers = Piscina<Moved, WorkerOutcome<unknown>>;

/**
 * @example
 * import { PaillierPool } from '@eigenveil/paillier';
 *
 * const pool = new PaillierPool({ threads: 4 });
 * const ciphertexts = await pool.encrypt(publicKey, [1n, 2n], 'standard');
 * await pool.close();
 */
export class PaillierPool implements Encrypter {
  readonly #workers: Workers | undefined;
  /**
   * The workers for jobs with a secret key. A thread that has nothing to do ends, and its memory goes with
   * it.
   */
  readonly #secretWorkers: Workers | undefined;
  readonly #threads: number;
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  /**
   * @param options `threads`: worker threads; 0 does the same work in the calling thread
   * @throws RangeError when that is no non-negative integer
   */
  constructor({ threads }: { threads: number }) {
    if (!Number.isInteger(threads) || threads < 0) {
      throw new RangeError(`"threads" expected as a non-negative integer, got ${threads}`);
    }
    this.#threads = threads;
    if (threads === 0) return;
    const settings: WorkerSettings = { allowBigintFallback: isBigintFallbackAllowed() };
    const options = {
      // The worker lies beside this file and is of its kind: TypeScript in the repository, JavaScript in a
      // package.
      filename: new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)
        .href,
      maxThreads: threads,
      workerData: settings,
    };
    this.#workers = new Piscina({
      ...options,
      minThreads: 0,
      idleTimeout: IDLE_MILLISECONDS,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#secretWorkers = new Piscina({ ...options, minThreads: 0, idleTimeout: 0 });
  }

  /** The number of threads that have had a secret key; 0 soon after the last job with one. */
  get threadsWithSecrets(): number {
    return this.#secretWorkers?.threads.length ?? 0;
  }

  /** Does what the function of this name does. */
  async generateKeyPair(options: GenerateKeyOptions): Promise<SecretKey> {
    return arrive(await this.#run('generateKeyPair', [options]));
  }

  /** @throws ERR_PLAINTEXT_OUT_OF_RANGE, ERR_SCHEME_UNAVAILABLE */
  async encrypt(
    publicKey: PublicKey,
    plaintexts: readonly bigint[],
    scheme: EncryptionScheme,
  ): Promise<Ciphertext[]> {
    const key = publicParts(publicKey);
    const smallest = scheme === 'djn' ? SMALLEST_PART.djn : SMALLEST_PART.encrypt;
    return this.#inParts(plaintexts.length, smallest, (start, end) =>
      this.#run('encrypt', [key, plaintexts.slice(start, end), scheme]),
    );
  }

  /** @throws ERR_CIPHERTEXT_INVALID */
  async decrypt(secretKey: SecretKey, ciphertexts: readonly Ciphertext[]): Promise<Plaintext[]> {
    const plaintexts = await this.#inParts(ciphertexts.length, SMALLEST_PART.decrypt, (start, end) =>
      this.#run('decrypt', [carry(secretKey), ciphertexts.slice(start, end)]),
    );
    return plaintexts as Plaintext[];
  }

  /** Does what `decodeCiphertexts` does. @throws ERR_CIPHERTEXT_LENGTH, ERR_CIPHERTEXT_INVALID */
  decode(...encoded: Encoded): Promise<Ciphertext[]> {
    return this.#read('decode', encoded);
  }

  /**
   * Checks what `decode` checks, for bytes that are kept as they are. @throws ERR_CIPHERTEXT_LENGTH,
   * ERR_CIPHERTEXT_INVALID
   */
  async check(...encoded: Encoded): Promise<void> {
    await this.#read('check', encoded);
  }

  /**
   * Does what `aggregateContributions` does, with contributions that were validated before. @throws
   * ERR_CIPHERTEXT_LENGTH
   */
  async aggregate(
    publicKey: PublicKey,
    aggregate: readonly Ciphertext[],
    contributions: readonly Uint8Array[],
  ): Promise<Ciphertext[]> {
    for (const contribution of contributions)
      checkCiphertextLength(publicKey, contribution, aggregate.length);
    const key = publicParts(publicKey);
    return this.#inParts(aggregate.length, SMALLEST_PART.aggregate, (start, end) => {
      const parts = contributions.map((bytes) => partOf(publicKey, bytes, start, end));
      return this.#run('aggregate', [key, aggregate.slice(start, end), parts], parts);
    });
  }

  /**
   * Lets running work finish and ends the workers; whatever is asked afterwards fails with ERR_POOL_CLOSED.
   */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Piscina gives up what waits for a thread that only starts.
    await Promise.allSettled(this.#running);
    await Promise.all([this.#workers?.close(), this.#secretWorkers?.close()]);
  }

  /**
   * @param moved the part of the input that moves to the thread that does the job; a secret key always does
   */
  async #run<Name extends JobName>(
    name: Name,
    input: JobInput<Name>,
    moved: readonly Movable[] = [],
  ): Promise<JobOutput<Name>> {
    if (this.#closed) throw new CodedError(PAILLIER_CODES.ERR_POOL_CLOSED, 'the pool is closed');
    if (this.#workers === undefined) return perform(name, input);
    const workers = SECRET_JOBS.has(name) ? this.#secretWorkers! : this.#workers;
    const job: WorkerJob<Name> = { name, input };
    const [key] = input;
    const running = workers.run(moveWith('primes' in key ? [key.primes] : moved, job));
    this.#running.add(running);
    const outcome = await running.finally(() => this.#running.delete(running));
    if ('code' in outcome) throw new CodedError(PAILLIER_CODES[outcome.code], outcome.message);
    return outcome.output as JobOutput<Name>;
  }

  async #read(
    job: 'decode' | 'check',
    [publicKey, bytes, count, firstIndex = 0]: Encoded,
  ): Promise<Ciphertext[]> {
    checkCiphertextLength(publicKey, bytes, count);
    const key = publicParts(publicKey);
    return this.#inParts(count, SMALLEST_PART.decode, (start, end) => {
      const part = partOf(publicKey, bytes, start, end);
      return this.#run(job, [key, part, end - start, firstIndex + start], [part]);
    });
  }

  /**
   * Runs consecutive parts of [0, length) in parallel and joins what they give; the first part's error wins.
   */
  async #inParts<T>(
    length: number,
    smallest: number,
    run: (start: number, end: number) => Promise<T[]>,
  ): Promise<T[]> {
    const parts = Math.max(1, Math.min(this.#threads, Math.floor(length / smallest)));
    const bounds = Array.from({ length: parts + 1 }, (_, i) => Math.floor((i * length) / parts));
    const settled = await Promise.allSettled(bounds.slice(1).map((end, i) => run(bounds[i]!, end)));
    return settled.flatMap((part) => {
      if (part.status === 'rejected') throw part.reason;
      return part.value;
    });
  }
}

function publicParts({ n, h }: PublicKey): PublicKeyParts {
  return { n, h };
}

/** A copy with a buffer of its own: that behind `bytes` also has other parts, and strangers' bytes. */
function partOf({ ciphertextBytes }: PublicKey, bytes: Uint8Array, start: number, end: number): Movable {
  return new Uint8Array(bytes.subarray(start * ciphertextBytes, end * ciphertextBytes));
}
