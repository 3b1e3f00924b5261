/**
 * The tasks that this CSP has agreed to. It makes and signs a Paillier key for each, and treats no task as
 * agreed without its own signature.
 */

import { randomBytes } from 'node:crypto';
import { LIMITS } from '@eigenveil/methods';
import type { PaillierPool } from '@eigenveil/paillier';
import { CodedError } from '@eigenveil/platform';
import type { Sealer } from '@eigenveil/server';
import { checkBasis, checkRanges, namedResult, type Task, type TaskId } from '@eigenveil/task';
import {
  AGREEMENT,
  type Agreement,
  CODES,
  Digest,
  digestTask,
  type PublicJwk,
  type SignedLink,
  type SigningKey,
  signStatement,
  type Thumbprint,
  thumbprintOf,
  verifyStatement,
} from '@eigenveil/wire';
import {
  type CspStore,
  type StoredTask,
  sealJson,
  sealVectors,
  secretKeyPlace,
  type TaskQuota,
} from '../store/store.ts';
import { type CspPolicy, checkProposal, quotaOf, refinedBy } from './policy.ts';
import { altered, ended } from './refusals.ts';

const NONCE_BYTES = 32;

export type AgreedTask = StoredTask & { readonly agreed: Agreement };

interface AgreementDependencies {
  readonly store: Pick<CspStore, 'task' | 'insertTask' | 'requireQuota' | 'taskOfProjection'>;
  readonly sealer: Sealer;
  readonly paillier: Pick<PaillierPool, 'generateKeyPair'>;
  readonly key: SigningKey;
  readonly policy: CspPolicy;
  readonly now: () => Date;
}

export class Agreements {
  readonly #deps: AgreementDependencies;
  /** Tasks that are being agreed to. */
  readonly #agreeing = new Map<TaskId, Promise<string>>();
  /** The number of keys that are being made for each data user. */
  readonly #making = new Map<Thumbprint, number>();

