/** The operator's side of the data user's HTTP interface: a command line or a program runs tasks with it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { newTaskId, type TaskId, type TaskProposal } from '@eigenveil/task';
import {
  claimedSigner,
  PROJECTION,
  type Projection,
  type Provenance,
  type ResultResponse,
  ServiceClient,
  type SignedTask,
  STATEMENT,
  type TaskList,
  type TaskOwners,
  type TaskStatus,
  verifyStatement,
} from '@eigenveil/wire';
import { type Client, clientOf } from '@eigenveil/wire/routes';
import { IDENTITY_ROUTES } from '@eigenveil/wire/routes/common';
import { OPERATOR_ROUTES } from '@eigenveil/wire/routes/data-user/operator';

const ROUTES = { ...OPERATOR_ROUTES, ...IDENTITY_ROUTES };

/** The time between two requests for the status of a task that is computed. */
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
  readonly #dataUser: Client<typeof ROUTES>;

  constructor(options: {
    readonly url: string;
    readonly ca?: string | undefined;
    readonly adminToken: string;
    /**
     * The time for which a request goes on trying while the service cannot be reached or is busy; by default
     * it does not.
     */
    readonly patienceMilliseconds?: number;
  }) {
    this.#client = new ServiceClient({
      url: options.url,
      ca: options.ca,
      credentials: { kind: 'bearer', token: options.adminToken },
      patienceMilliseconds: options.patienceMilliseconds ?? 0,
    });
    this.#dataUser = clientOf(ROUTES, this.#client);
  }

  /** Creates a task. Whether the answer comes or not, the same id and proposal again are the same task. */
  create(proposal: TaskProposal, id: TaskId = newTaskId()): Promise<SignedTask> {
    return this.#dataUser.createTask({ body: { ...proposal, id } });
  }

  /** Returns all tasks, newest first. */
  async list(): Promise<TaskList['tasks']> {
    const all: TaskList['tasks'] = [];
    for (;;) {
      const { tasks, older } = await this.#dataUser.tasks({ before: all.at(-1)?.taskId });
      all.push(...tasks);
      if (!older) return all;
    }
  }

  /** Returns the task with the signature of the CSP, as owners get it. */
  signed(taskId: TaskId): Promise<SignedTask> {
    return this.#dataUser.signedTask({ taskId });
  }

  status(taskId: TaskId): Promise<TaskStatus> {
    return this.#dataUser.status({ taskId });
  }

  /**
   * Returns a page of the owners who contributed and those who withdrew: the first page, or the one after the
   * owner with this number.
   */
  owners(taskId: TaskId, after = 0): Promise<TaskOwners> {
    return this.#dataUser.owners({ taskId, after });
  }

  /** Ends collection; the computation goes on in the background. */
  closeTask(taskId: TaskId): Promise<TaskStatus> {
    return this.#dataUser.closeTask({ taskId });
  }

  /**
   * Returns the next task of the series, by default with as much time as this one had. It is made once,
   * however often this is asked.
   */
  renew(taskId: TaskId, deadline?: string): Promise<SignedTask> {
    return this.#dataUser.renewTask({ taskId, body: deadline === undefined ? {} : { deadline } });
  }

  cancelTask(taskId: TaskId): Promise<TaskStatus> {
    return this.#dataUser.cancelTask({ taskId });
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
   * Returns what was signed about the result of a task, unverified: together with the signed task it is what
   * saveProjection keeps.
   * @throws ERR_NOT_READY before the task is done
   */
  signedResult(taskId: TaskId): Promise<ResultResponse> {
    return this.#dataUser.result({ taskId });
  }

  /**
   * Returns the projection of a task that is done, after verifying its signature.
   * @throws ERR_NOT_READY before
   */
  async result(taskId: TaskId): Promise<Projection> {
    return (await this.resultWithProvenance(taskId)).projection;
  }

  /** Returns the projection with the CSP's statement about it. */
  async resultWithProvenance(
    taskId: TaskId,
  ): Promise<{ projection: Projection; provenance: ToldProvenance }> {
    const { keys } = await this.#dataUser.identity();
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

/** The statement that the CSP has signed, and what it says. */
export interface ToldProvenance extends Provenance {
  readonly verifiedOwners: number;
}

/** Reads the statement. The service, whose operator asks, has verified it under the CSP's key. */
async function told(provenance: Provenance): Promise<ToldProvenance> {
  const { statement } = provenance;
  const { verifiedOwners } = await verifyStatement(STATEMENT, statement, claimedSigner(STATEMENT, statement));
  return { verifiedOwners, ...provenance };
}
