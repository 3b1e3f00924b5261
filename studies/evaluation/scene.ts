/** A scene: a task, the rows of its owners, people who are not in it, and a sample that anybody may have. */
import type { TaskProposal } from '@eigenveil/task';

/** Scenes that need only the project; those after `wisdm` need the folder EIGENVEIL_DATA. */
export const BUNDLED_SCENES = ['pima', 'breast_cancer', 'ionosphere', 'iris', 'wisdm', 'olivetti'] as const;
export type BundledScene = (typeof BUNDLED_SCENES)[number];

export interface SceneRow {
  /** One number per feature of the proposal, in the units of its ranges. */
  readonly values: readonly number[];
  /** By column, such as `label`; private labels, too. */
  readonly labels: Readonly<Record<string, string>>;
  /** The person whose row it is; every row is its own person where nobody says. */
  readonly person: string;
}

export interface Scene {
  /** A bundled one's name, or the data's file name. */
  readonly name: string;
  /** The proposal of the task that is evaluated; attacks may change its method, its components and more. */
  readonly proposal: TaskProposal;
  /** Rows by owner: the members. No person is in two of owners, outsiders and public sample. */
  readonly owners: readonly (readonly SceneRow[])[];
  /** For controls: people like the members who had no part in the task. */
  readonly outsiders: readonly SceneRow[];
  /** The rows that an attacker may know of the population. */
  readonly publicSample: readonly SceneRow[];
  /** The column that the projection is for, where there is one. */
  readonly utilityLabel: string | undefined;
  /** The column that shall not be guessed, where there is one. */
  readonly privateLabel: string | undefined;
}

/** All rows of a person. */
export type Person = readonly SceneRow[];

/** The rows of each person, in the order in which people first come. */
export const byPerson = (rows: readonly SceneRow[]): SceneRow[][] => [
  ...Map.groupBy(rows, ({ person }) => person).values(),
];
