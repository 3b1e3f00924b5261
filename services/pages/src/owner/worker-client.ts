/** Starts the page's worker for each job, and ends it with the job. */
import type { PublicKeyParts } from '@eigenveil/paillier/owner';
import { CodedError, Words } from '@eigenveil/platform';
import type { Contributor } from '@eigenveil/protocol/owner';
import type { Task } from '@eigenveil/task';
import { DEVICE_CODES } from './codes.ts';
import type { FileLook, LookJob, OnProgress, ReadJob, ReduceJob, RowsRead, RowsReduced } from './jobs.ts';
import { Answer, FAILED, type Failure, type Job } from './messages.ts';

/** The digest of worker.js, which the build inserts here. */
declare const WORKER_INTEGRITY: string;

export interface JobOptions {
  readonly onProgress?: OnProgress;
  /** Aborting it ends the job and its worker at once; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A job about a file that somebody chose, whose name comes with it. */
type OfFile<Of extends { readonly kind: string }> = Omit<Of, 'kind' | 'name' | 'file'> & {
  readonly file: File;
};

/**
 * Works on rows and ciphertexts while the page goes on answering. Each job has a worker of its own, so that
 * cancelling ends it, and no row and no randomiser stays in memory after a job.
 */
export class OwnerWorker implements Contributor {
  readonly #script: string;

  private constructor(script: string) {
    this.#script = script;
  }

  /**
   * Fetches the worker's code, checks that it has the digest in the page's code, and keeps it for all jobs.
   * @throws ERR_WORKER when it cannot be fetched or is another
   */
  static async load(): Promise<OwnerWorker> {
    const response = await fetch('worker.js', { integrity: WORKER_INTEGRITY }).catch((cause: unknown) => {
      throw lost(cause);
    });
    if (!response.ok) throw lost();
    const script = new Blob([await response.arrayBuffer()], { type: 'text/javascript' });
    return new OwnerWorker(trustedUrl(URL.createObjectURL(script)));
  }

  /**
   * Looks at the beginning of a file.
   * @throws as the job `look`
   */
  async look(job: OfFile<LookJob>, signal: AbortSignal): Promise<FileLook> {
    return (await this.#run({ kind: 'look', name: job.file.name, ...job }, { signal })) as FileLook;
  }

  /**
   * Returns the statistics of a file's rows. Progress is in bytes of the file.
   * @throws as the job `read`
   */
  async readRows(job: OfFile<ReadJob>, by: JobOptions = {}): Promise<RowsRead> {
    return (await this.#run({ kind: 'read', name: job.file.name, ...job }, by)) as RowsRead;
  }

  /**
   * Returns the encrypted contribution of flat statistics. The worker draws noise and randomness (see
   * `contribute` of `@eigenveil/protocol/owner`). Progress is in ciphertexts.
   * @throws as the job `contribution`
   */
  async contribution(
    { task, publicKey: { n, h } }: { readonly task: Task; readonly publicKey: PublicKeyParts },
    values: readonly bigint[],
    by: JobOptions = {},
  ): Promise<Uint8Array> {
    const publicKey = h === undefined ? { n } : { n, h };
    return (await this.#run({ kind: 'contribute', task, publicKey, values }, by)) as Uint8Array;
  }

  /**
   * Returns a file's rows, reduced by a projection whose signatures have been verified. Progress is in bytes
   * of the file.
   * @throws as the job `reduce`
   */
  async reduceRows(job: OfFile<ReduceJob>, by: JobOptions = {}): Promise<RowsReduced> {
    return (await this.#run({ kind: 'reduce', name: job.file.name, ...job }, by)) as RowsReduced;
  }

  #run(job: Job, { onProgress, signal }: JobOptions): Promise<unknown> {
    signal?.throwIfAborted();
    const worker = new Worker(this.#script, { type: 'module' });
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const cancel = () => reject(signal?.reason);
    signal?.addEventListener('abort', cancel);
    worker.onmessage = ({ data }: MessageEvent<unknown>) => {
      const answer = Answer.safeParse(data).data;
      if (answer?.kind === 'progress') onProgress?.(answer.done, answer.total);
      else if (answer?.kind === 'result') resolve(answer.result);
      else reject(answer === undefined ? broken() : errorOf(answer));
    };
    worker.onmessageerror = () => reject(broken());
    worker.onerror = (event) => {
      event.preventDefault();
      reject(broken());
    };
    worker.postMessage(job);
    return promise.finally(() => {
      signal?.removeEventListener('abort', cancel);
      worker.terminate();
    });
  }
}

/** Returns a worker's failure as the error that it had there. */
const errorOf = ({ info, parts }: Failure) => new CodedError(info, new Words(parts));
const broken = () => errorOf(FAILED);
const lost = (cause?: unknown) =>
  new CodedError(
    DEVICE_CODES.ERR_WORKER,
    'a part of this page did not come, or is another file: load the page again; if that does not help, tell whoever hosts it',
    { cause },
  );

/** Only a blob of the code that was checked may run as a worker. */
const trustedUrl = (() => {
  const policy = globalThis.trustedTypes?.createPolicy('eigenveil-worker', {
    createScriptURL: (url) => (url.startsWith('blob:') ? url : null),
  });
  return (url: string) => policy?.createScriptURL(url) ?? url;
})();
