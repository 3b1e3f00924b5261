/** The results of a run, as report.json keeps them: everything that is needed to write the report again. */
import { z } from 'zod';
import { Environment } from './environment.ts';
import type { Tidy } from './tidy.ts';

const Value = z.union([z.number(), z.string()]);

/** A case that was measured; records stand as columns and rows, which is a fraction of their size. */
export const MeasuredCase = z.strictObject({
  study: z.string(),
  id: z.string(),
  parameters: z.record(z.string(), Value),
  startedAt: z.iso.datetime(),
  seconds: z.number(),
  columns: z.array(z.string()),
  /** A list stands for as many records, which differ in its numbers alone. */
  rows: z.array(z.array(z.union([Value, z.array(z.number())]).nullable())),
});
export type MeasuredCase = z.infer<typeof MeasuredCase>;

/** Cases of different runs of this description may stand in one report. */
export const RunDescription = z.strictObject({
  scale: z.enum(['quick', 'full']),
  studies: z.array(z.string()),
  /** Settings that were chosen, and the user's own rows with their digest. */
  chosen: z.record(z.string(), z.string()),
  environment: Environment,
});
export type RunDescription = z.infer<typeof RunDescription>;

export const StudyResults = z.strictObject({
  format: z.literal('eigenveil-study/1'),
  description: RunDescription,
  finishedAt: z.iso.datetime(),
  facts: z.record(z.string(), z.strictObject({ value: z.number().nullable(), text: z.string() })),
  cases: z.array(MeasuredCase),
  omissions: z.array(z.strictObject({ what: z.string(), why: z.string() })),
});
export type StudyResults = z.infer<typeof StudyResults>;

/** Returns a key that records have in common which differ in numbers alone. */
const wordsOf = (record: Tidy): string =>
  JSON.stringify(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'string' ? value : 0]),
  );

/** Puts records that differ in numbers alone one after the other: those of many seeds are kept in a fraction of the room then. */
export const inSeries = (records: readonly Tidy[]): Tidy[] =>
  [...Map.groupBy(records, wordsOf).values()].flat();

/** Records as columns and rows, which end with their last value. */
export function packed(records: readonly Tidy[]): Pick<MeasuredCase, 'columns' | 'rows'> {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const runs: Tidy[][] = [];
  for (const record of records) {
    const run = runs.at(-1);
    if (run !== undefined && wordsOf(run[0]!) === wordsOf(record)) run.push(record);
    else runs.push([record]);
  }
  const rowOf = (run: readonly Tidy[]) => {
    const last = columns.findLastIndex((column) => run[0]![column] !== undefined);
    return columns.slice(0, last + 1).map((column) => {
      const values = run.map((record) => record[column]).filter((value) => value !== undefined);
      return new Set(values).size > 1 ? (values as number[]) : (values[0] ?? null);
    });
  };
  const rows = runs.flatMap((run) => {
    const row = rowOf(run);
    // Their number would be lost without a list.
    return row.some(Array.isArray) ? [row] : run.map(() => row);
  });
  return { columns, rows };
}

/** The records of a case, each with what the case is of. */
export function recordsOf({ parameters, columns, rows }: MeasuredCase): Tidy[] {
  return rows.flatMap((row) => {
    const length = row.find(Array.isArray)?.length ?? 1;
    return Array.from({ length }, (_, at) => {
      const values = row.map((cell) => (Array.isArray(cell) ? cell[at]! : cell));
      const own = columns.flatMap((column, i) => (values[i] == null ? [] : [[column, values[i]]]));
      return { ...parameters, ...Object.fromEntries(own) };
    });
  });
}
