/** The schema of the pictures and tables that experiments bring: `Block` of the reports, as it stands in journals and in report.json. */

import { z } from 'zod';
import type { Block } from '../instrument/report/document.ts';

const Axis = z.strictObject({
  title: z.string(),
  scale: z.enum(['linear', 'log', 'category']),
  unit: z.enum(['ms', 'bytes']).exactOptional(),
});

const Whisker = { low: z.number().exactOptional(), high: z.number().exactOptional() };

const Lines = z.strictObject({
  kind: z.literal('lines'),
  x: Axis,
  y: Axis,
  lines: z.array(
    z.strictObject({
      name: z.string(),
      points: z.array(z.strictObject({ x: z.number(), y: z.number(), ...Whisker })),
      style: z.enum(['solid', 'dashed', 'points']),
      of: z.string().exactOptional(),
    }),
  ),
});

const Bars = z.strictObject({
  kind: z.literal('bars'),
  groups: z.array(z.string()),
  y: Axis,
  bars: z.array(
    z.strictObject({
      name: z.string(),
      // JSON has null for a gap.
      values: z.array(
        z
          .strictObject({ value: z.number(), ...Whisker })
          .nullish()
          .transform((value) => value ?? undefined),
      ),
    }),
  ),
});

export const BlockSchema: z.ZodType<Block> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('text'), text: z.string() }),
  z.strictObject({
    kind: z.literal('table'),
    caption: z.string(),
    columns: z.array(z.strictObject({ title: z.string(), align: z.enum(['left', 'right']) })),
    rows: z.array(z.array(z.string())),
  }),
  z.strictObject({
    kind: z.literal('chart'),
    name: z.string(),
    caption: z.string(),
    drawing: z.discriminatedUnion('kind', [Lines, Bars]),
  }),
  z
    .strictObject({
      kind: z.literal('picture'),
      name: z.string(),
      caption: z.string(),
      width: z.int(),
      height: z.int(),
      pixels: z.array(z.int().min(0).max(255)),
    })
    .describe('In journals alone: what shows people is no part of report.json.'),
]);
