/** The tasks that attacks of this room propose over a scene, and its members dealt to owners again. */
import { isOf } from '@eigenveil/platform';
import { PROJECTION_CODES } from '@eigenveil/projection';
import type { Statistics } from '@eigenveil/statistics';
import { checkTask, type TaskProposal } from '@eigenveil/task';
import { Draws } from '../../draws.ts';
import type { Setting } from '../../experiment.ts';
import { releasedBy } from '../../released.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { type Variant, variantOf } from '../../scenes/split.ts';

/** Gives as many components as the scene's own task has, where more than half of the features remain unknown. */
export const componentsOf = ({ proposal }: Scene): number =>
  Math.max(1, Math.min(proposal.components, Math.floor(proposal.features.length / 2)));

/** A PCA by `garbled` that declares no more than vectors and eigenvalues, apart from the changes. */
export const pcaOf = (scene: Scene, changes: Partial<Variant> = {}): TaskProposal =>
  variantOf(scene, { method: 'pca', twoParty: 'garbled', components: componentsOf(scene), ...changes });

/** Returns what is computed, or the code by which a task is refused, by itself or over the rows of a run. */
export function attempted<T>(
  compute: () => T,
): { value: T; code?: undefined } | { value?: undefined; code: string } {
  try {
    return { value: compute() };
  } catch (error) {
    if (isOf(PROJECTION_CODES, error)) return { code: error.code };
    throw error;
  }
}

/** Returns why the scene's PCA, with these changes, is refused over all members: attacks on it have nothing to look at. */
export function refusal(scene: Scene, changes: Partial<Variant> = {}): string | undefined {
  const { code } = attempted(() => releasedBy(pcaOf(scene, changes), scene.owners));
  return code && `its PCA is refused: ${code}`;
}

/**
 * Checks an exact task as one with a floor is checked: by the rule of ranks, which consent to an exact result leaves out.
 * @throws as `checkTask`
 */
export function checkByRanks(task: TaskProposal): void {
  const features = task.features.map((feature) => ({ ...feature, grain: 'cell' as const }));
  checkTask({ ...task, features, exact: false, allowFullRank: false });
}

/** Members, outsiders and public sample must be at least this number each, or dealing them says little. */
const LEAST_ROWS = 40;
const LEAST_SAMPLE = 10;
const LEAST_FEATURES = 4;

/** Returns why no attack of this room has anything to say about a scene. */
export function unfit(scene: Scene): string | undefined {
  const { proposal, outsiders, publicSample } = scene;
  if (proposal.features.length < LEAST_FEATURES) return `fewer than ${LEAST_FEATURES} features`;
  if (Math.min(membersOf(scene).length, outsiders.length) < LEAST_ROWS)
    return `fewer than ${LEAST_ROWS} rows of members or outsiders`;
  if (publicSample.length < LEAST_SAMPLE) return `fewer than ${LEAST_SAMPLE} rows in the public sample`;
  return refusal(scene, { twoParty: 'rotated' });
}

export const membersOf = ({ owners }: Scene): SceneRow[] => owners.flat();

/** Members dealt again to a number of owners of about one size. */
export function dealt(members: readonly SceneRow[], owners: number, draws: Draws): SceneRow[][] {
  const mixed = draws.shuffled(members);
  return Array.from({ length: owners }, (_, owner) => mixed.filter((_row, i) => i % owners === owner));
}

export const rowsOf = (statistics: Statistics): number =>
  statistics.labellings[0]!.reduce((sum, { M }) => sum + Number(M), 0);

/** A task over a part of the members, beside one over as many outsiders. */
interface Run {
  readonly members: readonly SceneRow[];
  readonly outsiders: readonly SceneRow[];
}

/** Draws a number of runs by the seed, each over half of the members, or as many as `rows` says. */
export function runsOf({ scene, seed }: Setting, count: number, rows?: () => number): Run[] {
  const draws = new Draws(seed).of('runs');
  const members = membersOf(scene);
  return Array.from({ length: count }, (_, i) => {
    const own = draws.of(i);
    const size = rows?.() ?? Math.ceil(members.length / 2);
    return { members: own.some(members, size), outsiders: own.some(scene.outsiders, size) };
  });
}
