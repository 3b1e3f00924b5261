/** Chains at the data user: what a task stands on or refines, for owners who reduce their rows by it or sum them by its vectors, for the CSP, and with the result. */
import { CodedError } from '@eigenveil/platform';
import { checkBasis, LIMITS, namedResult, type Task } from '@eigenveil/task';
import { CODES, Digest, type SignedLink } from '@eigenveil/wire';
import { provenanceOf } from '../compute/provenances.ts';
import type { DataUserStore, StoredTask } from '../store/store.ts';

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
   * What a task stands on, the first link of the chain first, or the one that it refines; undefined where it names none.
   * @throws ERR_TASK_INVALID for a digest of no result that this data user has, as `checkBasis`
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

  /** What a sketch refines. */
  async refinedBy(task: Task): Promise<SignedLink | undefined> {
    return task.sketch?.refine === undefined ? undefined : (await this.basisOf(task))?.[0];
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
      '"basis", and "sketch.refine", expected the digest of a result of this data user, as "task draft" writes it with --basis or --refine',
    );
  return {
    task: stored.task,
    agreement: stored.agreement!,
    projection: stored.projection!,
    provenance: provenanceOf(stored.provenance),
  };
}
