/** The messages between the owner's page and its worker. A worker does one job and ends with it. */
import { CSV_OPTIONS } from '@eigenveil/statistics/reading-options';
import { Task } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import { z } from 'zod';
import { DEVICE_CODES } from './codes.ts';
import type { ContributeJob, LookJob, ReadJob, ReduceJob } from './jobs.ts';

export type Job = LookJob | ReadJob | ContributeJob | ReduceJob;

const Form = z.strictObject({
  separator: CSV_OPTIONS.separator.schema,
  decimal: CSV_OPTIONS.decimal.schema,
  thousands: CSV_OPTIONS.thousands.schema,
  encoding: CSV_OPTIONS.encoding.schema,
  escape: CSV_OPTIONS.escape.schema,
  skipLines: CSV_OPTIONS.skipLines.schema,
  skipRows: CSV_OPTIONS.skipRows.schema,
  columns: CSV_OPTIONS.columns.schema,
  missing: CSV_OPTIONS.missing.schema.optional(),
  missingValues: CSV_OPTIONS.missingValues.schema,
  trim: CSV_OPTIONS.trim.schema.optional(),
  numericLabels: z.boolean().optional(),
});

const ReadingOptions = Form.extend({
  strict: z.boolean().optional(),
  ignoredColumns: z.union([z.literal('others'), z.array(z.string())]).exactOptional(),
  keptColumns: z.array(z.string()).exactOptional(),
});

const Basis = z.array(z.strictObject({ task: Task, projection: Projection }));

const natural = z.bigint().min(0n);

/** The request of the page. */
export const JobMessage: z.ZodType<Job> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('look'),
    file: z.instanceof(Blob),
    name: z.string(),
    columns: z.strictObject({ features: Task.shape.features, labellings: Task.shape.labellings }),
    countsUnreadable: z.boolean(),
    form: Form.nullable(),
  }),
  z.strictObject({
    kind: z.literal('read'),
    file: z.instanceof(Blob),
    name: z.string(),
    task: Task,
    basis: Basis,
    options: ReadingOptions,
    signs: z.instanceof(Int32Array).optional(),
  }),
  z.strictObject({
    kind: z.literal('contribute'),
    task: Task,
    publicKey: z.strictObject({ n: natural, h: natural.exactOptional() }),
    values: z.array(z.bigint()),
  }),
  z.strictObject({
    kind: z.literal('reduce'),
    file: z.instanceof(Blob),
    name: z.string(),
    task: Task,
    projection: Projection,
    basis: Basis,
    options: ReadingOptions.omit({ ignoredColumns: true, keptColumns: true }),
    keptColumns: z.array(z.string()),
  }),
]);

const count = z.int().min(0);

/** The failure as plain data, since structured clones of errors lose class and code. */
const Failure = z.strictObject({
  info: z.object({ code: z.string(), title: z.string() }),
  parts: z
    .array(
      z.union([
        z.string(),
        z.strictObject({ term: z.string(), text: z.string(), value: z.string().optional() }),
      ]),
    )
    .readonly(),
});
export type Failure = z.infer<typeof Failure>;

/** The failure for an error that is not a CodedError. */
export const FAILED: Failure = {
  info: DEVICE_CODES.ERR_WORKER,
  parts: ['a part of this page has failed: load the page again, and try again'],
};

/** The messages of the worker: any number of steps, then a result or a failure. */
export const Answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('progress'), done: count, total: count }),
  z.strictObject({ kind: z.literal('result'), result: z.unknown() }),
  Failure.extend({ kind: z.literal('failure') }),
]);
export type Answer = z.infer<typeof Answer>;
