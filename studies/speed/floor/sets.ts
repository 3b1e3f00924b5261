/** Rows that the floor is measured over: bundled ones with the grains that a draft finds, and made-up ones of two-valued features. */
import { draftTask } from '@eigenveil/data-user';
import { type CsvRow, readFileBytes, readRows } from '@eigenveil/statistics';
import { TaskProposal } from '@eigenveil/task';
import { generator, seedOf, shuffled } from '@eigenveil/testbed/random';
import type { OwnData } from '../../instrument/own-data.ts';
import { stratifiedSplit } from '../accuracy/splits.ts';
import { fileOfCase } from '../own-rows.ts';

export const METHODS = ['pca', 'lda'] as const;
export type Method = (typeof METHODS)[number];

export interface MadeUp {
  readonly kind: 'made up';
  readonly rows: number;
  readonly features: number;
  /** The parts of the rows that hold the first feature and the last; those between are held by parts between. */
  readonly held: readonly [first: number, last: number];
}

export type FloorSet = { readonly kind: 'bundled'; readonly name: string } | MadeUp;

/** A factor of made-up rows: each goes with some features, and the first with the label. */
const FACTORS = 4;
/** The part of a feature that is a factor's, beside what is its own. */
const SHARED = 1.2;
/** The number of components of a PCA, where nothing else is asked for. */
export const COMPONENTS = 8;
const LABEL = 'label';
const TEST_SHARE = 0.2;
/** Held-out rows, of made-up sets. */
const HELD_OUT = 2000;

/** The name that the seed of its noise has. */
export function nameOf(set: FloorSet): string {
  if (set.kind === 'bundled') return set.name;
  return `${set.features} two-valued, ${partsOf(set)}, ${set.rows.toLocaleString('en-US')} rows`;
}

/** As people read it, who see the number of rows beside it. */
export const titleOf = (set: FloorSet): string =>
  set.kind === 'bundled' ? set.name.replace('_', ' ') : `${set.features} two-valued, held by ${partsOf(set)}`;

const partsOf = ({ held }: MadeUp): string =>
  `${[...new Set(held)].map((part) => `${100 * part}`).join(' to ')} %`;

/** A set with a labelling of its rows. */
export interface Read {
  readonly features: unknown;
  readonly classes: readonly string[];
  readonly rows: readonly CsvRow[];
  /** Beside the rows, to be told by their features. */
  readonly test: readonly CsvRow[];
}

/** The task of a method over the set; a PCA has this number of components, and no labelling. */
export function taskOf(
  { features, classes, rows }: Read,
  method: Method,
  components = COMPONENTS,
): TaskProposal {
  const isPca = method === 'pca';
  return TaskProposal.parse({
    features,
    method: isPca ? { kind: method } : { kind: method, ridge: 1 },
    labellings: isPca ? [] : [{ column: LABEL, classes }],
    components: isPca ? Math.min(components, (features as readonly unknown[]).length - 2) : 1,
    minimumOwners: 2,
    maximumOwners: 2,
    maximumSamplesPerOwner: rows.length,
    // Whoever measures wants to see components below the noise, too.
    allowFullRank: true,
    deadline: '2100-01-01T00:00:00Z',
  });
}

/** All rows of the set; of made-up ones 2,000 more are held out. */
export async function readSet(set: FloorSet, own?: OwnData): Promise<Read> {
  return set.kind === 'bundled' ? ofFile(await fileOfCase(set.name, own)) : madeUp(set);
}

/** Returns the rows with a part of them held out, unless some are already. */
export function withHeldOut(read: Read, name: string): Read {
  if (read.test.length > 0) return read;
  const labels = read.rows.map(({ classes }) => classes[0]!);
  const next = generator(seedOf(`floor held out ${name}`));
  const { train, test } = stratifiedSplit(labels, TEST_SHARE, next);
  const at = (places: readonly number[]) => shuffled(places, next).map((row) => read.rows[row]!);
  return { ...read, rows: at(train), test: at(test) };
}

async function ofFile(file: string): Promise<Read> {
  const { features, labellings } = await draftTask(file, { method: 'lda', labels: [LABEL], ignore: [] });
  const read = { features, classes: labellings[0]!.classes, rows: [], test: [] };
  const rows: CsvRow[] = [];
  for await (const row of readRows(readFileBytes(file), taskOf({ ...read, rows: [ONE] }, 'lda')))
    rows.push(row);
  return { ...read, rows };
}

/** A bound on rows is no part of how they are read. */
const ONE: CsvRow = { values: [], classes: [] };

function madeUp({ rows: count, features: d, held: [first, last] }: MadeUp): Read {
  const next = generator(seedOf(`floor ${count} ${d} ${first} ${last}`));
  const centred = () => next() + next() + next() + next() - 2;
  const features = Array.from({ length: d }, (_, i) => ({
    name: `f${i}`,
    ...{ min: 0, max: 1, grain: 1 },
    held: first + ((last - first) * i) / (d - 1),
  }));
  const hidden = Array.from({ length: count + HELD_OUT }, () => {
    const factors = Array.from({ length: FACTORS }, centred);
    return { values: features.map((_, i) => SHARED * factors[i % FACTORS]! + centred()), factors };
  });
  // Each feature is held by those rows that have most of it.
  const bars = features.map(({ held }, i) => {
    const sorted = hidden.map(({ values }) => values[i]!).sort((a, b) => b - a);
    return sorted[Math.max(0, Math.round(held * sorted.length) - 1)]!;
  });
  const rows = hidden.map(({ values, factors }) => ({
    values: values.map((value, i) => Number(value >= bars[i]!)),
    classes: [Number(factors[0]! + centred() > 0)],
  }));
  return {
    features: features.map(({ held: _, ...feature }) => feature),
    classes: ['no', 'yes'],
    rows: rows.slice(0, count),
    test: rows.slice(count),
  };
}
