/**
 * Provenance at the data user: the CSP's two signatures about a task, and the place of each owner's
 * contribution in what the first is about.
 */

import { CodedError } from '@eigenveil/platform';
import type { Task, TaskId } from '@eigenveil/task';
import {
  CODES,
  COUNTERSIGNATURE,
  ContributionTree,
  type Digest,
  digestBytes,
  digestTask,
  type OwnerId,
  type OwnerProvenance,
  type Provenance,
  STATEMENT,
  TILE_SIZE,
  verifyStatement,
} from '@eigenveil/wire';
import type { DataUserStore, StoredProvenance, StoredTask } from '../store/store.ts';
import type { CspClient } from '../tasks/csp.ts';

/**
 * Trees that are kept: a hash for every TILE_SIZE contributions each, made in one pass over a task's
 * contributions.
 */
const REMEMBERED_TREES = 16;

export class Provenances {
  readonly #store: Pick<DataUserStore, 'contributions' | 'drawn'>;
  readonly #csp: Pick<CspClient, 'identity' | 'unblind' | 'countersign'>;
  readonly #trees = new Map<TaskId, Promise<ContributionTree>>();

  constructor(dependencies: {
    store: Pick<DataUserStore, 'contributions' | 'drawn'>;
    csp: Pick<CspClient, 'identity' | 'unblind' | 'countersign'>;
  }) {
    this.#store = dependencies.store;
    this.#csp = dependencies.csp;
  }

  /**
   * Has the CSP unblind a blinded task and returns its statement, which must be of exactly the contributions
   * that were added up. To be asked again as often as it takes.
   * @throws ERR_PROVENANCE_INVALID, and what the CSP refuses
   */
  async unblind({ task }: Pick<StoredTask, 'task'>): Promise<string> {
    const blinded = await this.#store.drawn(task.id, 'blinded');
    if (blinded === null) throw new TypeError(`task ${task.id} expected a blinded aggregate, got none`);
    const { statement } = await this.#csp.unblind({ taskId: task.id, body: blinded });
    const claims = await verifyStatement(STATEMENT, statement, await this.#csp.identity());
    const tree = await this.#treeOf(task.id);
    const isRight =
      isAbout(task, claims) &&
      claims.unblindingDigest === digestBytes('unblinding', blinded) &&
      claims.verifiedOwners === tree.size &&
      claims.contributionsRoot === tree.root();
    if (!isRight) throw invalid('"statement" expected this unblinding and the records that were added up');
    return statement;
  }

  /**
   * The CSP's signature of a projection digest.
   * @throws ERR_PROJECTION_CONFLICT, ERR_TASK_CLOSED, ERR_PROVENANCE_INVALID
   */
  async countersign(task: Task, projectionDigest: Digest): Promise<string> {
    const { countersignature } = await this.#csp.countersign({
      taskId: task.id,
      body: { projectionDigest },
    });
    const claims = await verifyStatement(COUNTERSIGNATURE, countersignature, await this.#csp.identity());
    if (!isAbout(task, claims) || claims.projectionDigest !== projectionDigest)
      throw invalid('"countersignature" expected the digest that was registered');
    return countersignature;
  }

  /** Returns the provenance for an owner whose contribution counts. */
  async ofOwner(provenance: Provenance, taskId: TaskId, ownerId: OwnerId): Promise<OwnerProvenance> {
    const tree = await this.#treeOf(taskId);
    const tile = await this.#store.contributions(taskId, tree.tileAfter(ownerId), TILE_SIZE);
    const { index, path } = tree.pathOf(ownerId, tile);
    return { ...provenance, inclusion: { index, path: [...path] } };
  }

  /** Returns the tree of a task that takes and gives up no contributions any more. */
  #treeOf(taskId: TaskId): Promise<ContributionTree> {
    const known = this.#trees.get(taskId);
    if (known !== undefined) return known;
    const made = ContributionTree.read((after, limit) => this.#store.contributions(taskId, after, limit));
    if (this.#trees.size >= REMEMBERED_TREES) this.#trees.delete(this.#trees.keys().next().value!);
    this.#trees.set(taskId, made);
    made.catch(() => this.#trees.delete(taskId));
    return made;
  }
}

function isAbout(task: Task, claims: { readonly taskId: TaskId; readonly taskDigest: Digest }): boolean {
  return claims.taskId === task.id && claims.taskDigest === digestTask(task);
}

function invalid(message: string): CodedError {
  return new CodedError(CODES.ERR_PROVENANCE_INVALID, message);
}

/** Returns what the CSP has signed about a task that is done. */
export function provenanceOf({ statement, countersignature, salt }: StoredProvenance): Provenance {
  return { statement: statement!, countersignature: countersignature!, salt: salt! };
}
