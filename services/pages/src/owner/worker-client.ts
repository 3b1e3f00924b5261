/** The page's end of its worker: starts one for each job, and ends it with the job. */
import type { PublicKeyParts } from '@eigenveil/paillier/owner';
import { CodedError, Words } from '@eigenveil/platform';
import type { Contributor } from '@eigenveil/protocol/owner';
import type { Task } from '@eigenveil/task';
import type { OnProgress, ReadJob, ReduceJob, RowsRead, RowsReduced } from './jobs.ts';
import { Answer, FAILED, type Failure, type Job } from './messages.ts';

/** The digest of worker.js, which the build puts here. */
declare const WORKER_INTEGRITY: string;

export interface JobOptions {
  readonly onProgress?: OnProgress;
  /** Ends the job and its worker at once; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Work on rows and ciphertexts beside the page, which goes on answering. Each job has a worker of its own, so that cancelling is ending it, and no
 * row and no randomiser stays in memory behind a job.
 */
export class OwnerWorker implements Contributor {
  readonly #script: string;

  private constructor(script: string) {
    this.#script = script;
  }

  /**
   * Fetches the worker's code, which must have the digest that stands in the page's, and keeps it for all jobs.
   * @throws TypeError when it cannot be fetched or is another
   */
  static async load(): Promise<OwnerWorker> {
    const response = await fetch('worker.js', { integrity: WORKER_INTEGRITY });
    if (!response.ok) throw new TypeError(`worker.js expected, got an answer of ${response.status}`);
    const script = new Blob([await response.arrayBuffer()], { type: 'text/javascript' });
    return new OwnerWorker(trustedUrl(URL.createObjectURL(script)));
  }

  /**
   * The statistics of a file's rows, and the digest of the file. Progress is in bytes of the file.
   * @throws as the job `read`
   */
  async readRows(
    job: Omit<ReadJob, 'kind' | 'name' | 'file'> & { readonly file: File },
    by: JobOptions = {},
  ): Promise<RowsRead> {
    return (await this.#run({ kind: 'read', name: job.file.name, ...job }, by)) as RowsRead;
  }

  /**
   * The encrypted contribution of flat statistics, noise and randomness drawn in the worker: see `contribute` of `@eigenveil/protocol/owner`. Progress is in
   * ciphertexts.
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
   * A file's rows, reduced by a projection whose signatures have been verified. Progress is in bytes of the file.
   * @throws as the job `reduce`
   */
  async reduceRows(
    job: Omit<ReduceJob, 'kind' | 'name' | 'file'> & { readonly file: File },
    by: JobOptions = {},
  ): Promise<RowsReduced> {
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

/** What went wrong in a worker, as the error there. */
const errorOf = ({ info, parts }: Failure) => new CodedError(info, new Words(parts));
const broken = () => errorOf(FAILED);

/** A blob of the code that was checked, and nothing else, may be run as a worker. */
const trustedUrl = (() => {
  const policy = globalThis.trustedTypes?.createPolicy('eigenveil-worker', {
    createScriptURL: (url) => (url.startsWith('blob:') ? url : null),
  });
  return (url: string) => policy?.createScriptURL(url) ?? url;
})();
