/** The worker of the owner's page: it takes one job, reports its progress, and answers. */
import { CodedError } from '@eigenveil/platform';
import { contribution, look, read, reduce } from './jobs.ts';
import { type Answer, FAILED, type Failure, type Job, JobMessage } from './messages.ts';

const answer = (it: Answer, transfer: Transferable[] = []) => postMessage(it, { transfer });

addEventListener('message', ({ data }: MessageEvent<unknown>) => void work(data), { once: true });

async function work(message: unknown): Promise<void> {
  try {
    const result = await perform(JobMessage.parse(message));
    answer({ kind: 'result', result }, result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : []);
  } catch (error) {
    answer({ kind: 'failure', ...failureOf(error) });
  }
}

function perform(job: Job): Promise<unknown> {
  const onProgress = (done: number, total: number) => answer({ kind: 'progress', done, total });
  switch (job.kind) {
    case 'look':
      return look(job);
    case 'read':
      return read(job, onProgress);
    case 'contribute':
      return contribution(job, onProgress);
    case 'reduce':
      return reduce(job, onProgress);
  }
}

/**
 * Returns an error as a failure. A CodedError says what to do, and names no value; the text of another error
 * may contain anything, so it is not passed on.
 */
function failureOf(error: unknown): Failure {
  return error instanceof CodedError ? { info: error.info, parts: error.words.parts } : FAILED;
}
