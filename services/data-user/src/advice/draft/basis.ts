/**
 * The part of a draft that has a task stand on an earlier result, or refine it: what that is, and the
 * features that follow from it.
 */
import { CodedError, words } from '@eigenveil/platform';
import { type Link, openProjection } from '@eigenveil/projection/portable';
import { basisFeatures, type Task, type TaskId } from '@eigenveil/task';
import { CODES, type Digest } from '@eigenveil/wire';
import type { TaskClient } from '../../client/tasks.ts';
import type { Draft } from './draft.ts';
import { draftTerm } from './sample.ts';

export interface DraftBasis {
  /** The digest as the CSP has countersigned it. */
  readonly digest: Digest;
  /** The links from the first of the chain to the one with this digest. */
  readonly links: readonly (Link & { readonly task: Task })[];
}

/**
 * The result of a task that is done, with every link that it stands on, and all signatures checked.
 * @throws ERR_NOT_READY before it is done, and as `openProjection`
 */
export async function basisFrom(
  client: Pick<TaskClient, 'signed' | 'signedResult'>,
  taskId: TaskId,
): Promise<DraftBasis> {
  const signed = await client.signed(taskId);
  const result = await client.signedResult(taskId);
  const { basis, provenance, ...last } = await openProjection({ ...signed, ...result }, signed.task.csp);
  return { digest: provenance.projectionDigest, links: [...basis, last] };
}

/**
 * ρ that is 1 in units of the scatter of the first task's features in [−1, 1]: every link divides a row by
 * its range. To three digits.
 */
export function ridgeOn({ links }: DraftBasis): number {
  const ranges = links.map(({ task }) => basisFeatures(task)[0]!.max);
  return Number((1 / ranges.reduce((product, range) => product * range, 1) ** 2).toPrecision(3));
}

/**
 * Returns the same draft with the components of the basis for its features. Their grain is the largest of the
 * features that the first task declares or the sample shows.
 * @throws ERR_TASK_INVALID unless the sample has the features of the first link, and no others; for a
 *   correlation matrix
 */
export function draftOn({ digest, links }: DraftBasis, draft: Draft): Draft {
  requireFeatures(links, draft);
  return { ...draft, basis: digest, features: componentsOf(links, draft) };
}

function componentsOf(links: DraftBasis['links'], { features: sampled }: Draft): Draft['features'] {
  return links.reduce<Draft['features']>((before, { task }) => {
    const shown = new Map(before.map(({ name, grain }) => [name, grain]));
    const features = task.features.map((feature) => ({
      ...feature,
      ...coarser(feature.grain, shown.get(feature.name)),
    }));
    return basisFeatures({ ...task, features });
  }, sampled);
}

/** Returns the coarser one of what is declared and what is shown. */
function coarser(...grains: readonly Draft['features'][number]['grain'][]) {
  const known = grains.filter((grain) => grain !== undefined);
  const steps = known.filter((grain) => grain !== 'cell');
  if (known.length === 0) return {};
  return { grain: steps.length === 0 ? ('cell' as const) : Math.max(...steps) };
}

/**
 * Returns the same draft with the features of the result that it shall refine, in their order and ranges.
 * @throws ERR_TASK_INVALID unless the sample has these, and no others
 */
export function draftRefining({ links }: DraftBasis, draft: Draft): Draft {
  requireFeatures(links, draft);
  // Grains about which the earlier task says nothing, as an exact one does, are the sample's.
  const grains = new Map(draft.features.map(({ name, grain }) => [name, grain]));
  const features = links.at(-1)!.task.features.map((feature) => {
    const grain = feature.grain ?? grains.get(feature.name);
    return { ...feature, ...(grain !== undefined && { grain }) };
  });
  return { ...draft, features };
}

function requireFeatures(links: DraftBasis['links'], draft: Draft): void {
  const wanted = links[0]!.task.features.map(({ name }) => name);
  const got = new Set(draft.features.map(({ name }) => name));
  const missing = wanted.filter((name) => !got.has(name));
  if (missing.length > 0 || got.size !== wanted.length)
    throw new CodedError(
      CODES.ERR_TASK_INVALID,
      words`the file expected the ${wanted.length} features of task ${links[0]!.task.id}, with which it begins, and no others: ${missing.length} are missing, ${got.size - wanted.length + missing.length} must be left out ${draftTerm('draftIgnore', 'with --ignore')}`,
    );
}
