/** The form of what people and programs are told of a kind of results. */
import type { Result } from '@eigenveil/methods';
import type { Task } from '@eigenveil/task';
import type { Projection } from '@eigenveil/wire';
import type { Link } from '../projector/projector.ts';
import type { Reducer } from '../projector/reducer.ts';

/** Something to know of components before they are relied on. */
export interface Remark {
  readonly code: string;
  /** Components that it is about, from 1. */
  readonly components: readonly number[];
  readonly text: string;
}

export interface Told<Of extends Result = Result> {
  readonly task: Task;
  readonly projection: Projection & Of;
  /** The number of owners that the CSP has verified. */
  readonly verifiedOwners: number;
  readonly remarks: readonly Remark[];
}

/** Functions that take a result take one of this kind. */
export interface Telling {
  /** The result's name in a sentence: `a histogram`. */
  readonly noun: string;
  /** Returns lines for people, below those on the task and its rows. */
  lines(told: Told): readonly string[];
  /** Returns the result as a table, without the end of its last line. */
  csv(told: Told): string;
  /** Returns how much it is: `3 components`. */
  size(result: Result): string;
  /** Returns the members of JSON that stand for it where rows are what is asked for. */
  summary(result: Result): object;
  /** The use of it on rows; undefined for a result that has none. */
  readonly rows: Rows | undefined;
}

export interface Rows {
  /** The words between rows and a file: `reduced to`. */
  readonly done: string;
  /**
   * Makes the reducer of a result whose signatures the caller has verified.
   * @throws as `Projector` and `Predictor`
   */
  readonly by: (link: Link, basis: readonly Link[]) => Reducer;
}
