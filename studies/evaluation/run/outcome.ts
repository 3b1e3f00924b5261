/** The schema of what an experiment returns: as it comes from a child process, and as the journal keeps it. */
import { z } from 'zod';
import { BlockSchema } from '../blocks.ts';
import type { Outcome } from '../experiment.ts';

const Shown = {
  facts: z.record(z.string(), z.union([z.number(), z.string()])).exactOptional(),
  blocks: z.array(BlockSchema).exactOptional(),
};

export const OutcomeSchema: z.ZodType<Outcome> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('trials'),
    attack: z.array(z.number()),
    control: z.array(z.number()),
    chance: z.literal(true).exactOptional(),
    paired: z.literal(true).exactOptional(),
    baseline: z.number(),
    tooNoisy: z.string().exactOptional(),
    ...Shown,
  }),
  z.strictObject({
    kind: z.literal('test'),
    p: z.number(),
    n: z.int(),
    distance: z.strictObject({ value: z.number(), low: z.number(), high: z.number() }),
    // JSON leaves out what is undefined.
    detectable: z
      .strictObject({ leak: z.string(), size: z.number() })
      .optional()
      .transform((detectable) => detectable),
    ...Shown,
  }),
]);
