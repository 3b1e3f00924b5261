/** Deals people to owners, outsiders and the public sample, and makes the tasks that may run over a scene. */
import { methodOf, type Output, type ProjectionKind } from '@eigenveil/methods';
import { type DifferentialPrivacy, TaskProposal } from '@eigenveil/task';
import { Draws } from '../draws.ts';
import { byPerson, type Scene, type SceneRow } from '../scene.ts';

/** Parts of the people: as many outsiders as members, or comparing the two would be the weaker for it. */
const MEMBERS = 0.4;
const OUTSIDERS = 0.4;

/**
 * Deals people, with all their rows, by the seed alone.
 * @param owners how many; each gets about as many people as another, and at least one
 * @throws RangeError when there are too few people
 */
export function dealtRows(
  rows: readonly SceneRow[],
  owners: number,
  seed: string,
): Pick<Scene, 'owners' | 'outsiders' | 'publicSample'> {
  const people = new Draws(`${seed}/people`).shuffled(byPerson(rows));
  const members = Math.round(MEMBERS * people.length);
  const others = members + Math.round(OUTSIDERS * people.length);
  if (members < owners || people.length <= others)
    throw new RangeError(
      `expected at least ${Math.ceil(owners / MEMBERS)} people for ${owners} owners, outsiders and a public sample, got ${people.length}`,
    );
  return {
    owners: Array.from({ length: owners }, (_, owner) =>
      people.slice(0, members).flatMap((own, i) => (i % owners === owner ? own : [])),
    ),
    outsiders: people.slice(members, others).flat(),
    publicSample: people.slice(others).flat(),
  };
}

/** The ridge that drafts have. */
const RIDGE = 1;

export interface Variant {
  readonly method: ProjectionKind;
  /** Default: that of the scene's own task. */
  readonly twoParty?: TaskProposal['twoParty'];
  /** Default: that of the scene's own task; discriminant methods give as many as they have. */
  readonly components?: number;
  /** Beyond those that `rotated` must declare. Default: none. */
  readonly outputs?: readonly Output[];
  /** Default: 1. */
  readonly ridge?: number;
  readonly differentialPrivacy?: DifferentialPrivacy;
  readonly allowFullRank?: boolean;
}

/**
 * The scene's task with another method: labellings are the scene's utility label, and for MDR its private one.
 * @throws RangeError where the scene has no such label
 */
export function variantOf(scene: Scene, variant: Variant): TaskProposal {
  const { method: kind, ridge = RIDGE, outputs = [], allowFullRank = false } = variant;
  const { proposal } = scene;
  const twoParty = variant.twoParty ?? proposal.twoParty;
  const method = {
    pca: { kind: 'pca' as const },
    dca: { kind: 'dca' as const, form: 'standard' as const, ridge, signalRidge: 0 },
    lda: { kind: 'lda' as const, ridge },
    mdr: { kind: 'mdr' as const, ridge },
  }[kind];
  const columns = {
    pca: [],
    dca: [scene.utilityLabel],
    lda: [scene.utilityLabel],
    mdr: [scene.utilityLabel, scene.privateLabel],
  }[kind];
  const declared = twoParty === 'rotated' ? methodOf({ method }).revealedByRotation : [];
  return TaskProposal.parse({
    ...proposal,
    method,
    labellings: columns.map((column) => ({ column, classes: classesOf(scene, column) })),
    components: variant.components ?? proposal.components,
    twoParty,
    outputs: [...new Set([...outputs, ...declared])],
    differentialPrivacy: variant.differentialPrivacy ?? null,
    allowFullRank,
  });
}

/** Every class of a column, also of people who have no part in the task: classes are public. */
export function classesOf(
  { owners, outsiders, publicSample }: Pick<Scene, 'owners' | 'outsiders' | 'publicSample'>,
  column: string | undefined,
): string[] {
  if (column === undefined) throw new RangeError('the scene expected a label for this method, has none');
  const labels = [...owners.flat(), ...outsiders, ...publicSample].map((row) => row.labels[column]!);
  return [...new Set(labels)].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}
