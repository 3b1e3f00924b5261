/** Chains at the data user: what a task stands on, for owners who reduce their rows by it, and with the result. */
import { checkBasis, LIMITS, type Task } from '@eigenveil/task';
import { Digest, ServiceError, type SignedLink } from '@eigenveil/wire';
import { provenanceOf } from './provenances.ts';
import type { DataUserStore, StoredTask } from './store.ts';

/** Chains that are kept at hand, since every owner of a task asks for its; each may take megabytes. */
const REMEMBERED_CHAINS = 8;

export class Chains {
  readonly #store: Pick<DataUserStore, 'taskOfProjection'>;
  /** By the digest that they end with. What is done stays as it is. */
  readonly #known = new Map<string, readonly SignedLink[]>();

  constructor(store: Pick<DataUserStore, 'taskOfProjection'>) {
    this.#store = store;
  }

  /**
   * What a task stands on, the first link of the chain first; undefined without a basis.
   * @throws ERR_TASK_INVALID for a digest of no result that this data user has, as `checkBasis`
   */
  async basisOf(task: Task): Promise<SignedLink[] | undefined> {
    if (task.basis === undefined) return undefined;
    const known = this.#known.get(task.basis);
    if (known !== undefined) return [...known];
    const links: SignedLink[] = [];
    for (let of = task; of.basis !== undefined && links.length < LIMITS.links; of = links[0]!.task)
      links.unshift(linkOf(await this.#store.taskOfProjection(Digest.parse(of.basis))));
    checkBasis(
      task,
      links.map((link) => link.task),
    );
    if (this.#known.size >= REMEMBERED_CHAINS) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(task.basis, links);
    return [...links];
  }
}

function linkOf(stored: StoredTask | undefined): SignedLink {
  const provenance = stored && provenanceOf(stored.provenance);
  if (stored === undefined || provenance === null || provenance === undefined)
    throw new ServiceError(
      'ERR_TASK_INVALID',
      '"basis" expected the digest of a result of this data user, as "task draft --basis" writes it',
    );
  return {
    task: stored.task,
    agreement: stored.agreement!,
    projection: stored.projection!,
    provenance,
  };
}
