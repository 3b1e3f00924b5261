/** Small tasks over a scene's rows for experiments that run the real protocol in this process: few features, short keys, either method. */

import { methodOf } from '@eigenveil/methods';
import { DAY_MILLISECONDS, newTaskId, type Task, TaskProposal } from '@eigenveil/task';
import type { Scene, SceneRow } from '../../scene.ts';

/** The fewest features with which each protocol has something to hide in. */
export const FEATURES = 4;

/** The ridge of a discriminant method. */
export const RIDGE = 1;

/** The columns of a sketch: as many as there may be. */
export const COLUMNS = FEATURES - 1;

/** Returns why such tasks cannot be made of a scene. */
export function tooSmall(scene: Scene): string | undefined {
  if (scene.proposal.features.length < FEATURES) return `fewer than ${FEATURES} features`;
  return scene.owners.length < 2 ? 'fewer than two owners' : undefined;
}

export function withoutClasses(scene: Scene): string | undefined {
  return tooSmall(scene) ?? (scene.utilityLabel === undefined ? 'no utility label' : undefined);
}

/** Returns why there is no MDR of a scene. */
export function withoutPrivate(scene: Scene): string | undefined {
  return withoutClasses(scene) ?? (scene.privateLabel === undefined ? 'no private label' : undefined);
}

/** Methods; `sketch` is a PCA by one. */
export type SmallKind = 'pca' | 'dca' | 'lda' | 'mdr' | 'sketch';

export interface SmallTask {
  readonly proposal: TaskProposal;
  /** A scene's rows with the task's features alone. */
  cut(rows: readonly SceneRow[]): SceneRow[];
}

/** @param changes of the proposal, which is a PCA by `garbled` over the features that spread most within their ranges */
export function smallTask(
  scene: Scene,
  changes: Partial<
    Pick<
      TaskProposal,
      | 'twoParty'
      | 'components'
      | 'minimumOwners'
      | 'maximumOwners'
      | 'maximumSamplesPerOwner'
      | 'differentialPrivacy'
    >
  > & {
    readonly kind?: SmallKind;
    readonly features?: number;
  } = {},
): SmallTask {
  const { kind = 'pca', features: count = FEATURES, ...others } = changes;
  const { twoParty = 'garbled' } = others;
  const places = spreadMost(scene, count);
  const method = methodBy(kind);
  const sketch = kind === 'sketch' ? { columns: COLUMNS } : undefined;
  const labelled = [...scene.owners.flat(), ...scene.outsiders];
  const labelling = (column: string) => ({
    column,
    classes: [...new Set(labelled.map(({ labels }) => labels[column]!))].sort(),
  });
  const columns = {
    ...{ pca: [], sketch: [], dca: [scene.utilityLabel!], lda: [scene.utilityLabel!] },
    mdr: [scene.utilityLabel!, scene.privateLabel!],
  };
  const proposal = TaskProposal.parse({
    method,
    features: places.map((place) => ({ ...scene.proposal.features[place]!, twoValued: false })),
    labellings: columns[kind].map(labelling),
    components: 1,
    minimumOwners: 2,
    maximumOwners: 4,
    maximumSamplesPerOwner: 1000,
    keyBits: 1024,
    allowInsecureKey: true,
    outputs:
      twoParty === 'rotated'
        ? methodOf({ method: method, sketch: sketch }).revealedByRotation
        : ['mean', 'sampleCount'],
    sketch,
    exact: true,
    allowFullRank: true,
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
    ...others,
  });
  const cut = (rows: readonly SceneRow[]) =>
    rows.map((row) => ({ ...row, values: places.map((place) => row.values[place]!) }));
  return { proposal, cut };
}

function methodBy(kind: SmallKind): TaskProposal['method'] {
  if (kind === 'dca') return { kind, form: 'standard', ridge: RIDGE, signalRidge: 0 };
  return kind === 'mdr' || kind === 'lda' ? { kind, ridge: RIDGE } : { kind: 'pca' };
}

/** The task as its servers would have agreed to it; nobody looks at their thumbprints here. */
export function agreed(proposal: TaskProposal): Task {
  const thumbprint = 'A'.repeat(43) as Task['csp'];
  return { ...proposal, protocol: 'eigenveil/1', id: newTaskId(), csp: thumbprint, dataUser: thumbprint };
}

function spreadMost({ proposal, publicSample }: Scene, count: number): number[] {
  const spread = proposal.features.map(({ min, max }, place) => {
    const values = publicSample.map((row) => (row.values[place]! - min) / (max - min || 1));
    const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    return { place, variance: values.reduce((sum, x) => sum + (x - mean) ** 2, 0) };
  });
  const chosen = spread.toSorted((a, b) => b.variance - a.variance).slice(0, count);
  return chosen.map(({ place }) => place).sort((a, b) => a - b);
}
