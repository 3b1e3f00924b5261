/** Rows that the floor is measured over: bundled ones with the grains that a draft finds, and made-up ones of two-valued features. */
import { draftTask } from '@eigenveil/data-user';
import { type CsvRow, readFileBytes, readRows, type Statistics } from '@eigenveil/statistics';
import { TaskProposal } from '@eigenveil/task';
import { generator, seedOf } from '@eigenveil/testbed/random';
import type { OwnData } from '../../instrument/own-data.ts';
import { fileOfCase } from '../own-rows.ts';
import { sumRows } from '../owners.ts';

export const METHODS = ['pca', 'lda'] as const;
type Method = (typeof METHODS)[number];

export type FloorSet =
  | { readonly kind: 'bundled'; readonly name: string }
  /** Of two-valued features, by factors that rows share: the first is held by one part of the rows, the last by the other, those between by parts between. */
  | {
      readonly kind: 'made up';
      readonly rows: number;
      readonly held: readonly [first: number, last: number];
    };

const FEATURES = 20;
const FACTORS = 4;
/** How much a feature is a factor's, beside what is its own. */
const SHARED = 1.2;
const COMPONENTS = 8;
const LABEL = 'label';

/** As the seed of its noise has it. */
export function nameOf(set: FloorSet): string {
  if (set.kind === 'bundled') return set.name;
  return `${FEATURES} two-valued, ${partsOf(set)}, ${set.rows.toLocaleString('en-US')} rows`;
}

/** As people read it, who see the number of rows beside it. */
export const titleOf = (set: FloorSet): string =>
  set.kind === 'bundled' ? set.name.replace('_', ' ') : `${FEATURES} two-valued, held by ${partsOf(set)}`;

const partsOf = ({ held }: Extract<FloorSet, { kind: 'made up' }>): string =>
  `${[...new Set(held)].map((part) => `${100 * part}`).join(' to ')} %`;

/** The task and the statistics of its rows. */
export async function summed(
  set: FloorSet,
  method: Method,
  own?: OwnData,
): Promise<{ readonly task: TaskProposal; readonly statistics: Statistics; readonly rows: number }> {
  const { task, rows } =
    set.kind === 'bundled' ? await ofFile(await fileOfCase(set.name, own), method) : madeUp(set, method);
  return { task, statistics: sumRows(task, rows), rows: rows.length };
}

interface Read {
  readonly task: TaskProposal;
  readonly rows: readonly CsvRow[];
}

async function ofFile(file: string, method: Method): Promise<Read> {
  const ignored = method === 'pca' ? [LABEL] : [];
  const { rows: count, ...draft } = await draftTask(file, {
    method,
    labels: method === 'pca' ? [] : [LABEL],
    ignore: ignored,
  });
  const task = taskOf(draft, method, count);
  const rows: CsvRow[] = [];
  for await (const row of readRows(readFileBytes(file), task, { ignoredColumns: ignored })) rows.push(row);
  return { task, rows };
}

function madeUp(
  { rows: count, held: [first, last] }: Extract<FloorSet, { kind: 'made up' }>,
  method: Method,
): Read {
  const next = generator(seedOf(`floor ${count} ${first} ${last}`));
  const centred = () => next() + next() + next() + next() - 2;
  const features = Array.from({ length: FEATURES }, (_, i) => ({
    name: `f${i}`,
    ...{ min: 0, max: 1, grain: 1 },
    held: first + ((last - first) * i) / (FEATURES - 1),
  }));
  const hidden = Array.from({ length: count }, () => {
    const factors = Array.from({ length: FACTORS }, centred);
    return { values: features.map((_, i) => SHARED * factors[i % FACTORS]! + centred()), factors };
  });
  // Of each feature those rows hold it that have most of it.
  const bars = features.map(({ held }, i) => {
    const sorted = hidden.map(({ values }) => values[i]!).sort((a, b) => b - a);
    return sorted[Math.max(0, Math.round(held * count) - 1)]!;
  });
  const rows = hidden.map(({ values, factors }) => ({
    values: values.map((value, i) => Number(value >= bars[i]!)),
    classes: method === 'pca' ? [] : [Number(factors[0]! + centred() > 0)],
  }));
  const draft = {
    method: method === 'pca' ? { kind: method } : { kind: method, ridge: 1 },
    features: features.map(({ held: _, ...feature }) => feature),
    labellings: method === 'pca' ? [] : [{ column: LABEL, classes: ['no', 'yes'] }],
  };
  return { task: taskOf(draft, method, count), rows };
}

function taskOf(
  draft: Partial<Record<keyof TaskProposal, unknown>>,
  method: Method,
  rows: number,
): TaskProposal {
  const { features } = draft as { readonly features: readonly unknown[] };
  return TaskProposal.parse({
    ...draft,
    components: method === 'pca' ? Math.min(COMPONENTS, features.length - 2) : 1,
    minimumOwners: 2,
    maximumOwners: 2,
    maximumSamplesPerOwner: rows,
    // Whoever measures wants to see components below the noise, too.
    allowFullRank: true,
    deadline: '2100-01-01T00:00:00Z',
  });
}
