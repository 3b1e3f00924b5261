/**
 * Chains at the data user: the results that a task stands on or refines. Owners reduce their rows by them or
 * sum them by their vectors, the CSP gets them, and they come with the result.
 */
import { LIMITS } from '@eigenveil/methods';
import { CodedError } from '@eigenveil/platform';
import { checkBasis, namedResult, type Task } from '@eigenveil/task';
import { CODES, Digest, type SignedLink } from '@eigenveil/wire';
import { provenanceOf } from '../compute/provenances.ts';
import type { DataUserStore, StoredTask } from '../store/store.ts';

/**
 * The number of chains that are kept in memory, since every owner of a task asks for its chain. Each may take
 * megabytes.
 */
const REMEMBERED_CHAINS = 8;

export class Chains {
  readonly #store: Pick<DataUserStore, 'taskOfProjection'>;
  /** Chains by the digest that they end with. A task that is done never changes. */
  readonly #known = new Map<string, readonly SignedLink[]>();

  constructor(store: Pick<DataUserStore, 'taskOfProjection'>) {
    this.#store = store;
  }

  /**
   * Returns the results that a task stands on, the first link of the chain first, or the one that it refines;
   * undefined where it names none.
   * @throws ERR_TASK_INVALID if this data user has no result with the digest, as `checkBasis`
   */
  async basisOf(task: Task): Promise<SignedLink[] | undefined> {
    const last = namedResult(task);
    if (last === undefined) return undefined;
    const known = this.#known.get(last);
    const links = known === undefined ? await this.#linksTo(last) : [...known];
    checkBasis(
      task,
      links.map((link) => link.task),
    );
    if (known !== undefined) return links;
    if (this.#known.size >= REMEMBERED_CHAINS) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(last, links);
    return [...links];
  }

  /** Returns the result that a sketch refines. */
  async refinedBy(task: Task): Promise<SignedLink | undefined> {
    return task.basis === undefined ? (await this.basisOf(task))?.[0] : undefined;
  }

  async #linksTo(last: string): Promise<SignedLink[]> {
    const links: SignedLink[] = [];
    for (let named: string | undefined = last; named !== undefined && links.length < LIMITS.links; ) {
      const link = linkOf(await this.#store.taskOfProjection(Digest.parse(named)));
      links.unshift(link);
      named = link.task.basis;
    }
    return links;
  }
}

function linkOf(stored: StoredTask | undefined): SignedLink {
  if (stored === undefined)
    throw new CodedError(
      CODES.ERR_TASK_INVALID,
      '"basis", and "sketch.refine", expected the digest of a result of this data user, as a draft on that result, or one that refines it, has it',
    );
  return {
    task: stored.task,
    agreement: stored.agreement!,
    projection: stored.projection!,
    provenance: provenanceOf(stored.provenance),
  };
}
