/**
 * The protocol of the rows. Projection and templates come from the first 40 % of each person's rows, thresholds from the next 20 %, tests from the
 * last 40 %. Everything that is chosen is chosen within the first 60 %, on rows that come after those that it learnt from.
 */
import { inTime, type People, type Person, preparation, type Row } from '../people.ts';
import { compareAll, type Distances, type Stream } from './comparisons.ts';
import type { SpaceSetting } from './settings.ts';
import { learnSpace, type Space } from './spaces.ts';

/** Raw rows of the same people, in the same order. */
interface Trial {
  readonly learn: readonly Person[];
  readonly probe: readonly Person[];
}

const part = ({ people }: People, of: (rows: readonly Row[]) => readonly Row[]): Person[] =>
  people.map(({ name, rows }) => ({ name, rows: of(rows) }));

const share = (rows: readonly Row[], from: number, to: number): readonly Row[] =>
  rows.slice(Math.floor(rows.length * from), Math.floor(rows.length * to));

/**
 * For choosing: the second fifth by the first, the third by the first two, and the third by the first, since most test rows are farther from the templates
 * than the next fifth. No row of the last 40 % is in them.
 */
export function trialsOfChoice(people: People): Trial[] {
  return (
    [
      [0.2, 0.2],
      [0.4, 0.4],
      [0.2, 0.4],
    ] as const
  ).map(([end, from]) => ({
    learn: part(people, (rows) => share(rows, 0, end)),
    probe: part(people, (rows) => share(rows, from, from + 0.2)),
  }));
}

export interface Final {
  readonly learn: readonly Person[];
  readonly thresholds: readonly Person[];
  readonly test: readonly Person[];
}

export function finalOf(people: People): Final {
  return {
    learn: part(people, (rows) => inTime(rows).early),
    thresholds: part(people, (rows) => inTime(rows).middle),
    test: part(people, (rows) => inTime(rows).late),
  };
}

/** The final parts with a tenth of each person's rows left out between them. */
export function finalWithGaps(people: People): Final {
  return {
    learn: part(people, (rows) => inTime(rows).early),
    thresholds: part(people, (rows) => share(rows, 0.5, 0.6)),
    test: part(people, (rows) => share(rows, 0.7, 1)),
  };
}

/** Prepared once for all settings with this unit. */
const preparedBy = new WeakMap<readonly Person[], Map<number, Prepared>>();

interface Prepared {
  readonly prepare: (row: Row) => number[];
  readonly learn: readonly (readonly Row[])[];
}

function preparedOf(learn: readonly Person[], logUnit: number): Prepared {
  const byUnit = preparedBy.get(learn) ?? new Map<number, Prepared>();
  preparedBy.set(learn, byUnit);
  const known = byUnit.get(logUnit);
  if (known !== undefined) return known;
  const prepare = preparation(
    learn.flatMap(({ rows }) => rows),
    logUnit,
  );
  const prepared = { prepare, learn: learn.map(({ rows }) => rows.map(prepare)) };
  byUnit.set(logUnit, prepared);
  return prepared;
}

/** A space with the preparation that goes with it, both learnt from the same rows alone. */
interface Learnt {
  readonly space: Space;
  windows(people: readonly Person[]): Stream[];
}

export function learn(setting: SpaceSetting, people: readonly Person[], seed = 0): Learnt {
  const { prepare, learn: rows } = preparedOf(people, setting.logUnit);
  return learntBy(learnSpace(setting, rows, seed), prepare);
}

export function learntBy(space: Space, prepare: (row: Row) => readonly number[]): Learnt {
  return {
    space,
    windows: (of) =>
      of.map(({ name, rows }) => ({ name, windows: rows.map((row) => space.window(prepare(row))) })),
  };
}

/** Templates from the rows of `enrolled`, against the rows of `probe`. */
export function distancesOf(
  { space, windows }: Learnt,
  enrolled: readonly Person[],
  probe: readonly Person[],
): Distances {
  return compareAll(space, windows(enrolled), windows(probe));
}
