/** The scene that attacks on templates start from: prepared people, a public projection, and devices with frames of their own. */

import { Frame, makeTemplate, type Template } from '@eigenveil/authentication';
import { predictableRandomness } from '@eigenveil/testbed/random';
import { sumOfRows } from '../../privacy/methods/matrix.ts';
import { inTime, type Parts, type People, preparation, type Row } from '../people.ts';

export interface Subject extends Parts {
  readonly name: string;
  /** All, by time. */
  readonly rows: readonly Row[];
}

/**
 * Features on [−1, 1] by the first 40 % of everybody's rows, then in standard units of those: what is far off in one feature counts as much as in
 * another. Features that do not vary are left out.
 */
export interface Scene {
  readonly dataset: string;
  readonly features: readonly string[];
  readonly subjects: readonly Subject[];
  /** Deviation of each feature over everybody's rows: its standard unit. */
  readonly deviations: Row;
}

/** @param most people at most, the first ones: for quick runs */
export function sceneOf({ dataset, features, people }: People, most = Infinity): Scene {
  const taken = people.slice(0, most);
  const prepare = preparation(taken.flatMap(({ rows }) => inTime(rows).early));
  const subjects = taken.map(({ name, rows }) => {
    const prepared = rows.map(prepare);
    return { name, rows: prepared, ...inTime(prepared) };
  });
  const all = subjects.flatMap(({ rows }) => rows);
  const mean = sumOfRows(all, features.length).map((x) => x / all.length);
  const deviations = mean.map((centre, i) =>
    Math.sqrt(all.reduce((sum, row) => sum + (row[i]! - centre) ** 2, 0) / all.length),
  );
  return { dataset, features, subjects, deviations };
}

/** Parts of people for cross-validation: attackers know the other parts, never the victim's own. */
const FOLDS = 4;

export function folds<T>(
  items: readonly T[],
): { readonly victims: readonly T[]; readonly others: readonly T[] }[] {
  return Array.from({ length: FOLDS }, (_, fold) => ({
    victims: items.filter((_item, i) => i % FOLDS === fold),
    others: items.filter((_item, i) => i % FOLDS !== fold),
  }));
}

/** A device's frame, the same for the same name. @param translation deviation of each entry of its translation */
export const frameOf = (name: string, dimensions: number, translation = 0): Frame =>
  Frame.fromSeed(predictableRandomness(`frame of ${name}`)(32), dimensions, translation);

export const framed = (frame: Frame, rows: readonly Row[]): number[][] =>
  rows.map((row) => [...frame.apply(Float64Array.from(row))]);

export const templateOf = (rows: readonly Row[]): Template =>
  makeTemplate(rows.map((row) => Float64Array.from(row)));
