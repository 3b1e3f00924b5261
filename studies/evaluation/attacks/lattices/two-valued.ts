/** Tasks over features of a scene that have two values, and labels that have two, too: whether a cell is at least the public sample's median. */
import { methodOf } from '@eigenveil/methods';
import { DAY_MILLISECONDS, type Task, TaskProposal } from '@eigenveil/task';
import type { Draws } from '../../draws.ts';
import type { Scene, SceneRow } from '../../scene.ts';
import { agreed } from '../in-process/small-task.ts';

/** Columns of labels: the last features that a median divides. */
export const LABELS = ['utility', 'privacy'] as const;
const CLASSES = ['0', '1'];
/** The largest part of the members whose rows a run may draw. */
const DRAWN = 0.8;

/** The choices of a task, beside its features. */
export interface Wanted {
  readonly method: TaskProposal['method'];
  readonly twoParty: 'garbled' | 'rotated';
  readonly features: number;
  readonly components: number;
  /** The outputs beside those that the protocol tells in any case. */
  readonly outputs: TaskProposal['outputs'];
  /** The number of releases that the floor is for; without it the task is exact. */
  readonly releases?: number;
  readonly fractionBits?: number;
}

export interface TwoValued {
  readonly task: Task;
  /** Rows of 0 and 1. */
  rowsOf(rows: readonly SceneRow[]): SceneRow[];
}

/** The features that the public sample's median divides, and the medians. */
export function dividedBy({ proposal, publicSample }: Scene) {
  return proposal.features.flatMap((_, feature) => {
    const sorted = publicSample.map(({ values }) => values[feature]!).toSorted((a, b) => a - b);
    const bound = sorted[sorted.length >> 1]!;
    return sorted[0]! < bound ? [{ feature, bound }] : [];
  });
}

/** Returns why a scene has no task of this number of features, over this number of rows. */
export function tooFewDivided(scene: Scene, features: number, rows: number): string | undefined {
  if (dividedBy(scene).length < features + LABELS.length)
    return `fewer than ${features + LABELS.length} features that a median divides`;
  return tooFewRows(scene, rows);
}

export function tooFewRows({ owners }: Scene, rows: number): string | undefined {
  return DRAWN * owners.flat().length < rows
    ? `fewer than ${Math.ceil(rows / DRAWN)} rows of members`
    : undefined;
}

/** The task over the first of them. */
export function twoValuedTask(scene: Scene, wanted: Wanted): TwoValued {
  const { method, twoParty, features, components, outputs, releases, fractionBits } = wanted;
  const divided = dividedBy(scene);
  const value = ({ values }: SceneRow, { feature, bound }: (typeof divided)[number]) =>
    Number(values[feature]! >= bound);
  const proposal = TaskProposal.parse({
    method,
    features: Array.from({ length: features }, (_, i) => ({ name: `held${i}`, min: 0, max: 1, grain: 1 })),
    labellings: LABELS.slice(0, methodOf({ method }).labellings).map((column) => ({
      column,
      classes: CLASSES,
    })),
    twoParty,
    outputs: [...(twoParty === 'rotated' ? methodOf({ method }).revealedByRotation : []), ...outputs],
    minimumOwners: 2,
    maximumOwners: 2,
    maximumSamplesPerOwner: scene.owners.flat().length,
    deadline: new Date(Date.now() + DAY_MILLISECONDS).toISOString(),
    // With a floor, too: it refuses some, and changes no number of the others.
    ...{ components, allowFullRank: true, exact: releases === undefined, releases },
    ...(fractionBits !== undefined && { fractionBits }),
  });
  const rowsOf = (rows: readonly SceneRow[]) =>
    rows.map((row) => ({
      ...row,
      values: divided.slice(0, features).map((own) => value(row, own)),
      labels: Object.fromEntries(LABELS.map((column, l) => [column, `${value(row, divided.at(-1 - l)!)}`])),
    }));
  return { task: agreed(proposal), rowsOf };
}

/** A number of rows of members, drawn. */
export const drawnRows = ({ owners }: Scene, rows: number, draws: Draws): SceneRow[] =>
  draws.some(owners.flat(), rows);
