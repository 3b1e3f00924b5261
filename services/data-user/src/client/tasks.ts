/** The operator's side of the data user's HTTP interface: tasks by command line or program. */

import { setTimeout as sleep } from 'node:timers/promises';
import { newTaskId, type TaskCreation, type TaskId, type TaskProposal } from '@eigenveil/task';
import {
  claimedSigner,
  JwkSet,
  PROJECTION,
  type Projection,
  type Provenance,
  type RenewalRequest,
  ResultResponse,
  ServiceClient,
  type SignedTask,
  SignedTask as SignedTaskSchema,
  STATEMENT,
  TaskList,
  TaskOwners,
  TaskStatus,
  verifyStatement,
} from '@eigenveil/wire';

/** Between two looks at a task that is computed. */
const POLL_MILLISECONDS = 300;

/**
 * @example
 * import { TaskClient, TaskProposal } from '@eigenveil/data-user/client';
 *
 * const client = new TaskClient({ url: 'https://user.example.org:8444', adminToken: text });
 * const { task } = await client.create(TaskProposal.parse(JSON.parse(text)));
 * const { contributions } = await client.status(task.id);
 * await client.close();
 */
export class TaskClient {
  readonly #client: ServiceClient;

  constructor(options: {
    readonly url: string;
    readonly ca?: string | undefined;
    readonly adminToken: string;
    /** How long a request goes on trying while the service cannot be reached or is busy; by default not at all. */
    readonly patienceMilliseconds?: number;
  }) {
    this.#client = new ServiceClient({
      url: options.url,
      ca: options.ca,
      credentials: { kind: 'bearer', token: options.adminToken },
      patienceMilliseconds: options.patienceMilliseconds ?? 0,
    });
  }

  /** Whether the answer comes or not, the same id and proposal again are the same task. */
  create(proposal: TaskProposal, id: TaskId = newTaskId()): Promise<SignedTask> {
    const json: TaskCreation = { ...proposal, id };
    return this.#client.send({ method: 'POST', path: '/tasks', json, response: SignedTaskSchema });
  }

  /** All tasks, newest first. */
  async list(): Promise<TaskList['tasks']> {
    const all: TaskList['tasks'] = [];
    let path = '/tasks';
    for (;;) {
      const { tasks, older } = await this.#client.send({ method: 'GET', path, response: TaskList });
      all.push(...tasks);
      if (!older) return all;
      path = `/tasks/${tasks.at(-1)!.taskId}/older`;
    }
  }

  /** The task with the signature of the CSP, as owners get it. */
  signed(taskId: TaskId): Promise<SignedTask> {
    return this.#client.send({ method: 'GET', path: `/tasks/${taskId}/signed`, response: SignedTaskSchema });
  }

  status(taskId: TaskId): Promise<TaskStatus> {
    return this.#client.send({ method: 'GET', path: `/tasks/${taskId}/status`, response: TaskStatus });
  }

  /** A page of who contributed and who withdrew: the first, or those after the one with this number. */
  owners(taskId: TaskId, after = 0): Promise<TaskOwners> {
    const path = `/tasks/${taskId}/owners${after === 0 ? '' : `/${after}/next`}`;
    return this.#client.send({ method: 'GET', path, response: TaskOwners });
  }

  /** Ends collection; the computation goes on in the background. */
  closeTask(taskId: TaskId): Promise<TaskStatus> {
    return this.#client.send({
      method: 'POST',
      path: `/tasks/${taskId}/close`,
      json: {},
      response: TaskStatus,
    });
  }

  /** The next task of the series, by default with as much time as this one had; it is made once, however often this is asked. */
  renew(taskId: TaskId, deadline?: string): Promise<SignedTask> {
    const json: RenewalRequest = deadline === undefined ? {} : { deadline };
    return this.#client.send({
      method: 'POST',
      path: `/tasks/${taskId}/renewal`,
      json,
      response: SignedTaskSchema,
    });
  }

  cancelTask(taskId: TaskId): Promise<TaskStatus> {
    return this.#client.send({
      method: 'POST',
      path: `/tasks/${taskId}/cancel`,
      json: {},
      response: TaskStatus,
    });
  }

  /**
   * Asks for the status until the task is done, failed or cancelled.
   * @param onStatus told every status, also the last one
   */
  async untilFinal(taskId: TaskId, onStatus: (status: TaskStatus) => void = () => {}): Promise<TaskStatus> {
    for (;;) {
      const status = await this.status(taskId);
      onStatus(status);
      if (status.state === 'done' || status.state === 'failed' || status.state === 'cancelled') return status;
      await sleep(POLL_MILLISECONDS);
    }
  }

  /**
   * What was signed about the result of a task, as it came: with the signed task it makes what saveProjection keeps.
   * @throws ERR_NOT_READY before the task is done
   */
  signedResult(taskId: TaskId): Promise<ResultResponse> {
    return this.#client.send({ method: 'GET', path: `/tasks/${taskId}/result`, response: ResultResponse });
  }

  /**
   * The projection of a task that is done, its signature verified.
   * @throws ERR_NOT_READY before
   */
  async result(taskId: TaskId): Promise<Projection> {
    return (await this.resultWithProvenance(taskId)).projection;
  }

  /** The projection with the CSP's word about it. */
  async resultWithProvenance(
    taskId: TaskId,
  ): Promise<{ projection: Projection; provenance: ToldProvenance }> {
    const path = '/.well-known/jwks.json';
    const { keys } = await this.#client.send({ method: 'GET', path, response: JwkSet });
    const { projection, provenance } = await this.signedResult(taskId);
    return {
      projection: await verifyStatement(PROJECTION, projection, keys[0]!),
      provenance: await told(provenance),
    };
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** What the CSP has signed, and what its statement says. */
export interface ToldProvenance extends Provenance {
  readonly verifiedOwners: number;
}

/** The service, whose operator asks, has verified the statement under the CSP's key; here it is only read. */
async function told(provenance: Provenance): Promise<ToldProvenance> {
  const { statement } = provenance;
  const { verifiedOwners } = await verifyStatement(STATEMENT, statement, claimedSigner(STATEMENT, statement));
  return { verifiedOwners, ...provenance };
}
