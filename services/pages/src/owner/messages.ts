/** The messages between the owner's page and its worker. A worker does one job and ends with it. */
import { Task } from '@eigenveil/task';
import { Projection } from '@eigenveil/wire';
import { z } from 'zod';
import type { ContributeJob, ReadJob, ReduceJob } from './jobs.ts';

export type Job = ReadJob | ContributeJob | ReduceJob;

const ReadingOptions = z.strictObject({
  separator: z.enum(['comma', 'semicolon', 'tab']).exactOptional(),
  decimal: z.enum(['point', 'comma']).exactOptional(),
  trim: z.boolean().exactOptional(),
  missing: z.enum(['error', 'skip']).exactOptional(),
  numericLabels: z.boolean().exactOptional(),
  strict: z.boolean().exactOptional(),
  ignoredColumns: z.union([z.literal('others'), z.array(z.string())]).exactOptional(),
  keptColumns: z.array(z.string()).exactOptional(),
});

const Basis = z.array(z.strictObject({ task: Task, projection: Projection }));

const natural = z.bigint().min(0n);

/** The request of the page. */
export const JobMessage: z.ZodType<Job> = z.discriminatedUnion('kind', [
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
  info: { code: 'ERR_INTERNAL', title: 'The worker failed' },
  parts: ['the worker of this page failed: reload the page and try again'],
};

/** The messages of the worker: any number of steps, then a result or a failure. */
export const Answer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('progress'), done: count, total: count }),
  z.strictObject({ kind: z.literal('result'), result: z.unknown() }),
  Failure.extend({ kind: z.literal('failure') }),
]);
export type Answer = z.infer<typeof Answer>;