  constructor(dependencies: AgreementDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Checks a proposed task and signs it with a Paillier key of its own. The same proposal again gets the same
   * agreement.
   * @param refined the earlier result that the task refines, if it refines one
   * @throws ERR_TASK_INVALID and other errors of a task's check, ERR_TASK_REFUSED, ERR_SIMULATED_REFUSED,
   *   ERR_TASK_CONFLICT, ERR_QUOTA, ERR_AUTH_FORBIDDEN for a data user that was revoked meanwhile, and as
   *   `refinedBy`
   */
  async agree(task: Task, dataUserKey: PublicJwk, refined?: SignedLink): Promise<string> {
    // This loop stands here, and not in whenAgreed(), since no other request may come between its last check
    // and this entry.
    while (this.#agreeing.has(task.id)) await this.#agreeing.get(task.id)!.catch(() => undefined);
    const agreement = this.#agree(task, dataUserKey, refined);
    this.#agreeing.set(task.id, agreement);
    try {
      return await agreement;
    } finally {
      this.#agreeing.delete(task.id);
    }
  }

  /**
   * Waits until a task's key is made, which takes seconds. Meanwhile the data user may ask again, or give the
   * task up: neither may make or leave a second key.
   */
  async whenAgreed(taskId: TaskId): Promise<void> {
    while (this.#agreeing.has(taskId)) await this.#agreeing.get(taskId)!.catch(() => undefined);
  }

  async #agree(task: Task, dataUserKey: PublicJwk, refined: SignedLink | undefined): Promise<string> {
    const { store, sealer, paillier, key, policy, now } = this.#deps;
    const digest = digestTask(task);
    const known = await store.task(task.id);
    const isOwn = task.dataUser === (await thumbprintOf(dataUserKey));
    if (known?.digest === digest && isOwn) return agreementOf(known, digest);
    // A proposal is refused in the same way whether the id is taken or not.
    await checkProposal(task, dataUserKey, { policy, csp: key.thumbprint, now: now() });
    checkBasis(task, await this.#basisOf(task));
    if (task.rangesFrom !== undefined) checkRanges(task, await this.#earlier(task, task.rangesFrom));
    const vectors = await refinedBy(task, refined, key.publicJwk);
    if (known !== undefined) return agreementOf(known, digest);
    const quota = quotaOf(policy, task.dataUser);
    const secretKey = await this.#withinQuota(task.dataUser, quota, () =>
      paillier.generateKeyPair({
        bits: task.keyBits,
        scheme: task.encryption,
        allowInsecureKey: task.allowInsecureKey,
      }),
    );
    const agreement = await signStatement(AGREEMENT, key, {
      taskId: task.id,
      taskDigest: digest,
      publicKey: secretKey.publicKey.toJSON(),
      dataUserKey,
      // The nonce is drawn after the task's digest is fixed, and kept with the agreement: the task never gets
      // another.
      ...(task.sketch && { sketchNonce: randomBytes(NONCE_BYTES).toString('base64url') }),
    });
    const sealedSecretKey = sealJson(sealer, secretKeyPlace(task.id), secretKey);
    const proposed: StoredTask = {
      task,
      digest,
      agreement,
      state: 'agreed',
      sealedSecretKey,
      fixation: null,
      unblindingDigest: null,
      sealedShares: null,
    };
    const sealedVectors = vectors && sealVectors(sealer, task, vectors);
    const stored = await store.insertTask(proposed, quota, sealedVectors);
    return agreementOf(stored, digest);
  }

  /**
   * Makes a key if its task will have room beside all others whose keys are being made: a key takes seconds,
   * and many may be asked for at once.
   * @throws ERR_QUOTA, ERR_AUTH_FORBIDDEN
   */
  async #withinQuota<Key>(dataUser: Thumbprint, quota: TaskQuota, make: () => Promise<Key>): Promise<Key> {
    const others = this.#making.get(dataUser) ?? 0;
    this.#making.set(dataUser, others + 1);
    try {
      await this.#deps.store.requireQuota(dataUser, quota, others);
      return await make();
    } finally {
      const left = this.#making.get(dataUser)! - 1;
      if (left > 0) this.#making.set(dataUser, left);
      else this.#making.delete(dataUser);
    }
  }

  /**
   * Returns the tasks of the projections that a task stands on, the first of the chain first, up to the
   * longest allowed chain, or the task whose result it refines. This CSP has countersigned them for the same
   * data user. It does not see the tasks on which a task stands; owners do.
   * @throws ERR_TASK_REFUSED
   */
  async #basisOf(task: Task): Promise<Task[]> {
    const links: Task[] = [];
    for (let named = namedResult(task); named !== undefined && links.length < LIMITS.links; ) {
      const link = await this.#earlier(task, named);
      links.unshift(link);
      named = link.basis;
    }
    return links;
  }

  /**
   * Returns the task of the result with this digest.
   * @throws ERR_TASK_REFUSED
   */
  async #earlier({ dataUser }: Task, digest: string): Promise<Task> {
    const earlier = await this.#deps.store.taskOfProjection(Digest.parse(digest));
    if (earlier?.dataUser !== dataUser)
      throw new CodedError(
        CODES.ERR_TASK_REFUSED,
        '"basis", "sketch.refine", and "rangesFrom", expected the digest of a result that this CSP has countersigned for this data user',
      );
    return earlier;
  }

  /** @throws ERR_TASK_UNKNOWN */
  async task(taskId: TaskId, dataUser: Thumbprint): Promise<StoredTask> {
    const stored = await this.#deps.store.task(taskId);
    // Another data user's task is answered like one that does not exist, so that nobody can find ids by
    // trying.
    if (stored === undefined || stored.task.dataUser !== dataUser) {
      throw new CodedError(CODES.ERR_TASK_UNKNOWN, '"taskId" expected a task of this data user');
    }
    return stored;
  }

  /**
   * Returns the task as this CSP has signed it. Its noise, its minimum of owners and its two-party protocol
   * lie in the database as plain text, so they are compared with the agreement before a secret is used for
   * anything that depends on them.
   * @throws ERR_TASK_UNKNOWN, ERR_DATABASE_ALTERED
   */
  async agreedTask(taskId: TaskId, dataUser: Thumbprint): Promise<AgreedTask> {
    const stored = await this.task(taskId, dataUser);
    const agreed = await verifyStatement(AGREEMENT, stored.agreement, this.#deps.key.publicJwk).catch(
      altered,
    );
    if (agreed.taskId !== taskId || agreed.taskDigest !== digestTask(stored.task)) altered();
    return { ...stored, agreed };
  }
}

function agreementOf({ digest, agreement, state }: StoredTask, expected: Digest): string {
  if (digest !== expected)
    throw new CodedError(CODES.ERR_TASK_CONFLICT, '"id" expected the parameters agreed before');
  if (state === 'ended') throw ended();
  return agreement;
}
