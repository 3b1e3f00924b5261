/** Made-up rows and scenes whose leaks are known. */
import { TaskProposal } from '@eigenveil/task';
import { Draws } from '../../../../evaluation/draws.ts';
import type { Scene, SceneRow } from '../../../../evaluation/scene.ts';
import { dealtRows } from '../../../../evaluation/scenes/split.ts';

/** So many rows of anything, drawn by a name. */
export function drawn<T>(count: number, name: string, row: (draws: Draws) => T): T[] {
  const draws = new Draws(name);
  return Array.from({ length: count }, () => row(draws));
}

/** Rows of features on [−1, 1], each a person's, dealt to two owners, outsiders and a public sample; a PCA of all features is its task. */
export function madeUpScene(
  people: number,
  row: (draws: Draws) => Pick<SceneRow, 'values' | 'labels'>,
  labels: Partial<Pick<Scene, 'utilityLabel' | 'privateLabel'>> = {},
): Scene {
  const rows = drawn(people, 'made-up rows', row).map((own, i) => ({ ...own, person: `${i}` }));
  const features = rows[0]!.values.map((_, f) => ({ name: `f${f}`, min: -1, max: 1, twoValued: false }));
  const proposal = TaskProposal.parse({
    method: { kind: 'pca' },
    features,
    components: features.length - 1,
    minimumOwners: 2,
    maximumOwners: 2,
    maximumSamplesPerOwner: people,
    outputs: ['mean'],
    exact: true,
    allowFullRank: true,
    deadline: '2099-01-01T00:00:00Z',
  });
  const { utilityLabel, privateLabel } = labels;
  return { name: 'made-up', proposal, ...dealtRows(rows, 2, 'made-up'), utilityLabel, privateLabel };
}
