/** Tells people and programs of every kind of results: a new kind has a file here, and a line in this table. */
import {
  type MethodOf,
  type MethodParameters,
  methodOf,
  type ResultKind,
  readResult,
} from '@eigenveil/methods';
import type { Projection } from '@eigenveil/wire';
import { COMPONENTS_TOLD } from './components.ts';
import { COUNTS_TOLD } from './counts.ts';
import type { Telling, Told } from './form.ts';
import { MOMENTS_TOLD } from './moments.ts';
import { REGRESSION_TOLD } from './regression.ts';

const TOLD: Readonly<Record<ResultKind, Telling>> = {
  components: COMPONENTS_TOLD,
  regression: REGRESSION_TOLD,
  counts: COUNTS_TOLD,
  moments: MOMENTS_TOLD,
};

/** Returns what is told of results of a task's kind. */
export function tellingOf(task: MethodOf<MethodParameters>): Telling {
  return TOLD[methodOf(task).result];
}

/** A result as it was signed, and what is known beside it. */
export interface ToldResult extends Omit<Told, 'projection'> {
  readonly projection: Projection;
}

const read = ({ projection, ...told }: ToldResult): Told => ({ ...told, projection: readResult(projection) });

/** Returns lines for people, below those on the task and its rows. */
export const linesOf = (told: ToldResult): readonly string[] => tellingOf(told.task).lines(read(told));

/** Returns a result as a table, without the end of its last line. */
export const csvOf = (told: ToldResult): string => tellingOf(told.task).csv(read(told));
