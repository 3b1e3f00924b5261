/** What a run measured, as report.json keeps it: everything that is needed to write the report again. */
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
  rows: z.array(z.array(Value.nullable())),
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

/** Records as columns and rows, which end with their last value. */
export function packed(records: readonly Tidy[]): Pick<MeasuredCase, 'columns' | 'rows'> {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => {
    const last = columns.findLastIndex((column) => record[column] !== undefined);
    return columns.slice(0, last + 1).map((column) => record[column] ?? null);
  });
  return { columns, rows };
}

/** The records of a case, each with what the case is of. */
export function recordsOf({ parameters, columns, rows }: MeasuredCase): Tidy[] {
  return rows.map((row) => ({
    ...parameters,
    ...Object.fromEntries(columns.flatMap((column, i) => (row[i] == null ? [] : [[column, row[i]]]))),
  }));
}
