/** Made-up tasks and their results, for what is said or done with them: nobody has signed them. */
import type { MethodParameters, ProjectionKind } from '@eigenveil/methods';
import { Task, TaskProposal } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';

export const METHODS = {
  pca: { kind: 'pca' },
  dca: { kind: 'dca', form: 'standard', ridge: 1, signalRidge: 0 },
  lda: { kind: 'lda', ridge: 1 },
  mdr: { kind: 'mdr', ridge: 1 },
} as const satisfies Record<ProjectionKind, MethodParameters>;

const LABELLINGS = { pca: [], dca: ['label'], lda: ['label'], mdr: ['label', 'secret'] } as const;

/** Over features f0, f1, … in [0, 1]; of so many classes in each labelling of the method. */
export function madeUpTask(
  kind: ProjectionKind,
  features: number,
  changes: Partial<Task> = {},
  classes = 3,
): Task {
  const proposal = TaskProposal.parse({
    method: METHODS[kind],
    features: Array.from({ length: features }, (_, i) => ({
      name: `f${i}`,
      min: 0,
      max: 1,
      grain: 'cell',
      twoValued: false,
    })),
    labellings: LABELLINGS[kind].map((column) => ({
      column,
      classes: Array.from({ length: classes }, (_, k) => `class ${k}`),
    })),
    components: features,
    maximumOwners: 10,
    maximumSamplesPerOwner: 100,
    minimumOwners: 5,
    deadline: '2030-01-01T00:00:00.000Z',
  });
  const parties = { csp: 'c'.repeat(43), dataUser: 'd'.repeat(43) };
  return Task.parse({ ...proposal, ...parties, protocol: 'eigenveil/1', id: 't'.repeat(22), ...changes });
}

/** With unit vectors along the features. */
export function madeUpProjection(
  task: Task,
  eigenvalues: number[],
  changes: Partial<Projection> = {},
): Projection {
  const { method, twoParty, features, fractionBits, outputs, differentialPrivacy } = task;
  return Projection.parse({
    taskId: task.id,
    taskDigest: 'A'.repeat(43),
    ...{ method, twoParty, features, fractionBits, outputs, differentialPrivacy },
    vectors: eigenvalues.map((_, j) => features.map((__, i) => (i === j ? 1 : 0))),
    eigenvalues,
    ...changes,
  });
}
