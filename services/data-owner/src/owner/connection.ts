/**
 * An owner's way to the services: its identity there, its requests in its own name, and tasks under the
 * signature of the CSP that it has pinned.
 */
import { CodedError, words } from '@eigenveil/platform';
import { verifyBasis } from '@eigenveil/projection/portable';
import { type AgreedTask, openAgreed } from '@eigenveil/protocol/owner';
import { namedResult, refinedResult, type Task, type TaskId } from '@eigenveil/task';
import {
  CODES,
  type Projection,
  pinnedCspKey,
  type ServiceAddress,
  ServiceClient,
  type ServiceClientOptions,
  type SignedTask,
  type Thumbprint,
} from '@eigenveil/wire';
import { type Client, clientOf } from '@eigenveil/wire/routes';
import { CSP_OWNER_ROUTES } from '@eigenveil/wire/routes/csp/owner';
import { OWNER_ROUTES } from '@eigenveil/wire/routes/data-user/owner';
import type { Enrolment, OwnerState } from './state.ts';
import { ownerTerm } from './terms.ts';

/** The requests of an owner to a data user. */
export type DataUser = Client<typeof OWNER_ROUTES>;

/** The requests of an owner to the CSP. */
export type Csp = Client<typeof CSP_OWNER_ROUTES>;

/** Says for how long requests are repeated, who is told of a failed attempt, and what ends them. */
export type Attempts = Pick<ServiceClientOptions, 'patienceMilliseconds' | 'onRetry' | 'signal'>;

/** A task that this owner has verified. */
export interface VerifiedTask extends AgreedTask {
  readonly signed: SignedTask;
}

export class OwnerConnection {
  readonly #state: OwnerState;
  readonly #attempts: Attempts;

  constructor(state: OwnerState, attempts: Attempts = {}) {
    this.#state = state;
    this.#attempts = attempts;
  }

  /** Does what `enrol` of DataOwner says. */
  async enrol(csp: ServiceAddress, enrolmentToken: string, cspThumbprint: Thumbprint): Promise<Enrolment> {
    const client = this.#client(csp, { kind: 'key', key: await this.#state.signingKey() });
    try {
      const cspKey = await pinnedCspKey(client, cspThumbprint);
      const answer = await clientOf(CSP_OWNER_ROUTES, client).enrol({ body: { enrolmentToken } });
      const enrolment = { ...answer, cspKey, csp };
      await this.#state.saveEnrolment(enrolment);
      return enrolment;
    } finally {
      await client.close();
    }
  }

  /**
   * Returns what enrolment left behind.
   * @throws ERR_AUTH_REQUIRED when the owner is not enrolled
   */
  async enrolment(): Promise<Enrolment> {
    const enrolment = await this.#state.enrolment();
    if (enrolment === undefined)
      throw new CodedError(
        CODES.ERR_AUTH_REQUIRED,
        words`not enrolled yet: ${ownerTerm('enrol', 'run "eigenveil-owner enrol" first')}`,
      );
    return enrolment;
  }

  /** Does work with a client that speaks in the owner's name, and closes the client afterwards. */
  async #withService<T>(service: ServiceAddress, work: (client: ServiceClient) => Promise<T>): Promise<T> {
    const { ownerToken } = await this.enrolment();
    const client = this.#client(service, {
      kind: 'key',
      key: await this.#state.signingKey(),
      token: ownerToken,
    });
    try {
      return await work(client);
    } finally {
      await client.close();
    }
  }

  /** Does work at a data user in the owner's name. */
  withDataUser<T>(service: ServiceAddress, work: (dataUser: DataUser) => Promise<T>): Promise<T> {
    return this.#withService(service, (client) => work(clientOf(OWNER_ROUTES, client)));
  }

  /**
   * Does work at the CSP in the owner's name, at another address than that of the enrolment where one is
   * given.
   */
  async withCsp<T>(work: (csp: Csp) => Promise<T>, address?: ServiceAddress): Promise<T> {
    const { csp } = await this.enrolment();
    return this.#withService(address ?? csp, (client) => work(clientOf(CSP_OWNER_ROUTES, client)));
  }

  /**
   * Returns the task, verified under the pinned CSP's key.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID
   */
  async task(dataUser: DataUser, taskId: TaskId): Promise<VerifiedTask> {
    const { cspKey } = await this.enrolment();
    const signed = await dataUser.signedTask({ taskId });
    const agreed = await openAgreed(signed, cspKey);
    if (signed.task.id !== taskId)
      throw new CodedError(CODES.ERR_AGREEMENT_INVALID, '"taskId" expected the task that was asked for');
    return { ...agreed, signed };
  }

  /**
   * Returns the task that renews this one; null: there is none yet.
   * @throws ERR_AGREEMENT_INVALID, ERR_KEY_INVALID
   */
  async nextTask(dataUser: DataUser, taskId: TaskId): Promise<Task | null> {
    const { next } = await dataUser.nextTask({ taskId });
    return next && (await openAgreed(next, (await this.enrolment()).cspKey)).task;
  }

  /**
   * Returns the results that a task stands on or refines. Every link is verified under the pinned CSP's key:
   * the data user's word counts for nothing.
   * @throws ERR_BASIS_INVALID, and as `verifyProjection`
   */
  async named(dataUser: DataUser, task: Task): Promise<Named> {
    if (namedResult(task) === undefined) return { basis: [] };
    const { basis } = await dataUser.basis({ taskId: task.id });
    const links = basisOf(await verifyBasis(task, basis, (await this.enrolment()).cspKey));
    const [refined] = refinedResult(task) === undefined ? [] : links;
    return refined === undefined ? { basis: links } : { basis: [], refined };
  }

  #client(
    { url, ca }: ServiceAddress,
    credentials: ConstructorParameters<typeof ServiceClient>[0]['credentials'],
  ) {
    return new ServiceClient({ ...this.#attempts, url, ca, credentials });
  }
}

/**
 * The links before a task, the first of the chain first; empty without a basis. Rows are reduced by them in
 * `statisticsThrough`.
 */
export type Basis = readonly { readonly task: Task; readonly projection: Projection }[];

/** The earlier results that a task names. */
export interface Named {
  readonly basis: Basis;
  /** The result that a sketch refines: its vectors are the first columns of Ω. */
  readonly refined?: Basis[number];
}

/** Removes what was signed about the links. */
export const basisOf = (links: Basis): Basis => links.map(({ task, projection }) => ({ task, projection }));

/**
 * Returns the number of tasks in a chain, including the task that these links come before. A sketch and the
 * result that it refines count as a chain of two.
 */
export const chainLength = ({ basis, refined }: Named): number =>
  1 + basis.length + (refined === undefined ? 0 : 1);
