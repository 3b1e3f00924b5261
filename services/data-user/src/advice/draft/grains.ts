/**
 * Grains of a draft's features: what the sample shows, what the person who drafts says instead, and both in
 * words.
 */
import { CodedError } from '@eigenveil/platform';
import { grainOf, type TaskProposal } from '@eigenveil/task';
import { CODES } from '@eigenveil/wire/errors';
import type { SampleColumn } from './sample-column.ts';

type Feature = TaskProposal['features'][number];
export type Grain = NonNullable<Feature['grain']>;

/** The most names that stand in a note for each grain, and the most grains. */
const MOST_NAMED = 3;
const MOST_GROUPS = 8;

/** The grain that `--grain` says, for columns by name, number or pattern. */
interface AskedGrain {
  readonly name: string;
  readonly grain: Grain;
}

/**
 * Parses NAME=STEP and NAME=cell.
 * @throws ERR_TASK_INVALID
 */
export function parseGrains(texts: readonly string[]): AskedGrain[] {
  return texts.map((text) => {
    const end = text.lastIndexOf('=');
    const [name, step] = [text.slice(0, Math.max(0, end)), text.slice(end + 1)];
    const grain = step === 'cell' ? step : Number(step.trim() === '' ? Number.NaN : step);
    if (name === '' || (grain !== 'cell' && !(grain > 0 && Number.isFinite(grain))))
      throw invalid(
        `"--grain" expected NAME=STEP, a number above 0 in the unit of the column, or NAME=cell, got ${JSON.stringify(text)}`,
      );
    return { name, grain };
  });
}

/** Tells whether a name of a list of grains means a column: to the letter, or with * for any text. */
export function namesColumn(name: string, columns: readonly string[]): boolean {
  if (columns.includes(name)) return true;
  if (!name.includes('*')) return false;
  const parts = name.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`, 'u');
  return columns.some((column) => pattern.test(column));
}

/**
 * Returns the same features with grains: what is asked, or else what the sample's columns show. A feature
 * that does not vary in the sample, but may by its range, has the largest of the others.
 * @param columns of the features; undefined where the sample has none
 * @param namesOf by which a column may be asked for
 * @throws ERR_TASK_INVALID for a name that no feature has
 */
export function withGrains(
  features: readonly Feature[],
  columns: readonly (SampleColumn | undefined)[],
  asked: readonly AskedGrain[],
  namesOf: (column: SampleColumn) => readonly string[],
): { readonly features: Feature[]; readonly remarks: string[] } {
  const of = features.map(({ name }, i) => {
    const column = columns[i];
    return column === undefined ? [name] : [name, ...namesOf(column)];
  });
  const strange = asked.find(({ name }) => !of.some((own) => namesColumn(name, own)));
  if (strange !== undefined)
    throw invalid(`"--grain" expected the name of a feature, got ${JSON.stringify(strange.name)}`);
  const shown = features.map(({ min, max }, i) => columns[i]?.grain({ min, max }));
  const widest = Math.max(...shown.map((grain) => grain ?? 0));
  const remarks: string[] = [];
  const made = features.map((feature, i): Feature => {
    const range = columns[i]?.range;
    const isUnknown = range !== undefined && range.min === range.max && feature.min < feature.max;
    const found: Grain = (isUnknown ? widest : shown[i]) || 'cell';
    const wish = asked.findLast(({ name }) => namesColumn(name, of[i]!))?.grain;
    if (wish !== undefined && found !== 'cell' && (wish === 'cell' || wish < found))
      remarks.push(
        `"--grain" says ${wish === 'cell' ? 'that it has none' : wish} of ${JSON.stringify(feature.name)}, whose values in the sample lie ${found} apart: a floor by the former leaves them in the result`,
      );
    return { ...feature, grain: wish ?? found };
  });
  return { features: made, remarks };
}

/** Returns the same features with cells: a grain that is no more than a cell is one. */
export function withCells(features: readonly Feature[], fractionBits: number): Feature[] {
  return features.map((feature) =>
    feature.grain !== undefined && grainOf(feature, fractionBits) <= 2 ** -fractionBits
      ? { ...feature, grain: 'cell' }
      : feature,
  );
}

/** One line on all grains. */
export function describeGrains(
  features: readonly Pick<Feature, 'name' | 'min' | 'max' | 'grain'>[],
): string[] {
  const byGrain = new Map<Grain, string[]>();
  for (const { name, min, max, grain } of features) {
    if (grain === undefined || min === max) continue;
    byGrain.set(grain, [...(byGrain.get(grain) ?? []), name]);
  }
  if (byGrain.size === 0) return [];
  const groups = [...byGrain].sort(([, a], [, b]) => b.length - a.length);
  const words = groups.map(([grain, names]) => {
    const shown = names.slice(0, MOST_NAMED).map((name) => JSON.stringify(name));
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    return `${grain === 'cell' ? 'none above a cell' : grain} of ${shown.join(', ')}${more}`;
  });
  const listed = words.slice(0, MOST_GROUPS);
  const rest = groups.slice(MOST_GROUPS).reduce((sum, [, names]) => sum + names.length, 0);
  return [
    `grains, how far apart values lie, by which the floor goes: ${listed.join('; ')}${rest > 0 ? `; others of ${rest} more features` : ''}; declare larger ones where owners' values lie farther apart`,
  ];
}

function invalid(message: string): CodedError {
  return new CodedError(CODES.ERR_TASK_INVALID, message);
}
